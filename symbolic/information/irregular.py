"""What can be said of all adversaries where the Cramer-Rao bound does not apply: a bound from two points."""

from __future__ import annotations

from typing import Any

import sympy as sp
from flint import arb

from ..laws.law import Law, exact
from ..laws.lawful_at import lawful
from ..proof.derivation import Derivation
from ..proof.enclosure import enclose
from .bounds.overlaps import overlap
from .enclosed_bound import end_steps
from .error_bounds import LowerBound

TWO_POINT = "a maximum over two points is at least the Bayes risk of their uniform prior (Tsybakov 2009, 2.4)"
HELLINGER = "1 - TV(P, Q) >= 1 - sqrt(1 - rho^2), rho the Hellinger affinity (Tsybakov 2009, 2.4, lemma 2.3)"


def hellinger(law: Law, parameter: sp.Symbol, at: tuple[Any, Any]) -> LowerBound:
    """(d^2 / 4)(1 - sqrt(1 - rho^2)), rho = int sqrt(p q), from the laws at two points at distance d; rounded down.

    A lower bound on the minimax mean squared error over every set that holds both points, for all estimators.
    """
    first, second = (exact(t, "at") for t in at)
    places = [{parameter: t} for t in (first, second)]
    for place in places:
        lawful(law, place)
    found = overlap(law, [parameter], places, [sp.Rational(1, 2)] * 2)

    def enclosed() -> arb:
        affinity = found.quantity.ball({}, 1e-10).lower().max(arb(0)).min(arb(1))
        return enclose((second - first) ** 2 / 4) * (1 - (1 - affinity**2).sqrt())

    value, encloses = end_steps(enclosed, HELLINGER)
    reason = f"Hellinger bound between {first} and {second}"
    derivation = Derivation(reason, (*found.steps, encloses), (TWO_POINT, HELLINGER))
    return LowerBound(value, "bound", reason, derivation)
