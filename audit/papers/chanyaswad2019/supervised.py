"""Section 4.2.3 with labels: the augmented covariance, Lemma 5, Algorithm 4; the mixture that is announced."""

from __future__ import annotations

import sympy as sp

from ...dossier.formula import Formula
from ...dossier.paper_claim import PaperClaim, Statement, asserts_nothing
from ...dossier.parts import CHECKS, WITH_INSTANCES, Parts, parts
from .arguments.augmented_moments import (
    cross_bias,
    jointly_bounded,
    labelled_loss,
    labelled_sensitivity,
    printed_too_small,
    scale_without_labels,
    unbiased_saving_with_labels,
    unbiased_saving_with_labels_everywhere,
)
from .arguments.orthonormal_projection import kept_share
from .arguments.pipeline_release import distances, far_records_with_labels, losses
from .arguments.released_moments import EPS_COVARIANCE, NEEDED_LABELS, PRINTED, PRINTED_LABELS
from .arguments.synthetic_records import augmented, same_features
from .dossier import DOSSIER

LESS = sp.Rational(99, 100)


@DOSSIER.claim("label-not-projected")
def label_not_projected() -> PaperClaim[Parts]:
    text = (
        "A label that is projected along with the m features cannot be found again from p <= m projections: for white records the best linear "
        "guess errs by 1 - |W'e|^2, on average {}(m + 1 - p)/(m + 1) > 0 under uniform W (m + 1 = p + k)."
    )
    return PaperClaim(
        title="The label is not projected",
        printed=Statement(text.format(""), parts(*kept_share())),
        twin=Statement(text.format("0.99 "), parts(*kept_share(LESS))),
        checks=CHECKS,
    )


@DOSSIER.claim("eq-3")
def equation_3() -> PaperClaim[Parts]:
    text = (
        "With the labels as a last row, (1/n) X_a X_a' has the blocks (1/n) X X', (1/n) X y and (1/n) y'y{}. Formulas: an entry of each block, "
        "p = 2, n = 3; the step adds a record in every size."
    )
    return PaperClaim(
        title="The augmented covariance (3)",
        printed=Statement(text.format(""), parts(*augmented())),
        twin=Statement(text.format(", each times 0.99"), parts(*augmented(LESS))),
        checks=CHECKS,
    )


@DOSSIER.claim("eq-3-bias")
def equation_3_bias() -> PaperClaim[Parts]:
    text = (
        "The estimate (3) differs from the covariance by products of means; its sensitivity is lower than that of the unbiased one, for p = 1 by "
        "a factor of exactly {}4, (1 + a)^2/n against 4 (1 + a)^2/n, and for every p by at least 2 sqrt(2): 4 (sqrt(p) + a)^2/n is attained."
    )

    def lower(one: sp.Expr) -> Parts:
        return parts(
            cross_bias(), unbiased_saving_with_labels(4 * one), unbiased_saving_with_labels_everywhere()
        )

    return PaperClaim(
        title="Bias against sensitivity, with labels",
        printed=Statement(text.format(""), lower(sp.Integer(1))),
        twin=Statement(text.format("0.99 * "), lower(LESS)),
        checks=CHECKS,
    )


@DOSSIER.claim("label-bounded")
def label_bounded() -> PaperClaim[None]:
    return asserts_nothing("Bounded labels", "Labels lie in [-a, a], with a known.")


@DOSSIER.claim("lemma-5")
def lemma_5() -> PaperClaim[Parts]:
    """Read as an upper bound.  Steps 3 and 4 are right, a^2 and 4 a sqrt(p) are attained; step 2 takes over Lemma 4."""
    text = (
        "The L1 sensitivity of the augmented covariance is at most ({} + 4 a sqrt(p) + a^2)/n. Formula: the pair of features that are farthest "
        "apart, labels a and 0, p = 2k. Instances: raw neighbouring data sets with labels."
    )

    def bounded(sensitivity: sp.Expr, *more: Formula) -> Parts:
        instances = distances(sensitivity, far_records_with_labels)
        return parts(labelled_sensitivity(sensitivity), *more, instances=instances)

    too_small = printed_too_small(sp.Rational(657, 1000), sp.Rational(93, 100))
    return PaperClaim(
        title="Sensitivity of the augmented covariance (Lemma 5)",
        printed=Statement(text.format("2 sqrt(p)"), bounded(PRINTED_LABELS)),
        twin=Statement(
            text.format("sqrt(2) p")
            + " It is also at most sqrt(2) (sqrt(p) + a)^2/n. For even p what is printed is too small wherever a <= 0.657 sqrt(p) - 0.93 (in the "
            "last formula a = 0.657 r - 0.93 - t, r = sqrt(p)).",
            bounded(NEEDED_LABELS, jointly_bounded(), too_small),
        ),
        checks=WITH_INSTANCES,
    )


@DOSSIER.claim("supervised-difference")
def supervised_difference() -> PaperClaim[Parts]:
    """Another matrix, and with it another noise: the features get more of it than without labels."""
    text = (
        "The supervised model differs by its matrix only: the features' block of (3) is {}(2), and without labels (a = 0) the noise is that of "
        "Algorithm 3. Formulas: an entry for p = 2, n = 3; the scales at a = 0."
    )
    return PaperClaim(
        title="Supervised against unsupervised",
        printed=Statement(
            text.format(""), parts(same_features(), scale_without_labels(PRINTED_LABELS, PRINTED))
        ),
        twin=Statement(
            text.format("0.99 "),
            parts(same_features(LESS), scale_without_labels(PRINTED_LABELS, LESS * PRINTED)),
        ),
        checks=CHECKS,
    )


@DOSSIER.claim("algorithm-4")
def algorithm_4() -> PaperClaim[Parts]:
    text = (
        "Given the released mean, Laplace noise of scale ({} + 4 a sqrt(p) + a^2)/(n eps_S) on every entry of the augmented covariance spends "
        "eps_S. Formula: the loss for the farthest features with labels a and 0, p = 2k. Instances: raw neighbouring data sets, mean included."
    )

    def spends(sensitivity: sp.Expr) -> Parts:
        scale = sensitivity / EPS_COVARIANCE
        instances = losses("loss of mean and second moments", far_records_with_labels, scale)
        return parts(labelled_loss(scale), instances=instances)

    return PaperClaim(
        title="The supervised release (Algorithm 4)",
        printed=Statement(text.format("2 sqrt(p)"), spends(PRINTED_LABELS)),
        twin=Statement(text.format("sqrt(2) p"), spends(NEEDED_LABELS)),
        checks=WITH_INSTANCES,
    )


@DOSSIER.claim("gmm-extension")
def gmm_extension() -> PaperClaim[None]:
    """The text at hand ends before it."""
    return asserts_nothing(
        "Mixtures of normal laws",
        "An extension to mixtures of normal laws is announced, without a step, a scale or a statement of privacy.",
    )
