"""Laws of whole outcomes: vectors of noise around a centre, and finite categories."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from ..arrays import Floats
from ..proof.enclosed_matrices import triangular_factor
from ..proof.exact_matrices import decimals
from ..proof.symmetric_matrix import SymmetricMatrix
from .law import Law
from .route import TabulatedRoute

# Share of a variance that is left once the entries before are known: below it doubles lose digits.
_QUIET = 1e-3
_LARGEST = 60


class OutcomeLaw(ABC):
    """The law of one outcome, a vector in R^d; samples and points have shape (size, d)."""

    dimension: int

    @abstractmethod
    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """`size` independent outcomes, shape (size, d)."""

    @abstractmethod
    def log_density(self, y: Floats) -> Floats:
        """Log density (or log mass) at the rows of y (size, d); -inf off the support."""

    @abstractmethod
    def uniforms(self, y: Floats, rng: np.random.Generator) -> Floats:
        """The Rosenblatt transform: rows of independent U(0, 1) numbers if y follows this law, shape (size, d).

        Between the steps of a discrete law they are drawn by `rng`, which must not follow from y.
        """

    @abstractmethod
    def uniforms_if_scaled(self, levels: Floats, factor: float) -> Floats:
        """P(uniform <= level) for outcomes whose noise was divided by `factor`."""


@dataclass(frozen=True)
class IndependentNoise(OutcomeLaw):
    """centre + w, the entries of w independent with one scalar law."""

    noise: Law
    centre: tuple[float, ...]

    @property
    def dimension(self) -> int:  # type: ignore[override]
        return len(self.centre)

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        w = self.noise.sample(size * self.dimension, rng).reshape(size, self.dimension)
        return np.asarray(self.centre + w, dtype=float)

    def log_density(self, y: Floats) -> Floats:
        return np.asarray(self.noise.log_pdf(y - np.asarray(self.centre)).sum(axis=1), dtype=float)

    def uniforms(self, y: Floats, rng: np.random.Generator) -> Floats:
        return np.asarray(self.noise.cdf(y - np.asarray(self.centre)), dtype=float)

    def uniforms_if_scaled(self, levels: Floats, factor: float) -> Floats:
        return np.asarray(self.noise.cdf(factor * self.noise.quantile(levels)), dtype=float)


class TabulatedScalar(OutcomeLaw):
    """A law on the line known by its density function only, tabulated; ValueError if the density does not integrate to 1."""

    dimension = 1

    def __init__(self, pdf: Callable[[Floats], Floats]) -> None:
        self._pdf = pdf
        self._route = TabulatedRoute.of(pdf, (-np.inf, np.inf))
        self._quantiles: tuple[bytes, Floats] = (b"", np.zeros(0))

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        return np.asarray(self._route.rvs(size=size, random_state=rng), dtype=float).reshape(size, 1)

    def log_density(self, y: Floats) -> Floats:
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self._pdf(y[:, 0])), dtype=float)

    def uniforms(self, y: Floats, rng: np.random.Generator) -> Floats:
        return np.asarray(self._route.cdf(y[:, 0]), dtype=float).reshape(len(y), 1)

    def uniforms_if_scaled(self, levels: Floats, factor: float) -> Floats:
        # The levels are the same for one factor after the other, and each quantile is a search.
        if self._quantiles[0] != levels.tobytes():
            self._quantiles = levels.tobytes(), self._route.ppf(np.append(levels, 0.5))
        *quantiles, centre = self._quantiles[1]
        return np.asarray(self._route.cdf(centre + factor * (np.array(quantiles) - centre)), dtype=float)


class NormalVector(OutcomeLaw):
    """The normal law with the given centre (d,) and positive definite covariance (d, d)."""

    def __init__(self, centre: ArrayLike, covariance: ArrayLike | SymmetricMatrix) -> None:
        self.centre = np.atleast_1d(np.asarray(centre, dtype=float))
        values = covariance.values if isinstance(covariance, SymmetricMatrix) else covariance
        self.covariance = np.atleast_2d(np.asarray(values, dtype=float))
        self.dimension = self.centre.size
        self._diagonal = not np.any(self.covariance - np.diag(np.diag(self.covariance)))
        self._factor = _factor(covariance, self.covariance)

    def whitened(self, y: Floats) -> Floats:
        """Rows of independent standard normal numbers if y (size, d) follows this law."""
        centred = y - self.centre
        if self._diagonal:
            return np.asarray(centred / np.diag(self._factor), dtype=float)
        from scipy.linalg import solve_triangular

        return np.asarray(solve_triangular(self._factor, centred.T, lower=True).T, dtype=float)

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        z = rng.standard_normal((size, self.dimension))
        scaled = z * np.diag(self._factor) if self._diagonal else z @ self._factor.T
        return np.asarray(self.centre + scaled, dtype=float)

    def log_density(self, y: Floats) -> Floats:
        z = self.whitened(y)
        constant = np.log(np.diag(self._factor)).sum() + 0.5 * self.dimension * np.log(2 * np.pi)
        return np.asarray(-0.5 * np.einsum("ij,ij->i", z, z) - constant, dtype=float)

    def uniforms(self, y: Floats, rng: np.random.Generator) -> Floats:
        return np.asarray(special.ndtr(self.whitened(y)), dtype=float)

    def uniforms_if_scaled(self, levels: Floats, factor: float) -> Floats:
        return np.asarray(special.ndtr(factor * special.ndtri(levels)), dtype=float)


def _factor(given: ArrayLike | SymmetricMatrix, covariance: Floats) -> Floats:
    """L with L L' = S, exact but for one rounding where floating point would lose a quiet direction."""
    try:
        factor = np.linalg.cholesky(covariance)
    except np.linalg.LinAlgError:
        factor = np.zeros_like(covariance)
    shares = np.diag(factor) ** 2 / np.diag(covariance)
    if np.all(shares > _QUIET) or (len(factor) > _LARGEST and np.all(shares > 0)):
        return np.asarray(factor, dtype=float)
    return triangular_factor(given.exact if isinstance(given, SymmetricMatrix) else decimals(covariance))


@dataclass(frozen=True)
class Categories(OutcomeLaw):
    """A law on the integers 0, ..., k-1."""

    probabilities: tuple[float, ...]
    dimension: int = 1

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        return rng.choice(len(self.probabilities), size=(size, 1), p=self.probabilities).astype(float)

    def log_density(self, y: Floats) -> Floats:
        code = y[:, 0]
        known = (code >= 0) & (code < len(self.probabilities)) & (code == np.floor(code))
        p = np.asarray(self.probabilities)[np.where(known, code, 0).astype(int)]
        with np.errstate(divide="ignore"):
            return np.asarray(np.where(known, np.log(p), -np.inf), dtype=float)

    def uniforms(self, y: Floats, rng: np.random.Generator) -> Floats:
        raise TypeError("a discrete law has no continuous transform: compare category counts")

    def uniforms_if_scaled(self, levels: Floats, factor: float) -> Floats:
        raise TypeError("a discrete law has no noise to scale")
