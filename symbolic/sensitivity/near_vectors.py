"""Two vectors at most so far apart: on a convex domain the answers differ by no more than that times the largest slope."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import sympy as sp

from ..proof.as_written import product
from ..proof.derivation import Step
from ..proof.enclosure import compare, enclose, rational
from ..proof.truth import Truth
from ..proof.work import spent
from .enclosure import ends, with_precision
from .farthest import Vector, farthest, value_at
from .moves import Move
from .pairs import length
from .regions import Point, Region, anywhere
from .shapes import ROUGH
from .supremum import Supremum, largest

MEAN_VALUE = (
    "mean value theorem on the segment between two vectors of a convex domain; the steps of length 1 in the 1-norm are "
    "mixtures of steps along the axes"
)

DUAL = "mean value theorem and Hoelder's inequality on the segment between two vectors of a convex domain"


def near_each_other(
    move: Move, symbols: Sequence[sp.Symbol], norm: str, tolerance: float, deadline: int
) -> Supremum:
    """The better of the bound by slopes and of branch and bound in both vectors."""
    assert move.near is not None
    vector = move.vector
    if move.near.norm == 1:
        slopes = _by_slopes(move, symbols, norm, tolerance, deadline)
    else:
        slopes = _by_gradient(move, symbols, tolerance, deadline)

    def value(point: Point) -> Fraction | None:
        whole = move.region.completed(point)
        return value_at(vector, norm, move.region, point) if move.region.holds(whole) else None

    if slopes is not None and slopes.upper is not None:
        reached = value(slopes.point)
        if reached is not None and ends(slopes.upper)[1] <= reached * (1 + Fraction(tolerance)):
            return _exact_if_met(slopes, move, norm)
    left = deadline if slopes is None else spent() + (deadline - spent()) // 2
    found = farthest(vector, norm, move.region, True, tolerance, left)
    known = [f for f in (slopes, found) if f is not None and f.upper is not None]
    if not known:
        return found
    best = min(known, key=lambda f: ends(f.upper)[1])  # type: ignore[arg-type]
    points = [f.point for f in known if value(f.point) is not None]
    point = max(points, key=lambda p: value(p) or 0, default={})
    return replace(best, point=point, exact=best.exact if best is not slopes else None)


def _exact_if_met(slopes: Supremum, move: Move, norm: str) -> Supremum:
    """The bound is the sensitivity where the pair is proved to reach it."""
    at = move.region.completed(slopes.point)
    gap = sp.Matrix([e.xreplace(at) for e in move.vector.entries])
    gap = gap.reshape(*(move.vector.shape or gap.shape))
    met = slopes.exact is not None and compare(length(gap, norm), "=", slopes.exact) is Truth.HOLDS
    return slopes if met else replace(slopes, exact=None)


def _by_slopes(
    move: Move, symbols: Sequence[sp.Symbol], norm: str, tolerance: float, deadline: int
) -> Supremum | None:
    """`apart` times the longest vector of partial derivatives; a pair along that axis where it is taken."""
    assert move.near is not None
    slopes, own = _slopes(move, symbols)
    if slopes is None:
        return None
    apart = rational(move.near.apart)
    found = []
    for s in symbols:
        slope = Vector(slopes[s], move.vector.shape)
        one = farthest(slope, norm, own, False, tolerance, deadline)
        if one.upper is None:
            return None
        found.append(replace(one, point=_along(one.point, s, own, apart)))
    best = largest(found)
    upper, steps = best.upper, best.steps
    if best.exact is not None:
        steps += (
            Step(apart * best.exact, "=", product(apart, best.exact), "how far apart, times the slope"),
        )
    return replace(
        best,
        upper=None if upper is None else with_precision(lambda: upper * enclose(apart)),
        exact=None if best.exact is None else apart * best.exact,
        steps=steps,
        method=f"slopes along the axes, {best.method}",
        lemmas=(*best.lemmas, MEAN_VALUE),
    )


def _slopes(
    move: Move, symbols: Sequence[sp.Symbol]
) -> tuple[dict[sp.Symbol, tuple[sp.Expr, ...]] | None, Region]:
    """Partial derivatives of the entries, None where there may be none, and the convex set where one vector lies."""
    new = {s for s in move.region.intervals if s.name.endswith("'")}
    own = Region(
        {s: e for s, e in move.region.intervals.items() if s not in new},
        tuple(g for g in move.region.at_most_zero if not g.free_symbols & new),
    )
    entries = move.vector.entries
    if move.region.expressed or move.region.choices or any(e.has(*ROUGH) for e in entries):
        return None, own
    # The answer at the other vector is a term of its own, which no partial derivative sees.
    slopes = {s: tuple(sp.diff(e, s) for e in entries) for s in symbols}
    mixed = any(d.free_symbols & new for partial in slopes.values() for d in partial)
    return (None if mixed else slopes), own


def _by_gradient(
    move: Move, symbols: Sequence[sp.Symbol], tolerance: float, deadline: int
) -> Supremum | None:
    """Of one entry: `apart` times the longest gradient in the dual norm; a pair along it where it is taken."""
    assert move.near is not None
    slopes, own = _slopes(move, symbols)
    if slopes is None or len(move.vector.entries) != 1:
        return None
    euclid, apart = move.near.norm == 2, rational(move.near.apart)
    gradient = Vector(tuple(slopes[s][0] for s in symbols))
    found = farthest(gradient, "l2" if euclid else "l1", own, False, tolerance, deadline)
    upper = found.upper
    if upper is None:
        return None
    base = own.completed(found.point)
    direction = [float(e.xreplace(base)) for e in gradient.entries]
    size = sum(d * d for d in direction) ** 0.5 if euclid else 1.0
    steps = [apart * _share(d / size if euclid else float(d > 0) - float(d < 0)) for d in direction if size]
    return replace(
        found,
        upper=with_precision(lambda: upper * enclose(apart)),
        exact=None,
        point=_stepped(base, dict(zip(symbols, steps, strict=False)), own),
        method=f"longest gradient, {found.method}",
        lemmas=(*found.lemmas, DUAL),
    )


def _share(value: float) -> sp.Rational:
    """A rational number close to a share, a little nearer to 0."""
    return (
        sp.Rational(Fraction(value * (1 - 1e-12)).limit_denominator(10**15))
        if abs(value) < 1
        else sp.Integer(int(value))
    )


def _stepped(base: Point, steps: Mapping[sp.Symbol, sp.Rational], region: Region) -> Point:
    """Two ends of a step around a point, moved into the intervals."""
    pair = dict(base)
    for s, (low, high) in region.intervals.items():
        step = min(abs(steps.get(s, sp.Integer(0))), high - low)
        start = min(max(base[s] - step / 2, low), high - step)
        two = (start, start + step) if steps.get(s, sp.Integer(0)) >= 0 else (start + step, start)
        pair[s], pair[sp.Symbol(f"{s.name}'", real=True)] = two
    return pair


def _along(point: Point, s: sp.Symbol, region: Region, apart: sp.Rational) -> Point:
    """Two ends of a step along an axis around the place of the largest slope."""
    low, high = region.intervals[s]
    centre = point.get(s, anywhere((low, high)))
    start = min(max(centre - apart / 2, low), max(high - apart, low))
    base = {x: point.get(x, anywhere(e)) for x, e in region.intervals.items()}
    pair = {**base, s: start}
    after = {sp.Symbol(f"{x.name}'", real=True): v for x, v in base.items()}
    return pair | after | {sp.Symbol(f"{s.name}'", real=True): min(start + apart, high)}
