"""Fisher information of vector noise about its centre: independent entries, and the normal law of any covariance."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import sympy as sp
from flint import ctx
from sympy.polys.matrices import DomainMatrix

from ..laws import catalogue as laws
from ..laws.law import Law
from ..proof.derivation import Derivation, Step, evaluated
from ..proof.enclosure import rational
from ..proof.exact_matrices import exact_inverse
from ..proof.exact_numbers import ball
from ..proof.truth import Truth
from .fisher import Information, location_information

_LARGEST_EXACT = 40  # above it the inverse of a full matrix is taken in floating point
_FLOATING = 1e-6  # what such an inverse may be off by, relative to its largest entry


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
    lemmas = (
        *one.derivation.lemmas,
        "scores of independent entries are uncorrelated: information matrices add up",
    )
    derivation = Derivation(one.derivation.conclusion, one.derivation.steps, lemmas)
    return Information(value, numeric, one.regular, one.reason, derivation, one.error)


def normal_information(covariance: Any) -> Information:
    """Information S^{-1} of a normal law about its mean, S (d, d) positive definite; sympy matrices stay exact."""
    matrix = (
        covariance
        if isinstance(covariance, sp.MatrixBase)
        else sp.Matrix(np.asarray(covariance).tolist()).applyfunc(_number)
    )
    d = matrix.shape[0]
    if matrix.is_diagonal():
        inverse = sp.diag(*(1 / matrix[i, i] for i in range(d)))
    elif d <= _LARGEST_EXACT:
        inverse = exact_inverse(matrix)
    else:
        inverse = sp.Matrix(np.linalg.inv(np.array(matrix.tolist(), dtype=float)).tolist())
    y, s = sp.Symbol("y", real=True), sp.Symbol("s", positive=True)
    density = laws.normal(0, s).density.subs(laws.normal().variable, y)
    variance = sp.Integral((y / s**2) ** 2 * density, (y, -sp.oo, sp.oo))
    steps = (
        Step(
            sp.Derivative(sp.log(density), y),
            "=",
            -y / s**2,
            "the score of a normal coordinate, in the eigenbasis of the covariance",
            evaluated,
        ),
        Step(variance, "=", 1 / s**2, "its second moment is the reciprocal of the eigenvalue", evaluated),
    )
    lemma = "information about a location transforms as I -> R' I R under rotations R"
    conclusion = "the information of normal noise about its centre is the inverse covariance"
    numeric = np.array(inverse.evalf(20).tolist(), dtype=float)
    error = _FLOATING * float(np.abs(numeric).max()) if inverse.has(sp.Float) else 0.0
    return Information(
        sp.ImmutableMatrix(inverse),
        numeric,
        Truth.HOLDS,
        "smooth and positive everywhere",
        Derivation(conclusion, steps, (lemma,)),
        error,
    )


def squared_distance(shift: Any, covariance: Any) -> sp.Rational:
    """d' S^{-1} d in exact arithmetic, shift d (k,), covariance S (k, k), decimals read as written."""
    d = sp.Matrix([_number(v) for v in shift])
    matrix = sp.Matrix(np.asarray(covariance).tolist()).applyfunc(_number)
    solved = DomainMatrix.from_Matrix(matrix).to_field().lu_solve(DomainMatrix.from_Matrix(d).to_field())
    return (d.T * solved.to_Matrix())[0]


def least_eigenvalue_exceeds(covariance: Any, value: sp.Rational, bits: int = 640) -> Truth:
    """Whether S - value I is positive definite: HOLDS if elimination in ball arithmetic finds positive pivots only."""
    with ctx.workprec(bits):
        rows = [[ball(_number(v)) for v in row] for row in np.asarray(covariance).tolist()]
        for i, row in enumerate(rows):
            row[i] -= ball(value)
        for i, pivot in enumerate(rows):
            if not pivot[i] > 0:
                return Truth.UNKNOWN
            for other in rows[i + 1 :]:
                factor = other[i] / pivot[i]
                other[i:] = [a - factor * b for a, b in zip(other[i:], pivot[i:], strict=True)]
        return Truth.HOLDS


def _number(value: Any) -> sp.Expr:
    return rational(float(value))
