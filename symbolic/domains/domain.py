"""The set of possible records: what an input may hold, and how a search moves about in it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from ..arrays import Floats

Record = Any


class Domain(ABC):
    """Where a record lives.

    `contains`, `rows` and `cell` read inputs as the release sees them, and know nothing of how they were made; the
    other methods make records.  Records are never changed in place.
    """

    @abstractmethod
    def describe(self) -> str:
        """The set in words."""

    @abstractmethod
    def contains(self, record: Any) -> bool:
        """Whether this is a possible record; any object may be asked about."""

    @abstractmethod
    def rows(self, data: Any) -> list[Any]:
        """The records of a data set, in its order; ValueError if this is no data set of such records."""

    @abstractmethod
    def cell(self, record: Any) -> Hashable:
        """A key that is equal for equal records."""

    def cells(self, data: Any) -> list[Hashable]:
        """The keys of the records of a data set, in order; ValueError if this is no data set of such records."""
        return [self.cell(record) for record in self.rows(data)]

    @abstractmethod
    def dataset(self, records: Sequence[Record]) -> Any:
        """A new data set of these records, as the release receives it."""

    @abstractmethod
    def landmarks(self, rng: np.random.Generator, most: int) -> list[Record]:
        """Up to `most` distinct records, two opposite extreme points first, then others and the middle."""

    @abstractmethod
    def draw(self, rng: np.random.Generator) -> Record:
        """A record from all over the set."""

    @abstractmethod
    def vary(self, record: Record, rng: np.random.Generator, step: float) -> Record:
        """A record not far from this one; `step` is in (0, 1], a share of the width of the set."""

    @abstractmethod
    def cross(self, one: Record, two: Record, rng: np.random.Generator) -> Record:
        """A record that has something of both."""

    def numbers(self, record: Record) -> Floats:
        """The coordinates of a record in units of the width of the set, shape (m,); empty if it has none."""
        return np.zeros(0)

    def with_numbers(self, record: Record, numbers: Floats) -> Record:
        """This record with its coordinates (m,) near `numbers`, within the set."""
        return record

    def contains_all(self, data: Any) -> bool:
        """Whether this is a data set of possible records."""
        try:
            return all(self.contains(record) for record in self.rows(data))
        except (ValueError, TypeError):
            return False


def distinct(domain: Domain, records: Sequence[Record], most: int) -> list[Record]:
    """The first `most` records that differ from all before them."""
    found: dict[Hashable, Record] = {}
    for record in records:
        found.setdefault(domain.cell(record), record)
        if len(found) == most:
            break
    return list(found.values())
