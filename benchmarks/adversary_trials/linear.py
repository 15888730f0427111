"""Linear adversaries: least squares, those who know all but one entry, and the linearised one."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from noiseproof.audit.studies.adversaries.linear import (
    RANK,
    LinearEstimator,
    checked_covariance,
    checked_matrix,
    weighted_least_squares,
)
from noiseproof.symbolic.errors import SpecError
from noiseproof.symbolic.information.query import Query


def least_squares(matrix: ArrayLike, noise_mean: ArrayLike = 0.0) -> LinearEstimator:
    """xhat = C^+ (y - E w): the shortest of all least-squares solutions; unbiased for C^+ C x (example 2 of Farokhi, Sandberg 2019)."""
    c = checked_matrix(matrix)
    h = np.asarray(np.linalg.pinv(c), dtype=float)
    return LinearEstimator(
        "least squares", h, -h @ np.broadcast_to(np.asarray(noise_mean, dtype=float), (len(c),))
    )


def informed(
    matrix: ArrayLike, covariance: ArrayLike, record: ArrayLike, noise_mean: ArrayLike = 0.0
) -> LinearEstimator:
    """Row i estimates x_i by an adversary who knows every other entry of the record: unbiased, variance 1/(c_i' V^{-1} c_i).

    Efficient for normal noise: 1/I_ii.  V must be invertible.
    """
    c, x = checked_matrix(matrix), np.atleast_1d(np.asarray(record, dtype=float))
    v = checked_covariance(covariance, len(c))
    if np.linalg.cond(v) > 1 / RANK:
        raise SpecError(
            "the noise covariance is singular: an adversary who knows the other entries may see x_i without noise"
        )
    weighted = np.linalg.solve(v, c)
    strength = np.einsum("ij,ij->j", c, weighted)
    if np.any(strength <= 0):
        raise SpecError(
            f"entry {int(np.argmin(strength))} of the record never shows in the answers: no unbiased estimator of it exists"
        )
    h = (weighted / strength).T
    mean = np.broadcast_to(np.asarray(noise_mean, dtype=float), (len(c),))
    others = h @ (c @ x + mean) - np.einsum("ij,ji->i", h, c) * x
    return LinearEstimator("knows all other entries", h, -others)


def linearised(
    query: Query, covariance: ArrayLike, near: ArrayLike, noise_mean: ArrayLike = 0.0
) -> LinearEstimator:
    """x0 + (F'V^{-1}F)^{-1} F'V^{-1} (y - f(x0) - E w): unbiased to first order at x0, efficient there for normal noise.

    For any differentiable query whose Jacobian at x0 has full column rank.
    """
    x0 = np.atleast_1d(np.asarray(near, dtype=float))
    inner = weighted_least_squares(query.slope(x0), covariance)
    mean = np.broadcast_to(np.asarray(noise_mean, dtype=float), (query.outputs,))
    return LinearEstimator("linearised at the record", inner.matrix, x0 - inner.matrix @ (query(x0) + mean))
