"""Abstract and introduction: what is announced."""

from __future__ import annotations

import sympy as sp

from ...dossier.paper_claim import PaperClaim, Statement
from ...dossier.parts import CHECKS, WITH_INSTANCES, Parts, parts
from .arguments.augmented_moments import labelled_loss
from .arguments.orthonormal_projection import far_from_normal, unreduced
from .arguments.pipeline_release import far_records_with_labels, losses
from .arguments.privacy_background import post_processing
from .arguments.released_moments import (
    EPS_COVARIANCE,
    NEEDED,
    NEEDED_LABELS,
    PRINTED,
    PRINTED_LABELS,
    both_losses,
    even_sensitivity,
    noise_in_all,
    noise_on_everything,
)
from .arguments.synthetic_records import fourth_moments, label_kept_apart, labels_in_range
from .dossier import DOSSIER

ZERO = sp.Integer(0)
LESS, MORE = sp.Rational(99, 100), sp.Rational(101, 100)
JOINT = "loss of mean and second moments"


@DOSSIER.claim("intro-dp")
def intro_dp() -> PaperClaim[Parts]:
    """The third algorithm, for mixtures, is not in the text at hand."""
    text = (
        "The algorithms are private with the budgets that they name, Algorithms 3 and 4 with the noise scales {} and {}, over n eps_S. Formulas: "
        "losses for p = 2k. Instances: raw neighbouring data sets with labels through the whole pipeline."
    )

    def private(plain: sp.Expr, labelled: sp.Expr) -> Parts:
        plain, labelled = plain / EPS_COVARIANCE, labelled / EPS_COVARIANCE
        return parts(
            *both_losses(plain),
            labelled_loss(labelled),
            instances=losses(JOINT, far_records_with_labels, labelled),
        )

    return PaperClaim(
        title="All algorithms are private",
        printed=Statement(
            text.format("2 sqrt(p)", "2 sqrt(p) + 4 a sqrt(p) + a^2"), private(PRINTED, PRINTED_LABELS)
        ),
        twin=Statement(
            text.format("sqrt(2) p", "sqrt(2) p + 4 a sqrt(p) + a^2"), private(NEEDED, NEEDED_LABELS)
        ),
        checks=WITH_INSTANCES,
    )


@DOSSIER.claim("intro-perturbation")
def intro_perturbation() -> PaperClaim[Parts]:
    text = (
        "With the scale that privacy needs, the mean absolute noise on all entries is sqrt(2) p^3/(n eps_S): from m = p + k dimensions down to p "
        "it falls by the factor {}(m/p)^3 > 1."
    )
    return PaperClaim(
        title="Projection lowers the noise",
        printed=Statement(text.format(""), parts(*noise_in_all())),
        twin=Statement(text.format("1.01 "), parts(*noise_in_all(1 / LESS))),
        checks=CHECKS,
    )


@DOSSIER.claim("intro-utility")
def intro_utility() -> PaperClaim[None]:
    """Three large data sets and four other methods."""
    return PaperClaim(
        title="Utility on three data sets",
        printed=Statement(
            "On three real data sets, for clustering, classification and regression, the synthetic records serve better than those of four "
            "earlier methods with the same budget, by up to a factor of ten, and hardly worse than the real ones.",
            None,
        ),
        undecided="needs the three data sets and the four methods of the paper's experiments, which the text at hand does not contain",
    )


@DOSSIER.claim("intro-label")
def intro_label() -> PaperClaim[Parts]:
    return PaperClaim(
        title="Labels keep their integrity",
        printed=Statement(
            "Labels keep their integrity. Formula: the last coordinate of (W'x, y) is y, whatever the features are.",
            parts(label_kept_apart()),
        ),
        condition="Integrity means that labels have a coordinate of their own, which the projection leaves alone (section 4.2.3).",
        without_condition=Statement(
            "Synthetic labels are labels, that is in [-a, a]. Formula: the probability that one drawn from N(0, s^2) is not.",
            parts(labels_in_range()),
        ),
        checks=CHECKS,
    )


@DOSSIER.claim("intro-first")
def intro_first() -> PaperClaim[Parts]:
    """Whether it was the first is left aside."""
    text = (
        "Dimension reduction is needed for a normal model to fit. Made precise on records +-e_i, equally likely, which meet the conditions: as they "
        "are, and however rotated, they are at a bounded-Lipschitz distance of at least {}1/2 from N(0, I/m), m >= 48, and on a random line their fourth "
        "moment is within 6/m of the normal one. (That nobody did so before is not examined.)"
    )
    return PaperClaim(
        title="Reduction and a normal model belong together",
        printed=Statement(text.format(""), parts(unreduced(), far_from_normal("orthonormal", "<="))),
        twin=Statement(text.format("1.01 * "), parts(unreduced(MORE), far_from_normal("orthonormal", "<="))),
        checks=CHECKS,
    )


@DOSSIER.claim("intro-no-dr")
def intro_no_dr() -> PaperClaim[Parts]:
    text = (
        "Without dimension reduction n times the sensitivity of the covariance is {}sqrt(2) m for even m, which grows without bound, and unit "
        "records need not be near normal: +-e_i, equally likely, are at a bounded-Lipschitz distance of at least 1/2 from N(0, I/m), m >= 48."
    )
    return PaperClaim(
        title="Normal models without reduction",
        printed=Statement(text.format(""), parts(even_sensitivity(), unreduced())),
        twin=Statement(text.format("0.99 "), parts(even_sensitivity(LESS), unreduced())),
        checks=CHECKS,
    )


@DOSSIER.claim("intro-statistics")
def intro_statistics() -> PaperClaim[Parts]:
    text = (
        "Simple statistics can be released with little noise, whole data sets cannot: for unit records and one budget Laplace noise on the records "
        "is {}n times that on their mean, whose noise is of the order 1/n. (Other mechanisms for whole data sets are not examined.)"
    )
    return PaperClaim(
        title="Statistics are easier than data",
        printed=Statement(text.format(""), parts(noise_on_everything())),
        twin=Statement(text.format("0.99 "), parts(noise_on_everything(LESS))),
        checks=CHECKS,
    )


@DOSSIER.claim("intro-budget-reuse")
def intro_budget_reuse() -> PaperClaim[Parts]:
    text = (
        "Analyses of the released records, any number of them, cost nothing more. Formula: the probability of an answer after any random "
        "processing, against e^({}eps) times that for a neighbour; two outcomes."
    )
    return PaperClaim(
        title="Further analyses need no budget",
        printed=Statement(text.format(""), parts(post_processing())),
        twin=Statement(text.format("0.99 "), parts(post_processing(LESS))),
        checks=CHECKS,
    )


@DOSSIER.claim("scope")
def scope() -> PaperClaim[Parts]:
    text = (
        "The normal model does not fit all data: x = s or -s, equally likely, has {} fourth moment than the normal law "
        "with its mean and variance. (Of the method's fitness for other tasks, and of other models, nothing is said.)"
    )
    return PaperClaim(
        title="Not for every task",
        printed=Statement(text.format("a smaller"), parts(fourth_moments(">"))),
        twin=Statement(text.format("no smaller"), parts(fourth_moments("<="))),
        checks=CHECKS,
    )
