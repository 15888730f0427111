"""Two vectors at most so far apart: on a convex domain the answers differ by no more than that times the largest slope."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from time import monotonic

import sympy as sp

from ..proof.enclosure import compare, enclose, rational
from ..proof.truth import Truth
from .enclosure import ends, with_precision
from .farthest import Vector, farthest, value_at
from .moves import Move
from .pairs import length
from .regions import Point, Region, anywhere
from .shapes import ROUGH
from .suprema import Supremum, largest

MEAN_VALUE = (
    "mean value theorem on the segment between two vectors of a convex domain; the steps of length 1 in the 1-norm are "
    "mixtures of steps along the axes"
)


def near_each_other(
    move: Move, symbols: Sequence[sp.Symbol], norm: str, tolerance: float, deadline: float
) -> Supremum:
    """The better of the bound by slopes and of branch and bound in both vectors."""
    assert move.near is not None
    vector = move.vector
    slopes = _by_slopes(move, symbols, norm, tolerance, deadline) if move.near.norm == 1 else None
    if slopes is not None and slopes.upper is not None:
        reached = value_at(vector, norm, move.region, slopes.point)
        if reached is not None and ends(slopes.upper)[1] <= reached * (1 + Fraction(tolerance)):
            return _exact_if_met(slopes, move, norm)
    left = deadline if slopes is None else monotonic() + (deadline - monotonic()) / 2
    found = farthest(vector, norm, move.region, True, tolerance, left)
    known = [f for f in (slopes, found) if f is not None and f.upper is not None]
    if not known:
        return found
    best = min(known, key=lambda f: ends(f.upper)[1])  # type: ignore[arg-type]
    points = [f.point for f in known if value_at(vector, norm, move.region, f.point) is not None]
    point = max(points, key=lambda p: value_at(vector, norm, move.region, p) or 0, default={})
    return replace(best, point=point, exact=best.exact if best is not slopes else None)


def _exact_if_met(slopes: Supremum, move: Move, norm: str) -> Supremum:
    """The bound is the sensitivity where the pair is proved to reach it."""
    at = move.region.completed(slopes.point)
    gap = sp.Matrix([e.xreplace(at) for e in move.vector.entries])
    gap = gap.reshape(*(move.vector.shape or gap.shape))
    met = slopes.exact is not None and compare(length(gap, norm), "=", slopes.exact) is Truth.HOLDS
    return slopes if met else replace(slopes, exact=None)


def _by_slopes(
    move: Move, symbols: Sequence[sp.Symbol], norm: str, tolerance: float, deadline: float
) -> Supremum | None:
    """`apart` times the longest vector of partial derivatives; a pair along that axis where it is taken."""
    assert move.near is not None
    expressed = dict(move.region.expressed)
    new = {s for s in move.region.intervals if s.name.endswith("'")}
    entries = move.vector.entries
    if expressed or move.region.choices or any(e.has(*ROUGH) for e in entries):
        return None
    # The answer at the other vector is a term of its own, which no partial derivative sees.
    slopes = {s: tuple(sp.diff(e, s) for e in entries) for s in symbols}
    if any(d.free_symbols & new for partial in slopes.values() for d in partial):
        return None
    own = Region({s: e for s, e in move.region.intervals.items() if s not in new})
    convex = [g for g in move.region.at_most_zero if not g.free_symbols & new]
    own = replace(own, at_most_zero=tuple(convex))
    apart = rational(move.near.apart)
    found = []
    for s in symbols:
        slope = Vector(slopes[s], move.vector.shape)
        one = farthest(slope, norm, own, False, tolerance, deadline)
        if one.upper is None:
            return None
        found.append(replace(one, point=_along(one.point, s, own, apart)))
    best = largest(found)
    upper = best.upper
    return replace(
        best,
        upper=None if upper is None else with_precision(lambda: upper * enclose(apart)),
        exact=None if best.exact is None else apart * best.exact,
        method=f"slopes along the axes, {best.method}",
        lemmas=(*best.lemmas, MEAN_VALUE),
    )


def _along(point: Point, s: sp.Symbol, region: Region, apart: sp.Rational) -> Point:
    """Two ends of a step along an axis around the place of the largest slope."""
    low, high = region.intervals[s]
    centre = point.get(s, anywhere((low, high)))
    start = min(max(centre - apart / 2, low), max(high - apart, low))
    base = {x: point.get(x, anywhere(e)) for x, e in region.intervals.items()}
    pair = {**base, s: start}
    after = {sp.Symbol(f"{x.name}'", real=True): v for x, v in base.items()}
    return pair | after | {sp.Symbol(f"{s.name}'", real=True): min(start + apart, high)}
