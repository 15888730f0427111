"""The covariance of the projected records, its sensitivity and the noise on it."""

from __future__ import annotations

import sympy as sp

from ....symbolic.sensitivity.sign_matrices import N, P
from ...dossier import Parts, Statement, parts, times
from .arguments.centred_moments import bias, saving, unbiased_saving, unbiased_saving_everywhere
from .arguments.privacy_background import post_processing
from .arguments.released_moments import falls_with_dimension, ratio_of_dimensions
from .arguments.sensitivity_checks import CHECKS, CovarianceSensitivity
from .arguments.synthetic_records import is_covariance, second_moments
from .dossier import DOSSIER

LESS = sp.Rational(99, 100)


@DOSSIER.disputed("eq-2", "The estimate of the covariance (2)", printed=sp.Integer(1), twin=LESS)
def equation_2(factor: sp.Expr) -> Statement[Parts]:
    text = f"Sigma = (1/n) X X' is {times(factor, ' times ')}the mean of the products x_i x_i'. Formulas: p = 2, n = 3; the step adds a record in every size."
    return Statement(text, parts(*second_moments(factor=factor)))


@DOSSIER.disputed(
    "eq-2-bias", "Bias against sensitivity", printed=("", sp.Integer(4)), twin=("0.99 * ", 4 * LESS)
)
def equation_2_bias(said: str, factor: sp.Expr) -> Statement[Parts]:
    text = (
        "The estimate (2) differs from the covariance by the square of the mean, which need not be zero; its sensitivity is lower than "
        f"that of the unbiased estimate, for p = 1 by a factor of exactly {said}4 and for every p by at least 2 sqrt(2): 4p/n is attained with "
        "all other records at the negative of the one replaced."
    )
    return Statement(text, parts(bias(), unbiased_saving(factor), unbiased_saving_everywhere()))


@DOSSIER.disputed(
    "saving-n",
    "A saving of the order of n",
    printed="The sensitivity of the maximum-likelihood covariance (mean subtracted, over n) is larger than that "
    "of (2) by a factor of at least c n, for some c > 0. Formulas: c = 4/n for p = 1, c = 8/n for every "
    "p, n = k + 1; both fail for every n.",
    twin="The factor is 4 (n - 1)/n for p = 1 and at most 8 (n - 1)/n for every p: replacing a record changes "
    "the scatter about the mean by (n-1)/n [(x - c)(x - c)' - (x' - c)(x' - c)'], c the mean of the "
    "others. Both sensitivities are of the order 1/n.",
    at=(">=", "<="),
)
def saving_n(relation: str) -> Parts:
    return parts(*saving(relation))


@DOSSIER.disputed(
    "lemma-4",
    "Sensitivity of the projected covariance (Lemma 4)",
    checks=CHECKS,
    printed="For the records that Algorithms 1 and 2 produce, the covariance (1/n) sum x x' of order p has L1 "
    "sensitivity 2 sqrt(p)/n when one record is replaced. The norm sums over all entries, as Laplace "
    "noise on every entry needs it; the argument is |D|_1 <= sqrt(p) |D|_F and |D|_F <= 2.",
    twin="The sensitivity is at most sqrt(2) p/n, by |D|_1 <= p |D|_F and |D|_F <= sqrt(2).",
    at=((2 * sp.sqrt(P) / N, sp.sqrt(P), sp.Integer(2)), (sp.sqrt(2) * P / N, P, sp.sqrt(2))),
)
def lemma_4(bound: sp.Expr, factor: sp.Expr, diameter: sp.Expr) -> CovarianceSensitivity:
    """The covariance is the mean of the outer products of n records, projected to p dimensions; the fourth step is the wrong one."""
    return CovarianceSensitivity(bound=bound, factor=factor, diameter=diameter)


@DOSSIER.disputed(
    "lemma-4-dimension",
    "Fewer dimensions, less sensitivity",
    printed="The sensitivity of (2) is larger in every higher dimension. Formula: squares of a lower bound at p "
    "+ 1 + j, 2 (p + 1 + j)^2 - 1, and of the upper bound at p, 2 p^2, times n^2.",
    twin="It is not larger in higher dimensions.",
    at=(">", "<="),
)
def lemma_4_dimension(relation: str) -> Parts:
    """Argued with the true sensitivity, not with the printed one."""
    return parts(falls_with_dimension(relation=relation))


@DOSSIER.disputed(
    "lemma-4-3x",
    "From 100 dimensions to 10",
    printed="From 100 dimensions down to 10 the sensitivity of (2) falls by a factor of about 3 (within 1/2).",
    twin="From 100 dimensions down to 10 the sensitivity of (2) falls by a factor of about 10 (within 1/2). "
    "It is sqrt(2) p/n in even dimensions: the projection helps more than the paper says.",
    at=(3, 10),
)
def lemma_4_3x(i: int) -> Parts:
    """sqrt(100/10) = 3.16 is the ratio of the printed bounds."""
    half = sp.Rational(1, 2)
    return parts(ratio_of_dimensions(100, 10, sp.Integer(i), half))


@DOSSIER.disputed(
    "sigma-dp",
    "Records are drawn from N(0, Sigma^DP)",
    printed="Sigma with independent Laplace noise on every entry is a covariance, from which records can be "
    "drawn. Formulas: two entries c + z12, c + z21 across the diagonal agree; a variance s + z is not "
    "negative; processing costs nothing.",
    twin="The mean of the noisy matrix and its transpose, with negative eigenvalues set to zero, is a "
    "covariance; it is computed from the noisy one and costs nothing.",
    at=(False, True),
)
def sigma_dp(repaired: bool) -> Parts:
    """The scale of the noise is judged under algorithm-3 and theorem-3."""
    return parts(*is_covariance(repaired), post_processing())
