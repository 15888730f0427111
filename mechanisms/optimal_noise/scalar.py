"""Noise on the line: density, score, distribution function, quantiles and a sampler, whatever it was found from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...symbolic.arrays import Floats
from ...symbolic.laws import catalogue as laws
from ...symbolic.laws.law import Law
from ...symbolic.laws.route import TabulatedRoute
from ...symbolic.proof.enclosure import rational

U_RESOLUTION = 1e-11
"""The largest |P(w <= inverted u) - u| asked of the numerical inversion."""


class Scalar(ABC):
    """A noise on the line; arguments and values are arrays of one shape."""

    ends: tuple[float, float]

    @abstractmethod
    def log_pdf(self, w: Floats) -> Floats:
        """The log density, -inf outside the support."""

    @abstractmethod
    def score(self, w: Floats) -> Floats:
        """d log density / dw inside the support; nan outside."""

    @abstractmethod
    def cdf(self, w: Floats) -> Floats:
        """P(noise <= w)."""

    @abstractmethod
    def quantile(self, u: Floats) -> Floats:
        """The smallest w with P(noise <= w) >= u."""

    @abstractmethod
    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """`size` independent draws, shape (size,)."""


@dataclass(frozen=True)
class ExactScalar(Scalar):
    """A noise whose law is known in closed form."""

    law: Law
    slope: Callable[[Floats], Floats]

    @property
    def ends(self) -> tuple[float, float]:  # type: ignore[override]
        return self.law.ends()

    def log_pdf(self, w: Floats) -> Floats:
        return self.law.log_pdf(w)

    def score(self, w: Floats) -> Floats:
        low, high = self.ends
        return np.asarray(np.where((w > low) & (w < high), self.slope(w), np.nan), dtype=float)

    def cdf(self, w: Floats) -> Floats:
        return self.law.cdf(w)

    def quantile(self, u: Floats) -> Floats:
        return self.law.quantile(u)

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        return np.asarray(self.law.sample(size, rng), dtype=float)


def cosine(lower: Any, upper: Any) -> ExactScalar:
    """The density (2/L) cos^2(pi (w - middle)/L) on [lower, upper], L = upper - lower."""
    low, high = rational(lower), rational(upper)
    middle, rate = float((low + high) / 2), float(np.pi / float(high - low))
    return ExactScalar(laws.cosine_squared(low, high), lambda w: -2 * rate * np.tan(rate * (w - middle)))


def normal(deviation: Any) -> ExactScalar:
    """The normal law around 0."""
    law = laws.normal(0, deviation)
    variance = float(deviation) ** 2
    return ExactScalar(law, lambda w: -w / variance)


class Inverted(Scalar):
    """A noise with a density only: tabulated for cdf and quantiles, drawn by numerical inversion.

    The inversion is scipy's polynomial one, whose error in u is at most U_RESOLUTION; the table's is about 1e-10.
    """

    mean: float
    deviation: float

    def pdf_at(self, w: float) -> float:
        """The density at one point: what the set-up of the inversion asks for thousands of times."""
        return float(np.exp(self.log_pdf(np.array([w])))[0])

    @cached_property
    def _table(self) -> TabulatedRoute:
        return TabulatedRoute.of(lambda w: np.exp(self.log_pdf(w)), self.ends, (self.mean, self.deviation))

    @cached_property
    def inversion(self) -> Any:
        """scipy's NumericalInversePolynomial of (w - mean)/deviation."""
        from scipy.stats.sampling import NumericalInversePolynomial

        low, high = ((end - self.mean) / self.deviation for end in self.ends)
        standard: Any = _Standardised(self)
        return NumericalInversePolynomial(standard, domain=(low, high), center=0.0, u_resolution=U_RESOLUTION)

    def cdf(self, w: Floats) -> Floats:
        return self._table.cdf(w)

    def quantile(self, u: Floats) -> Floats:
        return self._table.ppf(u)

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        drawn = self.inversion.ppf(rng.random(size))
        return np.asarray(np.clip(self.mean + self.deviation * drawn, *self.ends), dtype=float)


@dataclass(frozen=True)
class _Standardised:
    noise: Inverted

    def pdf(self, z: float) -> float:
        return self.noise.deviation * self.noise.pdf_at(self.noise.mean + self.noise.deviation * z)
