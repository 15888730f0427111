"""Floating-point Cholesky factorisations that run to completion prove that matrices are positive definite."""

from __future__ import annotations

import numpy as np

from ..arrays import Floats

# Far above (n + 1) u / (1 - (n + 1) u) + rounding of the entries, for n <= 60 and unit roundoff u = 2^-53.
SHIFT = 1e-13


def shift_for(scale: float, n: int) -> float:
    """The amount to subtract from the diagonal so that completion proves definiteness; `scale` bounds every |entry|."""
    return SHIFT * n * scale


def all_positive_definite(matrices: Floats, scale: float | None = None) -> bool:
    """Whether every one of these symmetric matrices, shape (..., n, n), is positive definite; False if not proved.

    The entries may be off by a relative rounding of 8 u of `scale`, their largest absolute value by default.  Source:
    S. M. Rump, Verification of positive definiteness (BIT 2006), theorem 2.3: if the factorisation of A - c I runs to
    completion in floating point, with c at least (n + 1) u / (1 - (n + 1) u) times the trace, then A is positive
    definite.
    """
    n = matrices.shape[-1]
    if n > 60:
        raise ValueError(f"expected matrices of order at most 60, got {n}: the stated shift covers no more")
    if not np.all(np.isfinite(matrices)):
        return False
    size = float(np.abs(matrices).max(initial=0.0)) if scale is None else scale
    try:
        np.linalg.cholesky(matrices - shift_for(size, n) * np.eye(n))
    except np.linalg.LinAlgError:
        return False
    return True


def largest_eigenvalue(matrices: Floats) -> Floats:
    """For each symmetric matrix a number that is proved to be above its largest eigenvalue, by a hair."""
    n = matrices.shape[-1]
    size = float(np.abs(matrices).max(initial=1.0)) * n
    tops = np.linalg.eigvalsh(matrices)[..., -1] + 3 * shift_for(size, n)
    if not all_positive_definite(tops[..., None, None] * np.eye(n) - matrices, size):
        raise ArithmeticError("eigenvalues could not be verified")
    return np.asarray(tops)
