"""Whether a parametric family is regular enough for the Cramer-Rao bound, decided from its density.

A point of the density (an end of the support, a kink, a jump) matters only if it moves with a parameter.
There the density must be continuous, and f'^2 / f must be integrable: f ~ c t^a next to a zero of the density
has finite information if and only if a > 1.  See Ibragimov and Has'minskii (1981), Statistical Estimation,
I.7 (regular experiments), V (densities with jumps), VI (other singularities).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import sympy as sp

from ..laws.differentiability import NotDifferentiableError, Place
from ..laws.finite import DiscreteLaw
from ..laws.law import Law
from ..laws.lawful_at import require_law
from ..laws.pieces import borders, resolved
from ..proof.enclosure import is_zero, sign
from ..proof.truth import Truth, all_hold

IRREGULAR = "irregular: the Cramer-Rao bound does not apply"
_T = sp.Dummy("t", positive=True)


@dataclass(frozen=True)
class Regularity:
    """The answer and its reason in words."""

    truth: Truth
    reason: str


def breakpoints(law: Law) -> tuple[sp.Expr, ...] | None:
    """Interior points where the density is put together from pieces; None if one cannot be solved for."""
    return borders(law.density, law.variable)


def smooth_law(
    law: Law, parameters: Sequence[sp.Symbol], at: Mapping[sp.Symbol, sp.Expr]
) -> tuple[Law | None, Regularity]:
    """The formulas of the law next to `at` without kinks in the parameters, and whether the family is regular there.

    None where that is not known.  Symbols that `at` does not fix run through all that they were declared to be.
    """
    place = Place.of(parameters, at)
    try:
        local = _local(law, place)
        require_law(local, place)
        if border := place.border():
            raise NotDifferentiableError(border)
    except NotDifferentiableError as doubt:
        decided = Regularity(Truth.UNKNOWN, f"differentiability in the parameters is not proved: {doubt}")
        # What is irregular for values in general refutes a statement about all of them.
        general = decided if place.parameters & set(at) else regularity(law, parameters)
        return None, general if general.truth is Truth.FAILS else decided
    decided = regularity(local, parameters)
    if decided.truth is Truth.FAILS and place.parameters & set(at) and not _irregular_there(local, place):
        decided = Regularity(Truth.UNKNOWN, f"{decided.reason}; whether that is so {place} is not known")
    return local, decided


def _local(law: Law, place: Place) -> Law:
    """The law with each formula replaced by the smooth one that it equals next to the place."""
    ends = place.form(law.support[0]), place.form(law.support[1])
    inside = replace(place, variable=law.variable, support=ends)
    if not law.parts:
        return law.map(inside.form)
    parts = tuple((place.form(w), _local(part, place)) for w, part in law.parts)
    return replace(law, density=inside.form(law.density), support=ends, parts=parts)


def _irregular_there(law: Law, place: Place) -> bool:
    """Whether a point that moves at the place itself, not only next to it, is one that no regular family has."""
    if isinstance(law, DiscreteLaw):
        return True
    for point, sides in _sites(law) or ():
        moves = any(place.side(sp.diff(point, p)) in (1, -1) for p in place.parameters)
        if moves and _site(law.at(dict(place.at)), point.subs(place.at), sides).truth is Truth.FAILS:
            return True
    return False


def regularity(law: Law, parameters: Sequence[sp.Symbol]) -> Regularity:
    """Whether the points of the density that move with `parameters` leave the information finite."""
    if law.discrete:
        moving = any(isinstance(v, sp.Expr) and v.has(*parameters) for v in getattr(law, "values", ()))
        if moving:
            return Regularity(Truth.FAILS, f"{IRREGULAR}: the atoms of the law move with the parameter")
        return Regularity(Truth.HOLDS, "finitely many fixed values")
    if law.parts and not any(w.has(*parameters) for w, _ in law.parts):
        parts = [regularity(part, parameters) for _, part in law.parts]
        if all_hold(r.truth for r in parts) is Truth.HOLDS:
            return Regularity(
                Truth.HOLDS,
                "every component is regular, and the information of a mixture is at most their mean",
            )
    sites = _sites(law)
    if sites is None:
        return Regularity(Truth.UNKNOWN, "the density has pieces whose borders could not be solved for")
    moving_sites = [(b, s) for b, s in sites if _moves(b, parameters)]
    answers = [_site(law, b, sides) for b, sides in moving_sites]
    for wanted in (Truth.FAILS, Truth.UNKNOWN):
        for answer in answers:
            if answer.truth is wanted:
                return answer
    fixed = (
        "its support does not move with the parameter"
        if not moving_sites
        else "; ".join(a.reason for a in answers)
    )
    return Regularity(Truth.HOLDS, f"the density is absolutely continuous in the parameter: {fixed}")


def _sites(law: Law) -> list[tuple[sp.Expr, tuple[int, ...]]] | None:
    """The points of the density, each with the sides on which there is some; None if one cannot be solved for."""
    inner = breakpoints(law)
    if inner is None:
        return None
    ends = [(law.support[0], (1,)), (law.support[1], (-1,))]
    return [(b, s) for b, s in ends if b.is_finite is not False] + [(b, (-1, 1)) for b in inner]


def _moves(point: sp.Expr, parameters: Sequence[sp.Symbol]) -> bool:
    return any(point.has(p) and is_zero(sp.diff(point, p)) is not Truth.HOLDS for p in parameters)


def _site(law: Law, point: sp.Expr, sides: tuple[int, ...]) -> Regularity:
    """One moving point: the density is continuous (zero outside the support) and f'^2/f integrable."""
    near = [resolve(law.density, law.variable, point, side) for side in sides]
    if any(branch is None for branch in near):
        return Regularity(Truth.UNKNOWN, f"the pieces of the density next to {point} could not be told apart")
    branches = [b for b in near if b is not None]
    values = [_value(b, law.variable, point, side) for b, side in zip(branches, sides, strict=True)]
    if sp.oo in values:
        return Regularity(Truth.FAILS, f"{IRREGULAR}: the density is unbounded at {point}, which moves")
    heights = [v for v in values if v is not None] + ([sp.Integer(0)] if len(sides) == 1 else [])
    if len(heights) < 2:
        return Regularity(Truth.UNKNOWN, f"whether the density is bounded at {point} could not be decided")
    continuous = is_zero(heights[0] - heights[1])
    if continuous is Truth.FAILS or (
        continuous is Truth.UNKNOWN and sign(heights[0] - heights[1]) not in (0, None)
    ):
        what = "the support ends" if len(sides) == 1 else "the density jumps"
        return Regularity(
            Truth.FAILS,
            f"{IRREGULAR}: {what} at {point}, which depends on the parameter, and the density does not vanish there",
        )
    if continuous is not Truth.HOLDS:
        return Regularity(Truth.UNKNOWN, f"whether the density is continuous at {point} could not be decided")
    # In units of the support sympy meets no long decimals in its sines.
    width = sp.expand(law.support[1] - law.support[0])
    unit = width if width.is_Rational else sp.Integer(1)
    for branch, side in zip(branches, sides, strict=True):
        exponent = _exponent(branch, law.variable, point, side * unit)
        if exponent is None or exponent.is_real is not True:
            return Regularity(Truth.UNKNOWN, f"the order of f'^2/f next to {point} could not be decided")
        if (exponent + 1).is_nonpositive:
            return Regularity(
                Truth.FAILS,
                f"{IRREGULAR}: f'^2/f is of order t^({exponent}) next to {point}, which is not integrable",
            )
        if not (exponent + 1).is_positive:
            return Regularity(
                Truth.UNKNOWN, f"whether f'^2/f is integrable next to {point} depends on {exponent}"
            )
    return Regularity(Truth.HOLDS, f"continuous at {point} with f'^2/f integrable there")


