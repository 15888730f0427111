"""What a target asks of a noise: the widest law that stays within a distance with a probability, by its exact tail."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from ...symbolic.proof.exact_numbers import ball
from ..whole_noise import DiscreteGaussian, DiscreteLaplace, DiscreteNoise
from ..whole_noise.gaussian import LEAST_VARIANCE, MOST_VARIANCE
from ..whole_noise.laplace import LEAST_SCALE, MOST_SCALE

CONFIDENCE = Fraction(95, 100)
_DIGITS, _HALVINGS = 9, 40
_FAR = 1 << 62  # steps: no noise goes further


@dataclass(frozen=True)
class Target:
    """An error below `at_most` with probability `probability` in every cell, for cells of `size` records at least."""

    at_most: Fraction
    probability: Fraction = CONFIDENCE

    def half_of_risk(self) -> Fraction:
        """The probability with which each of two parts has to hold, so that both do with that of the target."""
        return 1 - (1 - self.probability) / 2


@lru_cache(maxsize=1024)
def widest(at_most: Fraction, probability: Fraction, noise: str) -> Fraction:
    """The variance of the widest noise, to nine digits, with P(|X| <= at_most) certainly at least `probability`; both in steps.

    It is the parameter of the Gaussian law, and twice the squared scale of the Laplace law.
    """
    m, allowed = min(int(at_most), _FAR), ball(1 - probability)

    def keeps(law: DiscreteNoise) -> bool:
        # Of two balls this is said where it is certain.
        return bool(law.outside(m) <= allowed)

    if noise == "gaussian":
        return _largest(lambda v: keeps(DiscreteGaussian(v)), LEAST_VARIANCE, MOST_VARIANCE, (m + 1.0) ** 2)
    return 2 * _largest(lambda s: keeps(DiscreteLaplace(s)), LEAST_SCALE, MOST_SCALE, m + 1.0) ** 2


def _largest(keeps: Callable[[Fraction], bool], least: Fraction, most: Fraction, about: float) -> Fraction:
    """The largest parameter for which `keeps` holds, which it does up to some number; `least` where it never does."""
    low, high = least, min(most, Fraction(16 * about))
    if keeps(high):
        return high
    for _ in range(_HALVINGS):
        middle = Fraction(f"{math.sqrt(float(low) * float(high)):.{_DIGITS}e}")
        if not low < middle < high:
            break
        low, high = (middle, high) if keeps(middle) else (low, middle)
    return low
