"""Integrals of a density over a part of its support, by an antiderivative that was differentiated again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import sympy as sp

from ..proof.apart import UnfinishedError, apart
from ..proof.derivation import Step
from ..proof.enclosure import NotEnclosableError, enclose, is_zero
from ..proof.truth import Truth
from .domains import domain_points
from .elementary_integrals import elementary_integral
from .enclosed_expectation import enclosed_expectation
from .law import Law
from .pieces import borders

_POINTS = 2
_SMOOTH = (sp.Add, sp.Mul, sp.Symbol, sp.exp, sp.erf, sp.erfc, sp.sin, sp.cos, sp.atan)


@dataclass(frozen=True)
class ClosedPart:
    """An integral over a part of the line, and the steps that lead to it."""

    value: sp.Expr
    steps: tuple[Step, ...]


def closed_part(law: Law, function: sp.Expr, ends: tuple[sp.Expr, sp.Expr]) -> ClosedPart | None:
    """The integral of density times function between two ends that the parameters do not move; None where it does not close."""
    y, integrand = law.variable, law.density * function
    support = law.support
    if any(e.free_symbols for e in support) or borders(integrand, y) != ():
        return None
    lower, upper = sp.Max(support[0], ends[0]), sp.Min(support[1], ends[1])
    if (upper - lower).is_extended_positive is not True:
        return ClosedPart(sp.Integer(0), ())
    known = elementary_integral(integrand, y, (lower, upper))
    if known is not None:
        left, value = sp.Integral(integrand, (y, lower, upper)), sp.simplify(known)
        how = _in_balls_too(law, function, (lower, upper))
        return ClosedPart(value, (Step(left, "=", value, "by parts, term by term", how),))
    if _of_bells(integrand, y):
        return None
    try:
        return apart(lambda: _closed(integrand, y, lower, upper), "an antiderivative")
    except UnfinishedError:
        return None


def _of_bells(integrand: sp.Expr, y: sp.Symbol) -> bool:
    """Whether it is divided by a sum of exponentials, one of a square or a higher power: sympy looks long for what it does not find."""
    sums = [p.base for p in integrand.atoms(sp.Pow) if p.base.is_Add and p.exp.is_negative]
    return any(sp.diff(e.exp, y).has(y) for one in sums for e in one.atoms(sp.exp))


def _in_balls_too(
    law: Law, function: sp.Expr, ends: tuple[sp.Expr, sp.Expr]
) -> Callable[[sp.Expr, sp.Expr], Truth]:
    """A check by parts anew, and by rigorous integration at a few parameters, which may refute it."""

    def check(left: sp.Expr, right: sp.Expr) -> Truth:
        for at in domain_points(law.free_symbols, law.domains, _POINTS):
            try:
                ball = enclosed_expectation(law.at(at), function.subs(at), 1e-8, ends)
            except (NotEnclosableError, ValueError):
                continue
            if not ball.overlaps(enclose(right, at)):
                return Truth.FAILS
        value = elementary_integral(left.function, law.variable, ends)
        return Truth.UNKNOWN if value is None else is_zero(value - right)

    return check


def _closed(integrand: sp.Expr, y: sp.Symbol, lower: sp.Expr, upper: sp.Expr) -> ClosedPart | None:
    primitive = sp.integrate(sp.expand(sp.powsimp(integrand)), y)
    if primitive.has(sp.Integral, sp.Piecewise) or not _continuous(primitive, y, lower):
        return None
    again = sp.diff(primitive, y) - integrand
    if is_zero(again) is not Truth.HOLDS:
        return None
    values = []
    for end, side in ((upper, "-"), (lower, "+")):
        try:
            value = primitive.subs(y, end) if end.is_finite else sp.limit(primitive, y, end, side)
        except (NotImplementedError, ValueError, TypeError, sp.PoleError):
            return None
        if value.has(sp.oo, sp.zoo, sp.nan, sp.Limit, sp.AccumBounds):
            return None
        values.append(value)
    step = Step(again, "=", sp.Integer(0), f"{sp.sstr(primitive)} has the integrand as its derivative")
    return ClosedPart(sp.simplify(values[0] - values[1]), (step,))


def _continuous(primitive: sp.Expr, y: sp.Symbol, lower: sp.Expr) -> bool:
    """Whether the antiderivative is made of functions that are smooth from the lower end on."""
    for node in sp.preorder_traversal(primitive):
        if not node.has(y) or isinstance(node, _SMOOTH):
            continue
        if isinstance(node, sp.Pow) and (node.base == sp.E or (node.exp.is_Integer and node.exp > 0)):
            continue
        if isinstance(node, sp.Pow | sp.log) and node.args[0] == y and lower.is_positive:
            continue
        return False
    return True
