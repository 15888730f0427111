"""T. Chanyaswad, C. Liu, P. Mittal: RON-Gauss (PoPETs, 2019)."""

from __future__ import annotations

import sympy as sp

from ...symbolic.sensitivity import N, P
from ..dossier.paper_claim import Dossier, PaperClaim, Statement
from ..dossier.sensitivity_checks import CHECKS, CovarianceSensitivity

DOSSIER = Dossier(
    "chanyaswad2019",
    "T. Chanyaswad, C. Liu, P. Mittal: RON-Gauss: Enhancing Utility in Non-Interactive Private Data Release",
)


@DOSSIER.claim("lemma-4")
def lemma_4() -> PaperClaim[CovarianceSensitivity]:
    """The covariance is the mean of the outer products of n records, projected to p dimensions."""
    return PaperClaim(
        title="Sensitivity of the projected covariance (Lemma 4)",
        printed=Statement(
            "For the records that Algorithms 1 and 2 produce, the covariance (1/n) sum x x' of order p has "
            "L1 sensitivity "
            "2 sqrt(p)/n when one record is replaced. The norm sums over all entries, as Laplace noise on "
            "every entry "
            "needs it; the argument is |D|_1 <= sqrt(p) |D|_F and |D|_F <= 2.",
            CovarianceSensitivity(bound=2 * sp.sqrt(P) / N, factor=sp.sqrt(P), diameter=sp.Integer(2)),
        ),
        twin=Statement(
            "The sensitivity is at most sqrt(2) p/n, by |D|_1 <= p |D|_F and |D|_F <= sqrt(2).",
            CovarianceSensitivity(bound=sp.sqrt(2) * P / N, factor=P, diameter=sp.sqrt(2)),
        ),
        checks=CHECKS,
    )
