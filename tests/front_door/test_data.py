"""Tables: declared bounds only, refusals that print no private value, digests of public sources only."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from noiseproof.audit.trial.spec.data import BUILT_IN, load_table
from noiseproof.symbolic.errors import SpecError

CSV = "age,income,city\n30,1000.5,Bern\n40,2000.25,Thun\n50,987654.125,Bern\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "t.csv").write_text(CSV)
    with gzip.open(tmp_path / "t.csv.gz", "wt") as file:
        file.write(CSV)
    import pyarrow.csv
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.csv.read_csv(tmp_path / "t.csv"), tmp_path / "t.parquet")
    return tmp_path


BOUNDS = {"age": (0, 120), "income": (0, 1e6)}


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.parquet"])
def test_formats_agree(folder: Path, name: str) -> None:
    table = load_table(
        name, bounds=BOUNDS, columns=["age", "income"], label="city", folder=folder, public=True
    )
    assert table.values.tolist() == [[30, 1000.5], [40, 2000.25], [50, 987654.125]]
    assert table.columns == ("age", "income")
    assert table.label is not None
    assert table.label.tolist() == ["Bern", "Thun", "Bern"]
    assert [v.tolist() for v in table.domain] == [[0, 0], [120, 1e6]]


def test_the_unit_box_comes_from_the_declared_bounds(folder: Path) -> None:
    table = load_table("t.csv", bounds=BOUNDS, columns=["age", "income"], scale="unit-box", folder=folder)
    assert table.values[:, 0].tolist() == [0.25, 40 / 120, 50 / 120]
    assert [v.tolist() for v in table.domain] == [[0, 0], [1, 1]]
    assert "scaled to the unit box" in table.describe()


def test_a_private_file_leaves_no_digest_unless_it_is_declared_public(folder: Path) -> None:
    given: dict[str, Any] = {"bounds": BOUNDS, "columns": ["age", "income"], "folder": folder}
    assert load_table("t.csv", **given).digest is None
    digest = load_table("t.csv", public=True, **given).digest
    assert digest is not None
    assert digest.startswith("sha256:")
    assert digest == load_table("t.parquet", public=True, **given).digest


@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_sets_are_public_and_raw(name: str) -> None:
    table = load_table(f"sklearn:{name}", bounds=(-1e4, 1e4))
    assert table.digest is not None
    assert table.label_name == "target"
    assert np.all(np.isfinite(table.values))
    # The scaled form of diabetes would have column means of zero.
    assert np.all(np.abs(table.values.mean(axis=0)[:3]) > 1e-6) or name == "digits"


def test_the_number_of_private_records_is_not_told(folder: Path) -> None:
    table = load_table("t.csv", bounds=BOUNDS, columns=["age", "income"], folder=folder)
    assert "3" not in table.describe().replace("t.csv", "")


def test_values_outside_can_be_clipped_and_that_is_recorded(folder: Path) -> None:
    bounds = {"age": (0, 120), "income": (0, 5000)}
    table = load_table("t.csv", bounds=bounds, columns=["age", "income"], outside="clip", folder=folder)
    assert table.values[:, 1].max() == 5000
    assert table.clipped == ("income",)


def test_named_sets_are_read_from_the_declared_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with gzip.open(tmp_path / "adult.csv.gz", "wt") as file:
        file.write("age,workclass\n39,State-gov\n50,?\n")
    monkeypatch.setenv("NOISEPROOF_DATA", str(tmp_path))
    table = load_table("adult", bounds={"age": (0, 120)}, columns=["age"])
    assert table.values.tolist() == [[39], [50]]
    assert table.digest is not None


def message(**given: Any) -> str:
    with pytest.raises(SpecError) as caught:
        load_table(**{"bounds": BOUNDS, "columns": ["age", "income"], **given})
    return str(caught.value)


def test_missing_named_set_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("NOISEPROOF_DATA", raising=False)
    text = message(source="adult")
    assert "NOISEPROOF_DATA is not set" in text
    assert "adult.csv.gz" in text
    assert "https://archive.ics.uci.edu" in text
    monkeypatch.setenv("NOISEPROOF_DATA", str(tmp_path))
    assert "NOISEPROOF_DATA does not hold lending_club_10k.csv.gz" in message(source="lending_club")


REFUSED: list[tuple[str, dict[str, Any], list[str]]] = [
    ("missing file", {"source": "x.csv"}, ["data.source", "no such file: x.csv"]),
    ("misspelt set", {"source": "adlt"}, ["did you mean 'adult'?", ".parquet"]),
    ("misspelt built-in", {"source": "sklearn:irs"}, ["did you mean 'iris'?"]),
    ("other format", {"source": "t.xlsx"}, ["expected a .csv, .csv.gz or .parquet file, got t.xlsx"]),
    ("unknown column", {"columns": ["agee"]}, ["data.columns", "no column 'agee'", "did you mean 'age'?"]),
    ("unknown label", {"label": "town"}, ["data.label", "no column 'town'"]),
    ("label as column", {"label": "age"}, ["'age' is the label"]),
    (
        "missing bounds",
        {"bounds": {"age": (0, 120)}},
        ["data.bounds", "no declared bounds for 1 column: income"],
    ),
    (
        "unknown bounds",
        {"bounds": {**BOUNDS, "incom": (0, 1)}},
        ["no column 'incom'", "did you mean 'income'?"],
    ),
    (
        "empty interval",
        {"bounds": {**BOUNDS, "age": (5, 5)}},
        ['data.bounds."age"', "lower < upper, got [5, 5]"],
    ),
    ("infinite bound", {"bounds": (0, float("inf"))}, ["expected finite [lower, upper]"]),
    (
        "outside",
        {"bounds": {**BOUNDS, "income": (0, 5000)}},
        ['data.bounds."income"', "1 of 3 rows lie outside"],
    ),
    ("text column", {"columns": None, "bounds": (0, 1e6)}, ["column 'city' is not numeric"]),
    ("twice", {"columns": ["age", "age"]}, ["named twice"]),
]


@pytest.mark.parametrize(("given", "parts"), [r[1:] for r in REFUSED], ids=[r[0] for r in REFUSED])
def test_refusals_name_key_and_remedy(folder: Path, given: dict[str, Any], parts: list[str]) -> None:
    (folder / "t.xlsx").write_text("")
    text = message(**{"source": "t.csv", "folder": folder, **given})
    assert [part for part in parts if part not in text] == []


BROKEN_MECHANISMS = [
    ("age,income\n", "holds no record"),
    ("", "Empty CSV file"),
    ("age,income\n1,2\n987654.125\n", "Expected 2 columns, got 1"),
    ("age,income\n1,\n2,3\n", "column 'income': 1 of 2 rows are missing, NaN or infinite"),
    ("age,income\n1,nan\n2,3\n", "missing, NaN or infinite"),
    ("age,income\n1,inf\n2,3\n", "missing, NaN or infinite"),
    ("age,income,age\n1,2,3\n", "several columns named age"),
    ("age,income\n1,abc987654.125\n", "column 'income' is not numeric"),
]


@pytest.mark.parametrize(("content", "part"), BROKEN_MECHANISMS, ids=[b[1] for b in BROKEN_MECHANISMS])
def test_broken_files_are_explained_without_their_values(tmp_path: Path, content: str, part: str) -> None:
    (tmp_path / "t.csv").write_text(content)
    text = message(source="t.csv", folder=tmp_path)
    assert part in text
    assert "987654" not in text


def test_a_damaged_parquet_file_is_explained(tmp_path: Path) -> None:
    (tmp_path / "t.parquet").write_bytes(b"PAR1 nothing")
    assert "cannot read t.parquet as Parquet" in message(source="t.parquet", folder=tmp_path)


def test_no_refusal_prints_a_private_value(folder: Path) -> None:
    for _name, given, _parts in REFUSED:
        assert "987654" not in message(**{"source": "t.csv", "folder": folder, **given})
