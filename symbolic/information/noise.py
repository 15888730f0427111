"""Fisher information of vector noise about its centre: independent entries, and the normal law of any covariance."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import sympy as sp
from flint import arb_mat, ctx

from ..arrays import Floats
from ..laws import catalogue as laws
from ..laws.law import Law
from ..proof.derivation import Derivation, Step, evaluated
from ..proof.enclosed_matrices import BITS, inverse, nearest_floats, short
from ..proof.enclosure import enclose
from ..proof.exact_matrices import exact_inverse, symbolic_rationals
from ..proof.exact_numbers import symbolic_number
from ..proof.symmetric_matrix import SymmetricMatrix
from ..proof.truth import Truth
from .fisher import EnclosedInformation, Information, location_information

_ROOT_ERROR = 1e-9
_LARGEST_EXACT = 40  # above it the inverse of a full matrix is shown to thirty digits


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
    if isinstance(covariance, sp.MatrixBase):
        variances = covariance.diagonal() if covariance.is_diagonal() else ()
        definite = variances or (covariance.is_symmetric() and covariance.is_positive_definite)
        if not definite or not all(v.is_positive for v in variances):
            raise ValueError("a covariance must be symmetric and positive definite")
        inverted = sp.diag(*(1 / v for v in variances)) if variances else exact_inverse(covariance)
        return _normal(inverted, np.array(inverted.evalf(20).tolist(), dtype=float))
    read = SymmetricMatrix.positive_definite("covariance", covariance)
    if read.diagonal:
        return normal_information(sp.diag(*symbolic_rationals(read.exact).diagonal()))
    with ctx.workprec(BITS):
        enclosed = EnclosedInformation(read.inverse, arb_mat(read.exact))
    exact = symbolic_rationals(read.exact.inv()) if read.order <= _LARGEST_EXACT else shown(read.inverse)
    return _normal(exact, nearest_floats(read.inverse), enclosed)


def rooted_information(weight: SymmetricMatrix, factor: sp.Expr) -> Information:
    """Information `factor` Pi^{1/2} of normal noise about its centre, `factor` > 0, Pi = `weight` positive definite."""
    if weight.diagonal:
        entries = symbolic_rationals(weight.exact).diagonal()
        return normal_information(sp.diag(*(1 / (factor * sp.sqrt(v)) for v in entries)))
    with ctx.workprec(BITS):
        times = enclose(factor, bits=BITS)
        enclosed = EnclosedInformation(weight.root * times, inverse(weight.root) * (1 / times))
    known = _normal(shown(enclosed.information), nearest_floats(enclosed.information), enclosed)
    assert known.numeric is not None
    # Nobody has this root but by floating point: its rounding is no fault of a claim.
    return replace(known, error=_ROOT_ERROR * float(np.abs(known.numeric).max()))


def shown(matrix: arb_mat) -> sp.Matrix:
    """Thirty digits of a symmetric matrix in balls."""
    rows = [[symbolic_number(short(x, "below")) for x in row] for row in matrix.tolist()]
    return sp.Matrix(len(rows), len(rows), lambda i, j: rows[max(i, j)][min(i, j)])


def _normal(value: sp.Matrix, numeric: Floats, enclosed: EnclosedInformation | None = None) -> Information:
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
    return Information(
        sp.ImmutableMatrix(value),
        numeric,
        Truth.HOLDS,
        "smooth and positive everywhere",
        Derivation(conclusion, steps, (lemma,)),
        enclosed=enclosed,
    )
