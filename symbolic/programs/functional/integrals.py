"""The integrals that a functional asks for: in closed form where one is found, otherwise in a ball."""

from __future__ import annotations

import sympy as sp
from flint import arb

from ...laws.elementary_integrals import elementary_integral
from ...laws.enclosed_expectation import enclosed_expectation
from ...laws.law import Law
from ...proof.apart import UnfinishedError, apart
from ...proof.enclosed_integral import enclosed_integral
from ...proof.enclosure import NotEnclosableError, compare, enclose
from ...proof.growth import NoGrowthError
from ...proof.truth import Truth


def closed_integral(e: sp.Expr, x: sp.Symbol, low: sp.Expr, high: sp.Expr) -> sp.Expr | None:
    """The integral as an expression without integral signs, or None."""
    if e == 0:
        return sp.Integer(0)
    try:
        found = apart(lambda: _integrated(e, x, low, high), "the integral")
    except (UnfinishedError, NotImplementedError, ValueError, TypeError, RecursionError):
        return None
    return None if found.has(sp.Integral, sp.nan, sp.zoo, sp.oo, sp.Piecewise, sp.I) else found


def _integrated(e: sp.Expr, x: sp.Symbol, low: sp.Expr, high: sp.Expr) -> sp.Expr:
    short = sp.simplify(e)
    found = elementary_integral(short, x, (low, high))
    return sp.simplify(sp.integrate(short, (x, low, high)) if found is None else found)


def integrated(left: sp.Expr, right: sp.Expr) -> Truth:
    """Whether left = right once the integrals on the left are found in closed form; open where one is not."""
    found = {e: closed_integral(e.function, *e.limits[0]) for e in left.atoms(sp.Integral)}
    return Truth.UNKNOWN if None in found.values() else compare(left.xreplace(found), "=", right)


def integral_ball(
    e: sp.Expr, x: sp.Symbol, low: sp.Expr, high: sp.Expr, density: sp.Expr | None = None
) -> arb | None:
    """A ball around the integral of an expression without parameters; None where none was found.

    Over an unbounded interval a `density` on it, which need not be the expression's, lets tails be bounded.
    """
    try:
        if low.is_finite and high.is_finite:
            ball = enclosed_integral(e, x, low, high)
            if ball.is_finite():
                return ball
        elif density is not None:
            return _expectation(e / density, density, x, (low, high))
        closed = closed_integral(e, x, low, high)
        return None if closed is None else enclose(closed)
    except (NotEnclosableError, ZeroDivisionError, ValueError):
        return None


def _expectation(e: sp.Expr, density: sp.Expr, x: sp.Symbol, ends: tuple[sp.Expr, sp.Expr]) -> arb | None:
    try:
        law = Law.from_density(density, x, ends)
        return apart(lambda: enclosed_expectation(law, sp.simplify(e), 1e-12), "the expectation")
    except (UnfinishedError, NoGrowthError, ArithmeticError):
        return None


def diverges(e: sp.Expr, x: sp.Symbol, low: sp.Expr, high: sp.Expr) -> sp.Expr | None:
    """An end at which a function that is not negative near it falls no faster than the inverse distance: its integral is infinite."""
    for end, side in ((low, "+"), (high, "-")):
        if end.is_infinite or e.has(sp.Heaviside):  # of which sympy's limits do not end
            continue
        try:
            found = sp.limit(sp.simplify(e * abs(x - end)), x, end, side)
        except (NotImplementedError, ValueError, TypeError, RecursionError):
            continue
        if found.is_positive or found == sp.oo:
            return end
    return None
