"""Vectors of bounded length, in one of three norms, and vectors of one Euclidean length."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from ..arrays import Floats, is_finite
from ..errors import SpecError
from .exact import DIGITS, Block, monomial, read_numbers, sized
from .numeric import Numeric, check_dimension
from .polynomials import Coefficients, Point


class Round(Block):
    """A Euclidean ball around the origin, or its surface."""

    radius: float | Fraction
    dimension: int
    norm: float = 2

    @cached_property
    def exact_radius(self) -> Fraction:
        """The radius that was written."""
        if self.norm != 2:
            raise ValueError(f"expected a ball of the 2-norm, got {self.norm:g}")
        return sized(self.radius, "radius")

    @property
    def bounds(self) -> tuple[tuple[Fraction, Fraction], ...]:
        return ((-self.exact_radius, self.exact_radius),) * self.dimension

    def _room(self) -> Coefficients:
        """The square of the radius minus that of the length."""
        squares = {monomial(self.dimension, i, 2): Fraction(-1) for i in range(self.dimension)}
        return squares | {(0,) * self.dimension: self.exact_radius**2}


@dataclass(frozen=True, eq=False)
class Ball(Numeric, Round):
    """The domain of vectors (dimension,) whose norm is at most `radius`.

    `radius` > 0 is in the units of the entries, `dimension` an integer >= 1, `norm` 1, 2 or np.inf. SpecError for anything else.

    >>> npf.Ball(1.0, dimension=2).contains([0.6, 0.8]), npf.Ball(1.0, dimension=2, norm=1).contains([0.6, 0.8])
    (True, False)
    """

    radius: float | Fraction
    dimension: int
    norm: float = 2

    def __post_init__(self) -> None:
        read_numbers(self, "radius", "dimension", "norm")
        check_dimension(self.dimension)
        if not (is_finite(self.radius) and self.radius > 0):
            raise SpecError(f"ball: expected a finite radius > 0, got {self.radius!r}")
        if self.norm not in (1, 2, np.inf):
            raise SpecError(f"ball: expected norm 1, 2 or inf, got {self.norm!r}")

    @property
    def ends(self) -> tuple[Floats, Floats]:
        return np.full(self.dimension, -float(self.radius)), np.full(self.dimension, float(self.radius))

    def describe(self) -> str:
        return f"vectors of {self.dimension} numbers of {self.norm:g}-norm at most {float(self.radius):g}"

    def length(self, vector: Floats) -> float:
        return float(np.linalg.norm(vector, self.norm))

    def inside(self, vector: Floats) -> bool:
        return self.length(vector) <= self.radius

    def project(self, vector: Floats) -> Floats:
        out = vector * (float(self.radius) / self.length(vector)) if not self.inside(vector) else vector
        # A rounding may leave the length above the radius by a last bit.
        while not self.inside(out):
            out = out * (1 - 2.0**-52)
        return np.asarray(out, dtype=float)

    def spread(self, rng: np.random.Generator) -> Floats:
        direction = rng.normal(size=self.dimension)
        share = rng.random() ** (1 / self.dimension) if rng.random() < 0.5 else 1.0
        return direction * (share * float(self.radius) / max(self.length(direction), 1e-300))

    def corners(self, rng: np.random.Generator, most: int) -> list[Floats]:
        d, r = self.dimension, float(self.radius)
        axes = [sign * r * row for row in np.eye(d) for sign in (1.0, -1.0)]
        signs = [np.ones(d), np.where(np.arange(d) % 2 == 0, 1.0, -1.0)]
        signs += [np.where(rng.random(d) < 0.5, 1.0, -1.0) for _ in range(max(0, most // 4))]
        diagonals = [self.project(s * v * (r / self.length(v))) for v in signs for s in (1.0, -1.0)]
        if self.norm == np.inf:
            return [*diagonals, *axes][:most]
        mixed = [*axes[:2], *diagonals[:4], *axes[2 : max(2, most // 2)], *diagonals[4:], *axes[2:]]
        return mixed[:most]

    def nearest(self, vectors: Floats) -> Floats:
        length = np.linalg.norm(vectors, axis=-1, keepdims=True) / float(self.radius)
        return np.asarray(vectors / np.maximum(length, 1.0))

    def rounded(self, vector: Floats) -> Point:
        exact, radius = self.exact_radius, float(self.radius)
        point = tuple(exact * Fraction(round(float(x) / radius * DIGITS), DIGITS) for x in vector)
        while sum(x * x for x in point) > exact**2:
            point = tuple(x * (1 - Fraction(2, DIGITS)) for x in point)
        return point

    def nonnegative(self) -> list[Coefficients]:
        return [self._room()]


@dataclass(frozen=True, eq=False)
class Sphere(Round):
    """Vectors (dimension,) of Euclidean length `radius`."""

    radius: float | Fraction
    dimension: int

    def __post_init__(self) -> None:
        read_numbers(self, "radius", "dimension")
        check_dimension(self.dimension)

    def nearest(self, vectors: Floats) -> Floats:
        length = np.linalg.norm(vectors, axis=-1, keepdims=True)
        safe = np.where(length > 0, vectors, np.eye(self.dimension)[0])
        return np.asarray(safe / np.where(length > 0, length, 1.0) * float(self.radius))

    def rounded(self, vector: Floats) -> Point:
        unit = np.asarray(vector, dtype=float) / np.linalg.norm(vector)
        pole = int(np.argmax(np.abs(unit)))
        sign = -1 if unit[pole] > 0 else 1
        # Stereographic projection from the pole that is farther away sends rational points to rational points.
        plane = [Fraction(round(float(x / (1 - sign * unit[pole])) * DIGITS), DIGITS) for x in unit]
        plane[pole] = Fraction(0)
        square = sum((x * x for x in plane), Fraction(0))
        point = [2 * x / (1 + square) * self.exact_radius for x in plane]
        point[pole] = sign * (square - 1) / (1 + square) * self.exact_radius
        return tuple(point)

    def nonnegative(self) -> list[Coefficients]:
        return []

    def zero(self) -> list[Coefficients]:
        return [self._room()]
