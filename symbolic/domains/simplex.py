"""Vectors of shares: not negative, with a fixed sum."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats
from ..errors import SpecError
from .numeric import Numeric, check_dimension

_SLACK = 1e-9


@dataclass(frozen=True, eq=False)
class Simplex(Numeric):
    """Vectors (dimension,) of numbers >= 0 with sum `total`, to a relative 1e-9.  Raises SpecError for anything else."""

    dimension: int
    total: float = 1.0

    def __post_init__(self) -> None:
        check_dimension(self.dimension, least=2)
        if not (np.isfinite(self.total) and self.total > 0):
            raise SpecError(f"simplex: expected a finite total > 0, got {self.total!r}")

    @property
    def ends(self) -> tuple[Floats, Floats]:
        return np.zeros(self.dimension), np.full(self.dimension, float(self.total))

    @property
    def centre(self) -> Floats:
        return np.full(self.dimension, self.total / self.dimension)

    def describe(self) -> str:
        return f"vectors of {self.dimension} numbers >= 0 with sum {self.total:g}"

    def inside(self, vector: Floats) -> bool:
        return bool(np.all(vector >= 0)) and abs(float(vector.sum()) - self.total) <= _SLACK * self.total

    def project(self, vector: Floats) -> Floats:
        if self.inside(vector):
            return vector
        positive = np.maximum(vector, 0.0)
        total = float(positive.sum())
        return positive * (self.total / total) if total > 0 else self.centre

    def spread(self, rng: np.random.Generator) -> Floats:
        # A small concentration reaches edges and vertices, one is uniform.
        weights = rng.gamma(float(rng.choice([0.2, 0.5, 1.0])), size=self.dimension)
        return self.project(np.asarray(weights, dtype=float))

    def corners(self, rng: np.random.Generator, most: int) -> list[Floats]:
        vertices = list(self.total * np.eye(self.dimension))
        order = rng.permutation(len(vertices) - 2) + 2 if len(vertices) > most else range(2, len(vertices))
        vertices = [*vertices[:2], *(vertices[i] for i in order)]
        edges = [(a + b) / 2 for a, b in itertools.islice(itertools.combinations(vertices, 2), most)]
        return [*vertices, *edges][:most]
