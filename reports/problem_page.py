"""A derivation of a program, a functional or a query becomes one page: the answer, the conditions, every step, the pictures."""

from __future__ import annotations

from typing import Any

from .environment import page
from .plane import plane
from .words import problem_word

SCHEMA = "noiseproof-problem-1"


def render_problem(record: dict[str, Any]) -> str:
    """The page of a derivation given as the plain data of its JSON."""
    if record.get("schema") != SCHEMA:
        raise ValueError(
            f'expected a derivation with "schema": "{SCHEMA}", got {record.get("schema")!r}; '
            "write one with `noiseproof derive PROGRAM`"
        )
    return page("problem.html", record=record, word=problem_word(record["outcome"]), plane=plane)
