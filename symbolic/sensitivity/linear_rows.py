"""Systems of linear inequalities in exact numbers: whether they have a solution, and how large one number can be (Fourier and Motzkin)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import gcd
from typing import TypeAlias

# Whole coefficients by place, the constant, whether it is strict: their sum is >= 0, or above.
Row: TypeAlias = tuple[tuple[tuple[int, int], ...], int, bool]
MOST_ROWS = 600


class TooManyRowsError(Exception):
    """Elimination leaves more rows than are worth the work."""


def row(slopes: Mapping[int, Fraction], constant: Fraction, strict: bool = False) -> Row:
    """slopes x + constant >= 0, or > 0, in the smallest whole numbers."""
    parts = {i: Fraction(c) for i, c in slopes.items() if c}
    scale = 1
    for c in (*parts.values(), Fraction(constant)):
        scale = scale * c.denominator // gcd(scale, c.denominator)
    whole = {i: int(c * scale) for i, c in parts.items()}
    rest = int(Fraction(constant) * scale)
    common = gcd(*whole.values(), rest) or 1
    return tuple(sorted((i, c // common) for i, c in whole.items())), rest // common, strict


def feasible(rows: Iterable[Row]) -> bool:
    """Whether some real numbers fulfil all rows; TooManyRowsError where that takes too much work."""
    return all(_true(r) for r in _stages(rows, None)[-1])


def largest_value(rows: Iterable[Row], place: int) -> tuple[Fraction | None, dict[int, Fraction]]:
    """The largest value of the number at this place (None: no bound) where no row is strict, and numbers that take it."""
    stages = _stages(rows, place)
    ends = [Fraction(r[1], -c) for r in stages[-1] for _, c in r[0] if c < 0]
    if not ends:
        return None, {}
    point = {place: min(ends)}
    for stage in reversed(stages[:-1]):
        # Each stage has one number more than the one after it.
        for i in {i for r in stage for i, _ in r[0]} - set(point):
            point[i] = _between(stage, i, point)
    if not all(
        sum((c * point[i] for i, c in slopes), Fraction(constant)) >= 0 for slopes, constant, _ in stages[0]
    ):
        raise TooManyRowsError("a row was lost")
    return min(ends), point


def _between(rows: Iterable[Row], place: int, point: Mapping[int, Fraction]) -> Fraction:
    low: Fraction | None = None
    high: Fraction | None = None
    for slopes, constant, _ in rows:
        c = dict(slopes).get(place)
        if c:
            end = -(constant + sum((d * point[i] for i, d in slopes if i != place), Fraction(0))) / c
            if c > 0:
                low = end if low is None else max(low, end)
            else:
                high = end if high is None else min(high, end)
    if low is None or high is None:
        return high if low is None and high is not None else low or Fraction(0)
    return (low + high) / 2


def _true(r: Row) -> bool:
    return bool(r[0]) or r[1] > 0 or (r[1] == 0 and not r[2])


def _stages(rows: Iterable[Row], kept: int | None) -> list[list[Row]]:
    """The rows, and what is left of them as one number after the other is eliminated."""
    stages = [_reduced(rows)]
    origins = {r: frozenset([k]) for k, r in enumerate(stages[0])}
    while all(_true(r) for r in stages[-1]):
        places = {i for r in stages[-1] for i, _ in r[0]} - {kept}
        if not places:
            break
        split = {i: _split(stages[-1], i) for i in places}
        least = min(places, key=lambda i: (len(split[i][0]) * len(split[i][1]), i))
        above, under, rest = split[least]
        for a, b in product(above, under):
            both = origins[a] | origins[b]
            # A row of more of the first ones than were eliminated, and one more, follows from others (Chernikov).
            if len(both) <= len(stages) + 1:
                one = _sum(a, b, least)
                if one not in origins or len(both) < len(origins[one]):
                    origins[one] = both
                rest.append(one)
        if len(rest) > MOST_ROWS:
            raise TooManyRowsError("too many linear inequalities")
        stages.append(_reduced(rest))
    return stages


def _split(rows: Sequence[Row], place: int) -> tuple[list[Row], list[Row], list[Row]]:
    parts: tuple[list[Row], list[Row], list[Row]] = ([], [], [])
    for r in rows:
        c = dict(r[0]).get(place, 0)
        parts[0 if c > 0 else 1 if c < 0 else 2].append(r)
    return parts


def _sum(a: Row, b: Row, place: int) -> Row:
    """What two rows with opposite signs at a place say without it."""
    one, two = dict(a[0]), dict(b[0])
    p, q = -two[place], one[place]
    slopes = {i: Fraction(p * one.get(i, 0) + q * two.get(i, 0)) for i in {*one, *two}}
    return row(slopes, Fraction(p * a[1] + q * b[1]), a[2] or b[2])


def _reduced(rows: Iterable[Row]) -> list[Row]:
    """One row for each direction: the sharpest."""
    best: dict[tuple[tuple[int, Fraction], ...], tuple[Fraction, bool, Row]] = {}
    for r in rows:
        size = abs(r[0][0][1]) if r[0] else 1
        key = tuple((i, Fraction(c, size)) for i, c in r[0])
        found = (Fraction(r[1], size), not r[2], r)
        if key not in best or found[:2] < best[key][:2]:
            best[key] = found
    return [r for _, _, r in best.values()]
