"""The discrete Gaussian law (Canonne, Kamath and Steinke 2020)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from flint import arb, ctx
from numpy.typing import ArrayLike

from ...symbolic.arrays import Floats
from ...symbolic.proof.exact_numbers import ball
from .gaussian_sums import absolute_sum, second_moment, tail_sum, total
from .noise import BITS, DiscreteNoise, exactly, inside

LEAST_VARIANCE = Fraction(1, 16)
MOST_VARIANCE = Fraction(1 << 80)


@dataclass(frozen=True, init=False)
class DiscreteGaussian(DiscreteNoise):
    """The discrete Gaussian law P(k) proportional to exp(-k^2 / (2 variance)) on the integers, drawn exactly.

    `variance` is a fraction from 1/16 to 2^80, in steps^2: a Fraction, a float or text such as "25/4". SpecError for anything else.
    The parameter is kept as `proxy`; E[X^2], which `variance()` says, is below it: by less than 1e-14 of it from 1 on.
    `rho(distance_squared)` is the exact cost in zCDP. Source: Canonne, Kamath and Steinke 2020.

    >>> noise = npf.DiscreteGaussian(variance="25/4")
    >>> noise.rho(distance_squared=1), noise.half_width(confidence=0.95)
    (Fraction(2, 25), 5)
    """

    proxy: Fraction

    kind: ClassVar[str] = "gaussian"
    power: ClassVar[int] = 2

    def __init__(self, variance: Fraction | float | str) -> None:
        value = inside("variance", exactly("variance", variance), LEAST_VARIANCE, MOST_VARIANCE, "steps^2")
        object.__setattr__(self, "proxy", value)

    @property
    def rate(self) -> Fraction:
        return 1 / (2 * self.proxy)

    def parameters(self) -> dict[str, str]:
        return {"law": self.kind, "variance": str(self.proxy)}

    def rho(self, distance_squared: Fraction | int) -> Fraction:
        """What moving the centre of independent draws by the squared distance costs: d^2 / (2 variance) of zCDP, exactly.

        The Renyi divergence of order a of a shift by d whole steps is at most a d^2 / (2 variance), as that of the
        continuous law (Canonne, Kamath and Steinke 2020, theorem 4 and corollary 16); squares of coordinates add up.
        """
        return _distance("distance_squared", distance_squared) / (2 * self.proxy)

    def _mass(self, k: int) -> arb:
        return (-ball(k * k * self.rate)).exp() / total(self.proxy)

    def _outside(self, m: int) -> arb:
        return 2 * tail_sum(self.proxy, m + 1) / total(self.proxy)

    def _moments(self) -> tuple[arb, arb]:
        return second_moment(self.proxy), absolute_sum(self.proxy) / total(self.proxy)

    @cached_property
    def _log_total(self) -> float:
        with ctx.workprec(BITS):
            return float(total(self.proxy).log().mid())

    def log_mass(self, k: ArrayLike) -> Floats:
        steps = np.asarray(k).astype(float)
        return np.asarray(-(steps * steps) * float(self.rate) - self._log_total, dtype=float)


def _distance(name: str, value: Any) -> Fraction:
    return inside(name, exactly(name, value), Fraction(0), None, "steps^2")
