"""The covariance of the projected records, its sensitivity and the noise on it."""

from __future__ import annotations

import sympy as sp

from ....symbolic.sensitivity import N, P
from ...dossier.paper_claim import PaperClaim, Statement
from ...dossier.parts import CHECKS as PARTS
from ...dossier.parts import Parts, parts
from .arguments.centred_moments import bias, saving, unbiased_saving, unbiased_saving_everywhere
from .arguments.privacy_background import post_processing
from .arguments.released_moments import falls_with_dimension, ratio_of_dimensions
from .arguments.sensitivity_checks import CHECKS, CovarianceSensitivity
from .arguments.synthetic_records import is_covariance, second_moments
from .dossier import DOSSIER

LESS = sp.Rational(99, 100)


@DOSSIER.claim("eq-2")
def equation_2() -> PaperClaim[Parts]:
    text = "Sigma = (1/n) X X' is {}the mean of the products x_i x_i'. Formulas: p = 2, n = 3; the step adds a record in every size."
    return PaperClaim(
        title="The estimate of the covariance (2)",
        printed=Statement(text.format(""), parts(*second_moments())),
        twin=Statement(text.format("0.99 times "), parts(*second_moments(LESS))),
        checks=PARTS,
    )


@DOSSIER.claim("eq-2-bias")
def equation_2_bias() -> PaperClaim[Parts]:
    text = (
        "The estimate (2) differs from the covariance by the square of the mean, which need not be zero; its sensitivity is lower than "
        "that of the unbiased estimate, for p = 1 by a factor of exactly {}4 and for every p by at least 2 sqrt(2): 4p/n is attained with "
        "all other records at the negative of the one replaced."
    )
    return PaperClaim(
        title="Bias against sensitivity",
        printed=Statement(
            text.format(""), parts(bias(), unbiased_saving(sp.Integer(4)), unbiased_saving_everywhere())
        ),
        twin=Statement(
            text.format("0.99 * "), parts(bias(), unbiased_saving(4 * LESS), unbiased_saving_everywhere())
        ),
        checks=PARTS,
    )


@DOSSIER.claim("saving-n")
def saving_n() -> PaperClaim[Parts]:
    return PaperClaim(
        title="A saving of the order of n",
        printed=Statement(
            "The sensitivity of the maximum-likelihood covariance (mean subtracted, over n) is larger than that of (2) by a factor of at "
            "least c n, for some c > 0. Formulas: c = 4/n for p = 1, c = 8/n for every p, n = k + 1; both fail for every n.",
            parts(*saving(">=")),
        ),
        twin=Statement(
            "The factor is 4 (n - 1)/n for p = 1 and at most 8 (n - 1)/n for every p: replacing a record changes the scatter about the mean "
            "by (n-1)/n [(x - c)(x - c)' - (x' - c)(x' - c)'], c the mean of the others. Both sensitivities are of the order 1/n.",
            parts(*saving("<=")),
        ),
        checks=PARTS,
    )


@DOSSIER.claim("lemma-4")
def lemma_4() -> PaperClaim[CovarianceSensitivity]:
    """The covariance is the mean of the outer products of n records, projected to p dimensions; the fourth step is the wrong one."""
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


@DOSSIER.claim("lemma-4-dimension")
def lemma_4_dimension() -> PaperClaim[Parts]:
    """Argued with the true sensitivity, not with the printed one."""
    return PaperClaim(
        title="Fewer dimensions, less sensitivity",
        printed=Statement(
            "The sensitivity of (2) is larger in every higher dimension. Formula: squares of a lower bound at p + 1 + j, "
            "2 (p + 1 + j)^2 - 1, and of the upper bound at p, 2 p^2, times n^2.",
            parts(falls_with_dimension()),
        ),
        twin=Statement("It is not larger in higher dimensions.", parts(falls_with_dimension("<="))),
        checks=PARTS,
    )


@DOSSIER.claim("lemma-4-3x")
def lemma_4_3x() -> PaperClaim[Parts]:
    """sqrt(100/10) = 3.16 is the ratio of the printed bounds."""
    text = "From 100 dimensions down to 10 the sensitivity of (2) falls by a factor of about {} (within 1/2)."
    half = sp.Rational(1, 2)
    return PaperClaim(
        title="From 100 dimensions to 10",
        printed=Statement(text.format("3"), parts(ratio_of_dimensions(100, 10, sp.Integer(3), half))),
        twin=Statement(
            text.format("10")
            + " It is sqrt(2) p/n in even dimensions: the projection helps more than the paper says.",
            parts(ratio_of_dimensions(100, 10, sp.Integer(10), half)),
        ),
        checks=PARTS,
    )


@DOSSIER.claim("sigma-dp")
def sigma_dp() -> PaperClaim[Parts]:
    """The scale of the noise is judged under algorithm-3 and theorem-3."""
    return PaperClaim(
        title="Records are drawn from N(0, Sigma^DP)",
        printed=Statement(
            "Sigma with independent Laplace noise on every entry is a covariance, from which records can be drawn. Formulas: two "
            "entries c + z12, c + z21 across the diagonal agree; a variance s + z is not negative; processing costs nothing.",
            parts(*is_covariance(False), post_processing()),
        ),
        twin=Statement(
            "The mean of the noisy matrix and its transpose, with negative eigenvalues set to zero, is a covariance; it is "
            "computed from the noisy one and costs nothing.",
            parts(*is_covariance(True), post_processing()),
        ),
        checks=PARTS,
    )
