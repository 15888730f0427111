"""Signs and pieces of a density, as its facts need them: formulas between kinks, and signs for all values of the parameters."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from ..proof.known_signs import with_known_signs
from .domains import inside, within_domains
from .law import Law
from .pieces import borders, resolved, within

KINKED = (sp.Piecewise, sp.Max, sp.Min, sp.sign, sp.floor, sp.Heaviside)
Piece = tuple[sp.Expr, sp.Expr, sp.Expr]


def smooth_pieces(law: Law) -> list[Piece] | None:
    """(lower, upper, formula) between the kinks; one kink may be a formula of the parameters."""
    y, ends = law.variable, law.support
    if not law.density.has(*KINKED, sp.Abs):
        return [(*ends, law.density)]
    if not law.free_symbols:
        pieces = list(within(law.density, y, ends))
        return (
            None
            if any(f is None for _, _, f in pieces)
            else [(a, b, f) for a, b, f in pieces if f is not None]
        )
    inner = borders(law.density, y)
    if inner is None or len(inner) != 1 or not all(e.is_infinite for e in ends):
        return None
    slopes = {sp.diff(a.args[0], y) for a in law.density.atoms(sp.Abs)}
    if law.density.has(*KINKED) or len(slopes) != 1:
        return None
    slope = slopes.pop()
    if not (slope.is_positive or slope.is_negative):
        return None
    rising = 1 if slope.is_positive else -1
    sides = [resolved(law.density, y, _always(side)) for side in (-rising, rising)]
    if sides[0] is None or sides[1] is None:
        return None
    return [(ends[0], inner[0], sides[0]), (inner[0], ends[1], sides[1])]


def everywhere(e: sp.Expr, law: Law, ends: tuple[sp.Expr, sp.Expr], sign: str) -> bool:
    """Whether `e` is known to be "positive", "nonpositive" ... between the ends, for all values of the parameters."""
    return known_sign(within_domains(e.subs(law.variable, inside(*ends, "y")), law.domains), sign)


def known_sign(e: sp.Expr, sign: str) -> bool:
    """Whether the expression is known to have the sign, perhaps after it was simplified."""
    for way in (lambda x: x, sp.factor, sp.simplify, lambda x: sp.factor(sp.simplify(sp.together(x)))):
        form = with_known_signs(way(e))
        if getattr(form, f"is_{sign}"):
            return True
    return False


def with_values(at: dict[sp.Symbol, sp.Expr]) -> str:
    return f", with {', '.join(f'{s} = {v}' for s, v in at.items())}" if at else ""


def _always(side: int) -> Callable[[sp.Expr], int | None]:
    return lambda _gap: side
