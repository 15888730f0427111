"""What a release of statistics refuses: one message that says what was expected and what to do, nothing charged, nothing written."""

from __future__ import annotations

import datetime
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from made_policies import GROUPED_SEX as SEX
from made_policies import KEY, PERSON, policy_text
from made_policies import RHO_LEDGER as LEDGER

from noiseproof.audit.release import release
from noiseproof.audit.release.not_met import PolicyNotMetError
from noiseproof.audit.release.policy import parse_policy
from noiseproof.audit.release.policy.named_entries import named_entries
from noiseproof.mechanisms.statistics import summing
from noiseproof.symbolic.errors import SpecError

AGE = {"name": "age", "kind": "integer", "role": "private", "low": 0, "high": 100, "missing": "skip"}
PAY = {"name": "pay", "kind": "number", "role": "private", "low": 0.0, "high": 10.0, "missing": "skip"}
PEOPLE: dict[str, Any] = {"name": "people", "measure": "count", "by": ["sex"]}
TOTAL: dict[str, Any] = {"name": "pay", "measure": "sum", "column": "pay"}
# The values that no message may show.
DECLARE = (
    "; where decimals have commas or thousands are separated, declare table.decimal or table.thousands "
    "(percent and currency signs and units are to be taken out)"
)
SECRET = "86753"
HEADER = "id,sex,age,pay\n"
GOOD = f"{HEADER}a,f,20,1.5\nb,m,30,2.5\n"


