"""Sums by group: a record belongs to at most one cell of a table, and adds a vector of bounded numbers to it; persons by group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import sympy as sp

from ...domains.box import Box
from ...domains.discrete import Categorical, Table
from ...domains.domain import Domain
from ...errors import SpecError, counted
from ...proof.derivation import Step
from ...proof.enclosure import rational
from ..answer import Dataset, Sensitivity
from ..changes import Change
from ..pairs import Found, answered, length
from .sums import Farthest, SumQuery, larger

CELL, BESIDE = "cell", "none"
DISJOINT = (
    "cells are disjoint: two records of different cells move different coordinates, two of one cell the same ones; which "
    "cells these are does not matter, since all cells are alike"
)
ONCE = (
    "all records of one person are of different cells: they move no cell by more than 1, and no more cells than there are records that come "
    "and go, or cells"
)
_SHOWN = 3


@dataclass(frozen=True)
class GroupedSums(SumQuery):
    """`ranges[i]` are the least and the largest number that a record adds to the i-th sum of its cell."""

    cells: int
    ranges: tuple[tuple[sp.Rational, sp.Rational], ...]

    def describe(self) -> str:
        if self.ranges == ((1, 1),):
            return f"numbers of records of {counted(self.cells, 'disjoint cell')}"
        sums = "; ".join(f"numbers in [{low}, {high}]" for low, high in self.ranges)
        return f"sums by {counted(self.cells, 'disjoint cell')} of {sums}"

    def domain(self) -> Table:
        """Records of a cell (or of none) with a number for each sum; of many cells three, which are like all others."""
        names = (BESIDE, *(f"cell {i}" for i in range(min(self.cells, _SHOWN))))
        moving = {self._name(i): Box(float(low), float(high)) for i, (low, high) in self._moving}
        return Table({CELL: Categorical(names), **moving})

    @property
    def _moving(self) -> list[tuple[int, tuple[sp.Rational, sp.Rational]]]:
        """The sums to which records add different numbers; what is the same for all of them, as in a count, is no column."""
        return [(i, ends) for i, ends in enumerate(self.ranges) if ends[0] < ends[1]]

    def _name(self, i: int) -> str:
        return "number" if len(self.ranges) == 1 else f"number {i + 1}"

    def score(self, record: Any) -> sp.Matrix:
        shown, many = min(self.cells, _SHOWN), len(self.ranges)
        out = sp.zeros(shown * many, 1)
        if record[CELL] != BESIDE:
            first = int(record[CELL].removeprefix("cell ")) * many
            for i, (low, _) in enumerate(self.ranges):
                out[first + i] = rational(record.get(self._name(i), low))
        return out

    def farthest(self, domain: Domain, norm: str, effort: float) -> Farthest:
        if not isinstance(domain, Table) or list(domain.columns) != list(self.domain().columns):
            raise SpecError("sums by group: expected the domain of the query itself, query.domain()")
        reach = sp.Matrix([max(abs(low), abs(high)) for low, high in self.ranges])
        width = sp.Matrix([high - low for low, high in self.ranges])
        alone, within = length(reach, norm), length(width, norm)
        between = length(sp.Matrix([*reach, *reach]), norm)
        apart = larger(within, between) if self.cells > 1 else larger(within, alone)
        most, farthest = self._ends(one=True), self._ends(one=False)
        first, second = {CELL: "cell 0", **most}, {CELL: "cell 1", **most}
        pairs = [
            ({CELL: "cell 0", **farthest[0]}, {CELL: "cell 0", **farthest[1]}),
            (first, {**first, CELL: BESIDE}),
        ]
        if self.cells > 1:
            pairs.append((first, second))
        steps = (
            Step(alone, "<=", apart, "a record and one of no cell are no further apart than any two"),
            Step(within, "<=", apart, "two records of one cell: every number moves across its range at most"),
            Step(between, "<=", apart, "records of two cells: both move by their largest numbers at most")
            if self.cells > 1
            else Step(alone, "<=", apart, "there is one cell alone"),
        )
        return Farthest(apart, alone, tuple(pairs), (first,), steps, (DISJOINT,))

    def _ends(self, one: bool) -> Any:
        """The numbers that are farthest from zero; else those at the two ends of each range."""
        moving = {self._name(i): ends for i, ends in self._moving}
        if one:
            return {n: low if abs(low) > abs(high) else high for n, (low, high) in moving.items()}
        return tuple({n: ends[side] for n, ends in moving.items()} for side in (0, 1))


@dataclass(frozen=True)
class PersonsByGroup(GroupedSums):
    """Numbers of persons: data sets hold no two records of one person in one cell, and at most `most` of each person."""

    most: int

    def describe(self) -> str:
        return f"numbers of persons of {counted(self.cells, 'disjoint cell')}, of each person {counted(self.most, 'cell')} at most"

    @property
    def _names(self) -> list[str]:
        """As many cells as two persons can be in, which are like all others."""
        return [f"cell {i}" for i in range(min(self.cells, 2 * self.most))]

    def domain(self) -> Table:
        return Table({CELL: Categorical((BESIDE, *self._names))})

    def __call__(self, dataset: Dataset) -> sp.Matrix:
        times = Counter(record[CELL] for record in dataset)
        return sp.Matrix([times[name] for name in self._names])

    def moved(self, domain: Domain, norm: str, change: Change, n: int | None, effort: float) -> Sensitivity:
        k = change.most
        if k > self.most or not change.resizes:
            raise SpecError(
                f"{self.describe()}: expected a person of these as the adjacency, got {change.name}"
            )
        come, gone = min(k, self.cells), 0 if change.kind == "resize" else min(k, max(self.cells - k, 0))
        upper = length(sp.ones(come + gone, 1), norm)
        records = tuple({CELL: name} for name in self._names[: come + gone])
        step = Step(
            sp.Integer(come + gone), "<=", sp.Integer(self.cells), "cells that move, and all there are"
        )
        found = Found(upper, "cells of one person", (step,), (ONCE,), ((records[come:], records[:come]),))
        return answered(self, domain, norm, change, found)


def grouped_sums(cells: int, ranges: Sequence[tuple[Any, Any]]) -> GroupedSums:
    """The query: sums by `cells` disjoint groups; each record adds to the sums of its group numbers within `ranges`, one pair for each.

    Counts are the range (1, 1). Its records are those of `query.domain()`. SpecError for no cell, no range, or reversed ends.

    >>> sums = npf.queries.grouped_sums(4, [(1, 1), (0, 50)])  # a count and a sum for each of four groups
    >>> npf.sensitivity(sums, sums.domain(), norm="l1", adjacency="add-or-remove", n=5).exact
    51
    """
    if isinstance(cells, bool) or not isinstance(cells, Integral) or cells < 1:
        raise SpecError(f"sums by group: expected a number of cells >= 1, got {cells!r}")
    kept = tuple((rational(low), rational(high)) for low, high in ranges)
    if not kept or any(low > high for low, high in kept):
        raise SpecError(f"sums by group: expected ranges (least, largest), got {list(ranges)!r}")
    return GroupedSums(cells, kept)
