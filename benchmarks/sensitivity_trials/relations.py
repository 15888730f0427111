"""Who is a neighbour of whom, as the map from a unit cube onto pairs of data sets."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sensitivity_trials.spaces import BoxOf, Space

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Replace:
    """Data sets of `size` records that differ in `count` records of one person, at any places side by side."""

    size: int
    count: int = 1

    def unknowns(self, dimension: int) -> int:
        return 1 + (self.size + self.count) * dimension

    def pairs(self, cube: Floats, space: Space) -> tuple[Floats, Floats]:
        d, n, k = space.dimension, self.size, self.count
        records = space.points(cube[:, 1:].reshape(len(cube), n + k, d))
        one, two = records[:, :n], records[:, :n].copy()
        place = np.minimum((cube[:, 0] * (n - k + 1)).astype(int), n - k)
        rows = np.arange(len(cube))
        for j in range(k):
            two[rows, place + j] = records[:, n + j]
        return one, two


@dataclass(frozen=True)
class AddRemove:
    """Data sets of `size` and of `size` + 1 records, one with one record more at any place."""

    size: int

    def unknowns(self, dimension: int) -> int:
        return 1 + (self.size + 1) * dimension

    def pairs(self, cube: Floats, space: Space) -> tuple[Floats, Floats]:
        more = space.points(cube[:, 1:].reshape(len(cube), self.size + 1, space.dimension))
        place = np.minimum((cube[:, 0] * (self.size + 1)).astype(int), self.size)
        kept = np.arange(self.size + 1)[None] != place[:, None]
        return more[kept].reshape(len(cube), self.size, space.dimension), more


@dataclass(frozen=True)
class Near:
    """Single vectors at most `apart` from each other in the 1-norm."""

    apart: str

    def unknowns(self, dimension: int) -> int:
        return 2 * dimension

    def pairs(self, cube: Floats, space: Space) -> tuple[Floats, Floats]:
        if not isinstance(space, BoxOf):
            raise ValueError(f"expected a box, got {space!r}")
        d = space.dimension
        one = space.points(cube[:, :d])
        step = space.points(cube[:, d:]) - one
        apart = float(Fraction(self.apart))
        length = np.abs(step).sum(axis=-1, keepdims=True)
        return one[:, None], (one + step * np.minimum(1.0, apart / np.maximum(length, 1e-300)))[:, None]


Relation = Replace | AddRemove | Near
