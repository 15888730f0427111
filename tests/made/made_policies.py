"""Policies made for tests: the text of one from its parts, and tables beside it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from noiseproof.audit.release.policy import Policy, parse_policy

AGE = {"name": "age", "kind": "integer", "role": "private", "low": 0, "high": 120, "unit": "years"}
WEIGHT = {"name": "weight", "kind": "number", "role": "private", "low": 30.0, "high": 200.0, "unit": "kg"}
SEX = {"name": "sex", "kind": "category", "role": "private", "categories": ["f", "m"], "encode": "index"}
TOWN = {"name": "town", "kind": "category", "role": "public", "categories": ["Oslo", "Rome"]}
NOTE = {"name": "note", "kind": "text", "role": "public"}
KEY = {"name": "id", "role": "drop"}
ONE_HOT = {**SEX, "encode": "one-hot"}
LABEL = {"name": "y", "kind": "label", "role": "public", "categories": ["no", "yes"]}
SCORE = {"name": "y", "kind": "label", "role": "private", "low": -2.0, "high": 2.0}
RON = {"kind": "ron-gauss", "components": 2, "epsilon_mean": 1.0, "epsilon_covariance": 1.0, "records": 50}
PERSON = {"unit_of_privacy": "person", "person_key": "id", "rows_per_person": 2}
# Of a release of statistics: who has no declared value is in no group.
GROUPED_SEX = {
    "name": "sex",
    "kind": "category",
    "role": "private",
    "categories": ["f", "m"],
    "missing": "skip",
    "undeclared": "skip",
}
RHO_LEDGER = {"path": "ledger.jsonl", "table_id": "people", "create": True, "budget": {"rho": 1.0}}


def policy_text(
    columns: Sequence[Mapping[str, Any]] = (AGE, WEIGHT),
    table: Mapping[str, Any] | None = None,
    mechanism: Mapping[str, Any] | None = None,
    limits: Mapping[str, Any] | None = None,
    **more: Mapping[str, Any] | Sequence[Mapping[str, Any]],
) -> str:
    """TOML of a policy; `more` are further tables, or lists of tables, by name."""
    parts: dict[str, Any] = {
        "table": {"path": "table.csv", "rows_public": True, **(table or {})},
        "mechanism": mechanism or {"kind": "laplace", "scale": 3.0},
        "limits": limits or {"epsilon": 1000.0},
        **more,
    }
    lines = ['title = "People"']
    for name, entries in parts.items():
        if isinstance(entries, Mapping):
            lines += [f"[{name}]", *_entries(entries)]
    for name, tables in {"columns": columns, **parts}.items():
        if not isinstance(tables, Mapping):
            for one in tables:
                lines += [f"[[{name}]]", *_entries(one)]
    return "\n".join(lines) + "\n"


def made_policy(folder: Path, *arguments: Any, **parts: Any) -> Policy:
    """The policy of `policy_text` in `folder`."""
    return parse_policy(policy_text(*arguments, **parts).encode(), folder=folder)


def _entries(table: Mapping[str, Any]) -> list[str]:
    return [f"{_key(name)} = {_value(value)}" for name, value in table.items()]


def _key(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(_entries(value)) + " }"
    # Texts, numbers, booleans and lists of them are written alike in JSON and TOML.
    return json.dumps(value, ensure_ascii=False)
