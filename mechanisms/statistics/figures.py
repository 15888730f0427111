"""One released number with its interval, and how intervals of quotients follow from those of their parts."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

Interval = tuple[float, float]


@dataclass(frozen=True)
class Figure:
    """`value` lies in [low, high] of the true one; None where nothing can be said. `suppressed` follows from released values."""

    groups: tuple[str | None, ...]
    quantity: str
    value: float | None
    low: float | None
    high: float | None
    noise: str
    suppressed: bool = False


def times(one: Interval, two: Interval) -> Interval:
    """The products of numbers of two intervals."""
    corners = [a * b for a in one for b in two]
    return min(corners), max(corners)


def over(one: Interval, two: Interval) -> Interval | None:
    """The quotients, None unless the divisor is above 0."""
    if not two[0] > 0:
        return None
    return times(one, (1 / two[1], 1 / two[0]))


def squared(one: Interval) -> Interval:
    """The squares."""
    ends = sorted(v * v for v in one)
    return (0.0 if one[0] <= 0 <= one[1] else ends[0]), ends[1]


def minus(one: Interval, two: Interval) -> Interval:
    """The differences."""
    return one[0] - two[1], one[1] - two[0]


def within(one: Interval, low: float, high: float) -> Interval:
    """The part of the interval between the declared ends; an end where there is none."""
    return min(max(one[0], low), high), max(min(one[1], high), low)


def between(value: float, interval: Interval, low: float, high: float) -> tuple[float, Interval]:
    """A value that is moved to the declared end beyond which it lies, and its interval, moved along and cut at the ends.

    True numbers lie between the ends: what the interval held of them it holds still.  It is never the end alone.
    """
    inside = min(max(value, low), high)
    moved = inside - value
    ends = max(min(interval[0], interval[0] + moved), low), min(max(interval[1], interval[1] + moved), high)
    return inside, ends


def last_digit(interval: Interval) -> float:
    """The unit of the second digit of half the interval's width: digits below it say nothing; 0 where there is no width."""
    half = (interval[1] - interval[0]) / 2
    return 10.0 ** (math.floor(math.log10(half)) - 1) if 0 < half < math.inf else 0.0


def rounded(value: float, interval: Interval) -> float:
    """A value without the digits that its interval leaves no meaning to: two of its half width are kept."""
    unit = last_digit(interval)
    if not unit:
        return value
    return min(max(round(value, -round(math.log10(unit))), interval[0]), interval[1])


def cells(labels: tuple[tuple[str, ...], ...]) -> Iterator[tuple[str, ...]]:
    """The groups of all axes, the last one fastest: the order of the cells."""
    from itertools import product

    yield from product(*labels)
