"""Fisher information of vector noise about its centre: independent entries, and the normal law of any covariance."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import sympy as sp

from . import laws
from .derivation import Derivation, Step, evaluated
from .enclosure import rational
from .information import Information, location_information
from .law import Law
from .truth import Truth

_LARGEST_EXACT = 6  # above it the inverse of a full matrix is taken in floating point


@lru_cache(maxsize=128)
def _scalar(law: Law) -> Information:
    return location_information(law)


def independent_information(law: Law, dimension: int) -> Information:
    """Information about the centre of `dimension` independent entries of one law: the scalar times the identity."""
    one = _scalar(law)
    if one.value is None:
        return one
    numeric = None if one.numeric is None else np.eye(dimension) * one.numeric[0, 0]
    value = sp.ImmutableMatrix(sp.eye(dimension) * one.value[0, 0])
    lemmas = (*one.derivation.lemmas, "scores of independent entries are uncorrelated: information matrices add up")
    derivation = Derivation(one.derivation.conclusion, one.derivation.steps, lemmas)
    return Information(value, numeric, one.regular, one.reason, derivation, one.error)


def normal_information(covariance: Any) -> Information:
    """Information S^{-1} of a normal law about its mean, S (d, d) positive definite; sympy matrices stay exact."""
    matrix = covariance if isinstance(covariance, sp.MatrixBase) else sp.Matrix(np.asarray(covariance).tolist()).applyfunc(_number)
    d = matrix.shape[0]
    if matrix.is_diagonal():
        inverse = sp.diag(*(1 / matrix[i, i] for i in range(d)))
    elif d <= _LARGEST_EXACT:
        inverse = matrix.inv()
    else:
        inverse = sp.Matrix(np.linalg.inv(np.array(matrix.tolist(), dtype=float)).tolist())
    y, s = sp.Symbol("y", real=True), sp.Symbol("s", positive=True)
    density = laws.normal(0, s).density.subs(laws.normal().variable, y)
    variance = sp.Integral((y / s**2) ** 2 * density, (y, -sp.oo, sp.oo))
    steps = (
        Step(sp.Derivative(sp.log(density), y), "=", -y / s**2, "the score of a normal coordinate, in the eigenbasis of the covariance", evaluated),
        Step(variance, "=", 1 / s**2, "its second moment is the reciprocal of the eigenvalue", evaluated),
    )
    lemma = "information about a location transforms as I -> R' I R under rotations R"
    conclusion = "the information of normal noise about its centre is the inverse covariance"
    numeric = np.array(inverse.evalf(20).tolist(), dtype=float)
    return Information(sp.ImmutableMatrix(inverse), numeric, Truth.HOLDS, "smooth and positive everywhere",
                       Derivation(conclusion, steps, (lemma,)))  # fmt: skip


def _number(value: Any) -> sp.Expr:
    return rational(float(value))
