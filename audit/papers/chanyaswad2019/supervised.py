"""Section 4.2.3 with labels: the augmented covariance, Lemma 5, Algorithm 4; the mixture that is announced."""

from __future__ import annotations

import sympy as sp

from ...dossier import Parts, Statement, parts, times
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


@DOSSIER.disputed("label-not-projected", "The label is not projected", printed=sp.Integer(1), twin=LESS)
def label_not_projected(factor: sp.Expr) -> Statement[Parts]:
    text = (
        "A label that is projected along with the m features cannot be found again from p <= m projections: for white records the best linear "
        f"guess errs by 1 - |W'e|^2, on average {times(factor)}(m + 1 - p)/(m + 1) > 0 under uniform W (m + 1 = p + k)."
    )
    return Statement(text, parts(*kept_share(factor=factor)))


@DOSSIER.disputed(
    "eq-3", "The augmented covariance (3)", printed=("", sp.Integer(1)), twin=(", each times 0.99", LESS)
)
def equation_3(said: str, factor: sp.Expr) -> Statement[Parts]:
    text = (
        f"With the labels as a last row, (1/n) X_a X_a' has the blocks (1/n) X X', (1/n) X y and (1/n) y'y{said}. Formulas: an entry of each block, "
        "p = 2, n = 3; the step adds a record in every size."
    )
    return Statement(text, parts(*augmented(factor=factor)))


@DOSSIER.disputed("eq-3-bias", "Bias against sensitivity, with labels", printed=sp.Integer(1), twin=LESS)
def equation_3_bias(one: sp.Expr) -> Statement[Parts]:
    text = (
        "The estimate (3) differs from the covariance by products of means; its sensitivity is lower than that of the unbiased one, for p = 1 by "
        f"a factor of exactly {times(one, ' * ')}4, (1 + a)^2/n against 4 (1 + a)^2/n, and for every p by at least 2 sqrt(2): 4 (sqrt(p) + a)^2/n is attained."
    )
    return Statement(
        text,
        parts(cross_bias(), unbiased_saving_with_labels(4 * one), unbiased_saving_with_labels_everywhere()),
    )


DOSSIER.introduces("label-bounded", "Bounded labels", "Labels lie in [-a, a], with a known.")


@DOSSIER.disputed(
    "lemma-5",
    "Sensitivity of the augmented covariance (Lemma 5)",
    printed=("2 sqrt(p)", "", PRINTED_LABELS),
    twin=(
        "sqrt(2) p",
        " It is also at most sqrt(2) (sqrt(p) + a)^2/n. For even p what is printed is too small wherever a <= 0.657 sqrt(p) - 0.93 (in the "
        "last formula a = 0.657 r - 0.93 - t, r = sqrt(p)).",
        NEEDED_LABELS,
    ),
)
def lemma_5(bound: str, also: str, sensitivity: sp.Expr) -> Statement[Parts]:
    """Read as an upper bound.  Steps 3 and 4 are right, a^2 and 4 a sqrt(p) are attained; step 2 takes over Lemma 4."""
    text = (
        f"The L1 sensitivity of the augmented covariance is at most ({bound} + 4 a sqrt(p) + a^2)/n. Formula: the pair of features that are farthest "
        f"apart, labels a and 0, p = 2k. Instances: raw neighbouring data sets with labels.{also}"
    )
    more = (
        (jointly_bounded(), printed_too_small(sp.Rational(657, 1000), sp.Rational(93, 100))) if also else ()
    )
    instances = distances(sensitivity, far_records_with_labels)
    return Statement(text, parts(labelled_sensitivity(sensitivity), *more, instances=instances))


@DOSSIER.disputed(
    "supervised-difference",
    "Supervised against unsupervised",
    printed=("", sp.Integer(1), PRINTED),
    twin=("0.99 ", LESS, LESS * PRINTED),
)
def supervised_difference(said: str, factor: sp.Expr, plain: sp.Expr) -> Statement[Parts]:
    """Another matrix, and with it another noise: the features get more of it than without labels."""
    text = (
        f"The supervised model differs by its matrix only: the features' block of (3) is {said}(2), and without labels (a = 0) the noise is that of "
        "Algorithm 3. Formulas: an entry for p = 2, n = 3; the scales at a = 0."
    )
    return Statement(text, parts(same_features(factor=factor), scale_without_labels(PRINTED_LABELS, plain)))


@DOSSIER.disputed(
    "algorithm-4",
    "The supervised release (Algorithm 4)",
    printed=("2 sqrt(p)", PRINTED_LABELS),
    twin=("sqrt(2) p", NEEDED_LABELS),
)
def algorithm_4(said: str, sensitivity: sp.Expr) -> Statement[Parts]:
    text = (
        f"Given the released mean, Laplace noise of scale ({said} + 4 a sqrt(p) + a^2)/(n eps_S) on every entry of the augmented covariance spends "
        "eps_S. Formula: the loss for the farthest features with labels a and 0, p = 2k. Instances: raw neighbouring data sets, mean included."
    )
    scale = sensitivity / EPS_COVARIANCE
    instances = losses("loss of mean and second moments", far_records_with_labels, scale)
    return Statement(text, parts(labelled_loss(scale), instances=instances))


# The text at hand ends before it.
DOSSIER.introduces(
    "gmm-extension",
    "Mixtures of normal laws",
    "An extension to mixtures of normal laws is announced, without a step, a scale or a statement of privacy.",
)
