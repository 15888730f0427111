"""The law of one released record or vector in floating point, for statistics: independent noise of whole steps around whole steps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...symbolic.arrays import Floats
from ...symbolic.laws.vector import OutcomeLaw
from .sampler import GridNoise


@dataclass(frozen=True, eq=False)
class StepsOutcome(OutcomeLaw):
    """Independent columns 2^exponent (centre + k), k with the probabilities of a noise; centres in whole steps."""

    noises: tuple[Any, ...]
    centres: tuple[int, ...]

    @property
    def dimension(self) -> int:  # type: ignore[override]
        return len(self.noises)

    @property
    def _laws(self) -> tuple[Any, ...]:
        """The masses of each noise in floating point."""
        raise NotImplementedError

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """By the inverse of the distribution function: another way than the code's."""
        columns = [
            np.ldexp((law.steps_at(rng.random(size)) + c).astype(float), n.exponent)
            for law, n, c in zip(self._laws, self.noises, self.centres, strict=True)
        ]
        return np.stack(columns, axis=1)

    def _noise(self, y: Floats, j: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Column j of outcomes as whole steps of noise, and which of them lie on the grid."""
        scaled = np.ldexp(y[:, j], -self.noises[j].exponent)
        on_grid = np.isfinite(scaled) & (np.abs(scaled) < 2.0**62) & (scaled == np.rint(scaled))
        return np.where(on_grid, scaled, 0.0).astype(np.int64) - self.centres[j], on_grid

    def log_density(self, y: Floats) -> Floats:
        out = np.zeros(len(y))
        for j, law in enumerate(self._laws):
            k, on_grid = self._noise(y, j)
            out += np.where(on_grid, law.log_mass(k), -np.inf)
        return out

    def uniforms(self, y: Floats, rng: np.random.Generator) -> Floats:
        """F(k-) + V P(k) with V uniform, by `rng`: uniform, independent columns if y follows this law."""
        v = rng.random(y.shape)
        out = np.empty(y.shape)
        for j, law in enumerate(self._laws):
            k, on_grid = self._noise(y, j)
            # Off the grid the law has no mass: such outcomes count as far below.
            out[:, j] = np.where(on_grid, law.below(k) + v[:, j] * np.exp(law.log_mass(k)), 0.0)
        return out

    def uniforms_if_scaled(self, levels: Floats, factor: float) -> Floats:
        law = self._laws[0]
        return np.asarray(law.smoothed(factor * law.quantile(levels)), dtype=float)


class GridOutcome(StepsOutcome):
    """One released record: columns of GridNoise."""

    @cached_property
    def _laws(self) -> tuple[_Masses, ...]:
        return tuple(_masses(n) for n in self.noises)


@lru_cache(maxsize=32)
def _masses(noise: GridNoise) -> _Masses:
    return _Masses(noise)


class _Masses:
    """The masses of a GridNoise in floating point, for statistics."""

    def __init__(self, noise: GridNoise) -> None:
        self.noise = noise
        self.mass = np.array([float(w) for w in noise.weights]) * 2.0**-128
        self.tail = noise.tail * 2.0**-128
        self.rate = -np.log1p(-(2**64 - noise.ratio) * 2.0**-64) if noise.tail else np.inf
        self.before = self.tail + np.concatenate([[0.0], np.cumsum(self.mass)])
        self.points = np.arange(noise.first, noise.last + 2) - 0.5

    def log_mass(self, k: NDArray[np.int64]) -> Floats:
        inside = np.abs(k) <= self.noise.last
        at = np.log(self.mass[np.where(inside, k - self.noise.first, 0)])
        if not self.tail:
            return np.where(inside, at, -np.inf)
        beyond = np.abs(k) - self.noise.last - 1
        return np.where(
            inside, at, np.log(self.tail * -np.expm1(-self.rate)) - self.rate * np.maximum(beyond, 0)
        )

    def below(self, k: NDArray[np.int64]) -> Floats:
        """P(noise < k)."""
        last = self.noise.last
        at = self.before[np.clip(k - self.noise.first, 0, len(self.mass))]
        if not self.tail:
            return at
        left = self.tail * np.exp(-self.rate * np.maximum(-last - k, 0))
        right = 1 - self.tail * np.exp(-self.rate * np.maximum(k - last - 1, 0))
        return np.where(k < -last, left, np.where(k > last, right, at))

    def smoothed(self, x: Floats) -> Floats:
        """The distribution function, linear between half steps."""
        return np.interp(x, self.points, self.before, left=0.0, right=1.0)

    def quantile(self, levels: Floats) -> Floats:
        return np.asarray(np.interp(levels, self.before, self.points), dtype=float)

    def steps_at(self, u: Floats) -> NDArray[np.int64]:
        """The step at which the distribution function passes u (n,)."""
        k = np.searchsorted(self.before, u, side="right") + self.noise.first - 1
        if not self.tail:
            return np.clip(k, self.noise.first, self.noise.last)
        with np.errstate(divide="ignore"):
            share = np.where(u < 0.5, u, 1 - u) / self.tail
            beyond = np.floor(-np.log(np.clip(share, 1e-300, 1.0)) / self.rate).astype(np.int64) + 1
        k = np.where(u < self.before[0], self.noise.first - beyond, k)
        return np.where(u >= self.before[-1], self.noise.last + beyond, k)
