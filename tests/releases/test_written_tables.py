"""Tables as people write them: read as declared, or refused with the line that says what to declare."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fuzzing.written_tables import judged, written
from made_policies import AGE, GROUPED_SEX, KEY, PERSON, WEIGHT, made_policy
from typer.testing import CliRunner

from noiseproof import cli
from noiseproof.audit.release.kinds.statistics import StatisticsKind
from noiseproof.audit.release.policy.category_reading import category_texts, written_texts
from noiseproof.audit.release.policy.models import ColumnModel
from noiseproof.audit.release.policy.table_guess import is_code
from noiseproof.audit.release.statistics.records import Records, fresh_key
from noiseproof.audit.release.tables import open_table
from noiseproof.symbolic.errors import SpecError

TWO_WAYS = "may be decimals or thousands here: declare table.decimal"
SHAPES: dict[str, tuple[str, dict[str, Any], Any]] = {
    "thousands points": ("1.966 980 12.345", {}, TWO_WAYS),
    "all of three decimals": ("1.966 2.440", {}, TWO_WAYS),
    "thousands points and decimals": ("1.966 2.5 12.50", {}, TWO_WAYS),
    "three decimals for certain": ("1.966 0.125", {}, [1.966, 0.125]),
    "four decimals": ("1.966 2.4417", {}, [1.966, 2.4417]),
    "decimals": ("19.99 5 1e3", {}, [19.99, 5, 1000]),
    "a declared point": ("1.966 980", {"decimal": "."}, [1.966, 980]),
    "declared thousands": ("1.966 980 12.345,5", {"decimal": ",", "thousands": "."}, [1966, 980, 12345.5]),
    "several groups": ("1.234.567", {}, "declare table.decimal or table.thousands"),
    "decimal commas": ("1,5", {}, "declare table.decimal or table.thousands"),
    "declared commas": ("1,5 -0,25 7", {"decimal": ","}, [1.5, -0.25, 7]),
    "points among commas": ("1.5 2,5", {"decimal": ","}, "declare table.decimal or table.thousands"),
    "commas that part no threes": ("1,5", {"thousands": ","}, "record 1: expected numbers"),
    "commas that do": ("1,966 12,345.5 7", {"thousands": ","}, [1966, 12345.5, 7]),
    "spaces": ("1\u00a0966 1\u202f966,5", {"thousands": " ", "decimal": ","}, [1966, 1966.5]),
    "apostrophes": ("1'966 1\u2019966", {"thousands": "'"}, [1966, 1966]),
    "per cent": ("5%", {}, "percent and currency signs"),
    "per cent with thousands": ("5%", {"thousands": ","}, "percent and currency signs"),
    "currency": ("$5", {}, "percent and currency signs"),
    "zeros before": ("007 0012.5", {}, [7, 12.5]),
    "booleans": ("true", {}, "expected numbers"),
    "dates": ("01.02.2020", {}, "expected numbers"),
    "dates among thousands": ("01.02.2020", {"thousands": ".", "decimal": ","}, "expected numbers"),
}


def numbers_of(folder: Path, raw: bytes, keys: dict[str, Any], name: str = "t.csv") -> list[float]:
    (folder / name).write_bytes(raw)
    table = open_table(made_policy(folder, ({**WEIGHT, "low": -1e9, "high": 1e9},), {"path": name, **keys}))
    return [v for batch in table.batches() for v in batch.column("weight").to_pylist()]


@pytest.mark.parametrize(("texts", "keys", "wanted"), SHAPES.values(), ids=SHAPES)
def test_a_number_is_read_one_way_or_refused(
    texts: str, keys: dict[str, Any], wanted: Any, tmp_path: Path
) -> None:
    raw = "\n".join(["weight", *(f'"{t}"' for t in texts.split(" "))]).encode()
    if isinstance(wanted, str):
        with pytest.raises(SpecError) as caught:
            numbers_of(tmp_path, raw, keys)
        assert wanted in str(caught.value)
        return
    assert numbers_of(tmp_path, raw, keys) == wanted


def test_a_column_of_many_blocks_is_judged_as_a_whole(tmp_path: Path) -> None:
    many = b"980\n" * 1_200_000
    with pytest.raises(SpecError, match=TWO_WAYS):
        numbers_of(tmp_path, b"weight\n" + many + b"1.966\n", {})
    assert numbers_of(tmp_path, b"weight\n" + many + b"1.966\n0.125\n", {})[-2:] == [1.966, 0.125]


@pytest.mark.parametrize("case", range(60))
def test_random_tables_are_read_rightly_or_refused(case: int, tmp_path: Path) -> None:
    one = written(np.random.default_rng([43, case]))
    for how, said in judged(one, tmp_path).items():
        assert said in ("right", "refused"), (how, one.keys, said)


@pytest.mark.long
def test_twenty_thousand_random_tables_are_read_rightly_or_refused(tmp_path: Path) -> None:
    for case in range(60, 20_000):
        test_random_tables_are_read_rightly_or_refused(case, tmp_path)


@pytest.mark.parametrize(
    ("name", "raw", "keys"),
    [
        ("t.csv", b"Report\n\nweight\n5\n", {"title_lines": 2}),
        ("t.tsv", b"weight\n5\n", {}),
        ("t.csv", "weight\n5\n".encode("utf-16"), {"encoding": "utf-16"}),
        ("t.csv", b"weight\r\n5\r\n", {}),
    ],
)
def test_files_of_other_forms(name: str, raw: bytes, keys: dict[str, Any], tmp_path: Path) -> None:
    assert numbers_of(tmp_path, raw, keys, name) == [5]


@pytest.mark.parametrize(
    ("raw", "keys", "other"),
    [
        (b",weight\n1,5\n", {}, "column 1"),
        (b"weight,\n5,\n", {}, "column 2"),
        (b"weight,age\nr1,5,1\n", {"unnamed": "first"}, "column 1"),
        (b"weight,age\n5,1,\n", {"unnamed": "last"}, "column 3"),
    ],
)
def test_a_column_without_a_name_is_called_after_its_place(
    raw: bytes, keys: dict[str, Any], other: str, tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_bytes(raw)
    columns = [WEIGHT, {"name": other, "role": "drop"}, *([AGE] if b"age" in raw else [])]
    table = open_table(made_policy(tmp_path, columns, {"path": "t.csv", **keys}))
    assert [b.column("weight").to_pylist() for b in table.batches()] == [[5.0]]
    assert table.count() == 1
    with pytest.raises(SpecError, match=rf"\('{other}'\)|declare table.unnamed"):
        open_table(
            made_policy(tmp_path, [c for c in columns if c["name"] != other], {"path": "t.csv"})
        ).count()


def test_an_archive_holds_one_table(tmp_path: Path) -> None:
    for name, members in (("t.csv.zip", 1), ("two.csv.zip", 2)):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            for i in range(members):
                archive.writestr(f"{i}.csv", "weight\n5\n")
    table = open_table(made_policy(tmp_path, (WEIGHT,), {"path": "t.csv.zip"}))
    assert table.count() == 1
    with pytest.raises(SpecError, match="an archive with one file"):
        open_table(made_policy(tmp_path, (WEIGHT,), {"path": "two.csv.zip"}))
    (tmp_path / "bad.csv.zip").write_bytes(b"weight\n5\n")
    with pytest.raises(SpecError, match="damaged"):
        open_table(made_policy(tmp_path, (WEIGHT,), {"path": "bad.csv.zip"}))


def test_what_is_not_text_in_utf_8_says_which_key_to_declare(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes("weight,Größe\n5,1\n".encode("cp1252"))
    size = {"name": "Größe", "role": "drop"}
    with pytest.raises(SpecError, match=r"not text in UTF-8: declare table\.encoding"):
        open_table(made_policy(tmp_path, (WEIGHT, size), {"path": "t.csv"}))
    assert (
        open_table(made_policy(tmp_path, (WEIGHT, size), {"path": "t.csv", "encoding": "cp1252"})).count()
        == 1
    )


@pytest.mark.parametrize(
    "name",
    [
        "fips",
        "FIPS",
        "Sample Number",
        "zip",
        "ZIPCode",
        "customer_id",
        "year",
        "Year of birth",
        "PatientID",
        "county_code",
        "plz",
        "column 1",
    ]
    + ["cust no", "row names", "State", "countyFips"],
)
def test_codes_are_not_averaged(name: str) -> None:
    assert is_code(name)


@pytest.mark.parametrize(
    "name",
    [
        "income",
        "number of rooms",
        "body mass index",
        "years of education",
        "yrs.since.phd",
        "weight [kg]",
        "idle",
        "width",
    ],
)
def test_numbers_may_be_averaged(name: str) -> None:
    assert not is_code(name)


EXPORT = (
    "Bericht 2024\nNr;Größe [cm];Gehalt;Datum\n"
    "00123;170,5;1.966,50;31.12.2024\n00124;181,0;12.345,00;01.02.2024\n00125;165,25;980,10;15.07.2023\n"
)


def test_an_export_of_a_german_office_begins_with_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(EXPORT.encode("cp1252"))
    done = CliRunner().invoke(cli.app, ["policy", "init", str(tmp_path / "t.csv"), "--kind", "statistics"])
    assert done.exit_code == 0, done.output
    text = (tmp_path / "policy.toml").read_text(encoding="utf-8")
    for line in (
        'delimiter = ";"',
        'encoding = "cp1252"',
        "title_lines = 1",
        'decimal = ","',
        'thousands = "."',
    ):
        assert f"\n{line}\n" in text
    assert 'name = "mean of Größe [cm]"' in text
    assert "1.966" not in text


@pytest.mark.parametrize(
    ("text", "said", "point"),
    [
        ("a;g\nx;1.966\ny;980\n", "may be decimals or thousands", False),
        ("a;g;h\nx;1,5;0.5\ny;2,5;1.25\n", "write them alike", True),
        ("a;g;h\nx;1.966;0.5\ny;980;2.5\n", "may be decimals or thousands", False),
        ("a;g;h\nx;1.966;1.234.567\ny;2.5;2.000.000\n", "may be decimals or thousands", False),
        ("a;g\nx;1.966\ny;2.5\n", "stand here beside such as 2.5", True),
        ("a;g;h\nx;1.966;0.125\ny;980;2.5\n", "so that 1.234 is no 1234", True),
    ],
)
def test_what_can_be_read_in_two_ways_is_left_open(text: str, said: str, point: bool, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(text)
    assert (
        CliRunner()
        .invoke(cli.app, ["policy", "init", str(tmp_path / "t.csv"), "--kind", "statistics"])
        .exit_code
        == 0
    )
    written = (tmp_path / "policy.toml").read_text()
    assert (said in written, '\ndecimal = "."' in written) == (True, point)


def column(**keys: Any) -> ColumnModel:
    return ColumnModel.model_validate({"name": "c", "role": "private", "kind": "category", **keys})


def test_dates_and_codes_become_categories() -> None:
    month = column(
        categories=["winter", "06"],
        date={"form": "%d.%m.%Y", "part": "month"},
        groups={"winter": ["12", "01"]},
    )
    given = ["31.12.2024", "1.1.2024", "15.06.1999", "31.06.2024", "2024-06-01", "06", None]
    assert category_texts(given, month) == ["winter", "winter", "06", None, None, None, None]
    assert category_texts(written_texts(month), month) == ["winter", "06"]
    coded = column(categories=["north", "other"], groups={"north": ["01", "02"]})
    assert category_texts(["01", "02", "1", "other"], coded) == ["north", "north", "1", "other"]
    day = column(categories=["1", "7"], date={"form": "%y%m%d", "part": "weekday"})
    assert category_texts(["240101", "240107", "691231"], day) == ["1", "7", "3"]


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"date": {"form": "%d.%m", "part": "year"}}, "expected %Y or %y in it"),
        ({"date": {"form": "%d.%B.%Y", "part": "year"}}, "%B is not read"),
        ({"date": {"form": "%d.%d.%Y", "part": "year"}}, "stands twice"),
        ({"date": {"form": "%d.%m.%Y", "part": "month"}}, "no declared category is the month of a date"),
        ({"groups": {"x": ["01"]}}, "none of the declared categories"),
        ({"groups": {"f": ["01"], "m": ["01"]}}, "each in one group"),
    ],
)
def test_a_mapping_that_cannot_be_meant_is_refused(keys: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=said):
        made_policy(
            tmp_path, (statistics_column(**keys),), {}, {"kind": "statistics"}, {"rho": 1.0}, statistics=COUNT
        )


def statistics_column(**keys: Any) -> dict[str, Any]:
    return {**GROUPED_SEX, **keys}


COUNT = [{"name": "people", "measure": "count", "by": ["sex"]}]


def dropping(folder: Path, **table: Any) -> StatisticsKind:
    policy = made_policy(
        folder,
        (GROUPED_SEX, KEY),
        {"rows_public": False, **PERSON, "missing_person": "drop", **table},
        {"kind": "statistics"},
        {"rho": 1.0},
        statistics=COUNT,
        audit={"samples": 1000},
    )
    return StatisticsKind.configure(policy)


def test_records_without_a_key_count_in_a_noisy_number_of_their_own(tmp_path: Path) -> None:
    kind = dropping(tmp_path)
    rows = [("a", "f")] * 3 + [("", "f")] * 5 + [("b", "m")]
    (tmp_path / "table.csv").write_text("id,sex\n" + "".join(f"{k},{s}\n" for k, s in rows))
    found = kind.workload.totals(Records(kind.policy, open_table(kind.policy).raw, fresh_key()).rows())
    by_sex, nobodys = (found[part.measurement].ravel().tolist() for part in kind.workload.parts)
    assert (by_sex, nobodys) == ([2, 1], [5])
    assert kind.terms.parameters["statistics"][1]["name"] == "records without id"
    assert any("covers at most 2 such records of a person" in said for said in kind.terms.does_not_mean)
    # Of neighbours no more come or go than the noise is made for.
    for pair in kind._trials.pairs(kind.workload.parts[1]):
        assert abs(pair.totals[0] - pair.totals[1]).max() <= 2
    refusing = dropping(tmp_path, missing_person="refuse").policy
    with pytest.raises(SpecError, match="has no person key"):
        list(Records(refusing, open_table(refusing).raw, fresh_key()).rows())


def test_dropping_belongs_to_persons_and_statistics(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"only with mechanism\.kind"):
        made_policy(tmp_path, (AGE, KEY), {**PERSON, "missing_person": "drop"})
