"""The law of one released vector of whole numbers in floating point, for statistics."""

from __future__ import annotations

from functools import cached_property, lru_cache

import numpy as np
from scipy import special

from ...symbolic.arrays import Floats
from ..grid_noise.outcome import StepsOutcome
from .gaussian import DiscreteGaussian
from .noise import DiscreteNoise

_TABLED = 1 << 12  # the largest deviation of a Gaussian law whose masses are added up
_REACH = 40  # deviations that a table covers
_HALVINGS = 64


class WholeOutcome(StepsOutcome):
    """One released vector: columns of DiscreteNoise."""

    @cached_property
    def _laws(self) -> tuple[_Steps, ...]:
        return tuple(_steps(n) for n in self.noises)


@lru_cache(maxsize=32)
def _steps(noise: DiscreteNoise) -> _Steps:
    return _Steps(noise)


class _Steps:
    """The distribution function of discrete noise in doubles: within 1e-8 everywhere."""

    def __init__(self, noise: DiscreteNoise) -> None:
        self.noise, self.log_mass = noise, noise.log_mass
        self.scale = float(noise.standard_deviation())
        self.table: Floats | None = None
        if isinstance(noise, DiscreteGaussian) and self.scale <= _TABLED:
            last = int(_REACH * self.scale) + _REACH
            masses = np.exp(noise.log_mass(np.arange(-last, last + 1)))
            self.table = np.concatenate([[0.0], np.cumsum(masses)])

    def below(self, k: Floats) -> Floats:
        """P(noise < k) for whole k."""
        if self.table is not None:
            place = np.clip(k + len(self.table) // 2 - 1, 0, len(self.table) - 1).astype(np.int64)
            return np.asarray(self.table[place], dtype=float)
        if isinstance(self.noise, DiscreteGaussian):
            # The midpoint rule: off by less than 1 / (24 s^2) of the density's largest slope.
            return np.asarray(special.ndtr((k - 0.5) / np.sqrt(float(self.noise.proxy))), dtype=float)
        rate = float(self.noise.rate)
        tail = np.exp(-rate * np.where(k > 0, k, 1 - k)) / (1 + np.exp(-rate))
        return np.asarray(np.where(k > 0, 1 - tail, tail), dtype=float)

    def steps_at(self, u: Floats) -> Floats:
        """The whole number at which the distribution function passes u (n,), by halving."""
        reach = 64.0 * self.scale + 64.0
        low, high = np.full(u.shape, -np.ceil(reach)), np.full(u.shape, np.ceil(reach))
        for _ in range(_HALVINGS):
            middle = np.floor((low + high) / 2)
            passed = self.below(middle + 1) > u
            low, high = np.where(passed, low, middle), np.where(passed, middle, high)
            if (high - low <= 1).all():
                break
        return np.asarray(high, dtype=float)

    def smoothed(self, x: Floats) -> Floats:
        """The distribution function, linear between half steps."""
        k = np.floor(x + 0.5)
        return np.asarray(self.below(k) + (x + 0.5 - k) * np.exp(self.log_mass(k)), dtype=float)

    def quantile(self, levels: Floats) -> Floats:
        """The inverse of `smoothed`."""
        k = self.steps_at(np.asarray(levels, dtype=float))
        mass = np.exp(self.log_mass(k))
        return np.asarray(k - 0.5 + np.clip((levels - self.below(k)) / mass, 0.0, 1.0), dtype=float)
