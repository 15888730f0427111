"""Appendix A: the trace of the inverse against the inverse of the trace."""

from __future__ import annotations

import sympy as sp

from ...dossier.parts import Parts, parts
from .arguments.bounds_averages import eigenvalues_of_inverse, eigenvalues_only, jensen_chain
from .arguments.bounds_matrices import weighted_mean
from .dossier import DOSSIER

ONE_PER_CENT = sp.Rational(101, 100)


@DOSSIER.disputed(
    "appendix-a-eigen",
    "The eigenvalues of the information matrix",
    printed="For I with an inverse, of eigenvalues lambda_i > 0, Tr(I^-1) is the sum of 1/lambda_i and at least "
    "n^2/Tr(I). Formulas: n = 2 and n = 3.",
    twin="It is at least 1.01 n^2/Tr(I).",
    at=(sp.Integer(1), ONE_PER_CENT),
)
def appendix_a_eigen(factor: sp.Expr) -> Parts:
    return parts(
        eigenvalues_of_inverse(sp.Integer(1)), *(eigenvalues_only(factor, third) for third in (False, True))
    )


@DOSSIER.disputed(
    "proposition-5",
    "The two means behind the relaxation (Proposition 5)",
    printed="The integral of Tr(I^-1) p is at least n^2 times that of p/Tr(I), which is at least n^2/J, for p of "
    "integral one. Formulas: n = 2, at one x, and at two values of x with weights 1 : r and traces S, T.",
    twin="The same with 1.01 n^2 in the last term.",
    at=((sp.Integer(1), "1"), (ONE_PER_CENT, "101/100")),
)
def proposition_5(factor: sp.Expr, said: str) -> Parts:
    return parts(*jensen_chain(factor), instances=weighted_mean(said))
