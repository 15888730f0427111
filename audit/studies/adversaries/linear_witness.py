"""A linear estimator whose exact error lies below a claimed bound, as data from which the error is computed again."""

from __future__ import annotations

from typing import Any

import sympy as sp

from ....symbolic.proof.enclosure import enclose, sign
from ....symbolic.proof.expressions import parse
from ...record.witness import Witness, register

KIND = "linear-estimator"


@register(KIND)
def evaluate_linear(witness: Witness) -> tuple[bool, str]:
    """Whether the exact error tr(H V H') + |(H C - I) x|^2 of an estimator of the claimed kind is certainly below the bound."""
    h, c, v = (_matrix(witness[k]) for k in ("estimator", "query", "noise_covariance"))
    x = sp.Matrix([parse(t) for t in witness["record"]])
    claimed = parse(witness["claimed"])
    if h.shape != (c.shape[1], c.shape[0]) or v.shape != (c.shape[0],) * 2 or x.shape != (c.shape[1], 1):
        raise ValueError("a linear estimator needs H (n, m), C (m, n), V (m, m) and a record (n,)")
    if v != v.T or v.is_positive_semidefinite is not True:
        raise ValueError("the noise covariance must be symmetric and positive semidefinite")
    if "mean_slope" in witness and not _zero(h * c - _matrix(witness["mean_slope"])):
        return False, "the estimator has not the mean slope that the claim asks for"
    bias = (h * c - sp.eye(c.shape[1])) * x
    error = (h * v * h.T).trace() + (bias.T * bias)[0, 0]
    stands = sign(error - claimed) == -1
    relation = "below" if stands else "not below"
    return (
        stands,
        f"exact mean squared error {enclose(error).str(10, radius=False)} {relation} the claimed bound {enclose(claimed).str(10, radius=False)}",
    )


def _zero(matrix: sp.Matrix) -> bool:
    return all(sign(e) == 0 or sp.simplify(e) == 0 for e in matrix)


def _matrix(rows: Any) -> sp.Matrix:
    return sp.Matrix([[parse(t) for t in row] for row in rows])
