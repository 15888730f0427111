"""A batch of records as statistics read it: places in declared lists, and numbers; what has no value is left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...symbolic.arrays import Floats
from .intervals import Intervals

Places = NDArray[np.int64]
Flags = NDArray[np.bool_]
Found = TypeVar("Found")
UNDECLARED = -1  # the place of what is left out: missing, or none of the declared categories


@dataclass(frozen=True, eq=False)
class Rows:
    """`size` records: of a category its place in the declared list (-1: none), of a number its value (NaN: none).

    Numbers are doubles, or whole numbers where each record has one.  `first[m]` marks, for a per-person measurement m, the one
    record of each person per cell that is counted.
    """

    size: int
    places: Mapping[str, Places]
    numbers: Mapping[str, Floats | Places]
    first: Mapping[Any, Flags] = field(default_factory=dict, repr=False)
    _known: dict[Any, Any] = field(default_factory=dict, repr=False)

    def only(self, kept: Flags) -> Rows:
        """The records that `kept` (size,) marks."""
        if kept.all():
            return self
        places = {name: column[kept] for name, column in self.places.items()}
        numbers = {name: column[kept] for name, column in self.numbers.items()}
        return Rows(int(np.count_nonzero(kept)), places, numbers)

    def once(self, key: Any, find: Callable[[], Found]) -> Found:
        """What `find` gives, found once for each key: several statistics need the same of a batch."""
        if key not in self._known:
            self._known[key] = find()
        found: Found = self._known[key]
        return found

    def absent(self, column: str) -> Flags | None:
        """The records without this number, None if there is none."""
        return self.once(("absent", column), lambda: _absent(self.numbers[column]))


def _absent(values: Floats | Places) -> Flags | None:
    if values.dtype.kind != "f":
        return None
    found = np.isnan(values)
    return found if found.any() else None


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
        values, absent = rows.numbers[self.column], rows.absent(self.column)
        met = np.ones(rows.size, dtype=bool) if absent is None else ~absent
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

    def __hash__(self) -> int:
        # Long lists are compared only where this is the same.
        return hash((self.column, len(self.labels), self.edges is None))

    def of(self, rows: Rows) -> Places:
        """The group of each record, -1 where its column has no value."""
        if self.edges is None:
            return rows.places[self.column]
        return rows.once(self, lambda: self._interval(rows))

    def _interval(self, rows: Rows) -> Places:
        found, absent = self._intervals.of(rows.numbers[self.column]), rows.absent(self.column)
        if absent is not None:
            found[absent] = -1
        return found

    @cached_property
    def _intervals(self) -> Intervals:
        assert self.edges is not None
        return Intervals(np.asarray(self.edges, dtype=float))
