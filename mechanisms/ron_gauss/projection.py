"""Random matrices with orthonormal columns: the uniform law, and the recipe by QR of a uniform matrix.

With Q R the factorisation whose R has a positive diagonal, Q of a standard normal matrix is uniform (Haar) on the Stiefel
manifold (Stewart 1980).  A library's signs make R's diagonal what they like, hence the correction.  The recipe of
Chanyaswad, Liu, Mittal (2019, algorithm 2) factorises a matrix of uniform entries instead: its first column is the first
column of that matrix, normalised, which has no uniform direction.
"""

from __future__ import annotations

import numpy as np

from ...symbolic.arrays import Floats
from ..additive import whole


def uniform_projection(m: int, p: int, rng: np.random.Generator) -> Floats:
    """A matrix (m, p), W'W = I, uniform on the Stiefel manifold; p <= m."""
    rows, columns = dimensions(m, p)
    return _orthonormal(rng.standard_normal((rows, columns)))


def qr_of_uniform(m: int, p: int, rng: np.random.Generator, low: float = 0.0, high: float = 1.0) -> Floats:
    """The first p columns (m, p) of Q for an m x m matrix of independent entries uniform on [low, high]; p <= m.

    R has a positive diagonal: the columns of Q are those of Gram-Schmidt, whatever the library's signs.
    """
    rows, columns = dimensions(m, p)
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise ValueError(f"low and high must be finite with low < high, got {low!r} and {high!r}")
    # The first p columns of Q depend on the first p columns of the matrix only.
    return _orthonormal(rng.uniform(low, high, size=(rows, rows))[:, :columns])


def dimensions(m: int, p: int) -> tuple[int, int]:
    """m and p as whole numbers with 1 <= p <= m; p = m is a rotation, which reduces nothing but is as private."""
    rows, columns = whole("m", m), whole("p", p)
    if columns > rows:
        raise ValueError(f"p must be at most m: {rows} attributes cannot be projected to {columns}")
    return rows, columns


def _orthonormal(matrix: Floats) -> Floats:
    q, r = np.linalg.qr(matrix)
    return np.asarray(q * np.where(np.diag(r) < 0, -1.0, 1.0), dtype=float)
