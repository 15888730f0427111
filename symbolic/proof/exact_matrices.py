"""Matrices of exact numbers, rational in python-flint or symbolic in sympy: read, written, decided, inverted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp
from flint import fmpq, fmpq_mat
from numpy.typing import ArrayLike
from sympy.polys.matrices import DomainMatrix

from ..arrays import Floats
from .exact_numbers import Rational, quotient, symbolic_rational, written_fraction


def exact_matrix(values: ArrayLike | Sequence[Sequence[str]]) -> fmpq_mat:
    """The matrix (q, p) of the exact values of floating-point numbers, or of texts such as "3/4"."""
    rows: Any = values.tolist() if isinstance(values, np.ndarray) else values
    return fmpq_mat(len(rows), len(rows[0]), [written_fraction(x) for row in rows for x in row])


def symbolic_matrix(values: ArrayLike | sp.MatrixBase) -> sp.MatrixBase:
    """A matrix as sympy reads its entries; one row of numbers is a matrix too."""
    if isinstance(values, sp.MatrixBase):
        return values
    return sp.Matrix(np.atleast_2d(np.asarray(values, dtype=object)).tolist())


def decimals(values: Floats) -> fmpq_mat:
    """The matrix (q, p) of the decimals that floating-point numbers are written as."""
    return fmpq_mat([[quotient(repr(x)) for x in row] for row in values.tolist()])


def symbolic_rationals(matrix: fmpq_mat) -> sp.Matrix:
    """A rational matrix in sympy."""
    return sp.Matrix([[symbolic_rational(x) for x in row] for row in matrix.tolist()])


def matrix_of(rows: Sequence[Sequence[Rational]]) -> fmpq_mat:
    """A rational matrix from rows of numbers or numerals."""
    return fmpq_mat([[quotient(x) for x in row] for row in rows])


def rows_of(matrix: fmpq_mat) -> list[list[str]]:
    """The rows of a rational matrix as numerals."""
    return [[str(x) for x in row] for row in matrix.tolist()]


def identity_of(order: int) -> fmpq_mat:
    """The identity matrix of this order."""
    return diagonal([1] * order)


def diagonal(values: Sequence[Rational]) -> fmpq_mat:
    """The square matrix with these numbers on its diagonal and zeros elsewhere."""
    return fmpq_mat(
        [[quotient(v) if i == j else fmpq(0) for j in range(len(values))] for i, v in enumerate(values)]
    )


def trace(matrix: fmpq_mat) -> fmpq:
    """The sum of the diagonal of a square matrix."""
    return sum((matrix[i, i] for i in range(matrix.nrows())), fmpq(0))


def trace_of_product(a: fmpq_mat, b: fmpq_mat) -> fmpq:
    """tr(A B) for symmetric A and B."""
    return sum((x * y for x, y in zip(a.entries(), b.entries(), strict=True)), fmpq(0))


def largest_entry(a: fmpq_mat) -> fmpq:
    """max |a_jk|."""
    return max(abs(x) for x in a.entries())


def sum_of_entries(a: fmpq_mat) -> fmpq:
    """sum |a_jk|."""
    return sum((abs(x) for x in a.entries()), fmpq(0))


def is_semidefinite(matrix: fmpq_mat, strictly: bool = False) -> bool:
    """Whether a symmetric matrix is positive semidefinite (definite if `strictly`): elimination in exact arithmetic."""
    a = [list(row) for row in matrix.tolist()]
    left = list(range(len(a)))
    while left:
        pivot = next((i for i in left if a[i][i] != 0), None)
        if pivot is None:
            # A zero diagonal allows only zeros beside it.
            return not strictly and all(a[i][j] == 0 for i in left for j in left)
        if a[pivot][pivot] < 0 or (strictly and any(a[i][i] <= 0 for i in left)):
            return False
        left.remove(pivot)
        for i in left:
            factor = a[i][pivot] / a[pivot][pivot]
            for j in left:
                a[i][j] -= factor * a[pivot][j]
    return True


def exact_rank(matrix: sp.Matrix) -> int:
    """The rank over the field of rational functions of the symbols."""
    return int(DomainMatrix.from_Matrix(matrix).to_field().rank())


def exact_inverse(matrix: sp.Matrix) -> sp.Matrix:
    """The inverse over the field that the entries generate."""
    return DomainMatrix.from_Matrix(matrix).to_field().inv().to_Matrix()
