"""The snapping mechanism: Laplace noise from floating-point numbers whose bits tell nothing beyond its claim."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from noiseproof.mechanisms.additive import positive
from noiseproof.mechanisms.black_box import BlackBox
from noiseproof.symbolic.arrays import Floats
from noiseproof.symbolic.privacy.guarantees import PureDP


@dataclass(frozen=True)
class Snapping:
    """y = clamp(round(clamp(x) + scale * S * log U)) to multiples of the least power of two >= scale (Mironov 2012).

    U is uniform on all doubles of (0, 1), S a sign, `bound` the clamp.  For inputs one apart the release keeps
    (1 + 2^-49 bound)/scale by Mironov's theorem 1, which asks for a correctly rounded logarithm; that of the C
    library is off by a little more than half a unit in the last place, far below the rounding to the grid.
    """

    scale: float
    bound: float

    def __post_init__(self) -> None:
        positive("scale", self.scale, "of the noise, for inputs one apart")
        positive("bound", self.bound, "outcomes are clamped to [-bound, bound]")
        if not self.scale < self.bound < 2.0**46 * self.scale:
            raise ValueError(
                f"bound must lie between the scale and 2^46 scales (theorem 1 of Mironov 2012), got {self.bound!r}"
            )

    @property
    def grid(self) -> float:
        """The least power of two that is at least the scale."""
        return float(2.0 ** np.ceil(np.log2(self.scale)))

    @property
    def guarantee(self) -> PureDP:
        """What the theorem says of inputs one apart."""
        return PureDP((1 + 2.0**-49 * self.bound) / self.scale)

    def release(self, data: Any, size: int, rng: np.random.Generator) -> Floats:
        """`size` snapped outcomes of one number."""
        from scipy import special

        # A geometric exponent and 52 bits behind it: every double of (0, 1) with the length of what rounds to it.
        uniform = np.ldexp(1 + rng.integers(0, 2**52, size=size) * 2.0**-52, -rng.geometric(0.5, size=size))
        noise = self.scale * special.xlogy(1.0, uniform)
        shifted = np.clip(float(data), -self.bound, self.bound) + np.where(
            rng.random(size) < 0.5, noise, -noise
        )
        snapped = np.floor(shifted / self.grid + 0.5) * self.grid
        return np.asarray(np.clip(snapped, -self.bound, self.bound), dtype=float)

    def box(self, zero: float, one: float) -> BlackBox:
        """The release as a subject, with two inputs one apart at most."""
        if not abs(float(zero) - float(one)) <= 1:
            raise ValueError(f"the theorem is about inputs at most one apart, got {zero!r} and {one!r}")
        return BlackBox(self.release, (zero, one), name="snapping mechanism")
