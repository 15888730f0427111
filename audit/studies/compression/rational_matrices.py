"""Matrices of floating-point numbers read as exact rationals: definiteness decided, log ratios enclosed in balls."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, fmpq, fmpq_mat
from numpy.typing import ArrayLike

BITS = 256
_FRACTION = re.compile(r"-?\d{1,400}(/\d{1,400})?")  # no exponents: a short text must not be a huge number


def exact_number(value: float | str | Fraction) -> fmpq:
    """The exact value of a floating-point number, or of a fraction written as text; ValueError for other texts."""
    if isinstance(value, str) and not _FRACTION.fullmatch(value):
        raise ValueError(f'expected a fraction such as "-3/4", got {value[:40]!r}')
    number = Fraction(value)
    return fmpq(number.numerator, number.denominator)


def exact_matrix(values: ArrayLike | Sequence[Sequence[str]]) -> fmpq_mat:
    """The matrix (q, p) of the exact values of floating-point numbers, or of texts such as "3/4"."""
    rows: Any = values.tolist() if isinstance(values, np.ndarray) else values
    return fmpq_mat(len(rows), len(rows[0]), [exact_number(x) for row in rows for x in row])


def texts(values: ArrayLike) -> list[list[str]]:
    """The exact values of a matrix of floating-point numbers as texts for a witness."""
    return [[str(Fraction(float(x))) for x in row] for row in np.asarray(values, dtype=float)]


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


def log_ball(value: fmpq) -> arb:
    """A ball around the logarithm of a rational > 0."""
    return arb(value).log()


def below(ball: arb) -> float:
    """A float at most every number of the ball."""
    return math.nextafter(float(ball.lower()), -math.inf)


def above(ball: arb) -> float:
    """A float at least every number of the ball."""
    return math.nextafter(float(ball.upper()), math.inf)
