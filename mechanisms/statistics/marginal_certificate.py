"""How far shares of a budget among marginals are from the best ones: a bound below every objective, in exact arithmetic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

import sympy as sp

from ...symbolic.proof.derivation import Derivation, Step
from ...symbolic.proof.enclosure import rational
from ...symbolic.proof.truth import Truth
from .marginal_space import Marginal, MarginalSpace
from .split_certificate import theorem

TOLERANCE = Fraction(1, 10**6)
TANGENT = (
    "sum c/p' + t^2 sum (c/p^2) p' >= 2 t sum c/p, component by component; the second sum is at most t^2 M T for weights that add up to T, "
    "and t = F/(M T) gives sum c/p' >= F^2/(M T)"
)
SQUARES = "the squares of numbers that are not negative add up to at most the square of their sum"


@dataclass(frozen=True)
class ShareCertificate:
    """The objective of the shares, a bound below that of all other shares of the candidates, and the steps that show it.

    PROVED: nothing is better by more than 1e-6 of the value.  FOUND: the best of many searches of a program that is not convex, and no
    more is claimed than the bound.
    """

    verdict: Literal["PROVED", "FOUND", "UNDECIDED"]
    value: Fraction = field(repr=False)
    lower: Fraction = field(repr=False)
    reason: str
    derivation: Derivation = field(repr=False)

    @property
    def gap(self) -> float:
        """How far the value may lie above the optimum, as a part of the optimum."""
        return float(self.value / self.lower - 1)


def gaussian_certificate(
    space: MarginalSpace, weights: Mapping[Marginal, Fraction], total: Fraction
) -> ShareCertificate:
    """That weights (1 / variance of a cell) which add up to at most the total are the best within 1e-6."""
    value, lower, steps = lower_bound(space, weights, total)
    steps.append(Step(*_ratio(value, lower), "no weights of this total are better by more than 1e-6"))
    proved = _holds(steps)
    reason = f"no shares of {len(space.candidates)} marginals are better by more than {float(value / lower - 1):.1e} of the optimum"
    return ShareCertificate(
        "PROVED" if proved else "UNDECIDED",
        value,
        lower,
        reason if proved else f"not within 1e-6 of the bound: {reason}",
        Derivation(reason, tuple(steps), _lemmas(TANGENT)),
    )


def laplace_certificate(
    space: MarginalSpace,
    weights: Mapping[Marginal, Fraction],
    relaxed: Mapping[Marginal, Fraction],
    total: Fraction,
) -> ShareCertificate:
    """A bound for Laplace noise from near-optimal weights of the convex program, which allows more than Laplace noise does."""
    value = objective(space, weights)
    _, lower, steps = lower_bound(space, relaxed, total)
    steps.append(Step(rational(lower), "<=", rational(value), "the bound lies below the value"))
    ratio = (float(value / lower)) ** 0.5
    reason = (
        "the best of many searches: precisions are squares of shares, the program is not convex; no shares of "
        f"{len(space.candidates)} marginals have a root mean squared error below 1/{ratio:.3g} of this one"
    )
    word: Literal["FOUND", "UNDECIDED"] = "FOUND" if _holds(steps) else "UNDECIDED"
    return ShareCertificate(
        word, value, lower, reason, Derivation(reason, tuple(steps), _lemmas(TANGENT, SQUARES))
    )


def objective(space: MarginalSpace, weights: Mapping[Marginal, Fraction]) -> Fraction:
    """The weighted sum of the variances of all cells of the wanted marginals."""
    p = space.precisions(weights)
    return sum((c / p[s] for s, c in space.costs().items()), Fraction(0))


def lower_bound(
    space: MarginalSpace, weights: Mapping[Marginal, Fraction], total: Fraction
) -> tuple[Fraction, Fraction, list[Step]]:
    """The value F of the weights, the bound F^2 / (M T) with M the greatest gain of a candidate, and the steps."""
    costs, p = space.costs(), space.precisions(weights)
    slopes = {s: c / p[s] ** 2 for s, c in costs.items()}
    gains = {
        a: sum((x for s, x in slopes.items() if set(s) <= set(a)), Fraction(0)) / space.cells(a)
        for a in space.candidates
    }
    value, most = sum((c / p[s] for s, c in costs.items()), Fraction(0)), max(gains.values())
    lower = value**2 / (most * total)
    spent = sum(weights.values(), Fraction(0))
    steps = [
        Step(
            rational(spent),
            "<=",
            rational(total),
            "the weights are within the total",
            shown=_both(spent, total),
        ),
        Step(
            rational(sum((w * gains[a] for a, w in weights.items()), Fraction(0))),
            "=",
            rational(value),
            "the gains of the weights add up to the objective: it is homogeneous of degree -1",
            shown=(f"sum of weight * gain = {float(value):.12g}", f"sum of c / p = {float(value):.12g}"),
        ),
        *(
            Step(
                rational(gain),
                "<=",
                rational(most),
                f"the gain of measuring ({', '.join(a)})",
                shown=_both(gain, most),
            )
            for a, gain in gains.items()
        ),
        Step(
            rational(lower * most * total),
            "=",
            rational(value**2),
            "the bound F^2 / (M T)",
            shown=(f"{float(lower):.12g} * M * T", f"F^2 = {float(value**2):.12g}"),
        ),
        *theorem(1, False, True).derivation.steps,
    ]
    return value, lower, steps


def _holds(steps: list[Step]) -> bool:
    return Derivation("", tuple(steps)).check() is Truth.HOLDS


def _ratio(value: Fraction, lower: Fraction) -> tuple[sp.Expr, str, sp.Expr]:
    return rational(value), "<=", rational(lower * (1 + TOLERANCE))


def _both(left: Fraction, right: Fraction) -> tuple[str, str]:
    return f"{float(left):.12g}", f"{float(right):.12g}"


def _lemmas(*own: str) -> tuple[str, ...]:
    return (*own, *theorem(1, False, True).derivation.lemmas)
