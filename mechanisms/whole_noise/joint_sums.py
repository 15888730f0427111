"""Sums over states in the order of their positions, each weighted by e^(-rate distance): of those below a point, and in a window above it.

Both ends of a window only rise.  Positive numbers alone are added and multiplied: balls lose next to nothing.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator

from flint import arb

Fall = Callable[[int], arb]


class Rising:
    """The sum over the first states, all of them at or below a point that rises."""

    def __init__(self, at: list[int], weight: list[arb], fall: Fall) -> None:
        self.at, self.weight, self.fall = at, weight, fall
        self._end, self._point, self._sum = 0, 0, arb(0)

    def upto(self, end: int, point: int) -> arb:
        """Over the states before `end`, seen from `point`."""
        if self._end:
            self._sum *= self.fall(point - self._point)
        for i in range(self._end, end):
            self._sum += self.weight[i] * self.fall(point - self.at[i])
        self._end, self._point = end, point
        return self._sum


class Falling:
    """The sum over a window of states, all of them at or above a point that rises: two stacks, so that nothing is taken away."""

    def __init__(self, at: list[int], weight: list[arb], fall: Fall) -> None:
        self.at, self.weight, self.fall = at, weight, fall
        # front[i - start] is the sum over i, ..., cut - 1 seen from i; back that over cut, ..., end - 1 seen from cut.
        self._start, self._cut, self._end = 0, 0, 0
        self._front: list[arb] = []
        self._back = arb(0)

    def over(self, first: int, end: int, point: int) -> arb:
        """Over the states first, ..., end - 1, seen from `point`."""
        for i in range(self._end, end):
            self._back += self.weight[i] * self.fall(self.at[i] - self.at[self._cut])
        self._end = end
        if first >= self._cut:
            self._turn(first)
        if first >= end:
            return arb(0)
        total = self._front[first - self._start] * self.fall(self.at[first] - point)
        if self._cut < end:
            total += self._back * self.fall(self.at[self._cut] - point)
        return total

    def _turn(self, first: int) -> None:
        front: list[arb] = []
        for i in range(self._end - 1, first - 1, -1):
            more = front[-1] * self.fall(self.at[i + 1] - self.at[i]) if front else arb(0)
            front.append(self.weight[i] + more)
        self._front, self._start, self._cut, self._back = front[::-1], first, self._end, arb(0)


def nearest(at: list[int], first: int, end: int, point: int) -> Iterator[int]:
    """The states first, ..., end - 1 in the order of their distance from `point`."""
    above = bisect_left(at, point, first, end)
    below = above - 1
    while below >= first or above < end:
        if above >= end or (below >= first and point - at[below] <= at[above] - point):
            yield below
            below -= 1
        else:
            yield above
            above += 1
