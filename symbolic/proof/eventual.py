"""An expression as it is for all large values of a symbol: without absolute values, largest ones and pieces."""

from __future__ import annotations

import sympy as sp
from flint import arb

from .enclosure import sign
from .growth import Growth, NoGrowthError, growth, located

_MOST, _STARTS = 12, 24
_TRUE_WHERE = {
    sp.StrictGreaterThan: (1,),
    sp.GreaterThan: (0, 1),
    sp.StrictLessThan: (-1,),
    sp.LessThan: (-1, 0),
    sp.Equality: (0,),
    sp.Unequality: (-1, 1),
}


def eventual(e: sp.Expr, z: sp.Symbol) -> sp.Expr:
    """What equals the expression from some z on; NoGrowthError where a sign for large z is not known."""
    for _ in range(_MOST):
        rough = [part for part in e.atoms(sp.Abs, sp.Max, sp.Min, sp.Piecewise) if part.has(z)]
        if not rough:
            return e
        first = min(rough, key=lambda part: (sp.count_ops(part), sp.default_sort_key(part)))
        e = e.xreplace({first: _one(first, z)})
    raise NoGrowthError(f"too many absolute values and pieces in {e}")


def eventual_sign(e: sp.Expr, z: sp.Symbol) -> int:
    """The sign for all large z: 1, 0 or -1; NoGrowthError where it is not known."""
    e = sp.together(e)
    if not e.has(z):
        known = sign(e)
        if known is not None:
            return known
    else:
        return 1 if away_from_zero(e, z)[0].factor > 0 else -1
    raise NoGrowthError(f"the sign of {e} for large {z} is not known")


def away_from_zero(e: sp.Expr, z: sp.Symbol) -> tuple[Growth, arb]:
    """The growth of an expression that keeps a sign from some z on, and that z; NoGrowthError where none is found."""
    found, start = located(e, z, starts=_STARTS)
    for _ in range(_STARTS):
        if found.factor > 0 or found.factor < 0:
            return found, start
        start = 2 * start
        found = growth(e, z, start)
    raise NoGrowthError(f"the sign of {e} for large {z} is not known")


def _one(part: sp.Expr, z: sp.Symbol) -> sp.Expr:
    if isinstance(part, sp.Abs):
        return part.args[0] if eventual_sign(part.args[0], z) >= 0 else -part.args[0]
    if isinstance(part, sp.Piecewise):
        for value, condition in part.args:
            if _holds(condition, z):
                return value
        raise NoGrowthError(f"no piece of {part} is meant for large {z}")
    best, *others = part.args
    wanted = 1 if isinstance(part, sp.Max) else -1
    for other in others:
        if eventual_sign(other - best, z) == wanted:
            best = other
    return best


def _holds(condition: sp.Basic, z: sp.Symbol) -> bool:
    if condition in (sp.true, sp.false):
        return condition is sp.true
    if isinstance(condition, sp.And | sp.Or):
        answers = [_holds(c, z) for c in condition.args]
        return all(answers) if isinstance(condition, sp.And) else any(answers)
    if isinstance(condition, sp.Not):
        return not _holds(condition.args[0], z)
    places = _TRUE_WHERE.get(type(condition))
    if places is None:
        raise NoGrowthError(f"whether {condition} holds for large {z} is not known")
    return eventual_sign(condition.lhs - condition.rhs, z) in places
