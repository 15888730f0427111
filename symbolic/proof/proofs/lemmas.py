"""What a step needs to be defined: signs of its divisors, of what is under its roots and logarithms, and of the lengths of its integrals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import sympy as sp

from .squares import as_squares
from .terms import NotInLanguageError, Translation

_MOST, _OPERATIONS = 12, 120
Row = dict[str, Any]


def lemmas(
    sides: tuple[sp.Expr, ...], translation: Translation, accepted: Callable[[Row], bool]
) -> list[Row]:
    """Signs that the kernel accepts when they are written in another way, innermost first: each may use those before it."""
    found: list[Row] = []
    for need in list(_needs(sides))[:_MOST]:
        for row in _rows(need, translation):
            one = {**row, "with": {**row.get("with", {}), "lemmas": list(found)}} if found else row
            if accepted(one):
                found.append(row if accepted(row) else one)
                break
    return found


def _needs(sides: tuple[sp.Expr, ...]) -> Iterator[sp.Expr]:
    """Sums of several terms that have to have a sign."""
    seen: set[sp.Expr] = set()
    for side in sides:
        for e in sp.postorder_traversal(side):
            for need in _of(e):
                if need.is_Add and need not in seen and need.count_ops() <= _OPERATIONS:
                    seen.add(need)
                    yield need


def _of(e: sp.Expr) -> tuple[sp.Expr, ...]:
    if isinstance(e, sp.Pow) and e.base.is_commutative and not (e.exp.is_integer and e.exp.is_positive):
        return sp.Mul.make_args(e.base)  # type: ignore[no-any-return]
    if isinstance(e, sp.log):
        return sp.Mul.make_args(e.args[0])  # type: ignore[no-any-return]
    if isinstance(e, sp.Abs):
        return (e.args[0],)
    if isinstance(e, sp.Integral):
        ends = [(limits[1], limits[2]) for limits in e.limits if len(limits) == 3]
        return tuple(sp.expand(high - low) for low, high in ends if low.is_finite and high.is_finite)
    return ()


def _rows(need: sp.Expr, translation: Translation) -> Iterator[Row]:
    """Ways to prove a sign, the strict ones first."""
    try:
        term = translation.term(need)
        forms = [translation.term(f) for f in _forms(need)]
        roots = list(_against_a_root(need, translation))
    except NotInLanguageError:
        return
    for relation in (">", "<", ">=", "<="):
        plain: Row = {"left": term, "relation": relation, "right": 0, "by": "sign"}
        yield plain
        for form in forms:
            yield {**plain, "with": {"as": form}}
    yield from roots


def _forms(need: sp.Expr) -> list[sp.Expr]:
    return [f for f in (as_squares(sp.expand(need)), sp.factor(need)) if f is not None and f != need]


def _against_a_root(need: sp.Expr, translation: Translation) -> Iterator[Row]:
    """a > sqrt(b) from a^2 > b."""
    for term in need.args:
        rest = need - term
        size, root = term.as_coeff_Mul()
        if not (isinstance(root, sp.Pow) and root.exp == sp.Rational(1, 2)):
            continue
        above, below = (rest, -term) if size < 0 else (term, -rest)
        gap = sp.expand(above**2 - below**2)
        for relation in (">", ">="):
            row: Row = {
                "left": translation.term(above),
                "relation": relation,
                "right": translation.term(below),
                "by": "squares",
            }
            yield row
            yield from ({**row, "with": {"as": translation.term(f)}} for f in _forms(gap))
