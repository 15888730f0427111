"""Groups of records in their order, cut at several levels at once: what a choice of groups costs, and how far a record moves that.

One group c_j is chosen for each level a_j / b of n records, c_1 <= ... <= c_m.  A cut t_j lies between the records below c_j and those
up to c_j; the cost of a choice is b times the least of |t_1 - w_1 n| + |t_2 - t_1 - w_2 n| + ... + |n - t_m - w_(m+1) n| over all
such cuts, for the shares w_j between levels.  With s_j = b t_j - a_j n it is the length of the shortest path 0, s_1, ..., s_m, 0 with
s_j in [b below(c_j) - a_j n, b upto(c_j) - a_j n]: that which moves only where it must.  Where all groups hold their levels it would
be 0; the one choice that holds all of them inside costs as much less as others would cost if the level next to an end lay beyond it.
(Without groups of several records the score of JointExp, Gillenwater, Joseph and Kulesza 2021.)

In one line: the cost is the largest, over signs y_1, ..., y_(m+1) that are not all alike, of the least of the sum of
y_j (b (t_j - t_(j-1)) - b w_j n) over all cuts.  Signs that are all alike would give 0 and nothing else: duality of the l1 norm.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...symbolic.arrays import Ints
from ...symbolic.errors import SpecError

FINEST = 10**6  # the largest common denominator, so that 64 bits hold it times any number of records


@dataclass(frozen=True)
class Levels:
    """Levels places[j] / denominator, rising, strictly between 0 and 1."""

    places: tuple[int, ...]
    denominator: int

    @classmethod
    def of(cls, levels: Iterable[Fraction]) -> Levels:
        """These levels over their common denominator; SpecError unless they rise between 0 and 1."""
        given = tuple(levels)
        b = lcm(*(q.denominator for q in given))
        places = tuple(int(q * b) for q in given)
        if not places or b > FINEST or any(x >= y for x, y in zip((0, *places), (*places, b), strict=True)):
            raise SpecError(
                f"levels: expected rising fractions between 0 and 1 with a common denominator up to {FINEST:,}, got {given}"
            )
        return cls(places, b)

    @property
    def shares(self) -> tuple[int, ...]:
        """The shares of the records between levels, times the denominator (m + 1,)."""
        return tuple(y - x for x, y in zip((0, *self.places), (*self.places, self.denominator), strict=True))

    @property
    def vectors(self) -> tuple[tuple[int, ...], ...]:
        """What one record of each gap between cuts adds to b (records of the gaps) - (shares) n.

        For any signs, the least signed sum of that vector over ways to divide the records of the chosen groups between the gaps
        that they touch: with one record more each way is one of before, plus a mean of these vectors.  So a cost, the largest
        of such numbers, moves by no more than the l1 norm of the longest of them, however many groups coincide.
        """
        shares, b = self.shares, self.denominator
        return tuple(
            tuple(b * (i == j) - share for j, share in enumerate(shares)) for i in range(len(shares))
        )


@dataclass(frozen=True)
class Span:
    """Groups that all choices treat alike: one group with records, or a run of `size` groups without; `below` and `upto` count records."""

    first: int
    size: int
    below: int
    upto: int
    empty: bool


@dataclass(frozen=True, eq=False)
class Cuts:
    """Records (groups,) of one cell, with levels; `beside` (groups,) has more groups that are to be told apart from runs."""

    counts: Ints
    levels: Levels
    beside: Ints | None = None

    def __post_init__(self) -> None:
        given = np.asarray(self.counts)
        whole = given.ndim == 1 and len(given) and np.issubdtype(given.dtype, np.integer)
        if not whole or int(given.min()) < 0 or int(given.sum()) > (1 << 58) // self.levels.denominator:
            raise SpecError(
                "counts must be a list of whole numbers >= 0, so few that 64 bits hold their sum times the denominator"
            )
        object.__setattr__(self, "counts", given.astype(np.int64))

    @cached_property
    def records(self) -> int:
        return int(self.counts.sum())

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        """All groups in their order."""
        held = self.counts > 0 if self.beside is None else (self.counts > 0) | (np.asarray(self.beside) > 0)
        starts = np.flatnonzero(np.concatenate([[True], held[1:] | held[:-1]]))
        sizes = np.diff(np.append(starts, len(held)))
        upto = np.cumsum(self.counts)
        return tuple(
            Span(i, size, int(upto[i] - self.counts[i]), int(upto[i]), not held[i])
            for i, size in zip(starts.tolist(), sizes.tolist(), strict=True)
        )

    def ends(self, level: int) -> tuple[list[int], list[int]]:
        """The least and the largest s of every span at one level."""
        b, off = self.levels.denominator, self.levels.places[level] * self.records
        return [b * s.below - off for s in self.spans], [b * s.upto - off for s in self.spans]

    def span_of(self, groups: ArrayLike) -> NDArray[np.int64]:
        """The span of each group, in the shape of `groups`."""
        firsts = np.array([s.first for s in self.spans])
        return np.asarray(np.searchsorted(firsts, groups, side="right") - 1, dtype=np.int64)

    def costs(self, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
        """The costs (size,) of choices of spans (size, m), by the path that moves only where it must."""
        at = np.zeros(len(chosen), dtype=np.int64)
        cost = np.zeros(len(chosen), dtype=np.int64)
        for j in range(chosen.shape[1]):
            low, high = (np.array(end)[chosen[:, j]] for end in self.ends(j))
            to = np.clip(at, low, high)
            cost += np.abs(to - at)
            at = to
        return self.less(cost + np.abs(at))

    def less(self, cost: NDArray[np.int64]) -> NDArray[np.int64]:
        """Lengths of paths (size,) as costs: a length of 0 is that of the choice that holds all levels, where these lie inside of groups."""
        return np.asarray(np.where(cost == 0, -self.margin, cost), dtype=np.int64)

    @cached_property
    def held(self) -> tuple[int, ...]:
        """The first span that holds each level."""
        return tuple(
            next(i for i, high in enumerate(self.ends(j)[1]) if high >= 0)
            for j in range(len(self.levels.places))
        )

    @cached_property
    def margin(self) -> int:
        """Twice how far the level that is next to an end of its group lies from it, times the denominator."""
        ends = [
            (low[i], high[i])
            for i, (low, high) in zip(self.held, map(self.ends, range(len(self.held))), strict=True)
        ]
        return 2 * min(min(-low, high) for low, high in ends)


Two = tuple[int, int]


def extreme_costs(one: ArrayLike, two: ArrayLike, levels: Levels) -> tuple[Two, Two]:
    """The costs in two tables (groups,) of the choice that costs most more in the second, and of that which costs most less."""
    first, second = np.asarray(one), np.asarray(two)
    sides = Cuts(first, levels, second), Cuts(second, levels, first)
    low, high = _largest_rise(*sides[::-1])
    return _largest_rise(*sides), (high, low)


def furthest_costs(one: ArrayLike, two: ArrayLike, levels: Levels) -> Two:
    """The costs in two tables (groups,) of the choice whose cost differs most between them."""
    return max(extreme_costs(one, two, levels), key=lambda pair: abs(pair[1] - pair[0]))


def _largest_rise(one: Cuts, two: Cuts) -> Two:
    """The costs of the choice that costs most more in `two` than in `one`: the best choice up to each span and pair of positions."""
    # Rows: span, position in one, position in two, cost in one, cost in two.
    rows = np.zeros((1, 5), dtype=np.int64)
    spans = np.arange(len(one.spans))
    for j in range(len(one.levels.places)):
        to, state = np.nonzero(spans[:, None] >= rows[:, 0])
        from_ = rows[state]
        low, high = (np.array([a, b])[:, to] for a, b in zip(one.ends(j), two.ends(j), strict=True))
        at = np.clip(from_[:, 1:3], low.T, high.T)
        cost = from_[:, 3:] + np.abs(at - from_[:, 1:3])
        rows = _best(np.column_stack([to, at, cost]))
    lengths = rows[:, 3:] + np.abs(rows[:, 1:3])
    first, second = one.less(lengths[:, 0]), two.less(lengths[:, 1])
    best = int((second - first).argmax())
    return int(first[best]), int(second[best])


def _best(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Of rows with the same span and positions, and costs that are both 0 or not, the one whose costs differ most."""
    keys = np.column_stack([rows[:, :3], rows[:, 3:] == 0])
    order = np.lexsort((rows[:, 3] - rows[:, 4], *keys.T))
    rows, keys = rows[order], keys[order]
    new = np.concatenate([[True], (keys[1:] != keys[:-1]).any(axis=1)])
    return np.asarray(rows[new])


def classes(cuts: Cuts, most: int) -> NDArray[np.int64]:
    """All choices of spans (choices, m), in their order; SpecError for more than `most`."""
    from itertools import combinations_with_replacement
    from math import comb

    spans, m = len(cuts.spans), len(cuts.levels.places)
    if comb(spans + m - 1, m) > most:
        raise SpecError(
            f"{m} levels of {spans} groups with records and runs between them: expected at most {most:,} choices of those"
        )
    return np.array(list(combinations_with_replacement(range(spans), m)), dtype=np.int64)


def in_runs(chosen: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For choices (size, m) of spans: how many chose the same span, and how many of these come before, each (size, m)."""
    size, m = chosen.shape
    before = np.zeros((size, m), dtype=np.int64)
    for j in range(1, m):
        before[:, j] = np.where(chosen[:, j] == chosen[:, j - 1], before[:, j - 1] + 1, 0)
    total = before + 1
    for j in range(m - 2, -1, -1):
        total[:, j] = np.where(chosen[:, j] == chosen[:, j + 1], total[:, j + 1], total[:, j])
    return total, before


def sizes_of(spans: Sequence[Span]) -> NDArray[np.int64]:
    """How many groups each span has."""
    return np.array([s.size for s in spans], dtype=np.int64)
