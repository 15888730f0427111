"""Linear estimators whose exact error lies below a claimed bound, written down as witnesses."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from noiseproof.audit.record.witness import Witness
from noiseproof.audit.studies.adversaries.linear_witness import KIND
from noiseproof.symbolic.proof.enclosure import rational


def linear_witness(
    estimator: sp.Matrix,
    query: sp.Matrix,
    covariance: sp.Matrix,
    record: Sequence[sp.Expr],
    claimed: sp.Expr,
    *,
    mean_slope: sp.Matrix | None = None,
) -> Witness:
    """xhat = H (y - E w) for y = C x + w: exact matrices H (n, m), C (m, n), V (m, m), and the bound that is claimed at x (n,).

    `mean_slope` (n, n) is what H C must be to be an estimator that the claim speaks of: the identity for unbiased ones,
    C^+ C for least squares.
    """
    witness: Witness = {
        "kind": KIND,
        "estimator": _rows(estimator),
        "query": _rows(query),
        "noise_covariance": _rows(covariance),
        "record": [sp.sstr(v) for v in record],
        "claimed": sp.sstr(claimed),
    }
    if mean_slope is not None:
        witness["mean_slope"] = _rows(mean_slope)
    return witness


def _rows(matrix: sp.Matrix) -> list[list[str]]:
    return [[sp.sstr(e) for e in row] for row in sp.Matrix(matrix).tolist()]


def shrinkage_witness(record: Sequence[float], variance: float, claimed: float) -> Witness:
    """A biased linear estimator of one record whose exact error lies below a bound claimed for every adversary.

    xhat = s xbar with s = |x|^2/(|x|^2 + p variance), rounded to three digits, under independent noise of this variance.
    """
    x = sp.Matrix([rational(v) for v in record])
    v, p = rational(variance), len(x)
    square = (x.T * x)[0, 0]
    share = rational(round(float(square / (square + p * v)), 3))
    return linear_witness(share * sp.eye(p), sp.eye(p), v * sp.eye(p), list(x), rational(claimed))
