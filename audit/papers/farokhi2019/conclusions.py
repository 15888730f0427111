"""Section 6: what is said to have been shown."""

from __future__ import annotations

import sympy as sp

from ...dossier import Formula, Later, Parts, parts
from ...dossier.arguments.information_noise import almost_one_answer, quadratic_cost, stationary_is_least
from .dossier import DOSSIER

# The weighted mean of |grad f|^2, the only trace that a scalar query leaves in J.
STEEPNESS = sp.Symbol("M", positive=True)


@DOSSIER.disputed(
    "conclusions",
    "What the conclusions say of optimal noise",
    printed="For every scalar query and bounded W the optimal policy is the same, cos^2 noise; without "
    "constraints the Gaussian is optimal for the variance as the measure of quality. Formulas: the cost "
    "of cos^2 noise for f with values in an interval shorter than W, against a policy that, but for a "
    "share e, answers the same whatever x is; the Gaussian against other variances.",
    twin="Among noises that do not depend on x, J is M times the information of the noise, M the mean of "
    "|grad f|^2: cos^2 noise is optimal for every scalar query with M > 0, and the Gaussian without "
    "constraints.",
    at=(almost_one_answer(STEEPNESS), Later(lambda: stationary_is_least(STEEPNESS))),
)
def conclusions(formula: Formula) -> Parts:
    return parts(formula, quadratic_cost())
