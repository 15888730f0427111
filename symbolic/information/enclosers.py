"""Balls around the entries of an information matrix at a point: by integrals, by finite sums, part by part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sympy as sp
from flint import arb

from ..laws.enclosed_expectation import enclosed_expectation
from ..laws.finite import DiscreteLaw
from ..laws.joint import JointLaw
from ..laws.law import Law, smooth_derivative
from ..laws.vector_forms import IndependentParts, Multinomial
from ..proof.enclosure import enclose
from .model_information import Balls, Encloser


def encloser_of(law: Law | JointLaw, theta: list[sp.Symbol]) -> Encloser | None:
    """What encloses the information about `theta` at values of all parameters; None where no way is known."""
    k = len(theta)
    if isinstance(law, JointLaw):
        if isinstance(law.form, Multinomial):
            return _finite_sum(law.form.probabilities, theta, law.form.trials)
        return _sum_of_parts(law, theta) if isinstance(law.form, IndependentParts) else None
    if isinstance(law, DiscreteLaw):
        return _finite_sum(law.probabilities, theta, 1)
    scores = [smooth_derivative(law.log_density(), p) for p in theta]

    def encloser(at: Mapping[sp.Symbol, sp.Expr], tolerance: float) -> Balls:
        fixed = law.at(dict(at))
        balls: dict[tuple[int, int], Any] = {}
        for i in range(k):
            for j in range(i + 1):
                product = (scores[i] * scores[j]).subs(dict(at))
                balls[i, j] = enclosed_expectation(fixed, product, tolerance)
        return [[balls[max(i, j), min(i, j)] for j in range(k)] for i in range(k)]

    return encloser


def _finite_sum(probabilities: Sequence[sp.Expr], theta: list[sp.Symbol], trials: int) -> Encloser:
    def encloser(at: Mapping[sp.Symbol, sp.Expr], _tolerance: float) -> Balls:
        terms = [(p, [sp.diff(p, t) for t in theta]) for p in probabilities if p != 0]
        return [
            [
                enclose(trials * sp.Add(*(s[i] * s[j] / p for p, s in terms)).subs(dict(at)))
                for j in range(len(theta))
            ]
            for i in range(len(theta))
        ]

    return encloser


def _sum_of_parts(law: JointLaw, theta: list[sp.Symbol]) -> Encloser | None:
    places = [[i for i, p in enumerate(theta) if p in part.free_symbols] for part in law.parts]
    inner = [encloser_of(part, [theta[i] for i in at]) for part, at in zip(law.parts, places, strict=True)]
    if any(e is None for e in inner):
        return None

    def encloser(at: Mapping[sp.Symbol, sp.Expr], tolerance: float) -> Balls:
        total = [[arb(0)] * len(theta) for _ in theta]
        for part, known, chosen in zip(law.parts, inner, places, strict=True):
            if chosen and known is not None:
                own = {s: v for s, v in at.items() if s in part.free_symbols}
                balls = known(own, tolerance / len(law.parts))
                for a, i in enumerate(chosen):
                    for b, j in enumerate(chosen):
                        total[i][j] += balls[a][b]
        return total

    return encloser