def without(column: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {k: v for k, v in column.items() if k != name}


def frame(**columns: Any) -> pa.Table:
    return pa.table({"id": ["a"], "sex": ["f"], "age": [20], "pay": [1.5], **columns})


def drifting(folder: Path) -> Path:
    (folder / "parts").mkdir()
    pq.write_table(frame(), folder / "parts" / "2023.parquet")
    pq.write_table(frame(age=[SECRET]), folder / "parts" / "2024.parquet")
    return folder / "parts"


BANDS = {"name": "bands", "measure": "ranges", "column": "age", "edges": [0, 20, 40, 100]}


@dataclass(frozen=True)
class Bad:
    """What is wrong, and the whole message."""

    said: str
    table: str | pa.Table | Callable[[Path], Any] = GOOD
    columns: Any = (SEX, AGE, PAY, KEY)
    statistics: Any = (PEOPLE, TOTAL)
    limits: dict[str, float] = field(default_factory=lambda: {"rho": 0.5})
    entries: dict[str, Any] = field(default_factory=dict)
    noise: str = "gaussian"


CATEGORIES, IS_SEX = "columns[0].categories: ", " (columns[0] is 'sex')"
CASES = {
    "a category twice": Bad(
        f"policy.toml: {CATEGORIES}'f' stands twice{IS_SEX}",
        columns=({**SEX, "categories": ["f", "m", "f"]}, AGE, PAY, KEY),
    ),
    "a category that means a missing value": Bad(
        f"policy.toml: {CATEGORIES}'' means a missing value in table.missing: take it out of one of the lists{IS_SEX}",
        columns=({**SEX, "categories": ["f", "m", ""]}, AGE, PAY, KEY),
    ),
    "categories that differ by blanks": Bad(
        f"policy.toml: {CATEGORIES}'m' and 'm ' look alike: declare one of them, and write it one way in the table{IS_SEX}",
        columns=({**SEX, "categories": ["f", "m", "m "]}, AGE, PAY, KEY),
    ),
    "bounds reversed": Bad(
        "policy.toml: columns[2].high: expected low < high, got low = 10.0 and high = 0.0 (columns[2] is 'pay')",
        columns=(SEX, AGE, {**PAY, "low": 10.0, "high": 0.0}, KEY),
    ),
    "a condition reversed": Bad(
        "policy.toml: statistics[0].where.age: expected low <= high, got 50 and 20 (statistics[0] is 'people')",
        statistics=({**PEOPLE, "where": {"age": {"low": 50, "high": 20}}},),
    ),
    "edges out of order": Bad(
        "policy.toml: statistics[0].edges: expected ascending edges (statistics[0] is 'ages')",
        statistics=({"name": "ages", "measure": "histogram", "column": "age", "edges": [0, 20, 20]},),
    ),
    "a range whose end is no edge": Bad(
        "policy.toml: statistics[0].ranges[1]: expected ends that are edges, got 25: the nearest edges are 20, 40; a range is a sum of cells "
        "between edges (statistics[0] is 'bands')",
        statistics=({**BANDS, "ranges": [[0, 40], [20, 25]]},),
    ),
    "a range reversed": Bad(
        "policy.toml: statistics[0].ranges[0]: expected [low, high] with low < high, got [40, 20] (statistics[0] is 'bands')",
        statistics=({**BANDS, "ranges": [[40, 20]]},),
    ),
    "a range twice": Bad(
        "policy.toml: statistics[0].ranges[1]: the range [0, 20] stands twice (statistics[0] is 'bands')",
        statistics=({**BANDS, "ranges": [[0, 20], [0, 20]]},),
    ),
    "ranges of too many cells": Bad(
        "policy.toml: statistics[0].bins: there are 129 cells: expected at most 128; take wider ones, or list the ranges that are wanted "
        "(statistics[0] is 'bands')",
        statistics=({**without(BANDS, "edges"), "bins": 129},),
    ),
    "ranges without cells": Bad(
        "policy.toml: statistics[0].edges: expected either edges or bins (statistics[0] is 'bands')",
        statistics=(without(BANDS, "edges"),),
    ),
    "ranges of a histogram": Bad(
        "policy.toml: statistics[0].ranges: belongs to ranges, this is a histogram: leave it out (statistics[0] is 'bands')",
        statistics=({**BANDS, "measure": "histogram", "ranges": "all"},),
    ),
    "a target of ranges": Bad(
        "policy.toml: statistics[0].error: no target is kept for ranges: raise its weight, or set a target for another statistic "
        "(statistics[0] is 'bands')",
        statistics=({**BANDS, "error": {"at_most": 5.0}},),
    ),
    "no word on missing values": Bad(
        "policy.toml: columns[2].missing: this key is missing: what becomes of a record without a value, "
        '"refuse", "skip", or { value = ... } (columns[2] is \'pay\')',
        columns=(SEX, AGE, without(PAY, "missing"), KEY),
    ),
    "groups of a number": Bad(
        "policy.toml: statistics[0].by[0]: 'age' is no category, so it has no declared groups; expected one of: sex, "
        "or measure = \"histogram\" with its declared edges (statistics[0] is 'people')",
        statistics=({**PEOPLE, "by": ["age"]},),
    ),
    "groups that are not declared": Bad(
        f"policy.toml: {CATEGORIES}this key is missing: all values that the column may hold; they are declared, never read off the data{IS_SEX}",
        columns=(without(SEX, "categories"), AGE, PAY, KEY),
    ),
    "groups of a dropped column": Bad(
        "policy.toml: statistics[0].by[0]: no private column 'id'; expected one of: sex (statistics[0] is 'people')",
        statistics=({**PEOPLE, "by": ["id"]},),
    ),
    "too many groups": Bad(
        "policy.toml: statistics: the statistics have 9,000,000 cells, expected at most 4,000,000: group by fewer columns, or take wider groups",
        columns=tuple(
            {**SEX, "name": n, "categories": [f"c{i}" for i in range(3000)]} for n in ("sex", "town")
        ),
        statistics=({**PEOPLE, "by": ["sex", "town"]},),
        table="sex,town\n",
    ),
    "a whole number beyond 64 bits in a CSV file": Bad(
        "policy.toml: table.path: cannot read table.csv as CSV with a header: column 'age': expected whole numbers such as 12"
        + DECLARE,
        f"{HEADER}a,f,{SECRET}99999999999999999,1\n",
    ),
    "a whole number beyond 64 bits in Arrow data": Bad(
        "policy.toml: table.path: column 'age': expected whole numbers below 2^63, and not all of it is (it is stored as uint64)",
        frame(age=pa.array([2**64 - 1], pa.uint64())),
    ),
    "a person without a key": Bad(
        "policy.toml: table.person_key: column 'id': record 2 has no person key",
        f"{HEADER}a,f,20,1\n,m,30,2\n",
        entries=PERSON,
    ),
    "no bound on persons": Bad(
        "policy.toml: table.rows_per_person: this key is missing: the largest number of rows of one person, on which the guarantee depends",
        entries=without(PERSON, "rows_per_person"),
    ),
    "another type in one file of a folder": Bad(
        "policy.toml: table.path: column 'age' is stored as int64 in 2023.parquet, as string in 2024.parquet: all files of a folder have the "
        "same columns, of the same types",
        drifting,
    ),
    "a column twice": Bad(
        "policy.toml: table.path: table.csv has several columns with the name of column no. 4 ('pay'); rename them",
        "id,sex,age,pay,pay\na,f,20,1,1\n",
    ),
    "decimal commas": Bad(
        "policy.toml: table.path: cannot read table.csv as CSV with a header: column 'pay': expected numbers such as 1.5"
        + DECLARE,
        f"id;sex;age;pay\na;f;20;{SECRET},5\n",
        entries={"delimiter": ";"},
    ),
    "decimal commas between commas": Bad(
        "policy.toml: table.path: cannot read table.csv as CSV with a header: expected 4 fields in every line: got a line of 5"
        '; where every line has one field more than the header, a row name or a delimiter at its end, declare table.unnamed = "first" or "last"; '
        "numbers and texts that hold the delimiter belong in quotes",
        f"{HEADER}a,f,20,{SECRET},5\n",
    ),
    "points between thousands": Bad(
        "policy.toml: table.path: cannot read table.csv as CSV with a header: column 'age': expected whole numbers such as 12"
        + DECLARE,
        f"{HEADER}a,f,86.753,1\n",
    ),
    "times of several zones among numbers": Bad(
        "policy.toml: table.path: cannot read table.csv as CSV with a header: column 'pay': expected numbers such as 1.5"
        + DECLARE,
        f"{HEADER}a,f,20,2020-01-01T00:00:00+02:00\nb,m,20,2020-01-01T00:00:00Z\n",
    ),
    "times with a zone in Arrow data": Bad(
        "policy.toml: table.path: column 'pay': expected numbers, and it is stored as timestamp[us, tz=UTC]: convert the column, or drop it",
        frame(pay=pa.array([datetime.datetime(2020, 1, 1)], pa.timestamp("us", "UTC"))),
    ),
    "numbers as texts in Arrow data": Bad(
        "policy.toml: table.path: column 'pay': expected numbers, and it is stored as string: convert the column, or drop it",
        frame(pay=[SECRET]),
    ),
    "a quote that is not closed": Bad(
        "policy.toml: table.path: table.csv has not one record on each line below its header: a field holds a line break, or a quote is not closed, perhaps in a "
        "column that is dropped; write every record on one line",
        f'{HEADER}"a{SECRET}\n",f,20,1\n',
    ),
    "a value that is not declared": Bad(
        "policy.toml: table.path: column 'sex', record 2: the value is none of the declared categories, and the policy refuses that",
        f"{HEADER}a,f,20,1\nb,{SECRET},20,1\n",
        columns=({**SEX, "undeclared": "refuse"}, AGE, PAY, KEY),
    ),
    "a missing value": Bad(
        "policy.toml: table.path: column 'age', record 2: the value is missing, and the policy refuses that",
        f"{HEADER}a,f,20,1\nb,m,,1\n",
        columns=(SEX, {**AGE, "missing": "refuse"}, PAY, KEY),
    ),
    "an epsilon without delta": Bad(
        "policy.toml: limits.epsilon: Gaussian noise has no finite epsilon with delta = 0: set limits.delta, or mechanism.noise = "
        '"laplace"',
        limits={"epsilon": 1.0},
    ),
    "a budget that leaves no noise": Bad(
        "policy.toml: limits: epsilon = 500 is so large that hardly any noise would be left (scale must be 1/16 to 2^40, in steps, got 0.002): lower the limits",
        limits={"epsilon": 500.0},
        noise="laplace",
        statistics=(PEOPLE,),
    ),
}
NOT_MET = {
    "a budget below what one cell needs": Bad(
        "rho = 1e-26 is too small: no noise that can be drawn is wide enough (variance must be 1/16 to 2^80, in steps^2, got 5e+25); raise the "
        "limits, or publish fewer statistics",
        limits={"rho": 1e-26},
        statistics=(PEOPLE,),
    ),
    "a target that the budget does not reach": Bad(
        "the targets need more than rho = 0.7488508029 and the total is 1/1000; least shares: people 0.7488508029; people asks most; without the target of "
        "people the rest would fit: raise the total or allow more variance",
        limits={"rho": 1e-3},
        statistics=({**PEOPLE, "error": {"at_most": 1.0}}, TOTAL),
    ),
}


def run(folder: Path, bad: Bad, progress: Any = None) -> None:
    """The release; what stands in the folder afterwards is what stood there before."""
    table: Any = None
    if isinstance(bad.table, str):
        (folder / "table.csv").write_text(bad.table)
    else:
        table = bad.table(folder) if callable(bad.table) else bad.table
    text = policy_text(
        bad.columns,
        {"rows_public": False, **bad.entries},
        {"kind": "statistics", "noise": bad.noise},
        bad.limits,
        statistics=bad.statistics,
        ledger=LEDGER,
        audit={"samples": 500},
    )
    before = sorted(folder.rglob("*"))
    try:
        release(
            parse_policy(text.encode(), folder=folder),
            folder / "out",
            table=table,
            salt=None,
            progress=progress,
        )
    finally:
        assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize("name", list(CASES))
def test_what_cannot_be_used_is_refused_before_anything_is_charged(name: str, tmp_path: Path) -> None:
    with pytest.raises(SpecError) as caught:
        run(tmp_path, CASES[name])
    # The reader of CSV files knows the record now and then.
    said = str(caught.value)
    assert said == CASES[name].said or re.sub(r", record 1:", ":", said) == CASES[name].said
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("tree", "key", "said"),
    [
        (
            {"columns": [{"name": "age"}, {"name": "to\nwn"}]},
            "columns[1].low",
            "no (columns[1] is 'to\\nwn')",
        ),
        ({"statistics": [{"name": "people"}]}, "statistics[0].by", "no (statistics[0] is 'people')"),
        ({"columns": [{"name": "age"}]}, "columns[0].name", "no"),
        ({"columns": [{"name": 3}]}, "columns[0].low", "no"),
        ({"columns": [{}]}, "columns[0].low", "no"),
        ({"columns": {"a": 1}}, "columns[0].low", "no"),
        ({}, "columns[7].low", "no"),
        ({}, "limits.epsilon", "no"),
    ],
)
def test_an_entry_of_a_list_is_called_by_its_name(tree: Any, key: str, said: str) -> None:
    with pytest.raises(SpecError) as found, named_entries(tree):
        raise SpecError("no", key=key)
    assert (found.value.message, found.value.key) == (said, key)


