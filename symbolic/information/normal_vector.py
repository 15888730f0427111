"""The Fisher information of a normal vector, from its mean and its covariance."""

from __future__ import annotations

import sympy as sp

from ..laws.joint import JointLaw
from ..proof.as_written import product, total
from ..proof.derivation import Derivation, Step
from ..proof.truth import Truth
from ..proof.written_matrices import solves
from .fisher import Information
from .smooth_parameters import doubt_of_smoothness

NORMAL = "the information of normal vectors (Kay 1993, Fundamentals of statistical signal processing I, appendix 3C)"


def by_moments(law: JointLaw, theta: list[sp.Symbol]) -> Information | None:
    """m' C^-1 m + tr(C^-1 C' C^-1 C') / 2 of a normal vector, m and C' the slopes of mean and covariance."""
    assert law.covariance is not None
    assert law.mean is not None
    inverse = law.covariance.inv().applyfunc(sp.simplify)
    slopes = [(sp.diff(law.mean, p), sp.diff(law.covariance, p)) for p in theta]

    def entry(i: int, j: int) -> sp.Expr:
        (m, c), (n, d) = slopes[i], slopes[j]
        return sp.simplify((m.T * inverse * n)[0, 0] + (inverse * c * inverse * d).trace() / 2)

    def terms(i: int, j: int) -> sp.Expr:
        (m, c), (n, d) = slopes[i], slopes[j]
        means = [product(a, b) for a, b in zip(m, inverse * n, strict=True)]
        one, two = inverse * c, inverse * d
        traces = [product(sp.Rational(1, 2), a, b) for a, b in zip(one, two.T, strict=True)]
        kept = [e for e in (*means, *traces) if sp.simplify(e.doit()) != 0]
        return total(*kept) if kept else sp.Integer(0)

    k, size = len(theta), len(law.mean)
    value = sp.ImmutableMatrix(k, k, lambda i, j: entry(max(i, j), min(i, j)))
    steps = (
        solves(
            law.covariance,
            inverse,
            sp.eye(size),
            f"the covariance times its inverse, less the identity, in its {size**2} entries",
            "C*C_inverse - 1",
        ),
        *(Step(terms(j, i), "=", value[i, j], f"entry {i + 1}, {j + 1}") for i in range(k) for j in range(i)),
    )
    derivation = Derivation("the Fisher information of a normal vector", steps, (NORMAL,))
    doubt = doubt_of_smoothness(law, theta)
    reason = doubt or "a normal vector whose mean and covariance are smooth"
    return Information(value, None, Truth.UNKNOWN if doubt else Truth.HOLDS, reason, derivation)
