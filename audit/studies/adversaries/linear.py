"""Linear adversaries of y = C x + w: least squares, weighted least squares, smoothers, and those who know all but one entry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ....mechanisms.dynamics import LinearSystem
from ....symbolic.arrays import Floats
from ....symbolic.errors import SpecError
from ....symbolic.proof.symmetric_matrix import SymmetricMatrix

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


def smoother(system: LinearSystem, horizon: int, covariance: ArrayLike | None = None) -> LinearEstimator:
    """The smoothing adversary of x[0] from all answers up to the horizon; knows the covariance of the stacked noise (white if None)."""
    psi = system.checked(horizon)
    v = np.eye(len(psi)) if covariance is None else covariance
    found = weighted_least_squares(psi, v)
    return LinearEstimator(
        "smoother" if covariance is not None else "smoother, noise taken as white", found.matrix, found.offset
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
