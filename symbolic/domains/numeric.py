"""Records that are numbers or vectors of a convex set: what all such sets have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats
from ..errors import SpecError
from .domain import Domain, Record, distinct

# How a record varies: every coordinate a little; one to its end, drawn anew, swapped with another, a little; to a corner.
_MOVES = ("all", "end", "anew", "swap", "one", "corner")
_SHARES = (0.15, 0.15, 0.3, 0.05, 0.2, 0.15)


class Numeric(Domain):
    """A convex set of vectors (d,), or of numbers where `scalar` says so."""

    scalar: bool = False
    integer: bool = False

    @property
    @abstractmethod
    def ends(self) -> tuple[Floats, Floats]:
        """The smallest box around the set: two corners, each (d,)."""

    @abstractmethod
    def inside(self, vector: Floats) -> bool:
        """Whether a finite vector (d,) lies in the set."""

    @abstractmethod
    def project(self, vector: Floats) -> Floats:
        """A point of the set near this vector (d,), the vector itself if it lies inside."""

    @abstractmethod
    def corners(self, rng: np.random.Generator, most: int) -> list[Floats]:
        """Extreme points, two opposite ones first; all of them if there are few."""

    @abstractmethod
    def spread(self, rng: np.random.Generator) -> Floats:
        """A point from all over the set."""

    @property
    def centre(self) -> Floats:
        low, high = self.ends
        return self.project(low / 2 + high / 2)

    @property
    def dimension_of_records(self) -> int:
        return len(self.ends[0])

    def record(self, vector: Floats) -> Record:
        """A vector (d,) as a record."""
        if self.scalar:
            return int(vector[0]) if self.integer else float(vector[0])
        return vector.astype(np.int64) if self.integer else np.array(vector, dtype=float)

    def vector(self, record: Record) -> Floats:
        """A record as a vector (d,)."""
        return np.array(record, dtype=float).reshape(self.dimension_of_records)

    def contains(self, record: Any) -> bool:
        if isinstance(record, bool | str | bytes | dict) or record is None:
            return False
        try:
            array = np.asarray(record)
        except ValueError:
            return False
        shape = () if self.scalar else (self.dimension_of_records,)
        if array.dtype.kind not in "iuf" or array.shape != shape or not np.all(np.isfinite(array)):
            return False
        vector = array.astype(float).reshape(-1)
        return (not self.integer or bool(np.all(vector == np.rint(vector)))) and self.inside(vector)

    def _array(self, data: Any) -> NDArray[Any]:
        array = np.asarray(data)
        if array.ndim != (1 if self.scalar else 2):
            raise ValueError(f"expected {'numbers' if self.scalar else 'rows'}, got shape {array.shape}")
        return array

    def rows(self, data: Any) -> list[Any]:
        return list(self._array(data))

    def contains_all(self, data: Any) -> bool:
        try:
            array = self._array(data)
        except ValueError:
            return False
        if array.dtype.kind not in "iuf":
            return False
        # Equal records are judged once.
        return all(self.contains(record) for record in np.unique(array, axis=0))

    def cells(self, data: Any) -> list[Hashable]:
        # Adding zero makes -0.0 and 0.0 the same number, as they are to ==.
        array = np.ascontiguousarray(np.asarray(self._array(data), dtype=float) + 0.0)
        return [row.tobytes() for row in array]

    def cell(self, record: Any) -> Hashable:
        return (np.asarray(record, dtype=float) + 0.0).tobytes()

    def dataset(self, records: Sequence[Record]) -> Any:
        kind = np.int64 if self.integer else float
        shape = (len(records),) if self.scalar else (len(records), self.dimension_of_records)
        return np.array(records, dtype=kind).reshape(shape)

    def landmarks(self, rng: np.random.Generator, most: int) -> list[Record]:
        corners = self.corners(rng, most)
        middle = [self.centre, self.project(np.zeros(self.dimension_of_records))]
        # The middle follows the first two corners: it must not be lost among the many.
        points = [*corners[:2], *middle, *corners[2:]]
        return distinct(self, [self.record(self.project(p)) for p in points], most)

    def draw(self, rng: np.random.Generator) -> Record:
        return self.record(self.project(self.spread(rng)))

    def vary(self, record: Record, rng: np.random.Generator, step: float) -> Record:
        v = self.vector(record)
        low, high = self.ends
        width = high - low
        i = int(rng.integers(len(v)))
        kind = str(rng.choice(_MOVES, p=_SHARES))
        if kind == "all":
            v = v + step * width * rng.normal(size=len(v))
        elif kind == "end":
            v[i] = (low, high)[int(rng.integers(2))][i]
        elif kind == "anew":
            v[i] = rng.uniform(low[i], high[i])
        elif kind == "corner":
            corners = self.corners(rng, 4 * len(v))
            towards = corners[int(rng.integers(len(corners)))]
            v = v + float(rng.choice([step, 0.5, 1.0])) * (towards - v)
        elif kind == "swap":
            j = int(rng.integers(len(v)))
            v[i], v[j] = v[j], v[i]
        else:
            move = step * width[i] * rng.normal()
            v[i] += np.sign(move) * max(abs(move), 1.0) if self.integer else move
        return self.record(self.project(v))

    def cross(self, one: Record, two: Record, rng: np.random.Generator) -> Record:
        a, b = self.vector(one), self.vector(two)
        share = rng.random() if rng.random() < 0.5 else rng.random(len(a)) < 0.5
        return self.record(self.project(np.where(share, a, b) if np.ndim(share) else b + share * (a - b)))

    def numbers(self, record: Record) -> Floats:
        low, high = self.ends
        return np.asarray((self.vector(record) - low) / (high - low), dtype=float)

    def with_numbers(self, record: Record, numbers: Floats) -> Record:
        low, high = self.ends
        return self.record(self.project(low + numbers * (high - low)))


def check_dimension(dimension: Any, least: int = 1) -> None:
    """Raise SpecError unless this is a whole number of at least `least`."""
    if isinstance(dimension, bool) or not isinstance(dimension, Integral) or dimension < least:
        raise SpecError(f"expected a whole number >= {least} of dimensions, got {dimension!r}")