@pytest.mark.parametrize("name", list(NOT_MET))
def test_a_budget_that_is_too_small_is_a_policy_that_is_not_met(name: str, tmp_path: Path) -> None:
    with pytest.raises(PolicyNotMetError) as caught:
        run(tmp_path, NOT_MET[name])
    assert caught.value.reasons == (NOT_MET[name].said,)


def test_more_records_than_sums_hold_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summing, "MOST_ROWS", 1)
    with pytest.raises(SpecError, match="there are more than 1 records: sums could leave 64 bits"):
        run(tmp_path, Bad(""))


@pytest.mark.parametrize("entries", [{}, PERSON], ids=["record", "person"])
def test_a_table_that_changes_while_it_is_summed_is_refused(entries: dict[str, Any], tmp_path: Path) -> None:
    def change(fraction: float, text: str) -> None:
        if text.startswith("summing"):
            (tmp_path / "table.csv").write_text(GOOD + "c,f,40,3.5\n")

    with pytest.raises(
        SpecError, match=r"^policy\.toml: table\.path: table\.csv changed while it was read: run again$"
    ):
        run(tmp_path, Bad("", entries=entries), change)


@pytest.mark.long
def test_two_processes_cannot_spend_the_same_budget(tmp_path: Path) -> None:
    """Each asks for more than half of it: one is released, the other is refused and writes nothing."""
    (tmp_path / "table.csv").write_text(GOOD)
    text = policy_text(
        (SEX, AGE, PAY, KEY),
        {"rows_public": False},
        {"kind": "statistics"},
        {"rho": 0.4},
        statistics=(PEOPLE,),
        ledger={**LEDGER, "budget": {"rho": 0.6}},
        audit={"samples": 500},
    )
    (tmp_path / "policy.toml").write_text(text)
    script = """
        import sys
        from pathlib import Path
        from noiseproof.audit.release import release
        from noiseproof.audit.release.not_met import PolicyNotMetError
        from noiseproof.audit.release.policy import read_policy
        try:
            release(read_policy(Path("policy.toml")), sys.argv[1])
        except PolicyNotMetError as error:
            sys.exit(str(error))
    """
    started = [
        subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(script), name],
            cwd=tmp_path,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in ("one", "two")
    ]
    said = [process.communicate(timeout=300)[1] for process in started]
    assert sorted(process.returncode for process in started) == [0, 1], said
    assert [(tmp_path / name).exists() for name in ("one", "two")] == [p.returncode == 0 for p in started]
    assert "rho" in next(text for text, process in zip(said, started, strict=True) if process.returncode)
