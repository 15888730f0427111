"""`noiseproof policy init`: a policy from the header and the types of a table, with nothing in it that was read off a record."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from noiseproof import cli
from noiseproof.audit.release.plan import plan
from noiseproof.audit.release.policy import read_policy
from noiseproof.audit.release.statistics.compiled import workload_of
from noiseproof.audit.release.statistics.predicted_utility import predict_utility
from noiseproof.audit.release.tables import open_table
from noiseproof.symbolic.errors import SpecError

TABLE = '"id","the ""age"" \u00e9",income,town,both\n7771,41,98765.5,Zagreb,?\n7772,,98766.25,Quito,3\n'


def call(*words: str | Path) -> Any:
    return CliRunner().invoke(cli.app, ["policy", "init", *map(str, words)])


def filled(text: str) -> str:
    """What a person declares: bounds, what a missing value counts as, and the limit."""
    for line in ("low = 0", "high = 100000", "missing = { value = 0 }", "epsilon = 3.0"):
        text = text.replace(f"# {line.split()[0]} =", f"{line}  #")
    return text


@pytest.mark.parametrize(("form", "delimiter"), [("csv", ","), ("csv", ";"), ("csv", "\t"), ("parquet", ",")])
def test_a_policy_has_the_columns_of_the_table_and_no_value_of_it(
    tmp_path: Path, form: str, delimiter: str
) -> None:
    (tmp_path / "t.csv").write_text(TABLE.replace(",", delimiter), encoding="utf-8")
    if form == "parquet":
        import pyarrow as pa
        import pyarrow.csv
        import pyarrow.parquet

        read = pyarrow.csv.read_csv(tmp_path / "t.csv")
        exact = read["income"].cast(pa.decimal128(8, 2))
        pyarrow.parquet.write_table(read.set_column(2, "income", exact), tmp_path / "t.parquet")
    done = call(tmp_path / f"t.{form}")
    assert done.exit_code == 0, done.output
    path = tmp_path / "policy.toml"
    assert f"noiseproof calibrate {path}" in done.output
    text = path.read_text(encoding="utf-8")
    for value in ("41", "98765", "98766", "7771", "Zagreb", "Quito"):
        assert value not in text
    with pytest.raises(SpecError, match=r"columns\[0\]\.low: this key is missing.*never read off the data"):
        read_policy(path)
    path.write_text(filled(text), encoding="utf-8")
    policy = read_policy(path)
    columns = {c.name: (c.kind, c.role) for c in policy.columns}
    assert list(columns) == ["id", 'the "age" \u00e9', "income", "town", "both"]
    assert columns["income"] == ("number", "private")
    assert columns['the "age" \u00e9'] == ("integer", "private")
    assert columns["town"] == (None, "drop")
    assert columns["both"] == (("integer", "private") if form == "csv" else (None, "drop"))
    assert open_table(policy).count() == 2
    assert policy.model.answers == {}
    assert plan(policy).unmet == ()
    assert text.count(' = ""') >= 11


def test_a_policy_of_statistics_begins_with_a_count_and_a_mean(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TABLE, encoding="utf-8")
    done = call(tmp_path / "t.csv", "--kind", "statistics")
    assert done.exit_code == 0, done.output
    path = tmp_path / "policy.toml"
    text = path.read_text(encoding="utf-8")
    for value in ("41", "98765", "98766", "7771", "Zagreb", "Quito"):
        assert value not in text
    with pytest.raises(SpecError, match=r"columns\[1\]\.low: this key is missing"):
        read_policy(path)
    path.write_text(filled(text), encoding="utf-8")
    policy = read_policy(path)
    # What names records is not summed, and what is not asked for is not looked at.
    assert [c.name for c in policy.columns if c.role == "private"] == ['the "age" \u00e9']
    assert plan(policy).unmet == ()
    count, mean = predict_utility(policy, workload_of(policy, Fraction(1, 10)))
    assert (count.statistic.measure, mean.statistic.name) == ("count", 'mean of the "age" \u00e9')
    # A category as it is written there, and groups by it.
    declared = ("kind", "categories", "missing", "undeclared")
    one = text.index('name = "town"')
    part = text[one:]
    for key in declared:
        part = part.replace(f"# {key} =", f"{key} =", 1)
    part = part.replace('role = "drop"', 'role = "private"', 1).replace(
        "categories = []", 'categories = ["north", "south"]'
    )
    part = part.replace('# by = ["COLUMN"]', 'by = ["town"]')
    path.write_text(filled(text[:one]) + filled(part), encoding="utf-8")
    assert [c.name for c in read_policy(path).columns if c.kind == "category"] == ["town"]
    with_groups = predict_utility(read_policy(path), workload_of(read_policy(path), Fraction(1, 10)))
    assert [one.statistic.rows for one in with_groups] == [2, 2]


def test_a_policy_of_statistics_without_numbers_begins_with_a_count(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("customer_id,town\n1,here\n", encoding="utf-8")
    assert call(tmp_path / "t.csv", "--kind", "statistics").exit_code == 0
    text = (tmp_path / "policy.toml").read_text(encoding="utf-8")
    assert text.count("[[statistics]]") == 1
    wrong = call(tmp_path / "t.csv", "--kind", "statistic")
    assert (wrong.exit_code, "did you mean 'statistics'" in wrong.output) == (2, True), wrong.output


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("t.csv", None, "no such file"),
        ("t.xlsx", "a,b\n1,2\n", ".csv"),
        ("t.csv", "", "t.csv"),
        ("t.csv", "a,a\n1,2\n", "twice"),
        ("t.parquet", "a,\n1,2\n", "column 2 is empty"),
        ("t.csv", "a\x07,b\n1,2\n", "control characters"),
        ("t.parquet", "a,b\n1,2\n", "Parquet"),
    ],
)
def test_a_table_that_cannot_be_read_is_said_and_nothing_is_written(
    tmp_path: Path, name: str, content: str | None, said: str
) -> None:
    if content is not None:
        (tmp_path / name).write_text(content)
    if said == "column 2 is empty":
        import pyarrow as pa
        import pyarrow.parquet

        pyarrow.parquet.write_table(pa.table({"a": [1], "": [2]}), tmp_path / name)
    done = call(tmp_path / name)
    assert (done.exit_code, said in done.output) == (2, True), done.output
    assert [p.name for p in tmp_path.iterdir()] == ([] if content is None else [name])


def test_a_policy_is_not_written_over_nor_away_from_its_table(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TABLE, encoding="utf-8")
    (tmp_path / "policy.toml").write_text("mine")
    assert "exists already" in call(tmp_path / "t.csv").output
    assert (tmp_path / "policy.toml").read_text() == "mine"
    (tmp_path / "other").mkdir()
    away = call(tmp_path / "t.csv", "-o", tmp_path / "other" / "p.toml")
    assert (away.exit_code, "in the folder of the policy" in away.output) == (2, True)
    (tmp_path / "in").mkdir()
    (tmp_path / "t.csv").rename(tmp_path / "in" / "t.csv")
    assert call(tmp_path / "in" / "t.csv", "-o", tmp_path / "p.toml").exit_code == 0
    assert 'path = "in/t.csv"' in (tmp_path / "p.toml").read_text()
