"""A derivation becomes one page: of a law its information, of a program, a functional or a query its answer; every step, the pictures."""

from __future__ import annotations

from typing import Any

from .environment import page
from .plane import plane
from .words import BOUND_NAMES, derivation_word, problem_word

_LAW, _PROBLEM = "noiseproof-derivation-1", "noiseproof-problem-1"


def render_derivation(record: dict[str, Any]) -> str:
    """The page of a derivation given as the plain data of its JSON."""
    if record.get("schema") == _LAW:
        word = derivation_word(record["outcome"])
        return page("derivation.html", record=record, word=word, bound_names=BOUND_NAMES)
    if record.get("schema") == _PROBLEM:
        return page("problem.html", record=record, word=problem_word(record["outcome"]), plane=plane)
    raise ValueError(
        f'expected a derivation with "schema": "{_LAW}" or "{_PROBLEM}", got {record.get("schema")!r}; '
        "write one with `noiseproof derive MODEL` or `noiseproof derive PROGRAM`"
    )
