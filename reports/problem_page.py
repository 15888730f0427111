"""A derivation of a program, a functional or a query becomes one page: the answer, the conditions, every step, the pictures."""

from __future__ import annotations

from typing import Any

from .environment import page
from .plane import plane
from .schema import load
from .words import problem_word

SCHEMA = "noiseproof-problem-1"


def problem_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) that every derivation.json of a program, functional or query satisfies."""
    return load("problem-1.schema.json")


def render_problem(record: dict[str, Any]) -> str:
    """The page of a derivation given as the plain data of its JSON."""
    if record.get("schema") != SCHEMA:
        raise ValueError(
            f'expected a derivation with "schema": "{SCHEMA}", got {record.get("schema")!r}; '
            "write one with `noiseproof derive PROGRAM`"
        )
    return page("problem.html", record=record, word=problem_word(record["outcome"]), plane=plane)
