"""Whether a function of one variable is positive in an open interval, zeros at the ends allowed: proved in balls and by derivatives."""

from __future__ import annotations

import sympy as sp
from flint import arb, ctx

from ...laws.domains import inside
from ...proof.enclosure import NotEnclosableError, enclose, enclose_over, sign
from ...proof.truth import Truth

_MOST_PIECES, _HIGHEST = 4_000, 6


def positive_inside(function: sp.Expr, x: sp.Symbol, low: sp.Expr, high: sp.Expr) -> Truth:
    """HOLDS if function > 0 for all x in the open interval (and all values of its parameters), FAILS at a point where it is negative."""
    written = sp.simplify(function.subs(x, inside(low, high)))
    if written.is_positive or sp.factor(written).is_positive:
        return Truth.HOLDS
    if not (low.is_finite and high.is_finite):
        return _probed(function, x, low, high)
    s = sp.Dummy("s", real=True)
    scaled = sp.factor_terms(sp.simplify(function.subs(x, low + (high - low) * s)))
    rest = sp.Mul(*(part for part in sp.Mul.make_args(scaled) if not part.is_positive))
    if rest.free_symbols - {s}:
        return _probed(function, x, low, high)
    try:
        found = _subdivided(rest, s)
    except NotEnclosableError:
        found = Truth.UNKNOWN
    return _probed(function, x, low, high) if found is Truth.UNKNOWN else found


def _probed(function: sp.Expr, x: sp.Symbol, low: sp.Expr, high: sp.Expr) -> Truth:
    for share in [sp.Rational(k, 16) for k in range(1, 16)] + [sp.Rational(k, 1024) for k in (1, 1023)]:
        if sign(sp.sympify(function.subs(x, between(low, high, share)))) == -1:
            return Truth.FAILS
    return Truth.UNKNOWN


def between(low: sp.Expr, high: sp.Expr, share: sp.Rational) -> sp.Expr:
    """A point of the open interval, further to the right for a greater share in (0, 1)."""
    if low.is_finite and high.is_finite:
        return low + (high - low) * share
    if low.is_finite:
        return low + share / (1 - share)
    if high.is_finite:
        return high - (1 - share) / share
    return (2 * share - 1) / (share * (1 - share))


def _subdivided(rest: sp.Expr, s: sp.Symbol) -> Truth:
    """On (0, 1): the parts beside the ends by the first derivative that does not vanish there, what is between in balls."""
    ends = []
    for end, side in ((sp.Integer(0), 1), (sp.Integer(1), -1)):
        reach = _beside(rest, s, end, side)
        if reach is None:
            return Truth.UNKNOWN
        ends.append(reach)
    stack, pieces = [(ends[0], 1 - ends[1])], 0
    while stack:
        a, b = stack.pop()
        pieces += 1
        if pieces > _MOST_PIECES:
            return Truth.UNKNOWN
        value = _over(rest, s, a, b)
        if value is not None and value > 0:
            continue
        middle = (a + b) / 2
        found = sign(rest.subs(s, middle))
        if found in (-1, 0):
            return Truth.FAILS if found == -1 else Truth.UNKNOWN
        stack += [(a, middle), (middle, b)]
    return Truth.HOLDS


def _beside(rest: sp.Expr, s: sp.Symbol, end: sp.Expr, side: int) -> sp.Rational | None:
    """How far from the end the function is proved positive, the end itself excepted."""
    derivative = rest
    for order in range(_HIGHEST):
        found = sign(derivative.subs(s, end))
        if found is None:
            return None
        if found != 0:
            if found * side**order != 1:
                return None
            reach = sp.Rational(1, 4)
            for _ in range(20):
                a, b = (end, end + reach) if side == 1 else (end - reach, end)
                value = _over(derivative * side**order, s, a, b)
                if value is not None and value > 0:
                    return reach
                reach /= 2
            return None
        derivative = sp.diff(derivative, s)
    return None


def _over(e: sp.Expr, s: sp.Symbol, a: sp.Expr, b: sp.Expr) -> arb | None:
    with ctx.workprec(80):
        middle, radius = enclose((a + b) / 2), enclose((b - a) / 2)
        try:
            value = enclose_over(e, {s: middle + arb(0, 1) * radius})
        except NotEnclosableError:
            return None
    return value if value.is_finite() else None
