"""The Chapman-Robbins bound of whole-number noise on a grid, for unbiased estimators."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from flint import arb, ctx

from noiseproof.symbolic.information.error_bounds import LowerBound
from noiseproof.symbolic.information.grid_error import rounded_down
from noiseproof.symbolic.information.grid_overlap import BITS, GridLaw, overlap
from noiseproof.symbolic.proof.derivation import Derivation, Step
from noiseproof.symbolic.proof.enclosure import enclose
from noiseproof.symbolic.proof.truth import Truth


def chi_squared(noise: GridLaw, h: int) -> arb | None:
    """sum over k of P(k - h)^2 / P(k) - 1 for h >= 1; None where it is infinite because the support moves."""
    if not noise.tail:
        return None
    return overlap(noise, h, lambda a, b: b * b / a) - 1


CHAPMAN_ROBBINS = (
    "Hammersley 1950; Chapman and Robbins 1951: (difference of means)^2 / chi-squared bounds a variance"
)


def chapman_robbins_on_grid(noise: GridLaw, h: int | None = None) -> LowerBound:
    """The least variance at any record of estimators that are unbiased for all whole steps; none if the support moves.

    `h` >= 1 is the distance of records compared, None looks for the best among powers of two.
    """
    tried = [h] if h is not None else [1 << i for i in range(13)]
    found: list[tuple[Fraction, int]] = []
    for n in tried:
        chi = chi_squared(noise, n)
        if chi is None:
            reason = (
                "bounded noise: an estimator that is unbiased on the grid can have variance 0 at a record"
            )
            return LowerBound(None, "irregular", reason, Derivation(reason, ()))
        with ctx.workprec(BITS):
            found.append((Fraction(str(rounded_down((n * n / chi).lower()))), n))
        if len(found) > 1 and found[-1][0] < found[-2][0]:
            break
    value, best = max(found)
    step = sp.Rational(2) ** noise.exponent
    exact = sp.Rational(value.numerator, value.denominator)
    conclusion = f"at every record an estimator that is unbiased on the grid has a variance of at least {float(exact * step**2):.6g}"
    x, m, v = sp.symbols("x m v", positive=True)

    def again(left: sp.Expr, _: sp.Expr) -> Truth:
        chi = chi_squared(noise, best)
        with ctx.workprec(BITS):
            return _certainly(chi is not None and enclose(left, bits=BITS) * chi <= best * best)

    steps = (
        Step(
            (2 * x * m - x**2 * v).subs(x, m / v),
            "=",
            m**2 / v,
            "Cauchy and Schwarz for g - t and P(k-h)/P(k) - 1, whose product has the mean h",
        ),
        Step(
            exact,
            "<=",
            sp.Symbol("h^2/chi2"),
            f"h^2 / chi-squared for h = {best} steps, from the exact masses, rounded down",
            how=again,
        ),
    )
    return LowerBound(exact * step**2, "bound", conclusion, Derivation(conclusion, steps, (CHAPMAN_ROBBINS,)))


def _certainly(answer: bool) -> Truth:
    return Truth.HOLDS if answer else Truth.UNKNOWN
