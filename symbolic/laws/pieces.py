"""An expression with kinks and jumps is one smooth formula on each piece between its borders."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

import sympy as sp
from sympy.core.relational import Relational

from ..proof.enclosure import sign

Side = Callable[[sp.Expr], int | None]

# Kinks and jumps without number, or at places that no gap names.
_UNKNOWN = (sp.floor, sp.ceiling, sp.frac, sp.Mod, sp.DiracDelta, sp.arg, sp.atan2, sp.acot, sp.asec, sp.acsc)
KINKED = (sp.Abs, sp.sign, sp.Heaviside, sp.Max, sp.Min, sp.Piecewise, *_UNKNOWN)


class UnsettledError(ValueError):
    """A sign that the choice of a piece rests on is not known."""


def gaps(e: sp.Expr, y: sp.Symbol) -> set[sp.Expr] | None:
    """The expressions in `y` whose signs decide which formula `e` is; None if there is a jump that no gap names."""
    found: set[sp.Expr] = set()
    for node in sp.preorder_traversal(e):
        if isinstance(node, _UNKNOWN) and node.has(y):
            return None
        if isinstance(node, sp.Abs | sp.sign | sp.Heaviside):
            found.add(node.args[0])
        elif isinstance(node, Relational):
            found.add(node.lhs - node.rhs)
        elif isinstance(node, sp.Max | sp.Min):
            found |= {a - b for i, a in enumerate(node.args) for b in node.args[:i]}
    return {gap for gap in found if gap.has(y)}


def borders(e: sp.Expr, y: sp.Symbol) -> tuple[sp.Expr, ...] | None:
    """The points at which `e` may have a kink or a jump in `y`; None if one cannot be solved for."""
    changes = gaps(e, y)
    if changes is None:
        return None
    points: set[sp.Expr] = set()
    for gap in changes:
        roots = _roots(gap, y)
        if roots is None:
            return None
        points |= roots
    return tuple(sorted(points, key=sp.default_sort_key))


def _roots(gap: sp.Expr, y: sp.Symbol) -> set[sp.Expr] | None:
    """The real roots of a gap that is linear in `y`, or quadratic with rational coefficients."""
    slope = sp.diff(gap, y)
    if not slope.has(y):
        return None if slope.is_zero else {sp.simplify(y - gap / slope)}
    if not gap.is_polynomial(y):
        return None
    polynomial = sp.Poly(gap, y)
    if polynomial.degree() != 2 or not all(c.is_Rational for c in polynomial.coeffs()):
        return None
    return set(sp.real_roots(polynomial, multiple=True))


def resolved(e: sp.Expr, y: sp.Symbol, side: Side) -> sp.Expr | None:
    """The smooth formula that `e` is on a piece where each gap in `y` has the sign `side(gap)`; None if one is not known."""

    def of(gap: sp.Expr) -> int:
        found = side(gap)
        if found is None:
            raise UnsettledError(str(gap))
        return found

    def choose(condition: sp.Basic) -> bool:
        if condition in (sp.true, sp.false):
            return bool(condition == sp.true)
        if isinstance(condition, sp.And | sp.Or):
            return (all if isinstance(condition, sp.And) else any)([choose(c) for c in condition.args])
        if isinstance(condition, sp.Not):
            return not choose(condition.args[0])
        if not isinstance(condition, Relational):
            raise UnsettledError(str(condition))
        # A sign of 0 is that of a gap which vanishes on the whole piece.
        s = of(condition.lhs - condition.rhs)
        met = {sp.Gt: s > 0, sp.Ge: s >= 0, sp.Lt: s < 0, sp.Le: s <= 0, sp.Eq: s == 0, sp.Ne: s != 0}
        return met[type(condition)]

    def pick(*pieces: sp.Basic) -> sp.Expr:
        return next((p.args[0] for p in pieces if choose(p.args[1])), sp.nan)

    def extreme(wanted: int) -> Callable[..., sp.Expr]:
        def best(*args: sp.Expr) -> sp.Expr:
            top = args[0]
            for a in args[1:]:
                top = a if of(a - top) == wanted else top
            return top

        return best

    def step(g: sp.Expr, *middle: sp.Expr) -> sp.Expr:
        return sp.Heaviside(sp.Integer(of(g)) if g.has(y) else g, *middle)

    try:
        smooth = e.replace(sp.Piecewise, pick)
        smooth = smooth.replace(sp.Abs, lambda g: of(g) * g if g.has(y) else sp.Abs(g))
        smooth = smooth.replace(sp.sign, lambda g: sp.Integer(of(g)) if g.has(y) else sp.sign(g))
        smooth = smooth.replace(sp.Heaviside, step)
        smooth = smooth.replace(sp.Max, extreme(1)).replace(sp.Min, extreme(-1))
    except UnsettledError:
        return None
    return None if any(n.has(y) for n in smooth.atoms(*_UNKNOWN)) else smooth


def within(
    e: sp.Expr, y: sp.Symbol, ends: tuple[sp.Expr, sp.Expr]
) -> Iterator[tuple[sp.Expr, sp.Expr, sp.Expr | None]]:
    """(lower, upper, formula) of each piece of `e` between two ends, numbers; a formula None where it is not known."""
    inner = borders(e, y)
    if inner is None or any(b.free_symbols for b in inner):
        yield *ends, None
        return
    known = [b for b in inner if sign_of(b - ends[0]) != -1 and sign_of(ends[1] - b) != -1]
    marks = [ends[0], *sorted(known, key=lambda b: sp.N(b, 60)), ends[1]]
    for lower, upper in pairwise(marks):
        if sign_of(upper - lower) == 0:
            continue
        yield lower, upper, resolved(e, y, _side_at(y, between(lower, upper)))


def _side_at(y: sp.Symbol, point: sp.Expr) -> Side:
    return lambda gap: sign(gap.subs(y, point))


def between(lower: sp.Expr, upper: sp.Expr) -> sp.Expr:
    """A point inside of an interval."""
    if lower.is_finite and upper.is_finite:
        return (lower + upper) / 2
    if lower.is_finite:
        return lower + 1
    return upper - 1 if upper.is_finite else sp.Integer(0)


def sign_of(difference: sp.Expr) -> int | None:
    """The sign of a number, infinities included."""
    if difference.is_infinite:
        return 1 if difference.is_extended_positive else -1
    return sign(difference)
