"""The private part of RON-Gauss: noisy size, mean and second moments of unit records, one after the other.

All noise is added to sums.  With the number n of records public the sums are divided by n, which is noise of 1/n the
scale on averages; with n private they are divided by a noisy count, as post-processing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...symbolic.arrays import Floats
from .normalisation import renormalised


@dataclass(frozen=True)
class SumScales:
    """Laplace scales of the noise on the sum of the records, on the sum of x x', and on their number (None: public).

    `symmetric` puts noise on the upper triangle of the matrix and mirrors it, else each entry has its own.
    """

    mean: float
    covariance: float
    size: float | None
    symmetric: bool


@dataclass(frozen=True, eq=False)
class NoisyMoments:
    """What was released: `size` (n, or a noisy count of at least one), `mean` (m,), `second` (q, q)."""

    size: float
    mean: Floats
    second: Floats


def noisy_moments(
    unit: Floats, W: Floats, scales: SumScales, rng: np.random.Generator, labels: Floats | None = None
) -> NoisyMoments:
    """Noisy moments of unit records (n, m): the second ones after centring, re-normalising and projecting by W (m, p).

    `labels` (n,) are appended to the projected records as one more column.  Each release sees the data and the earlier
    releases only (adaptive composition).
    """
    n, m = unit.shape
    # A count below one would turn the sums' signs around.
    size = float(n) if scales.size is None else max(1.0, n + float(rng.laplace(0.0, scales.size)))
    mean = (unit.sum(axis=0) + rng.laplace(0.0, scales.mean, size=m)) / size
    rows = renormalised(unit, mean) @ W
    if labels is not None:
        rows = np.column_stack([rows, labels])
    noise = matrix_noise(rows.shape[1], scales.covariance, scales.symmetric, rng)
    return NoisyMoments(size, mean, (rows.T @ rows + noise) / size)


def matrix_noise(q: int, scale: float, symmetric: bool, rng: np.random.Generator) -> Floats:
    """A matrix (q, q) of Laplace numbers: all independent, or the upper triangle and its mirror image."""
    if not symmetric:
        return rng.laplace(0.0, scale, size=(q, q))
    upper = np.triu_indices(q)
    noise = np.zeros((q, q))
    noise[upper] = rng.laplace(0.0, scale, size=len(upper[0]))
    return np.asarray(noise + np.triu(noise, 1).T, dtype=float)
