"""Who is a neighbour of whom, as the map from a unit cube onto pairs of data sets."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sensitivity_trials.spaces import Space

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
class Resized:
    """Data sets that share `size` records; one has `left` more, the other `right` more, all of one person."""

    size: int
    left: int
    right: int

    def unknowns(self, dimension: int) -> int:
        return (self.size + self.left + self.right) * dimension

    def pairs(self, cube: Floats, space: Space) -> tuple[Floats, Floats]:
        n = self.size
        records = space.points(cube.reshape(len(cube), n + self.left + self.right, space.dimension))
        return records[:, : n + self.left], np.concatenate(
            [records[:, :n], records[:, n + self.left :]], axis=1
        )


@dataclass(frozen=True)
class PersonOf:
    """Data sets that share `size` records; of one person one or both have up to `most` records ("remove": one of them none)."""

    size: int
    most: int
    change: Literal["remove", "replace"]

    def parts(self) -> list[Resized]:
        """By the numbers of that person's records, up to exchange of the two."""
        counts = range(self.most + 1)
        lefts = counts if self.change == "replace" else range(1)
        return [Resized(self.size, i, j) for i in lefts for j in counts if i <= j and j]

    def unknowns(self, dimension: int) -> int:
        raise ValueError("search each of the parts")

    def pairs(self, cube: Floats, space: Space) -> tuple[Floats, Floats]:
        raise ValueError("search each of the parts")


@dataclass(frozen=True)
class Near:
    """Single vectors at most `apart` from each other in the 1-norm, or in the norm 2 or inf."""

    apart: str
    norm: float = 1

    def unknowns(self, dimension: int) -> int:
        return 2 * dimension

    def pairs(self, cube: Floats, space: Space) -> tuple[Floats, Floats]:
        d = space.dimension
        one = space.points(cube[:, :d])
        step = space.points(cube[:, d:]) - one
        length = self.length(step)[:, None]
        # The domain is convex: what lies between two of its vectors is one of them.
        return one[:, None], (
            one + step * np.minimum(1.0, float(Fraction(self.apart)) / np.maximum(length, 1e-300))
        )[:, None]

    def length(self, steps: Floats) -> Floats:
        """The norms (m,) of steps (m, d)."""
        return np.asarray(np.linalg.norm(steps, ord=self.norm, axis=-1))


Relation = Replace | AddRemove | Resized | PersonOf | Near
