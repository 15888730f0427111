"""Vectors of bounded length, in one of three norms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats
from ..errors import SpecError
from .numeric import Numeric, check_dimension


@dataclass(frozen=True, eq=False)
class Ball(Numeric):
    """Vectors (dimension,) whose `norm` (1, 2 or inf) is at most `radius`.  Raises SpecError for anything else."""

    radius: float
    dimension: int
    norm: float = 2

    def __post_init__(self) -> None:
        check_dimension(self.dimension)
        if not (np.isfinite(self.radius) and self.radius > 0):
            raise SpecError(f"ball: expected a finite radius > 0, got {self.radius!r}")
        if self.norm not in (1, 2, np.inf):
            raise SpecError(f"ball: expected norm 1, 2 or inf, got {self.norm!r}")

    @property
    def ends(self) -> tuple[Floats, Floats]:
        return np.full(self.dimension, -float(self.radius)), np.full(self.dimension, float(self.radius))

    def describe(self) -> str:
        return f"vectors of {self.dimension} numbers of {self.norm:g}-norm at most {self.radius:g}"

    def length(self, vector: Floats) -> float:
        return float(np.linalg.norm(vector, self.norm))

    def inside(self, vector: Floats) -> bool:
        return self.length(vector) <= self.radius

    def project(self, vector: Floats) -> Floats:
        out = vector * (self.radius / self.length(vector)) if not self.inside(vector) else vector
        # A rounding may leave the length above the radius by a last bit.
        while not self.inside(out):
            out = out * (1 - 2.0**-52)
        return np.asarray(out, dtype=float)

    def spread(self, rng: np.random.Generator) -> Floats:
        direction = rng.normal(size=self.dimension)
        share = rng.random() ** (1 / self.dimension) if rng.random() < 0.5 else 1.0
        return direction * (share * self.radius / max(self.length(direction), 1e-300))

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
