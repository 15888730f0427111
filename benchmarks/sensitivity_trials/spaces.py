"""Domains of one record, as the map from a unit cube onto them that a search walks along."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class BoxOf:
    """Vectors between `low` and `high`, exact numbers or "oo" and "-oo"."""

    low: tuple[str, ...]
    high: tuple[str, ...]

    @property
    def dimension(self) -> int:
        return len(self.low)

    def points(self, cube: Floats) -> Floats:
        """Cubes (..., d) to records (..., d); an end at infinity is only neared, as 1/u."""
        columns = [
            _stretched(cube[..., k], *ends) for k, ends in enumerate(zip(self.low, self.high, strict=True))
        ]
        return np.stack(columns, axis=-1)


@dataclass(frozen=True)
class BallOf:
    """Vectors of Euclidean length at most `radius`."""

    radius: str
    dimension: int

    def points(self, cube: Floats) -> Floats:
        """The cube around the ball, what lies outside drawn to the surface."""
        vectors = 2 * cube - 1
        length = np.linalg.norm(vectors, axis=-1, keepdims=True)
        return np.asarray(float(Fraction(self.radius)) * vectors / np.maximum(length, 1.0))


@dataclass(frozen=True)
class WholeOf:
    """Vectors of whole numbers between `low` and `high`."""

    low: tuple[str, ...]
    high: tuple[str, ...]

    @property
    def dimension(self) -> int:
        return len(self.low)

    def points(self, cube: Floats) -> Floats:
        """Each whole number has an equal part of the edge."""
        low, high = (np.array([int(v) for v in ends]) for ends in (self.low, self.high))
        return np.minimum(np.floor(low + cube * (high - low + 1)), high)


@dataclass(frozen=True)
class IntervalOf:
    """Numbers between two ends, exact or "oo" and "-oo", which belong to it or do not."""

    low: str
    high: str
    open_low: bool = False
    open_high: bool = False
    dimension: int = 1

    def points(self, cube: Floats) -> Floats:
        """As in a box; an end that is none of its numbers is only neared."""
        u = np.clip(cube, 1e-10 if self.open_low else 0.0, 1 - (1e-10 if self.open_high else 0.0))
        return _stretched(u, self.low, self.high)


@dataclass(frozen=True)
class SimplexOf:
    """Vectors of numbers >= 0 with the sum `total`."""

    total: str
    dimension: int

    def points(self, cube: Floats) -> Floats:
        """Shares in proportion to powers of the coordinates, so that edges and vertices are met."""
        weights = np.maximum(2 * cube - 1, 0.0) ** 2 + 1e-300
        return np.asarray(float(Fraction(self.total)) * weights / weights.sum(axis=-1, keepdims=True))


@dataclass(frozen=True)
class Categories:
    """The numbers 0 to `count` - 1, as names."""

    count: int
    dimension: int = 1

    def points(self, cube: Floats) -> Floats:
        return np.minimum(np.floor(cube * self.count), self.count - 1)


Space = BoxOf | BallOf | WholeOf | IntervalOf | SimplexOf | Categories


def interval(low: str | int, high: str | int, dimension: int = 1) -> BoxOf:
    """The same ends for each coordinate."""
    return BoxOf((str(low),) * dimension, (str(high),) * dimension)


def _stretched(u: Floats, low: str, high: str) -> Floats:
    if low == "-oo" and high == "oo":
        inner = np.clip(u, 1e-9, 1 - 1e-9)
        return np.asarray((2 * inner - 1) / (inner * (1 - inner)))
    if high == "oo":
        return float(Fraction(low)) + u / np.clip(1 - u, 1e-9, 1.0)
    least, most = float(Fraction(low)), float(Fraction(high))
    # The ends themselves, without the rounding of a sum.
    return np.where(u >= 1, most, np.where(u <= 0, least, least + (most - least) * u))
