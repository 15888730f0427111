"""Sums over records by disjoint cells, exact whole numbers: what noise is added to, with its proved sensitivity."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from ...symbolic.domains.adjacency import Adjacency, Person
from ...symbolic.errors import SpecError
from ...symbolic.sensitivity.answer import Sensitivity
from ...symbolic.sensitivity.queries import grouped_sums
from ...symbolic.sensitivity.queries.grouped import PersonsByGroup
from ...symbolic.sensitivity.query_over import DatasetQuery
from .amounts import Amount
from .rows import Axis, Condition, Flags, Rows

Totals = NDArray[np.int64]
MOST_CELLS = 4_000_000
_EXACT = 2**53  # whole numbers that a double holds


@dataclass(frozen=True)
class Unit:
    """One unit of privacy: at most `most` records of a person, or one record; `resizes`: it may be absent (add-or-remove)."""

    most: int = 1
    resizes: bool = True
    person: bool = False

    @property
    def counted(self) -> str:
        """What records are counted, in words: of a person those beyond `most` are left out."""
        return f"records that count (at most {self.most} a person)" if self.person else "records"

    def relation(self) -> str | Adjacency:
        """The adjacency that the sensitivity is asked for."""
        if not self.person:
            return "add-or-remove" if self.resizes else "replace-one"
        return Person("cell", most=self.most, change="remove" if self.resizes else "replace")


@dataclass(frozen=True)
class Measurement:
    """`amounts` summed over the records of each cell that meet `where`; cells are the product of the axes, in their order.

    `persons`: of a person, of whom no more records count, one record of each cell counts; `amounts` is then one number of them.
    """

    axes: tuple[Axis, ...]
    amounts: tuple[Amount, ...]
    where: tuple[Condition, ...] = ()
    persons: int | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of groups of each axis."""
        return tuple(len(axis.labels) for axis in self.axes)

    @property
    def cells(self) -> int:
        return prod(self.shape)

    def still(self, unit: Unit) -> bool:
        """Whether no unit can move the totals: the number of all records, where that is known."""
        counts = all(a.least == a.most for a in self.amounts)
        return counts and not (self.axes or self.where or unit.resizes or unit.person)

    def zeros(self) -> Totals:
        """The totals of no record, shape (cells, amounts)."""
        return np.zeros((self.cells, len(self.amounts)), dtype=np.int64)

    def cell(self, rows: Rows) -> NDArray[np.int64]:
        """The cell of each record (rows,), -1 where it counts in none."""
        found = rows.once((self.axes, self.where), lambda: self._cell(rows))
        return found if self.persons is None else np.where(rows.first[self], found, -1)

    def _cell(self, rows: Rows) -> NDArray[np.int64]:
        places = [axis.of(rows) for axis in self.axes]
        out = places[0] if places else np.zeros(rows.size, dtype=np.int64)
        for axis, place in zip(self.axes[1:], places[1:], strict=True):
            out = out * len(axis.labels) + place
        outside = [place < 0 for place in places if rows.size and place.min() < 0]
        outside += [~condition.holds(rows) for condition in self.where]
        return np.where(np.logical_or.reduce(outside), -1, out) if outside else out

    def _kept(self, rows: Rows) -> tuple[Flags | None, NDArray[np.int64]]:
        """The records that count, None if all do, and their cells; one without a value in one of the amounts adds to none."""
        columns = tuple(dict.fromkeys(name for amount in self.amounts for name in amount.columns))

        def find() -> tuple[Flags | None, NDArray[np.int64]]:
            cell = self.cell(rows)
            inside = cell >= 0
            for name in columns:
                absent = rows.absent(name)
                if absent is not None:
                    inside &= ~absent
            return (None, cell) if inside.all() else (inside, cell[inside])

        return rows.once((self.axes, self.where, self.persons, columns), find)

    def add(self, rows: Rows, totals: Totals) -> None:
        """Adds a batch to the totals (cells, amounts)."""
        inside, cell = self._kept(rows)
        for j, amount in enumerate(self.amounts):
            if max(abs(amount.least), abs(amount.most)) * max(rows.size, 1) >= _EXACT:
                raise SpecError("a batch is too large for exact sums: read it in smaller ones")
            if amount.least == amount.most == 1:
                sums = np.bincount(cell, minlength=self.cells)
            else:
                values = amount.of(rows)
                weights = values if inside is None else values[inside]
                sums = np.bincount(cell, weights=weights, minlength=self.cells).astype(np.int64)
            totals[:, j] += sums

    def stated(self) -> DatasetQuery:
        """The same sums as a query whose sensitivity is proved."""
        return _stated(*self._query)

    @property
    def _query(self) -> tuple[int, tuple[tuple[int, int], ...], int | None]:
        return self.cells, tuple((a.least, a.most) for a in self.amounts), self.persons

    def sensitivity(self, norm: str, unit: Unit) -> Sensitivity:
        """How far the totals of neighbours are apart in steps, proved from both sides; `norm` is "l1" or "l2"."""
        return _sensitivity(self._query, norm, unit)

    def distance(self, norm: str, unit: Unit) -> Fraction:
        """The sensitivity in the l1 norm, or the square of that in the l2 norm, exact."""
        return paid_distance(self.sensitivity(norm, unit), norm)


def paid_distance(found: Sensitivity, norm: str) -> Fraction:
    """What a noise pays for: the sensitivity in the l1 norm, or the square of that in the l2 norm, exact."""
    exact: Any = found.exact
    value = sp.nsimplify(exact**2 if norm == "l2" else exact)
    return Fraction(int(value.p), int(value.q))


@lru_cache(maxsize=512)
def _stated(cells: int, ranges: tuple[tuple[int, int], ...], persons: int | None) -> DatasetQuery:
    query = (
        grouped_sums(cells, ranges)
        if persons is None
        else PersonsByGroup(cells, ((sp.S.One, sp.S.One),), persons)
    )
    return DatasetQuery(query, query.domain())


@lru_cache(maxsize=2048)
def _sensitivity(query: tuple[Any, ...], norm: str, unit: Unit) -> Sensitivity:
    return _stated(*query).sensitivity(norm, unit.relation())
