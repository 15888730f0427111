"""What a refusal reveals is what docs/reference/release.md says: each message with its exit code, never a value, and nothing is left."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from frozen_policies import POLICIES, FrozenPolicy
from frozen_release import Seen, seen
from hostile_tables import ONE, CsvForm, Form, ParquetForm, Records, both, each, put, records
from made_release import certificate

from noiseproof.audit.record.certificate import Certificate
from noiseproof.audit.release.kinds import null_space
from noiseproof.audit.release.tables import PolicyTable

BY_NAME = {policy.name: policy for policy in POLICIES}
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "release.md"
ANY_AUDIT = Certificate.from_data(certificate())
SECRET = "8675309"


def stated() -> dict[str, int]:
    """The messages that the page lists, with their exit codes."""
    section = PAGE.read_text(encoding="utf-8").split("## What a refusal reveals")[1].split("\n## ")[0]
    rows = [line.split(" | ") for line in section.splitlines() if line.startswith("| `")]
    return {said: int(row[1]) for row in rows for said in re.findall(r"`([^`]+)`", row[0])}


@dataclass(frozen=True)
class Refused:
    """A table that a policy refuses with a message, in two versions that may not be told apart where it is `private`."""

    said: str
    change: Callable[[Records], None] = lambda rows: None
    other: Callable[[Records], None] | None = None
    policy: str = "optimal"
    form: Form = field(default_factory=CsvForm)
    more: dict[str, Any] = field(default_factory=dict)


def without(name: str) -> Callable[[Records], None]:
    """A column fewer."""

    def change(rows: Records) -> None:
        del rows[name]

    return change


def with_column(name: str) -> Callable[[Records], None]:
    """A column more."""

    def change(rows: Records) -> None:
        rows[name] = list(rows["id"])

    return change


def renamed(rows: Records) -> None:
    """A column that nobody declared, and nothing else."""
    values = rows["id"]
    rows.clear()
    rows[SECRET] = values


def in_thousands(rows: Records) -> None:
    """Numbers that can be read in two ways."""
    rows["age"] = ["1.966"] * len(rows["age"])


def none(rows: Records) -> None:
    """No record."""
    for name in rows:
        rows[name] = []


SCORE = {"name": "age", "kind": "number", "role": "public", "low": 0, "high": 100}
STRICT = {"name": "age", "kind": "number", "role": "private", "low": 0, "high": 100}
NOTE = {"name": "remark", "kind": "text", "role": "public"}
PARQUET = ParquetForm()


def columns(policy: str, **instead: Any) -> dict[str, Any]:
    """The columns of a policy with some declared in another way."""
    return {"columns": tuple(instead.get(c["name"], c) for c in BY_NAME[policy].columns)}


ENDLESS = put("remark", "x" * 9_000_000), put("remark", SECRET * 2_000_000)
REFUSED = [
    Refused("no such file", form=CsvForm(name="other.csv")),
    Refused("cannot tell the format of", form=CsvForm(name="table.xlsx")),
    Refused("holds none of the declared names", renamed),
    Refused("undeclared column", with_column("x"), with_column(SECRET)),
    Refused("has no column", without("hours")),
    Refused("has several columns with the name of column", form=CsvForm(start=b"age,")),
    Refused("expected a first line with the names of the columns", form=CsvForm(start=b"\n")),
    Refused("it is damaged or not in that format", form=CsvForm(name="table.csv.gz")),
    Refused("a line is longer than", *ENDLESS),
    Refused("fields in every line", form=CsvForm(last=f"\n{SECRET},1\n")),
    Refused("expected numbers", put("age", "x"), put("age", SECRET + "x")),
    Refused("may be decimals or thousands here", in_thousands),
    Refused("is not text in UTF-8", form=CsvForm(start=b"\xff,")),
    Refused("expected whole numbers", put("hours", "1.5"), put("hours", f"{SECRET}.5")),
    Refused("expected text in UTF-8", form=CsvForm(last="\np,1,1,\udcff,Oslo,r,no\n")),
    Refused("expected numbers", form=ParquetForm(types={"age": pa.string()})),
    Refused("the value is missing", put("age", None), put("age", "nan"), more=columns("optimal", age=STRICT)),
    Refused("none of the declared categories", put("sex", "z"), put("sex", SECRET)),
    Refused("the value is not a finite number", put("age", "inf"), put("age", f"-{SECRET}e999")),
    Refused(
        "the text holds a line break or a NUL character",
        put("remark", "a\nb"),
        put("remark", f"{SECRET}\n2"),
        more={"drops": ("id",), "columns": (*BY_NAME["optimal"].columns, NOTE)},
    ),
    Refused(
        "the value lies outside of the declared domain",
        put("age", 101.0),
        put("age", float(SECRET)),
        policy="constrained, persons",
        more={
            **columns("constrained, persons", age=SCORE),
            "mechanism": {"kind": "constrained", "half_width": 20.0, "cells": 8},
        },
    ),
    Refused(
        "has more than the declared",
        put("id", "p0"),
        both(put("id", "p0"), put("id", "p0", ONE + 1)),
        policy="constrained, persons",
    ),
    Refused("has no person key", put("id", None), policy="constrained, persons"),
    Refused(
        "a person key is longer than",
        put("id", "x" * 2000),
        put("id", SECRET * 1000),
        policy="constrained, persons",
    ),
    Refused("below its header", put("remark", "a\nb"), put("remark", f"{SECRET}\n2")),
    Refused(
        "below its header",
        put("remark", "a\nb"),
        both(*(put("remark", "a\nb", i) for i in range(9))),
        policy="ron-gauss, private number of records",
    ),
    Refused("holds no record", none),
    Refused("holds no record", none, form=PARQUET),
    Refused("the model cannot be fitted to this table", each("y", lambda i: "no"), policy="null-space"),
    Refused(
        "the model cannot be fitted to this table",
        each("age", lambda i: 3.0),
        each("age", lambda i: 4.0),
        policy="null-space",
    ),
    Refused(
        "has an error below limits.unbiased_error",
        policy="null-space",
        more={"limits": {"unbiased_error": 1e5}},
    ),
    Refused(
        "the table does not lie in the protected set",
        each("age", lambda i: 100.0),
        each("hours", lambda i: 80),
        policy="compression",
    ),
]
ELSEWHERE = {
    # By a fault or a race that is planted, in the tests that are named.
    "changed while it was read": "test_a_table_that_changes_while_it_is_read_is_refused",
    "the model was not solved to its optimality conditions": "test_a_model_that_is_not_solved_is_refused",
    "more memory is needed": "test_memory_that_is_not_there_is_a_message",
    "among the records, whose words may quote one": "test_a_fault_among_the_records_is_told_without_its_words",
}


def shown(one: Refused, change: Callable[[Records], None], place: Path) -> Seen:
    policy: FrozenPolicy = replace(BY_NAME[one.policy], **one.more)
    rows = records()
    change(rows)
    return seen(policy, rows, one.form, place / "here", ANY_AUDIT)


def test_the_page_lists_each_message_that_is_provoked_and_no_other() -> None:
    assert {one.said for one in REFUSED} | set(ELSEWHERE) == set(stated())


def test_messages_that_are_provoked_elsewhere_are() -> None:
    tests = "".join(p.read_text(encoding="utf-8") for p in Path(__file__).parents[1].rglob("test_*.py"))
    assert [name for name in ELSEWHERE.values() if f"def {name}(" not in tests] == []


@pytest.mark.parametrize(
    "one",
    [
        pytest.param(one, id=f"{one.said}, {i}", marks=[pytest.mark.long] if one.change is ENDLESS[0] else [])
        for i, one in enumerate(REFUSED)
    ],
)
def test_a_refusal_says_what_the_page_says_and_leaves_nothing(one: Refused, tmp_path: Path) -> None:
    if one.said == "no such file":
        one = replace(one, form=Absent())
    found = shown(one, one.change, tmp_path)
    assert found.exit_code == stated()[one.said], found.error
    assert one.said in found.error
    assert [said for said in stated() if said in found.error] == [one.said]
    assert found.files == {}
    assert found.output == ""
    if one.other is not None:
        assert found.differences(shown(one, one.other, tmp_path)) == []


def test_a_model_that_is_not_solved_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(null_space, "_SOLVED", 0.0)
    found = shown(Refused("", policy="null-space"), lambda rows: None, tmp_path)
    assert found.exit_code == 1
    assert "the model was not solved to its optimality conditions" in found.error
    assert found.files == {}


def test_memory_that_is_not_there_is_a_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none_left(*arguments: Any) -> Any:
        raise MemoryError("Unable to allocate 9 GiB")

    monkeypatch.setattr(PolicyTable, "numbers", none_left)
    found = shown(Refused(""), lambda rows: None, tmp_path)
    assert found.exit_code == stated()["more memory is needed"]
    assert "more memory is needed than there is (Unable to allocate 9 GiB)" in found.error
    # The noise was charged by then.
    assert sorted(found.files) == ["table.ledger", "table.ledger.head"]


@dataclass(frozen=True)
class Absent(CsvForm):
    """A file that is not there."""

    def write(self, rows: Records, folder: Path) -> Path:
        return folder / "absent.csv"
