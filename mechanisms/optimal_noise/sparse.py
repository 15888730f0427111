"""Symmetric sparse matrices: elimination that keeps the symmetry, and the least eigenvalue of a pencil."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...symbolic.arrays import Floats


def factorised(matrix: Any) -> Any:
    """SuperLU's factors with pivots on the diagonal, in an order that suits a symmetric pattern."""
    from scipy.sparse.linalg import splu

    return splu(
        matrix.tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
    )


def is_positive(matrix: Any) -> bool:
    """Whether elimination along the diagonal finds positive pivots only (Sylvester's law of inertia)."""
    factors = factorised(matrix)
    symmetric = bool(np.all(factors.perm_r == factors.perm_c))
    return symmetric and bool(np.all(factors.U.diagonal() > 0))


def least_eigenvector(matrix: Any, mass: Any, below: float) -> Floats:
    """v with v' mass v = 1 for the least eigenvalue of matrix v = x mass v; `below` lies under all eigenvalues."""
    from scipy.linalg import eigh
    from scipy.sparse.linalg import LinearOperator, eigsh

    n = matrix.shape[0]
    if n < 10:
        v = eigh(matrix.toarray(), mass.toarray())[1][:, 0]
    else:
        # Shifted to below the spectrum, so that the eigenvalue next to the shift is the least one.
        solve = factorised(matrix - below * mass).solve
        inverse = LinearOperator((n, n), matvec=solve, dtype=float)
        v = eigsh(matrix, k=1, M=mass, sigma=below, OPinv=inverse, v0=np.ones(n))[1][:, 0]
    return np.asarray(v / np.sqrt(v @ mass @ v), dtype=float)
