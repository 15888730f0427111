"""Bounded noise of least Fisher information: the squared cosine on an interval."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ..symbolic.arrays import Floats
from ..symbolic.information.fisher import Information
from ..symbolic.information.noise import independent_information
from ..symbolic.laws import catalogue as laws
from ..symbolic.laws.law import Law
from ..symbolic.laws.vector import IndependentNoise, OutcomeLaw
from ..symbolic.privacy.shifted_pair import ShiftedLawPair
from ..symbolic.proof.enclosure import rational
from .additive import Additive, positive, whole
from .mechanism import WorstCase


class CosineMechanism(Additive):
    """The cosine-squared mechanism y = x + w: noise on [lower, upper] of least Fisher information.

    Entries of w are independent with density (2/L) cos^2(pi (w - mid)/L), L = upper - lower. Least Tr I among densities that
    vanish outside the box (farokhi2019, corollary 1). Its support moves with x: no pure epsilon is finite, which the worst case
    says. `sensitivity` is the distance of neighbours, who differ in one entry of `dimension`. All in the units of x. ValueError
    unless lower < upper and all is finite.

    >>> noise = npf.CosineMechanism(lower=-1.0, upper=1.0, sensitivity=0.1)
    >>> noise.noise_information().value, noise.noise_variance()
    (Matrix([[pi**2]]), (1/3 - 2/pi**2,))
    """

    name = "cosine-squared"
    summary = "adds bounded squared-cosine noise of least Fisher information"

    def __init__(self, lower: float, upper: float, dimension: int = 1, sensitivity: float = 1.0) -> None:
        if not (np.isfinite(lower) and np.isfinite(upper) and lower < upper):
            raise ValueError(
                f"the noise interval needs finite ends with lower < upper, got [{lower!r}, {upper!r}]"
            )
        self.lower, self.upper = float(lower), float(upper)
        self.dimension = whole("dimension", dimension)
        self.sensitivity = positive("sensitivity", sensitivity, "the distance of neighbours per entry")

    def _noise(self) -> Law:
        return laws.cosine_squared(rational(self.lower), rational(self.upper))

    def noise_law(self, centre: Floats) -> OutcomeLaw:
        return IndependentNoise(self._noise(), tuple(centre))

    def draw(self, size: int, rng: np.random.Generator) -> Floats:
        """Rejection under the flat envelope: a uniform point is kept with probability cos^2."""
        kept: list[Floats] = []
        missing = size * self.dimension
        while missing > 0:
            u = rng.uniform(-0.5, 0.5, size=2 * missing + 16)
            u = u[rng.random(u.size) < np.cos(np.pi * u) ** 2][:missing]
            kept.append(u)
            missing -= u.size
        middle, width = (self.lower + self.upper) / 2, self.upper - self.lower
        return middle + width * np.concatenate(kept).reshape(size, self.dimension)

    def neighbours(self) -> tuple[tuple[Any, Any], ...]:
        far = np.zeros(self.dimension)
        far[0] = self.sensitivity
        return ((np.zeros(self.dimension), far),)

    def worst_case(self) -> WorstCase:
        return WorstCase(ShiftedLawPair(self._noise(), rational(self.sensitivity)))

    def noise_information(self) -> Information:
        return independent_information(self._noise(), self.dimension)

    def with_noise_divided_by(self, factor: float) -> Self:
        middle, half = (self.lower + self.upper) / 2, (self.upper - self.lower) / 2 / factor
        return type(self)(middle - half, middle + half, self.dimension, self.sensitivity)
