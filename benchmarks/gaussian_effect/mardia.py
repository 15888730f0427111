"""Mardia's skewness and kurtosis, and a test of normality whose false alarms are counted by simulation (Mardia 1970)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from noiseproof.symbolic.arrays import Floats
from noiseproof.symbolic.errors import SpecError

from .inputs import records, whole


@dataclass(frozen=True)
class MardiaTest:
    """Skewness, kurtosis and their p-values; normal records are rejected at level a with probability at most a.

    The p-values are ranks among `draws` samples of as many normal records: exact at every n, since both statistics are
    the same for every mean and covariance.  Each of the two is one test: share the level for both.
    """

    skewness: float
    kurtosis: float
    skewness_p: float
    kurtosis_p: float
    draws: int


def mardia(Z: ArrayLike) -> tuple[float, float]:
    """Mardia's skewness and kurtosis of the records Z (n, p): near 0 and p (p + 2) for normal ones, n > p."""
    rows = records(Z, "Z")
    n, p = rows.shape
    if n <= p:
        raise SpecError(f"moment tests need more records than dimensions, got n = {n} and p = {p}: lower p")
    white = rows - rows.mean(axis=0)
    values, vectors = np.linalg.eigh(white.T @ white / n)
    if values[0] <= 1e-10 * values[-1]:
        raise SpecError("the covariance of Z is singular: its records lie in a subspace; lower p")
    white = white @ (vectors / np.sqrt(values))
    return _moments(white)


def mardia_test(Z: ArrayLike, rng: np.random.Generator, draws: int = 199) -> MardiaTest:
    """Whether Z (n, p) could be normal with any mean and covariance, by its third and fourth moments."""
    number = whole(draws, "draws", 19)
    skewness, kurtosis = mardia(Z)
    n, p = np.shape(Z)
    null = np.array([mardia(rng.standard_normal((n, p))) for _ in range(number)])
    above = (1 + np.sum(null >= [skewness, kurtosis], axis=0)) / (number + 1)
    below = (1 + np.sum(null[:, 1] <= kurtosis)) / (number + 1)
    two_sided = min(1.0, 2 * min(above[1], below))
    return MardiaTest(skewness, kurtosis, float(above[0]), float(two_sided), number)


def _moments(white: Floats) -> tuple[float, float]:
    n = len(white)
    # The mean of <z_i, z_j>^3 over all pairs is the squared length of the tensor of third moments.
    slices = [(white * column[:, None]).T @ white / n for column in white.T]
    return float(sum(np.sum(third**2) for third in slices)), float(np.mean(np.sum(white**2, axis=1) ** 2))
