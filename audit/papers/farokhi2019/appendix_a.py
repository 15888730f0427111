"""Appendix A: the trace of the inverse against the inverse of the trace."""

from __future__ import annotations

import sympy as sp

from ...dossier.paper_claim import PaperClaim, Statement
from ...dossier.parts import CHECKS, WITH_INSTANCES, Parts, parts
from .arguments.bounds_averages import eigenvalues_of_inverse, eigenvalues_only, jensen_chain
from .arguments.bounds_matrices import weighted_mean
from .dossier import DOSSIER

ONE_PER_CENT = sp.Rational(101, 100)


@DOSSIER.claim("appendix-a-eigen")
def appendix_a_eigen() -> PaperClaim[Parts]:
    def statement(factor: sp.Expr) -> Parts:
        return parts(
            eigenvalues_of_inverse(sp.Integer(1)),
            *(eigenvalues_only(factor, third) for third in (False, True)),
        )

    return PaperClaim(
        title="The eigenvalues of the information matrix",
        printed=Statement(
            "For I with an inverse, of eigenvalues lambda_i > 0, Tr(I^-1) is the sum of 1/lambda_i and at least n^2/Tr(I). "
            "Formulas: n = 2 and n = 3.",
            statement(sp.Integer(1)),
        ),
        twin=Statement("It is at least 1.01 n^2/Tr(I).", statement(ONE_PER_CENT)),
        checks=CHECKS,
    )


@DOSSIER.claim("proposition-5")
def proposition_5() -> PaperClaim[Parts]:
    return PaperClaim(
        title="The two means behind the relaxation (Proposition 5)",
        printed=Statement(
            "The integral of Tr(I^-1) p is at least n^2 times that of p/Tr(I), which is at least n^2/J, for p of integral one. "
            "Formulas: n = 2, at one x, and at two values of x with weights 1 : r and traces S, T.",
            parts(*jensen_chain(sp.Integer(1)), instances=weighted_mean("1")),
        ),
        twin=Statement(
            "The same with 1.01 n^2 in the last term.",
            parts(*jensen_chain(ONE_PER_CENT), instances=weighted_mean("101/100")),
        ),
        checks=WITH_INSTANCES,
    )
