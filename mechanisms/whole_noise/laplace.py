"""The discrete Laplace law, also called the two-sided geometric law (Ghosh, Roughgarden and Sundararajan 2012)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
from flint import arb, ctx
from numpy.typing import ArrayLike

from ...symbolic.arrays import Floats
from ...symbolic.proof.exact_numbers import ball
from .noise import BITS, DiscreteNoise, exactly, inside

LEAST_SCALE = Fraction(1, 16)
MOST_SCALE = Fraction(1 << 40)


@dataclass(frozen=True, init=False)
class DiscreteLaplace(DiscreteNoise):
    """The discrete Laplace law P(k) proportional to exp(-|k| / scale) on the integers, drawn exactly.

    `scale` is a fraction from 1/16 to 2^40, in steps: a Fraction, a float or text such as "7/2". SpecError for anything else.
    `epsilon(distance)` is the exact cost. Source: Ghosh, Roughgarden and Sundararajan 2012 (the geometric mechanism).

    >>> noise = npf.DiscreteLaplace(scale=3)
    >>> noise.epsilon(distance=1), round(noise.standard_deviation(), 3)
    (Fraction(1, 3), 4.223)
    """

    scale: Fraction

    kind: ClassVar[str] = "laplace"
    power: ClassVar[int] = 1

    def __init__(self, scale: Fraction | float | str) -> None:
        value = inside("scale", exactly("scale", scale), LEAST_SCALE, MOST_SCALE, "steps")
        object.__setattr__(self, "scale", value)

    @property
    def rate(self) -> Fraction:
        return 1 / self.scale

    def parameters(self) -> dict[str, str]:
        return {"law": self.kind, "scale": str(self.scale)}

    def epsilon(self, distance: Fraction | int) -> Fraction:
        """What moving the centre of independent draws by the l1 distance costs: d / scale of pure epsilon, exactly."""
        return inside("distance", exactly("distance", distance), Fraction(0), None, "steps") / self.scale

    def _mass(self, k: int) -> arb:
        return self._peak() * (-ball(k * self.rate)).exp()

    def _outside(self, m: int) -> arb:
        # The sum over k > m of (1 - q) / (1 + q) q^k on both sides, q = e^(-1/scale).
        return 2 * (-ball((m + 1) * self.rate)).exp() / (1 + self._ratio())

    def _moments(self) -> tuple[arb, arb]:
        q, rest = self._ratio(), -(-ball(self.rate)).expm1()
        return 2 * q / rest**2, 2 * q / (rest * (1 + q))

    def _ratio(self) -> arb:
        return (-ball(self.rate)).exp()

    def _peak(self) -> arb:
        return (ball(self.rate) / 2).tanh()

    @cached_property
    def _log_peak(self) -> float:
        with ctx.workprec(BITS):
            return float(self._peak().log().mid())

    def log_mass(self, k: ArrayLike) -> Floats:
        steps = np.abs(np.asarray(k).astype(float))
        return np.asarray(self._log_peak - steps * float(self.rate), dtype=float)
