"""Conditions of a Piecewise over a box, and whether its pieces agree where they meet."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from .enclosure import NotEnclosableError, is_zero
from .intervals import Interval
from .truth import Truth, all_hold

Values = list[Interval]
Test = Callable[[Values], bool | None]


def holds_over(condition: sp.Basic, compiled: Callable[[sp.Expr], Callable[[Values], Interval]]) -> Test:
    """Whether a condition holds over all of a box, nowhere in it (False), or neither is known (None)."""
    if condition in (sp.true, sp.false):
        known = condition == sp.true
        return lambda box: known
    if isinstance(condition, sp.ITE):
        return holds_over(condition.to_nnf(), compiled)
    if isinstance(condition, sp.And | sp.Or):
        parts = [holds_over(c, compiled) for c in condition.args]
        whole = isinstance(condition, sp.And)
        return lambda box: _combined([part(box) for part in parts], whole)
    if isinstance(condition, sp.Not):
        inner = holds_over(condition.args[0], compiled)
        return lambda box: None if (answer := inner(box)) is None else not answer
    if not isinstance(condition, sp.core.relational.Relational):
        raise NotEnclosableError(f"the condition {condition} is no relation")
    value, relation = compiled(condition.lhs - condition.rhs), condition.rel_op
    return lambda box: _related(value(box), relation)


def _combined(answers: list[bool | None], whole: bool) -> bool | None:
    if (not whole) in answers:
        return not whole
    return None if None in answers else whole


def _related(a: Interval, relation: str) -> bool | None:
    low, high = a
    if relation in ("<", "<="):
        certain, excluded = (high < 0, low >= 0) if relation == "<" else (high <= 0, low > 0)
    elif relation in (">", ">="):
        certain, excluded = (low > 0, high <= 0) if relation == ">" else (low >= 0, high < 0)
    else:
        certain, excluded = low.is_zero() and high.is_zero(), low > 0 or high < 0
        if relation == "!=":
            certain, excluded = excluded, certain
    return True if certain else False if excluded else None


def continuous(e: sp.Piecewise) -> bool:
    """Whether neighbouring pieces are proved to agree where they meet.

    Read are two pieces with one border, a linear equation or |a linear term| = c, and any number of pieces that follow
    each other along one symbol.
    """
    conditions = [c for _, c in e.args]
    if conditions[-1] != sp.true or not all(_is_order(c) for c in conditions[:-1]):
        return False
    if len(conditions) == 2:
        return _agree(e.args[0][0] - e.args[1][0], conditions[0].lhs - conditions[0].rhs)
    return _in_order(conditions[:-1]) and all(
        _agree(one - two, c.lhs - c.rhs) for (one, c), (two, _) in zip(e.args[:-1], e.args[1:], strict=True)
    )


def _is_order(condition: sp.Basic) -> bool:
    return isinstance(condition, sp.core.relational.Relational) and condition.rel_op in ("<", "<=", ">", ">=")


def _agree(difference: sp.Expr, border: sp.Expr) -> bool:
    """Whether `difference` vanishes where `border` does."""
    sides = [border]
    for size in border.atoms(sp.Abs):
        sides = [side.xreplace({size: s * size.args[0]}) for side in sides for s in (1, -1)]
    for side in sides:
        x = next((x for x in sorted(side.free_symbols, key=str) if _slope(side, x) is not None), None)
        if x is None:
            return False
        at = sp.expand(x - side / _slope(side, x))
        if all_hold([is_zero(sp.sympify(difference.subs(x, at)))]) is not Truth.HOLDS:
            return False
    return True


def _slope(side: sp.Expr, x: sp.Symbol) -> sp.Rational | None:
    """The coefficient of x where `side` is linear in it, and a number."""
    slope = sp.expand(sp.diff(side, x))
    return slope if isinstance(slope, sp.Rational) and slope != 0 else None


def _in_order(conditions: list[sp.Basic]) -> bool:
    """Whether the borders are numbers of one symbol, each farther on than the one before."""
    borders, directions, symbols = [], set(), set()
    for c in conditions:
        side = c.lhs - c.rhs
        x = next(iter(side.free_symbols), None)
        slope = None if x is None or len(side.free_symbols) != 1 else _slope(side, x)
        if slope is None:
            return False
        borders.append(sp.expand(x - side / slope))
        directions.add((c.rel_op[0] == "<") == bool(slope > 0))
        symbols.add(x)
    if len(directions) != 1 or len(symbols) != 1 or not all(isinstance(b, sp.Rational) for b in borders):
        return False
    ordered = sorted(set(borders), reverse=not directions.pop())
    return ordered == borders
