"""Whether exchanging records changes an answer: proved, refuted by two data sets, or not decided."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import sympy as sp
from flint import arb

from ..errors import SpecError
from ..proof.enclosure import NotEnclosableError, enclose, is_zero
from ..proof.time_limit import OutOfTimeError, time_limit
from ..proof.truth import Truth
from .moves import StatedQuery
from .regions import Ends, Point, Region, region_of
from .sign_cells import vanishes

_TRIES = 80
_TIED = 0.3  # of the points repeat numbers, or lie at ends


def differing_places(stated: StatedQuery, ordered: bool) -> tuple[int, ...]:
    """Where neighbours may differ: one place is enough where an exchange of records is proved to change the order of entries alone.

    SpecError, with two data sets, where an exchange changes the answer and `ordered` does not say that this is meant.
    """
    count = len(stated.records)
    if count == 1 or stated.each is not None:
        return (0,)
    region = Region()
    for group in stated.records:
        region = region.joined(region_of(stated.domain, group))
    moved = [_after_exchange(stated, i) for i in range(count - 1)]
    points = list(_points(region))
    entries, matrix = stated.vector.entries, stated.vector.shape is not None
    known = _Identities(region, points)
    if all(one == two for m in moved for one, two in zip(entries, m, strict=True)):
        return (0,)
    if not ordered:
        for i, m in enumerate(moved):
            _refuse_if_told_apart(stated, i, m, points)
    kept = all(known.same(one, two) for m in moved for one, two in zip(entries, m, strict=True))
    if kept or (not matrix and all(known.permuted(entries, m) for m in moved)):
        return (0,)
    return tuple(range(count))


def _after_exchange(stated: StatedQuery, i: int) -> list[sp.Expr]:
    one, two = stated.records[i], stated.records[i + 1]
    swap = dict(zip(one, two, strict=True)) | dict(zip(two, one, strict=True))
    return [e.xreplace(swap) for e in stated.vector.entries]


def _refuse_if_told_apart(
    stated: StatedQuery, i: int, moved: Sequence[sp.Expr], points: Sequence[Point]
) -> None:
    """SpecError where the entries of a data set and those after the exchange are certainly not the same numbers."""
    for point in points:
        values = [_values(es, point) for es in (stated.vector.entries, moved)]
        if any(v is None for v in values) or not _apart(values[0] or [], values[1] or []):
            continue
        one = [stated.record(symbols, point) for symbols in stated.records]
        two = [*one[:i], one[i + 1], one[i], *one[i + 2 :]]
        shown = [", ".join(f"{float(v.mid()):.6g}" for v in side or []) for side in values]
        raise SpecError(
            f"the query depends on the order of the records: it is {shown[0]} at {_written(one)} and {shown[1]} at {_written(two)}. "
            "Pass ordered=True to ask for neighbours that differ at any one place, or write a symmetric query"
        )


def _written(records: Sequence[object]) -> str:
    return f"({', '.join(map(str, records))})"


def _apart(one: Sequence[arb], two: Sequence[arb]) -> bool:
    """Whether two lists of balls cannot hold the same numbers in any order: sorted, some two balls do not meet.

    Sorting numbers moves none of them past another, so that the k-th smallest lies between the k-th smallest ends.
    """
    lows, highs = ([sorted(side(v) for v in vs) for vs in (one, two)] for side in (_low, _high))
    return any(a > d or c > b for a, b, c, d in zip(lows[0], highs[0], lows[1], highs[1], strict=True))


def _low(ball: arb) -> arb:
    return ball.lower()


def _high(ball: arb) -> arb:
    return ball.upper()


def _values(entries: Sequence[sp.Expr], point: Point) -> list[arb] | None:
    try:
        # Pieces are chosen by sympy, which decides relations of numbers.
        found = [enclose(e.xreplace(point)) if e.has(sp.Piecewise) else enclose(e, point) for e in entries]
    except (NotEnclosableError, ValueError, TypeError):
        return None
    return found if all(v.is_finite() for v in found) else None


def _points(region: Region) -> Iterator[Point]:
    """Points of the region, fixed for it: inside, at ends, and with numbers that occur twice."""
    rng = np.random.default_rng(0)
    for _ in range(_TRIES):
        pool: list[sp.Rational] = []
        point: Point = {}
        for s, ends in region.intervals.items():
            value = probe(ends, rng)
            if rng.random() < _TIED:
                finite = [e for e in ends if e.is_finite]
                near = [v for v in pool if ends[0] <= v <= ends[1]] + finite
                value = near[int(rng.integers(len(near)))] if near else value
            point[s] = value
            pool.append(value)
        point |= {s: values[int(rng.integers(len(values)))] for s, values in region.choices.items()}
        whole = region.completed(point)
        if region.holds(whole):
            yield whole


def probe(ends: Ends, rng: np.random.Generator) -> sp.Rational:
    """A number strictly between the ends."""
    share = sp.Rational(int(rng.integers(1, 997)), 997)
    low, high = ends
    if low.is_finite and high.is_finite:
        return low + (high - low) * share
    far = share / (1 - share)
    if low.is_finite or high.is_finite:
        return low + far if low.is_finite else high - far
    return far * int(rng.choice((-1, 1)))


class _Identities:
    """Which expressions are proved to be the same all over the region; those that differ at some point are not looked into."""

    def __init__(self, region: Region, points: Sequence[Point]) -> None:
        self.box: Mapping[sp.Symbol, Ends] = {
            **region.intervals,
            **{s: (min(values), max(values)) for s, values in region.choices.items()},
        }
        self.points, self.expressed = points, dict(region.expressed)
        self.known: dict[sp.Expr, bool] = {}

    def same(self, one: sp.Expr, two: sp.Expr) -> bool:
        if one == two:
            return True
        difference = (one - two).xreplace(self.expressed)
        if difference not in self.known:
            self.known[difference] = self._vanishes(difference)
        return self.known[difference]

    def _vanishes(self, difference: sp.Expr) -> bool:
        for point in self.points[:12]:
            found = _values([difference], point)
            if found is not None and not found[0].contains(0):
                return False
        if vanishes(difference, self.box):
            return True
        try:
            with time_limit(2.0, "whether the order of the records matters"):
                return is_zero(difference) is Truth.HOLDS
        except OutOfTimeError:
            return False

    def permuted(self, entries: Sequence[sp.Expr], moved: Sequence[sp.Expr]) -> bool:
        """Whether these are the same entries in another order."""
        left = list(entries)
        for e in moved:
            match = next((k for k, other in enumerate(left) if self.same(e, other)), None)
            if match is None:
                return False
            del left[match]
        return True
