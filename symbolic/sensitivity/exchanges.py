"""Whether exchanging records changes an answer: proved, refuted by two data sets, or not decided."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

import numpy as np
import sympy as sp
from flint import ctx

from ..errors import SpecError
from ..proof.apart import UnfinishedError, apart, tame
from ..proof.branch_and_bound import BITS
from ..proof.enclosure import NotEnclosableError, is_zero
from ..proof.interval_tape import Tape
from ..proof.intervals import Interval, OutsideError
from ..proof.truth import Truth
from .moves import StatedQuery
from .regions import Ends, Point, Region, region_of
from .shapes import interval_box
from .sign_cells import vanishes

_TRIES, _PLAIN = 80, 16
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
        values = _Values(entries, region)
        for i in range(count - 1):
            _refuse_if_told_apart(stated, values, i, points)
    kept = all(known.same(one, two) for m in moved for one, two in zip(entries, m, strict=True))
    if kept or (not matrix and all(known.permuted(entries, m) for m in moved)):
        return (0,)
    return tuple(range(count))


def _after_exchange(stated: StatedQuery, i: int) -> list[sp.Expr]:
    one, two = stated.records[i], stated.records[i + 1]
    swap = dict(zip(one, two, strict=True)) | dict(zip(two, one, strict=True))
    return [e.xreplace(swap) for e in stated.vector.entries]


def _refuse_if_told_apart(stated: StatedQuery, values: _Values, i: int, points: Sequence[Point]) -> None:
    """SpecError where the entries of a data set and those after the exchange are certainly not the same numbers."""
    one, two = stated.records[i], stated.records[i + 1]
    swap = dict(zip(one, two, strict=True)) | dict(zip(two, one, strict=True))
    for point in points:
        turned = {s: point[swap.get(s, s)] for s in point}
        sides = [values.at(where) for where in (point, turned)]
        if sides[0] is None or sides[1] is None or not _apart(sides[0], sides[1]):
            continue
        rows = [[stated.record(symbols, where) for symbols in stated.records] for where in (point, turned)]
        shown = [", ".join(f"{float(low.mid()):.6g}" for low, _ in side) for side in sides if side]
        raise SpecError(
            f"the query depends on the order of the records: it is {shown[0]} at {_written(rows[0])} and {shown[1]} at "
            f"{_written(rows[1])}. Pass ordered=True to ask for neighbours that differ at any one place, or write a symmetric query"
        )


def _written(records: Sequence[object]) -> str:
    return f"({', '.join(map(str, records))})"


def _apart(one: Sequence[Interval], two: Sequence[Interval]) -> bool:
    """Whether two lists of intervals cannot hold the same numbers in any order.

    The k-th smallest number lies between the k-th smallest lower end and the k-th smallest upper end.
    """
    lows, highs = ([sorted(v[end] for v in side) for side in (one, two)] for end in (0, 1))
    return any(a > d or c > b for a, b, c, d in zip(lows[0], highs[0], lows[1], highs[1], strict=True))


class _Values:
    """Values of expressions at points, enclosed; None where one of them has none, or is not known."""

    def __init__(self, entries: Sequence[sp.Expr], region: Region) -> None:
        self.symbols = [*region.intervals, *region.choices]
        self.tape: Tape | None = None
        with suppress(NotEnclosableError):
            self.tape = Tape([e.xreplace(dict(region.expressed)) for e in entries], self.symbols)

    def at(self, point: Point) -> list[Interval] | None:
        if self.tape is None:
            return None
        with ctx.workprec(BITS), suppress(OutsideError):
            over = self.tape.over(interval_box(self.symbols, {s: (point[s], point[s]) for s in self.symbols}))
            found = [over.values[place] for place in self.tape.outputs]
            if not over.partial and all(end.is_finite() for pair in found for end in pair):
                return found
        return None


def _points(region: Region) -> Iterator[Point]:
    """Points of the region, fixed for it: quarters first, which read well, then inside, at ends, and with numbers that occur twice."""
    rng = np.random.default_rng(0)
    for k in range(_TRIES):
        pool: list[sp.Rational] = []
        point: Point = {}
        for s, ends in region.intervals.items():
            finite_ends = all(e.is_finite for e in ends)
            quarter = ends[0] + (ends[1] - ends[0]) * int(rng.integers(5)) / 4 if finite_ends else None
            value = quarter if k < _PLAIN and quarter is not None else probe(ends, rng)
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
        self.points, self.region = points, region
        self.known: dict[sp.Expr, bool] = {}

    def same(self, one: sp.Expr, two: sp.Expr) -> bool:
        if one == two:
            return True
        difference = (one - two).xreplace(dict(self.region.expressed))
        if difference not in self.known:
            self.known[difference] = self._vanishes(difference)
        return self.known[difference]

    def _vanishes(self, difference: sp.Expr) -> bool:
        values = _Values([difference], self.region)
        found = [values.at(point) for point in self.points[:12]]
        if any(v is not None and (v[0][0] > 0 or v[0][1] < 0) for v in found):
            return False
        if vanishes(difference, self.box):
            return True
        try:
            step = "whether the order of the records matters"
            return apart(lambda: is_zero(difference), step, here=tame(difference)) is Truth.HOLDS
        except UnfinishedError:
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
