"""A sensitivity enclosed from both sides: a pair of points that reaches the lower end, a rigorous upper end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import sympy as sp
from flint import arb, ctx

from ..domains.polynomials import Point

BITS = 128
SMALLEST = arb(2) ** -20_000


@dataclass(frozen=True)
class SensitivityEnclosure:
    """lower <= sup ||f(u) - f(v)|| <= upper.

    `lower` is the distance of the `witness`, two rational points of the domain (for a one-sided supremum the second
    one is None: the distance is ||f(u)||); `upper` is a ball whose upper end is never below the supremum; `method`
    says by what argument; `exact` is the supremum in closed form where the method yields one.
    """

    lower: arb
    upper: arb
    witness: tuple[Point, Point | None]
    method: str
    exact: sp.Expr | None = None

    @property
    def gap(self) -> float:
        """The relative width (upper - lower) / upper, rounded up; 0 for a supremum that is 0."""
        top = self.at_most()
        return 0.0 if top == 0 else float((top - self.at_least()) / top)

    def at_most(self) -> Fraction:
        """A rational upper bound: the upper end of `upper`."""
        return ends(self.upper)[1]

    def at_least(self) -> Fraction:
        """A rational lower bound: the lower end of `lower`."""
        return ends(self.lower)[0]


def ends(ball: arb) -> tuple[Fraction, Fraction]:
    """The two ends of a finite ball as rationals that contain it."""
    if not ball.is_finite():
        raise ValueError(f"expected a finite enclosure, got {ball}")
    low, high = ball.lower(), ball.upper()
    return _dyadic(low, low < 0), _dyadic(high, high > 0)


def _dyadic(value: arb, outwards: bool) -> Fraction:
    """The number; beside 2^-20000 what is smaller becomes that, or 0 if rounding must go `outwards` no farther."""
    mantissa, exponent = value.man_exp()
    if exponent < -20_000 and abs(value) < SMALLEST:
        return (Fraction(1 if value > 0 else -1, 2**20_000)) if outwards else Fraction(0)
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def with_precision(compute: Callable[[], arb], bits: int = BITS) -> arb:
    """The ball that `compute` returns when evaluated with `bits` of working precision."""
    with ctx.workprec(bits):
        return compute()
