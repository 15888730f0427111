"""Adversaries of a released data set: each maps a release (q, p) to estimates (q, p) of all records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ....mechanisms.dataset_noise import NullSpaceNoise
from ....symbolic.arrays import Floats
from .error_bounds import posterior_mean

Estimator = Callable[[Floats], Floats]


@dataclass(frozen=True)
class RawRelease:
    """xhat = xbar: unbiased; no unbiased estimator is better for independent normal noise."""

    name: str = "raw release"

    def __call__(self, y: Floats) -> Floats:
        return y


@dataclass(frozen=True)
class Shrinkage:
    """Every record is pulled towards the mean of the release, as far as the noise covariance (p, p) explains its spread.

    Linear empirical Bayes: xhat = mean + T (T + V)^{-1} (xbar - mean), T the spread of the release less V, cut at zero.
    """

    covariance: Floats
    name: str = "shrinkage to the mean"

    def __call__(self, y: Floats) -> Floats:
        return _pulled(y, self.covariance)


@dataclass(frozen=True, eq=False)
class LabelKnowledge:
    """Shrinkage towards the mean of the records with the same label, which the release shows as it is; `labels` (q,)."""

    covariance: Floats
    labels: Floats
    name: str = "shrinkage to the mean of the label"

    def __call__(self, y: Floats) -> Floats:
        out = np.empty_like(y)
        for label in np.unique(self.labels):
            of = self.labels == label
            out[of] = _pulled(y[of], self.covariance) if of.sum() > 2 else y[of].mean(axis=0)
        return out


@dataclass(frozen=True, eq=False)
class PosteriorMean:
    """The posterior mean under a uniform prior on declared bounds `lower`, `upper` (p,); independent normal noise `deviation` (p,)."""

    lower: Floats
    upper: Floats
    deviation: Floats
    name: str = "knows the bounds"

    def __call__(self, y: Floats) -> Floats:
        centre, half = (self.upper + self.lower) / 2, (self.upper - self.lower) / 2
        return centre + posterior_mean(y - centre, self.deviation, half)


@dataclass(frozen=True, eq=False)
class NormalPrior:
    """The posterior mean under independent normal priors `mean`, `variance` (p,) or (q, p); normal noise of `noise_variance`."""

    mean: Floats
    variance: Floats
    noise_variance: float
    name: str = "normal prior"

    def __call__(self, y: Floats) -> Floats:
        gain = self.variance / (self.variance + self.noise_variance)
        return np.asarray(self.mean + gain * (y - self.mean), dtype=float)


@dataclass(frozen=True, eq=False)
class KnowsOthers:
    """Against null-space noise: record i from the release, the noise law and all OTHER records; exact for support vectors.

    sum_i c_i w_i = 0 gives w_i from the noises of the others; where c_i = 0 nothing is gained and xbar_i stands.
    """

    noise: NullSpaceNoise
    records: Floats
    name: str = "knows all other records"

    def __call__(self, y: Floats) -> Floats:
        c = self.noise.coefficients
        w = y - self.records
        # The total is zero but for rounding; subtracting the own term leaves what the others say.
        others = c @ w - c[:, None] * w
        known = c != 0
        out = y.copy()
        out[known] = y[known] + others[known] / c[known, None]
        return out


def _pulled(y: Floats, covariance: Floats) -> Floats:
    centre = y.mean(axis=0)
    spread = np.atleast_2d(np.cov(y, rowvar=False))
    root = np.linalg.cholesky(covariance)
    inverse = np.linalg.inv(root)
    values, vectors = np.linalg.eigh(inverse @ spread @ inverse.T)
    gain = root @ (vectors * np.maximum(1 - 1 / np.maximum(values, 1e-300), 0.0)) @ vectors.T @ inverse
    return np.asarray(centre + (y - centre) @ gain.T, dtype=float)
