"""Symmetric matrices as vectors: the upper triangle column by column, with or without sqrt 2 on entries beside the diagonal."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..arrays import Floats


class Triangle:
    """Where the entries of a symmetric matrix of this order stand in a vector: the order of clarabel's cone."""

    def __init__(self, order: int) -> None:
        self.order = order
        self.columns, self.rows = np.tril_indices(order)

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def entries(self) -> list[tuple[int, int]]:
        """Row and column of each entry, row <= column."""
        return list(zip(self.rows.tolist(), self.columns.tolist(), strict=True))

    @cached_property
    def counts(self) -> Floats:
        """How often each entry stands in the matrix: 1 on the diagonal, 2 beside it."""
        return np.where(self.rows == self.columns, 1.0, 2.0)

    @cached_property
    def roots(self) -> Floats:
        """The factor that makes Frobenius norms Euclidean ones: 1 on the diagonal, sqrt 2 beside it."""
        return np.sqrt(self.counts)

    def of(self, matrices: Floats) -> Floats:
        """The entries (..., k (k + 1) / 2) of symmetric matrices (..., k, k)."""
        return np.asarray(matrices[..., self.rows, self.columns])

    def matrices(self, entries: Floats) -> Floats:
        """The symmetric matrices (..., k, k) with these entries (..., k (k + 1) / 2)."""
        out = np.zeros((*entries.shape[:-1], self.order, self.order))
        out[..., self.rows, self.columns] = entries
        out[..., self.columns, self.rows] = entries
        return out


def order_of(size: int) -> int:
    """The order k of symmetric matrices with k (k + 1) / 2 = `size` coordinates."""
    return int((np.sqrt(8 * size + 1) - 1) / 2)


def coordinates(matrices: Floats) -> Floats:
    """The triangles (..., k (k + 1) / 2) of (..., k, k) times `roots`; only the symmetric parts count."""
    triangle = Triangle(matrices.shape[-1])
    both = (triangle.of(matrices) + triangle.of(np.swapaxes(matrices, -1, -2))) / 2
    return np.asarray(both * triangle.roots, dtype=float)


def matrices(vectors: Floats) -> Floats:
    """The symmetric matrices (..., k, k) of coordinates (..., k (k + 1) / 2)."""
    triangle = Triangle(order_of(vectors.shape[-1]))
    return triangle.matrices(vectors / triangle.roots)


def outer_products(rows: Floats) -> Floats:
    """The coordinates of x x' for each row x of (n, k), shape (n, k (k + 1) / 2)."""
    triangle = Triangle(rows.shape[1])
    return np.asarray(rows[:, triangle.columns] * rows[:, triangle.rows] * triangle.roots, dtype=float)


def positive_part(symmetric: Floats) -> Floats:
    """The nearest positive semidefinite matrices to (..., k, k), in Frobenius norm."""
    values, vectors = np.linalg.eigh(symmetric)
    return np.asarray((vectors * np.maximum(values, 0.0)[..., None, :]) @ np.swapaxes(vectors, -1, -2))
