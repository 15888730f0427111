"""Laplace noise on a grid of powers of two, drawn as whole numbers: geometric noise, or a correctly rounded Laplace release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noiseproof.mechanisms.additive import positive
from noiseproof.mechanisms.black_box import BlackBox
from noiseproof.symbolic.arrays import Floats
from noiseproof.symbolic.privacy.guarantees import PureDP

_FINEST, _COARSEST = -50, 60
_FLAT = 0.125  # a block of steps over which the law falls by less than this share
_MOST = 2.0**62  # whole numbers of 64 bits


@dataclass(frozen=True)
class GridLaplace:
    """y = x + 2^exponent G with P(G = g) proportional to e^(-epsilon 2^exponent |g|/sensitivity), then rounded to a double.

    The sum is a whole number of steps; its conversion to a double is the only rounding and comes last, so that it adds
    nothing to the loss (Ghosh, Roughgarden and Sundararajan 2009 for one step; Balcer and Vadhan 2018).  `exponent` 0 is
    geometric noise, -50 a Laplace release that is correctly rounded.  Inputs must lie on the grid.  The masses of the sampler
    are right to about 2^-50 in total.
    """

    epsilon: float
    sensitivity: float = 1.0
    exponent: int = 0

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon, "the privacy parameter")
        positive("sensitivity", self.sensitivity, "the distance of neighbours")
        if isinstance(self.exponent, bool) or int(self.exponent) != self.exponent:
            raise ValueError(
                f"exponent must be a whole number, the grid is 2^exponent, got {self.exponent!r}"
            )
        if not _FINEST <= self.exponent <= _COARSEST or 64 / self.rate > _MOST:
            raise ValueError(
                f"the grid 2^{self.exponent} does not hold noise of scale {self.sensitivity / self.epsilon:g} in 64 bits: choose an "
                f"exponent from {_FINEST} to {_COARSEST}, and less than 2^56 steps per scale"
            )

    @property
    def rate(self) -> float:
        """The loss of one step of the grid."""
        return self.epsilon * 2.0**self.exponent / self.sensitivity

    @property
    def guarantee(self) -> PureDP:
        """What the release keeps."""
        return PureDP(self.epsilon)

    def release(self, data: Any, size: int, rng: np.random.Generator) -> Floats:
        """`size` doubles for one number on the grid; ValueError if it lies off the grid or beyond 2^61 steps."""
        steps = float(data) * 2.0**-self.exponent
        if not (abs(steps) < _MOST / 2 and steps == np.rint(steps)):
            raise ValueError(f"expected a multiple of 2^{self.exponent}, got {data!r}: round the query first")
        noise = self._geometric(size, rng) - self._geometric(size, rng)
        return np.asarray(np.ldexp((np.int64(steps) + noise).astype(float), self.exponent), dtype=float)

    def box(self, zero: float, one: float) -> BlackBox:
        """The release as a subject, with two inputs."""
        return BlackBox(self.release, (zero, one), name=f"Laplace noise on the grid 2^{self.exponent}")

    def _geometric(self, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Whole numbers g >= 0 with masses proportional to e^(-rate g): the number of a block, and the place inside it."""
        block = 1 << max(0, int(np.floor(np.log2(_FLAT / self.rate))))
        first = np.floor(rng.standard_exponential(size) / (self.rate * block)).astype(np.int64)
        place = np.zeros(size, dtype=np.int64)
        rows = np.arange(size if block > 1 else 0)
        while len(rows):
            # Almost uniform inside a block: drawn uniformly, kept with probability e^(-rate g).
            place[rows] = rng.integers(0, block, size=len(rows))
            rows = rows[rng.random(len(rows)) >= np.exp(-self.rate * place[rows])]
        return first * block + place
