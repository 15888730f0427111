"""Vectors of shares: not negative, with a fixed sum."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from ..arrays import Floats, is_finite
from ..errors import SpecError
from .exact import DIGITS, Block, monomial, read_numbers, sized
from .numeric import Numeric, check_dimension
from .polynomials import Coefficients, Point

_SLACK = 1e-9


@dataclass(frozen=True, eq=False)
class Simplex(Numeric, Block):
    """The domain of vectors (dimension,) of numbers >= 0 that sum to `total`, to a relative 1e-9: shares, distributions.

    `dimension` is an integer >= 2, `total` > 0. SpecError for anything else.

    >>> npf.Simplex(3).contains([0.2, 0.3, 0.5]), npf.Simplex(3).contains([0.2, 0.3, 0.6])
    (True, False)
    """

    dimension: int
    total: float | Fraction = 1.0

    def __post_init__(self) -> None:
        read_numbers(self, "dimension", "total")
        check_dimension(self.dimension, least=2)
        if not (is_finite(self.total) and self.total > 0):
            raise SpecError(f"simplex: expected a finite total > 0, got {self.total!r}")

    @property
    def ends(self) -> tuple[Floats, Floats]:
        return np.zeros(self.dimension), np.full(self.dimension, float(self.total))

    @property
    def centre(self) -> Floats:
        return np.full(self.dimension, float(self.total) / self.dimension)

    def describe(self) -> str:
        return f"vectors of {self.dimension} numbers >= 0 with sum {float(self.total):g}"

    def inside(self, vector: Floats) -> bool:
        return bool(np.all(vector >= 0)) and abs(float(vector.sum()) - float(self.total)) <= _SLACK * float(
            self.total
        )

    def project(self, vector: Floats) -> Floats:
        if self.inside(vector):
            return vector
        positive = np.maximum(vector, 0.0)
        total = float(positive.sum())
        return positive * (float(self.total) / total) if total > 0 else self.centre

    def spread(self, rng: np.random.Generator) -> Floats:
        # A small concentration reaches edges and vertices, one is uniform.
        weights = rng.gamma(float(rng.choice([0.2, 0.5, 1.0])), size=self.dimension)
        return self.project(np.asarray(weights, dtype=float))

    def corners(self, rng: np.random.Generator, most: int) -> list[Floats]:
        vertices = list(float(self.total) * np.eye(self.dimension))
        order = rng.permutation(len(vertices) - 2) + 2 if len(vertices) > most else range(2, len(vertices))
        vertices = [*vertices[:2], *(vertices[i] for i in order)]
        edges = [(a + b) / 2 for a, b in itertools.islice(itertools.combinations(vertices, 2), most)]
        return [*vertices, *edges][:most]

    @cached_property
    def exact_total(self) -> Fraction:
        """The total that was written."""
        return sized(self.total, "total")

    @property
    def bounds(self) -> tuple[tuple[Fraction, Fraction], ...]:
        return ((Fraction(0), self.exact_total),) * self.dimension

    def nearest(self, vectors: Floats) -> Floats:
        rows = np.atleast_2d(vectors)
        ordered = -np.sort(-rows, axis=1)
        excess = (np.cumsum(ordered, axis=1) - float(self.total)) / np.arange(1, self.dimension + 1)
        last = (ordered > excess).sum(axis=1) - 1
        moved = np.maximum(rows - excess[np.arange(len(rows)), last][:, None], 0.0)
        return np.asarray(moved.reshape(np.shape(vectors)))

    def rounded(self, vector: Floats) -> Point:
        total = float(self.total)
        parts = [Fraction(max(round(float(x) / total * DIGITS), 0), DIGITS) for x in vector]
        whole = sum(parts, Fraction(0))
        return tuple(x * self.exact_total / whole for x in parts)

    def nonnegative(self) -> list[Coefficients]:
        n = self.dimension
        singles: list[Coefficients] = [{monomial(n, i): Fraction(1)} for i in range(n)]
        pairs = itertools.combinations(range(n), 2)
        return singles + [{tuple(int(k in pair) for k in range(n)): Fraction(1)} for pair in pairs]

    def zero(self) -> list[Coefficients]:
        n = self.dimension
        return [{monomial(n, i): Fraction(1) for i in range(n)} | {(0,) * n: -self.exact_total}]

    def vertices(self) -> list[Point] | None:
        n = self.dimension
        return [tuple(self.exact_total * (i == j) for j in range(n)) for i in range(n)]
