"""Adversaries who know the shape of the noise: Pitman's estimator, maximum likelihood, and two that use more.

y holds k independent responses to one question, each of d entries with independent noise of one scalar law.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import sympy as sp

from noiseproof.symbolic.arrays import Floats
from noiseproof.symbolic.errors import SpecError
from noiseproof.symbolic.information.fisher import location_information
from noiseproof.symbolic.laws.law import Law, smooth_derivative
from noiseproof.symbolic.proof.derivation import Derivation, Step
from noiseproof.symbolic.proof.enclosure import is_zero
from noiseproof.symbolic.proof.truth import Truth

_TAIL = (1e-12, 1e-8, 1e-5, 1e-3, 0.01, 0.03)
_LEVELS = np.array([*_TAIL, *np.linspace(0.06, 0.94, 17), *(1 - u for u in reversed(_TAIL))])
_ABSCISSAE, _WEIGHTS = np.polynomial.legendre.leggauss(3)
_ROWS = 4096
ATTAINMENT = (
    "equality in the Cauchy-Schwarz inequality behind Cramer-Rao at every location t means delta(y) = t - s(y - t)/I on the "
    "support: where the supports of two locations overlap, the score s is affine with slope -I"
)


@dataclass(frozen=True)
class _Location(ABC):
    """An estimator of the location from `responses` independent responses of `entries` numbers each."""

    law: Law
    responses: int = 1
    entries: int = 1

    def __post_init__(self) -> None:
        if self.law.discrete or self.law.free_symbols:
            raise SpecError(f"expected a law with a density and no free parameters, got {self.law.name}")
        if self.responses < 1 or self.entries < 1:
            raise SpecError(
                f"responses and entries are whole numbers >= 1, got {self.responses} and {self.entries}"
            )

    def _columns(self, y: Floats) -> Floats:
        """Responses (size * entries, k)."""
        if y.ndim != 2 or y.shape[1] != self.responses * self.entries:
            raise SpecError(
                f"expected {self.responses} responses of {self.entries} numbers per row, got shape {y.shape}"
            )
        return y.reshape(len(y), self.responses, self.entries).swapaxes(1, 2).reshape(-1, self.responses)

    @abstractmethod
    def _locate(self, rows: Floats) -> Floats:
        """The estimates (rows,) for responses (rows, k)."""

    def _by_rows(self, rows: Floats) -> Floats:
        """Block by block, so that the grids stay small in memory."""
        return np.concatenate([self._locate(rows[i : i + _ROWS]) for i in range(0, len(rows), _ROWS)])

    def _likelihood(self, y: Floats, t: Floats) -> Floats:
        """The log likelihood of locations t (rows, nodes) for responses y (rows, k)."""
        total = np.zeros_like(t)
        for j in range(y.shape[1]):
            total += self.law.log_pdf(y[:, j, None] - t)
        return total

    def _nodes(self, y: Floats) -> Floats:
        """Sorted locations (rows, nodes) at which some response lies at some quantile, cut to where the likelihood lives."""
        t = np.sort((y[:, :, None] - self._quantiles).reshape(len(y), -1), axis=1)
        low, high = self.law.ends()
        return np.clip(t, (y.max(axis=1) - high)[:, None], (y.min(axis=1) - low)[:, None])

    @cached_property
    def _quantiles(self) -> Floats:
        ends = [e for e in self.law.ends() if np.isfinite(e)]
        return np.unique(np.concatenate([self.law.quantile(_LEVELS), ends]))


@dataclass(frozen=True)
class Pitman(_Location):
    """The mean of the likelihood as a density of the location: unbiased, minimax, least risk of all shift-equivariant ones.

    For one response it is y - E w.  Efficient only for normal noise (Lehmann and Casella 1998, 3.1 and 5.4).
    """

    name: str = "Pitman"

    def __call__(self, y: Floats) -> Floats:
        rows = self._columns(y)
        if self.responses == 1:
            return rows.reshape(len(y), self.entries) - self._mean
        return self._by_rows(rows).reshape(len(y), self.entries)

    def _locate(self, rows: Floats) -> Floats:
        nodes = self._nodes(rows)
        middle, half = (nodes[:, 1:] + nodes[:, :-1]) / 2, (nodes[:, 1:] - nodes[:, :-1]) / 2
        # Gauss-Legendre with three points between neighbouring nodes: kinks of the density lie on nodes.
        t = np.concatenate([middle + x * half for x in _ABSCISSAE], axis=1)
        width = np.concatenate([w * half for w in _WEIGHTS], axis=1)
        log_likelihood = self._likelihood(rows, t)
        weight = np.exp(log_likelihood - log_likelihood.max(axis=1, keepdims=True)) * width
        return np.asarray((weight * t).sum(axis=1) / weight.sum(axis=1), dtype=float)

    @cached_property
    def _mean(self) -> float:
        mean = self.law.mean()
        if mean.is_finite is False or mean is sp.nan:
            raise SpecError(f"{self.law.name} has no mean: Pitman's estimator needs more than one response")
        return float(mean)


@dataclass(frozen=True)
class MaximumLikelihood(_Location):
    """The location of largest likelihood; biased if the noise is not symmetric and the responses are few."""

    name: str = "maximum likelihood"

    def __call__(self, y: Floats) -> Floats:
        rows = self._columns(y)
        if self.responses == 1:
            return rows.reshape(len(y), self.entries) - self._mode
        return self._by_rows(rows).reshape(len(y), self.entries)

    @cached_property
    def _mode(self) -> float:
        return -float(self._locate(np.zeros((1, 1)))[0])

    def _locate(self, rows: Floats) -> Floats:
        t = self._nodes(rows)
        at = np.argmax(self._likelihood(rows, t), axis=1)[:, None]
        a, b = (np.take_along_axis(t, np.clip(at + k, 0, t.shape[1] - 1), axis=1) for k in (-1, 1))
        for _ in range(4):
            near = a + (b - a) * np.linspace(0.0, 1.0, 25)
            best = np.take_along_axis(near, np.argmax(self._likelihood(rows, near), axis=1)[:, None], axis=1)
            step = (b - a) / 24
            a, b = np.maximum(best - step, a), np.minimum(best + step, b)
        return np.asarray(best[:, 0], dtype=float)


@dataclass(frozen=True)
class CensoredLaplace:
    """Unbiased from one Laplace response for locations in [lower, upper]: beyond, y is replaced by the mean of that tail.

    Its variance is 2 b^2 - b^2 P(y outside), less than that of y; it nears the Cramer-Rao bound b^2 for short intervals.
    """

    scale: float
    lower: float
    upper: float
    name: str = "knows the interval of the answer"

    def __call__(self, y: Floats) -> Floats:
        inside = np.clip(y, self.lower, self.upper)
        return np.where(
            y > self.upper, self.upper + self.scale, np.where(y < self.lower, self.lower - self.scale, inside)
        )

    def variance(self, location: float) -> float:
        """The exact variance at a location inside the interval."""
        outside = (
            np.exp((location - self.upper) / self.scale) + np.exp((self.lower - location) / self.scale)
        ) / 2
        return float(self.scale**2 * (2 - outside))


@dataclass(frozen=True)
class LocalScore:
    """near + score(y - near)/I: unbiased to first order at `near`, where it attains the Cramer-Rao bound, for any such law.

    The law must be positive on the whole line: where a bounded support moves, the mean of the score does not exist.
    """

    law: Law
    near: float
    name: str = "score at the true location"

    def __post_init__(self) -> None:
        if any(np.isfinite(end) for end in self.law.ends()):
            raise SpecError(
                f"{self.law.name} has a bounded end: its score has no mean once the location moves"
            )

    def __call__(self, y: Floats) -> Floats:
        return np.asarray(self.near - self._score(y - self.near) / self._information, dtype=float)

    @cached_property
    def _information(self) -> float:
        known = location_information(self.law)
        if known.numeric is None:
            raise SpecError(f"there is no location information: {known.reason}")
        return float(known.numeric[0, 0])

    @cached_property
    def _score(self) -> np.ufunc:
        return sp.lambdify(self.law.variable, self.law.score(), modules=["numpy", "scipy"])  # type: ignore[no-any-return]


def efficiency(law: Law) -> sp.Expr:
    """1/(I Var), exact: how near the Pitman estimator of one response, y - E w, comes to the Cramer-Rao bound."""
    known = location_information(law)
    return sp.simplify(1 / (known.scalar * law.variance()))


def efficient_exists(law: Law) -> tuple[Truth, Derivation]:
    """Whether one response has an unbiased estimator that attains the Cramer-Rao bound at every location: only for normal noise."""
    known = location_information(law)
    slope = smooth_derivative(law.score(), law.variable)
    step = Step(
        sp.simplify(slope),
        "=",
        -known.scalar,
        "the score is affine with slope -I",
        how=lambda a, b: is_zero(a - b),
    )
    derivation = Derivation("the bound is attained at every location", (step,), (ATTAINMENT,))
    return step.check(), derivation
