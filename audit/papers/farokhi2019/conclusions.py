"""Section 6: what is said to have been shown."""

from __future__ import annotations

import sympy as sp

from ...dossier.arguments.information_noise import almost_one_answer, quadratic_cost, stationary_is_least
from ...dossier.paper_claim import PaperClaim, Statement
from ...dossier.parts import CHECKS, Parts, parts
from .dossier import DOSSIER

# The weighted mean of |grad f|^2, the only trace that a scalar query leaves in J.
STEEPNESS = sp.Symbol("M", positive=True)


@DOSSIER.claim("conclusions")
def conclusions() -> PaperClaim[Parts]:
    return PaperClaim(
        title="What the conclusions say of optimal noise",
        printed=Statement(
            "For every scalar query and bounded W the optimal policy is the same, cos^2 noise; without constraints the Gaussian is "
            "optimal for the variance as the measure of quality. Formulas: the cost of cos^2 noise for f with values in an interval "
            "shorter than W, against a policy that, but for a share e, answers the same whatever x is; the Gaussian against other "
            "variances.",
            parts(almost_one_answer(STEEPNESS), quadratic_cost()),
        ),
        twin=Statement(
            "Among noises that do not depend on x, J is M times the information of the noise, M the mean of |grad f|^2: cos^2 noise is "
            "optimal for every scalar query with M > 0, and the Gaussian without constraints.",
            parts(stationary_is_least(STEEPNESS), quadratic_cost()),
        ),
        checks=CHECKS,
    )
