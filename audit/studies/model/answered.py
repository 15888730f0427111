"""An information, or a bound, as plain data: the formula, the steps with the answers of their checks, intervals at a point."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import sympy as sp
from flint import arb

from ....symbolic.information.model_information import FisherInformationMatrix
from ....symbolic.proof.apart import UnfinishedError, apart
from ....symbolic.proof.derivation import Derivation
from ....symbolic.proof.enclosure import NotEnclosableError
from ....symbolic.proof.proofs.recorded import recorded
from ....symbolic.proof.truth import Truth

At = Mapping[sp.Symbol, sp.Expr]


def information_record(found: FisherInformationMatrix, at: At, tolerance: float) -> dict[str, Any]:
    """What is known of an information; numbers are None, with the reason, where they could not be enclosed."""
    rows = steps_of(found.derivation)
    numbers, trouble = None, ""
    if found.regular is not Truth.FAILS:
        numbers, trouble = intervals(lambda: found.enclose(at, tolerance))
    return {
        "parameters": [p.name for p in found.parameters],
        "value": None if found.value is None else texts(found.value),
        "regular": found.regular.value,
        "reason": found.reason,
        "conditions": [
            {"name": c.name, "truth": c.truth.value, "reason": c.reason} for c in found.conditions
        ],
        "routes": list(found.routes),
        "conclusion": found.derivation.conclusion,
        "derivation": rows,
        "numbers": numbers,
        "no_numbers": trouble,
    }


def texts(value: sp.MatrixBase) -> list[list[str]]:
    """The entries of a matrix in sympy's text form."""
    return [[str(sp.sstr(e)) for e in row] for row in value.tolist()]


def intervals(balls: Callable[[], list[list[arb]]]) -> tuple[list[list[dict[str, float]]] | None, str]:
    """The ends of the balls, or None and why there are none."""
    try:
        return [[_ends(b) for b in row] for row in apart(balls, "the enclosure")], ""
    except UnfinishedError as stuck:
        return None, f"unknown: {stuck}"
    except (ValueError, ArithmeticError, NotEnclosableError) as error:
        return None, str(error)


def steps_of(derivation: Derivation) -> list[dict[str, Any]]:
    """The steps with the answers of their checks; all are unknown where those do not end."""
    try:
        truths = apart(lambda: [step.check() for step in derivation.steps], "the check of the steps")
    except UnfinishedError:
        truths = [Truth.UNKNOWN] * len(derivation.steps)
    return recorded(derivation, truths)


def settled(rows: list[dict[str, Any]]) -> bool:
    """Whether every step that is checked holds, and there is one."""
    truths = {row["truth"] for row in rows} - {"cited"}
    return truths == {"holds"}


def _ends(ball: arb) -> dict[str, float]:
    """The ends of a ball, rounded outwards to doubles."""
    return {"lower": _down(ball.lower()) + 0.0, "upper": 0.0 - _down(-ball.upper())}


def _down(end: arb) -> float:
    near = float(end.mid())
    return near if arb(near) <= end else math.nextafter(near, -math.inf)
