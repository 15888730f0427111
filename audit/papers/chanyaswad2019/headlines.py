"""Abstract and introduction: what is announced."""

from __future__ import annotations

import sympy as sp

from ...dossier import Formula, PaperClaim, Parts, Statement, parts, times
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

LESS, MORE = sp.Rational(99, 100), sp.Rational(101, 100)
JOINT = "loss of mean and second moments"


@DOSSIER.disputed(
    "intro-dp",
    "All algorithms are private",
    printed=("2 sqrt(p)", "2 sqrt(p) + 4 a sqrt(p) + a^2", PRINTED, PRINTED_LABELS),
    twin=("sqrt(2) p", "sqrt(2) p + 4 a sqrt(p) + a^2", NEEDED, NEEDED_LABELS),
)
def intro_dp(said: str, value: str, plain: sp.Expr, labelled: sp.Expr) -> Statement[Parts]:
    """The third algorithm, for mixtures, is not in the text at hand."""
    text = (
        f"The algorithms are private with the budgets that they name, Algorithms 3 and 4 with the noise scales {said} and {value}, over n eps_S. Formulas: "
        "losses for p = 2k. Instances: raw neighbouring data sets with labels through the whole pipeline."
    )
    plain, labelled = plain / EPS_COVARIANCE, labelled / EPS_COVARIANCE
    return Statement(
        text,
        parts(
            *both_losses(plain),
            labelled_loss(labelled),
            instances=losses(JOINT, far_records_with_labels, labelled),
        ),
    )


@DOSSIER.disputed(
    "intro-perturbation", "Projection lowers the noise", printed=("", sp.Integer(1)), twin=("1.01 ", 1 / LESS)
)
def intro_perturbation(said: str, factor: sp.Expr) -> Statement[Parts]:
    text = (
        "With the scale that privacy needs, the mean absolute noise on all entries is sqrt(2) p^3/(n eps_S): from m = p + k dimensions down to p "
        f"it falls by the factor {said}(m/p)^3 > 1."
    )
    return Statement(text, parts(*noise_in_all(factor=factor)))


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


@DOSSIER.disputed(
    "intro-label",
    "Labels keep their integrity",
    condition="Integrity means that labels have a coordinate of their own, which the projection leaves alone "
    "(section 4.2.3).",
    printed="Labels keep their integrity. Formula: the last coordinate of (W'x, y) is y, whatever the features "
    "are.",
    without="Synthetic labels are labels, that is in [-a, a]. Formula: the probability that one drawn from N(0, "
    "s^2) is not.",
    at=(label_kept_apart(), labels_in_range()),
)
def intro_label(formula: Formula) -> Parts:
    return parts(formula)


@DOSSIER.disputed(
    "intro-first", "Reduction and a normal model belong together", printed=sp.Integer(1), twin=MORE
)
def intro_first(factor: sp.Expr) -> Statement[Parts]:
    """Whether it was the first is left aside."""
    text = (
        "Dimension reduction is needed for a normal model to fit. Made precise on records +-e_i, equally likely, which meet the conditions: as they "
        f"are, and however rotated, they are at a bounded-Lipschitz distance of at least {times(factor, ' * ')}1/2 from N(0, I/m), m >= 48, and on a random line their fourth "
        "moment is within 6/m of the normal one. (That nobody did so before is not examined.)"
    )
    return Statement(text, parts(unreduced(factor=factor), far_from_normal("orthonormal", "<=")))


@DOSSIER.disputed("intro-no-dr", "Normal models without reduction", printed=sp.Integer(1), twin=LESS)
def intro_no_dr(factor: sp.Expr) -> Statement[Parts]:
    text = (
        f"Without dimension reduction n times the sensitivity of the covariance is {times(factor)}sqrt(2) m for even m, which grows without bound, and unit "
        "records need not be near normal: +-e_i, equally likely, are at a bounded-Lipschitz distance of at least 1/2 from N(0, I/m), m >= 48."
    )
    return Statement(text, parts(even_sensitivity(factor=factor), unreduced()))


@DOSSIER.disputed("intro-statistics", "Statistics are easier than data", printed=sp.Integer(1), twin=LESS)
def intro_statistics(factor: sp.Expr) -> Statement[Parts]:
    text = (
        "Simple statistics can be released with little noise, whole data sets cannot: for unit records and one budget Laplace noise on the records "
        f"is {times(factor)}n times that on their mean, whose noise is of the order 1/n. (Other mechanisms for whole data sets are not examined.)"
    )
    return Statement(text, parts(noise_on_everything(factor=factor)))


@DOSSIER.disputed("intro-budget-reuse", "Further analyses need no budget", printed=sp.Integer(1), twin=LESS)
def intro_budget_reuse(factor: sp.Expr) -> Statement[Parts]:
    text = (
        "Analyses of the released records, any number of them, cost nothing more. Formula: the probability of an answer after any random "
        f"processing, against e^({times(factor)}eps) times that for a neighbour; two outcomes."
    )
    return Statement(text, parts(post_processing(factor=factor)))


@DOSSIER.disputed("scope", "Not for every task", printed=("a smaller", ">"), twin=("no smaller", "<="))
def scope(said: str, relation: str) -> Statement[Parts]:
    text = (
        f"The normal model does not fit all data: x = s or -s, equally likely, has {said} fourth moment than the normal law "
        "with its mean and variance. (Of the method's fitness for other tasks, and of other models, nothing is said.)"
    )
    return Statement(text, parts(fourth_moments(relation)))
