"""Derivations as plain data for certificates: every step in words, with the answer of its check and its proof for the kernel."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import sympy as sp

from ..derivation import Derivation, Step
from ..truth import Truth
from .search import SYMPY, written
from .stated import strays

Row = dict[str, Any]
_DEEPEST, _LARGEST = 50, int(sys.float_info.max)
_UNREADABLE = "its numbers are beyond doubles, or it is nested too deep for a file"


def recorded(derivation: Derivation, truths: Sequence[Truth] | None = None) -> list[Row]:
    """The steps as rows, then the lemmas that are cited; a step that holds has a `proof`, as `kernel.proof.answer` reads it.

    `truths` are the answers of the steps' checks where they are known.
    """
    known = [step.check() for step in derivation.steps] if truths is None else truths
    rows = [_row(step, truth, derivation.where) for step, truth in zip(derivation.steps, known, strict=True)]
    rows += [
        {"left": "", "relation": "", "right": "", "reason": lemma, "truth": "cited"}
        for lemma in derivation.lemmas
    ]
    return rows


def _row(step: Step, truth: Truth, where: tuple[sp.Expr, ...]) -> Row:
    left, right = step.shown or (sp.sstr(step.left), sp.sstr(step.right))
    row: Row = {
        "left": left,
        "relation": step.relation,
        "right": right,
        "reason": step.reason,
        "truth": truth.value,
    }
    if truth is Truth.HOLDS:
        row["proof"] = written(step, where)
        if step.shown is not None and strays(row):
            # A printed number stands for another comparison: its proof would be of something that is not printed.
            del row["proof"]
            return row
        if not _readable(row["proof"]):
            row["proof"] = {"by": SYMPY, "reason": _UNREADABLE}
        elif strays(row):
            # A name that two symbols share, or one that is also that of a known function.
            row["proof"] = {"by": SYMPY, "reason": "the print is not known to say what the proof does"}
    return row


def _readable(proof: Any) -> bool:
    """Whether every reader of JSON takes the proof in, and the strict one of certificates: numbers are those of doubles, nesting ends."""
    level = [proof]
    for _ in range(_DEEPEST):
        if any(isinstance(one, int) and abs(one) > _LARGEST for one in level):
            return False
        level = [
            inner
            for one in level
            if isinstance(one, dict | list)
            for inner in (one.values() if isinstance(one, dict) else one)
        ]
        if not level:
            return True
    return False
