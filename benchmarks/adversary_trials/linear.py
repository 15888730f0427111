"""Linear adversaries of y = C x + w: least squares, weighted or not, those who know all but one entry, and the linearised one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from noiseproof.symbolic.arrays import Floats
from noiseproof.symbolic.errors import SpecError
from noiseproof.symbolic.information.query import Query
from noiseproof.symbolic.proof.symmetric_matrix import SymmetricMatrix

RANK = 1e-11


@dataclass(frozen=True)
class Split:
    """The exact mean squared error of a linear estimator: squared bias plus variance; `bias` (k,) is E[xhat] - x."""

    bias: Floats
    bias_squared: float
    variance: float

    @property
    def total(self) -> float:
        """E|xhat - x|^2."""
        return self.bias_squared + self.variance


@dataclass(frozen=True, eq=False)
class LinearEstimator:
    """xhat = H y + offset; `matrix` H (k, d), `offset` (k,), exact for the noise mean that was declared."""

    name: str
    matrix: Floats
    offset: Floats

    def __call__(self, y: Floats) -> Floats:
        return np.asarray(y @ self.matrix.T + self.offset, dtype=float)

    def split(
        self,
        matrix: ArrayLike,
        covariance: ArrayLike,
        record: ArrayLike,
        noise_mean: ArrayLike = 0.0,
        target: ArrayLike | None = None,
    ) -> Split:
        """Bias and variance about `target` (k,), the record x (n,) if None; noise of this covariance (d, d) and mean (d,)."""
        x = np.atleast_1d(np.asarray(record, dtype=float))
        truth = x if target is None else np.atleast_1d(np.asarray(target, dtype=float))
        if truth.shape != self.offset.shape:
            raise SpecError(
                f"{self.name} estimates {len(self.offset)} numbers, the target has shape {truth.shape}"
            )
        v = checked_covariance(covariance, self.matrix.shape[1])
        bias = (
            self.matrix @ (checked_matrix(matrix) @ x + np.asarray(noise_mean, dtype=float))
            + self.offset
            - truth
        )
        return Split(bias, float(bias @ bias), float(np.trace(self.matrix @ v @ self.matrix.T)))


def weighted_least_squares(
    matrix: ArrayLike, covariance: ArrayLike, noise_mean: ArrayLike = 0.0
) -> LinearEstimator:
    """The best linear unbiased estimator of x for noise of this covariance, which may be singular (Gauss-Markov, Rao 1971).

    Efficient, hence best of all, for normal noise.  ValueError if C has not full column rank.
    """
    c = checked_matrix(matrix)
    v = checked_covariance(covariance, len(c))
    values = np.linalg.svd(c, compute_uv=False)
    if c.shape[0] < c.shape[1] or values[-1] <= RANK * values[0]:
        raise SpecError(
            f"C is {c.shape[0]} x {c.shape[1]} and has not full column rank: no unbiased estimator of x exists"
        )
    # V + C C' instead of V: the same estimator, and invertible on the range where V alone is not (Rao 1971).
    scale = max(float(np.trace(v)), 1e-300) / max(float(np.trace(c @ c.T)), 1e-300)
    inverse = np.linalg.pinv(v + scale * c @ c.T, rcond=1e-13, hermitian=True)
    h = np.asarray(np.linalg.solve(c.T @ inverse @ c, c.T @ inverse), dtype=float)
    return LinearEstimator(
        "weighted least squares", h, -h @ np.broadcast_to(np.asarray(noise_mean, dtype=float), (len(c),))
    )


def checked_matrix(matrix: Any) -> Floats:
    c = np.atleast_2d(np.asarray(matrix.tolist() if hasattr(matrix, "tolist") else matrix, dtype=float))
    if c.ndim != 2 or not np.all(np.isfinite(c)):
        raise SpecError(f"expected a finite matrix, one row per answer, got shape {c.shape}")
    return c


def checked_covariance(covariance: ArrayLike, size: int) -> Floats:
    v = np.asarray(covariance, dtype=float)
    try:
        v = SymmetricMatrix.of("covariance", v * np.eye(size) if v.ndim == 0 else v).values
    except ValueError as error:
        raise SpecError(str(error)) from None
    if v.shape != (size, size) or np.linalg.eigvalsh(v)[0] < -1e-9 * max(np.abs(v).max(), 1e-300):
        raise SpecError(
            f"expected a symmetric positive semidefinite covariance of {size} x {size}, got shape {v.shape}"
        )
    return v


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
