"""Minimax bounds from two points: the exact Bayes risk, and the best Hellinger bound near one."""

from __future__ import annotations

from typing import Any

import sympy as sp

from noiseproof.symbolic.information.error_bounds import LowerBound
from noiseproof.symbolic.information.irregular import (
    SHIFTS,
    TWO_POINT,
    admissible,
    checked_records,
    hellinger,
    overlap_of,
    overlap_step,
)
from noiseproof.symbolic.laws.law import Law, exact
from noiseproof.symbolic.proof.derivation import Derivation


def two_point(law: Law, parameter: sp.Symbol, at: tuple[Any, Any]) -> LowerBound:
    """(d^2 / 2) int p q / (p + q), the exact Bayes risk of telling two points at distance d apart.

    A lower bound on the minimax mean squared error over every set that holds both points, from one record,
    for all estimators; at least Le Cam's (d^2 / 4)(1 - TV).
    """
    first, second = (exact(t, "at") for t in at)
    p, q = law.at({parameter: first}), law.at({parameter: second})
    overlap, _ = overlap_of(p, q, lambda f, g: f * g / (f + g))
    value = sp.simplify((second - first) ** 2 / 2 * overlap)
    step = overlap_step(
        p, q, lambda f, g: f * g / (f + g), overlap, f"overlap of the laws at {first} and {second}"
    )
    reason = f"two-point bound (Le Cam) between {first} and {second}"
    return LowerBound(value, "bound", reason, Derivation(reason, (step,), (TWO_POINT,)))


def best_hellinger(law: Law, parameter: sp.Symbol, at: Any, records: int = 1, reach: Any = 1) -> LowerBound:
    """The largest Hellinger bound between `at` and `at + reach k / (32 m)`, m = 1, n: minimax near `at`."""
    centre, width, n = exact(at, "at"), exact(reach, "reach"), checked_records(records)
    scales = {sp.Integer(1), sp.Integer(n)}
    bounds = [
        hellinger(law, parameter, (centre, centre + width * q / m), n)
        for m in scales
        for q in SHIFTS
        if admissible(law, parameter, centre + width * q / m) is not None
    ]
    if not bounds:
        raise ValueError(f"no point between {at} and {at} + {reach} is a parameter of {law.name}")
    return max(bounds, key=lambda b: b.numeric or 0.0)
