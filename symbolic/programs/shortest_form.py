"""The shortest of a few ways to write a value, inverses under logarithms and roots turned upright."""

from __future__ import annotations

import sympy as sp


def shortest(given: sp.Expr) -> sp.Expr:
    """The shortest of a few ways to write a real value."""
    e = given.replace(_is_inverse, _upright)
    forms = (e, sp.expand_log(e), sp.expand(e), sp.simplify(e), sp.factor(e) if e.count_ops() < 80 else e)
    return min(forms, key=lambda f: (f.count_ops(), sp.default_sort_key(f)))


def _is_root(e: sp.Basic) -> bool:
    return isinstance(e, sp.Pow) and e.exp.is_Rational and not e.exp.is_Integer


def _is_inverse(e: sp.Basic) -> bool:
    """log(1/q), or the root of one over something: q is positive wherever these are real."""
    inside = e.args[0] if isinstance(e, sp.log) or _is_root(e) else None
    if inside is None:
        return False
    top, bottom = sp.fraction(sp.together(inside))
    return bool(top.is_Rational and bottom.free_symbols)


def _upright(e: sp.Expr) -> sp.Expr:
    top, bottom = sp.fraction(sp.together(e.args[0]))
    size, below = sp.Abs(top), bottom * sp.sign(top)
    below = sp.expand(below)
    return sp.log(size) - sp.log(below) if isinstance(e, sp.log) else size**e.exp * below**-e.exp