def _value(branch: sp.Expr, y: sp.Symbol, point: sp.Expr, side: int) -> sp.Expr | None:
    """The height of the density next to `point`, oo if it is unbounded there; None if that is not known."""
    value = sp.simplify(branch.subs(y, point))
    if not value.has(sp.zoo, sp.oo, sp.nan):
        return value
    # exp(-1/0) and 0 log 0 cannot be inserted, but have limits.
    try:
        value = sp.limit(sp.simplify(branch.subs(y, point + side * _T)), _T, 0, "+")
    except (ValueError, NotImplementedError, TypeError, sp.PoleError):
        return None
    return value if value == sp.oo or not value.has(_T, sp.oo, sp.zoo, sp.nan, sp.AccumBounds) else None


def _exponent(branch: sp.Expr, y: sp.Symbol, point: sp.Expr, step: sp.Expr) -> sp.Expr | None:
    """The exponent a of f'^2/f ~ c t^a at `point` + t `step`; None if the density is no such power there."""
    local = sp.simplify(branch.subs(y, point + step * _T))
    slope = sp.diff(local, _T)
    if slope == 0:
        return sp.Integer(0)
    try:
        (rise, a), (height, b) = slope.leadterm(_T), local.leadterm(_T)
    except (ValueError, NotImplementedError, TypeError, sp.PoleError):
        return None
    exponent = sp.simplify(2 * a - b)
    # Logarithms leave the answer open at the border only.
    border = exponent == -1 and (rise**2 / height).has(_T)
    return None if border or rise.has(sp.AccumBounds) or height.has(sp.AccumBounds) else exponent


def resolve(e: sp.Expr, y: sp.Symbol, point: sp.Expr, side: int) -> sp.Expr | None:
    """The smooth expression that `e` is just above (side = 1) or just below (side = -1) `point`."""

    def direction(gap: sp.Expr) -> int | None:
        start = sp.simplify(gap.subs(y, point))
        if start.is_positive or start.is_negative:
            return 1 if start.is_positive else -1
        slope = sp.diff(gap, y) * side
        if start.is_zero and (slope.is_positive or slope.is_negative):
            return 1 if slope.is_positive else -1
        return None

    return resolved(e, y, direction)
