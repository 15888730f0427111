"""An information, or a bound, as plain data: the formula, the steps with the answers of their checks, intervals at a point."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from typing import Any

import sympy as sp
from flint import arb

from ....symbolic.information.model_information import FisherInformationMatrix
from ....symbolic.proof.derivation import Derivation
from ....symbolic.proof.enclosure import NotEnclosableError
from ....symbolic.proof.proofs.recorded import recorded
from ....symbolic.proof.time_limit import OutOfTimeError, time_limit
from ....symbolic.proof.truth import Truth

At = Mapping[sp.Symbol, sp.Expr]


def information_record(
    found: FisherInformationMatrix, at: At, seconds: float, tolerance: float
) -> dict[str, Any]:
    """What is known of an information; numbers are None, with the reason, where they could not be enclosed."""
    start = time.monotonic()
    rows = steps_of(found.derivation, seconds)
    numbers, trouble = None, ""
    if found.regular is not Truth.FAILS:
        numbers, trouble = intervals(lambda: found.enclose(at, tolerance), seconds)
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
        "seconds": round(time.monotonic() - start, 3),
    }


def texts(value: sp.MatrixBase) -> list[list[str]]:
    """The entries of a matrix in sympy's text form."""
    return [[str(sp.sstr(e)) for e in row] for row in value.tolist()]


def intervals(
    balls: Callable[[], list[list[arb]]], seconds: float
) -> tuple[list[list[dict[str, float]]] | None, str]:
    """The ends of the balls, or None and why there are none."""
    try:
        with time_limit(seconds, "the enclosure"):
            return [[_ends(b) for b in row] for row in balls()], ""
    except OutOfTimeError:
        return None, f"unknown after {seconds:g} s: stuck at the enclosure"
    except (ValueError, ArithmeticError, NotEnclosableError) as error:
        return None, str(error)


def steps_of(derivation: Derivation, seconds: float) -> list[dict[str, Any]]:
    """The steps with the answers of their checks; all are unknown where those take longer than `seconds`."""
    try:
        with time_limit(seconds, "the check of the steps"):
            truths = [step.check() for step in derivation.steps]
    except OutOfTimeError:
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
