"""From a noisy matrix to a covariance: post-processing, at no further privacy budget."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ...symbolic.arrays import Floats


def nearest_covariance(S: ArrayLike, floor: float = 0.0) -> Floats:
    """The symmetric matrix with eigenvalues >= `floor` nearest to S (p, p) in the Frobenius norm (Higham 1988, theorem 2.1)."""
    values, vectors = spectrum(S, floor)
    return np.asarray((vectors * values) @ vectors.T, dtype=float)


def spectrum(S: ArrayLike, floor: float = 0.0) -> tuple[Floats, Floats]:
    """Eigenvalues (p,), raised to `floor`, and eigenvectors (p, p) of the symmetric part of S."""
    matrix = np.asarray(S, dtype=float)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not np.all(np.isfinite(matrix)):
        raise ValueError(f"S must be a square matrix of finite numbers, got shape {matrix.shape}")
    if not (np.isfinite(floor) and floor >= 0):
        raise ValueError(f"floor must be a finite number >= 0, got {floor!r}")
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    return np.maximum(values, floor), vectors
