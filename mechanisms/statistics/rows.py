"""A batch of records as statistics read it: places in declared lists, and numbers; what has no value is left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...symbolic.arrays import Floats

Places = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Rows:
    """`size` records: of a category its place in the declared list (-1: none), of a number its value (NaN: none)."""

    size: int
    places: Mapping[str, Places]
    numbers: Mapping[str, Floats]

    def only(self, kept: Flags) -> Rows:
        """The records that `kept` (size,) marks."""
        places = {name: column[kept] for name, column in self.places.items()}
        numbers = {name: column[kept] for name, column in self.numbers.items()}
        return Rows(int(np.count_nonzero(kept)), places, numbers)


@dataclass(frozen=True)
class Condition:
    """A record counts if the column is one of `places` of its declared list, or a number within [low, high], if these are given."""

    column: str
    places: tuple[int, ...] = ()
    low: float | None = None
    high: float | None = None

    def holds(self, rows: Rows) -> Flags:
        """For each record; what has no value meets no condition."""
        if self.column in rows.places:
            return np.isin(rows.places[self.column], self.places)
        values = rows.numbers[self.column]
        met = ~np.isnan(values)
        if self.low is not None:
            met &= values >= self.low
        if self.high is not None:
            met &= values <= self.high
        return met


@dataclass(frozen=True)
class Axis:
    """Disjoint groups of records, by a category (`edges` None) or by the intervals between `edges` of a number.

    Intervals are [e0, e1), ..., the last one closed; numbers beyond the edges count in the first and the last one.
    """

    column: str
    labels: tuple[str, ...]
    edges: tuple[float, ...] | None = None

    def of(self, rows: Rows) -> Places:
        """The group of each record, -1 where its column has no value."""
        if self.edges is None:
            return rows.places[self.column]
        values = rows.numbers[self.column]
        inner = np.asarray(self.edges[1:-1], dtype=float)
        found = np.searchsorted(inner, values, side="right").astype(np.int64)
        found[np.isnan(values)] = -1
        return found
