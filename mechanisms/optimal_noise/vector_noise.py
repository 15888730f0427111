"""Noise vectors around 0, and the laws of the outcomes centre + w."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ...symbolic.arrays import Floats
from ...symbolic.laws.vector import NormalVector, OutcomeLaw
from .scalar import Scalar


class Noise(ABC):
    """A noise in R^m; points and samples have shape (size, m)."""

    dimension: int

    @abstractmethod
    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """`size` independent draws."""

    @abstractmethod
    def log_density(self, w: Floats) -> Floats:
        """The log density at the rows of w, shape (size,); -inf outside W."""

    @abstractmethod
    def score(self, w: Floats) -> Floats:
        """The gradient of the log density at the rows of w, shape (size, m); nan outside W."""

    @abstractmethod
    def uniforms(self, w: Floats, rng: np.random.Generator) -> Floats:
        """Independent uniform numbers if w follows this law, shape (size, m); TypeError where no such map is known."""

    @abstractmethod
    def uniforms_if_scaled(self, levels: Floats, factor: float) -> Floats:
        """P(uniform <= level) for noise divided by `factor`."""


@dataclass(frozen=True)
class Independent(Noise):
    """Independent entries, each with a noise of its own."""

    entries: tuple[Scalar, ...]

    @property
    def dimension(self) -> int:  # type: ignore[override]
        return len(self.entries)

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        return np.column_stack([entry.sample(size, rng) for entry in self.entries])

    def log_density(self, w: Floats) -> Floats:
        columns = [entry.log_pdf(x) for entry, x in zip(self.entries, w.T, strict=True)]
        return np.asarray(np.sum(columns, axis=0), dtype=float)

    def score(self, w: Floats) -> Floats:
        return np.column_stack([entry.score(x) for entry, x in zip(self.entries, w.T, strict=True)])

    def uniforms(self, w: Floats, rng: np.random.Generator) -> Floats:
        return np.column_stack([entry.cdf(x) for entry, x in zip(self.entries, w.T, strict=True)])

    def uniforms_if_scaled(self, levels: Floats, factor: float) -> Floats:
        """Of the entry that scaling moves least at each level: what a test can count on."""
        moved = np.array([entry.cdf(factor * entry.quantile(levels)) for entry in self.entries])
        return np.asarray(
            moved[np.argmin(np.abs(moved - levels), axis=0), np.arange(len(levels))], dtype=float
        )


class Gaussian(Noise):
    """The normal law around 0 with a positive definite covariance (m, m)."""

    def __init__(self, covariance: Floats) -> None:
        self.covariance = np.asarray(covariance, dtype=float)
        self.dimension = len(self.covariance)
        self._law = NormalVector(np.zeros(self.dimension), self.covariance)

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        return self._law.sample(size, rng)

    def log_density(self, w: Floats) -> Floats:
        return self._law.log_density(w)

    def score(self, w: Floats) -> Floats:
        return np.asarray(-np.linalg.solve(self.covariance, w.T).T, dtype=float)

    def uniforms(self, w: Floats, rng: np.random.Generator) -> Floats:
        return self._law.uniforms(w, rng)

    def uniforms_if_scaled(self, levels: Floats, factor: float) -> Floats:
        return self._law.uniforms_if_scaled(levels, factor)


@dataclass(frozen=True)
class Divided(Noise):
    """w / factor."""

    noise: Noise
    factor: float

    @property
    def dimension(self) -> int:  # type: ignore[override]
        return self.noise.dimension

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        return self.noise.sample(size, rng) / self.factor

    def log_density(self, w: Floats) -> Floats:
        return self.noise.log_density(w * self.factor) + self.dimension * float(np.log(self.factor))

    def score(self, w: Floats) -> Floats:
        return self.noise.score(w * self.factor) * self.factor

    def uniforms(self, w: Floats, rng: np.random.Generator) -> Floats:
        return self.noise.uniforms(w * self.factor, rng)

    def uniforms_if_scaled(self, levels: Floats, factor: float) -> Floats:
        return self.noise.uniforms_if_scaled(levels, factor)


class Released(OutcomeLaw):
    """The law of centre + w."""

    def __init__(self, noise: Noise, centre: ArrayLike) -> None:
        self.noise = noise
        self.centre = np.atleast_1d(np.asarray(centre, dtype=float))
        if self.centre.shape != (noise.dimension,):
            raise ValueError(f"centre must have {noise.dimension} entries, got shape {self.centre.shape}")
        self.dimension = noise.dimension

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        return np.asarray(self.centre + self.noise.sample(size, rng), dtype=float)

    def log_density(self, y: Floats) -> Floats:
        return self.noise.log_density(y - self.centre)

    def score(self, y: Floats) -> Floats:
        """The gradient of the log density in y; with the opposite sign, the score of the centre."""
        return self.noise.score(y - self.centre)

    def uniforms(self, y: Floats, rng: np.random.Generator) -> Floats:
        return self.noise.uniforms(y - self.centre, rng)

    def uniforms_if_scaled(self, levels: Floats, factor: float) -> Floats:
        return self.noise.uniforms_if_scaled(levels, factor)
