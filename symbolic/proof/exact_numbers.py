"""Exact rational numbers and matrices between texts, fractions and python-flint, and the balls around them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias

import sympy as sp
from flint import arb, fmpq, fmpq_mat

from .enclosure import enclose
from .expressions import Number, parse

Rational: TypeAlias = Fraction | sp.Rational | int | str


def quotient(value: Rational) -> fmpq:
    """A rational number, given as such or as a numeral like "3/5" or "0.6", in python-flint.

    >>> quotient("0.6")
    3/5
    """
    if isinstance(value, sp.Rational):
        return fmpq(int(value.p), int(value.q))
    exact = value if isinstance(value, Fraction) else Fraction(value)
    return fmpq(exact.numerator, exact.denominator)


def ball(value: Rational) -> arb:
    """The ball around a rational number."""
    return arb(quotient(value))


def enclosed(text: str, names: Mapping[str, Number] | None = None) -> arb:
    """A ball that contains the value of the formula in `text`; `names` gives the meaning of each free name."""
    return enclose(parse(text, names))


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
