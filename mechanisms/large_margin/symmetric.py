"""Symmetric matrices as vectors of the same length: the diagonal as it is, each entry beside it times sqrt 2."""

from __future__ import annotations

import numpy as np

from ...symbolic.arrays import Floats


def coordinates(matrices: Floats) -> Floats:
    """The lower triangles row by row of (..., k, k), shape (..., k (k + 1) / 2); Frobenius norms become Euclidean ones.

    Only the symmetric parts count.  Clarabel's cone of positive semidefinite triangles has the same order.
    """
    k = matrices.shape[-1]
    i, j = np.tril_indices(k)
    both = (matrices[..., i, j] + matrices[..., j, i]) / 2
    return np.asarray(both * np.where(i == j, 1.0, np.sqrt(2.0)), dtype=float)


def matrices(vectors: Floats) -> Floats:
    """The symmetric matrices (..., k, k) of coordinates (..., k (k + 1) / 2)."""
    size = vectors.shape[-1]
    k = int((np.sqrt(8 * size + 1) - 1) / 2)
    i, j = np.tril_indices(k)
    out = np.zeros((*vectors.shape[:-1], k, k))
    entries = vectors / np.where(i == j, 1.0, np.sqrt(2.0))
    out[..., i, j] = entries
    out[..., j, i] = entries
    return out


def positive_part(symmetric: Floats) -> Floats:
    """The nearest positive semidefinite matrices to (..., k, k), in Frobenius norm."""
    values, vectors = np.linalg.eigh(symmetric)
    return np.asarray((vectors * np.maximum(values, 0.0)[..., None, :]) @ np.swapaxes(vectors, -1, -2))


def outer_products(rows: Floats) -> Floats:
    """The coordinates of x x' for each row x of (n, k), shape (n, k (k + 1) / 2)."""
    i, j = np.tril_indices(rows.shape[1])
    return np.asarray(rows[:, i] * rows[:, j] * np.where(i == j, 1.0, np.sqrt(2.0)), dtype=float)
