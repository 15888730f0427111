"""Section 4.2.3, the release of a model without labels: mean, Algorithm 3, Theorem 3."""

from __future__ import annotations

import sympy as sp

from ...dossier import Parts, Statement, parts, times
from .arguments.pipeline_release import far_records, losses, whole_release
from .arguments.privacy_background import post_processing
from .arguments.released_moments import EPS_COVARIANCE, NEEDED, PRINTED, both_losses, covariance_loss
from .arguments.synthetic_records import harder_attack
from .dossier import DOSSIER

LESS = sp.Rational(99, 100)
JOINT = "loss of mean and second moments"


@DOSSIER.disputed("mean-release", "The projected mean comes for free", printed=sp.Integer(1), twin=LESS)
def mean_release(factor: sp.Expr) -> Statement[Parts]:
    text = (
        "W'mu^DP can be released as well, within the budgets spent already. Formula: the probability of an answer computed from the "
        f"releases, against e^({times(factor)}eps) times that for a neighbour; two outcomes."
    )
    return Statement(text, parts(post_processing(factor=factor)))


@DOSSIER.disputed(
    "algorithm-3",
    "The unsupervised release (Algorithm 3)",
    printed=("2 sqrt(p)", PRINTED),
    twin=("sqrt(2) p", NEEDED),
)
def algorithm_3(said: str, sensitivity: sp.Expr) -> Statement[Parts]:
    text = (
        f"Given the released mean, Laplace noise of scale {said}/(n eps_S) on every entry of the covariance spends eps_S. Formula: the largest "
        "loss for even p = 2k. Instances: raw neighbouring data sets, mean included."
    )
    scale = sensitivity / EPS_COVARIANCE
    return Statement(text, parts(covariance_loss(scale), instances=losses(JOINT, far_records, scale)))


@DOSSIER.disputed(
    "theorem-3",
    "Privacy of the unsupervised release (Theorem 3)",
    printed=("2 sqrt(p)", PRINTED),
    twin=("sqrt(2) p", NEEDED),
)
def theorem_3(said: str, sensitivity: sp.Expr) -> Statement[Parts]:
    """What is judged is the model from which records are drawn: the printed noisy covariance is none, so that nothing can be."""
    text = (
        f"Algorithm 3 with the scale {said}/(n eps_S) is (eps_mu + eps_S)-private: as in its proof, the noisy covariance is, also together with "
        "the noisy mean, and so whatever is drawn from them. Formulas: losses of both at two outputs, p = 2k. Instances: the covariance alone, the "
        "mean kept secret; then raw neighbouring data sets through the whole pipeline."
    )
    scale = sensitivity / EPS_COVARIANCE
    return Statement(text, parts(*both_losses(scale), instances=losses(JOINT, whole_release, scale)))


@DOSSIER.disputed("release-benefits", "Records rather than the model", printed=sp.Integer(1), twin=LESS)
def release_benefits(factor: sp.Expr) -> Statement[Parts]:
    """That software for records runs on records needs no check."""
    text = (
        "Who sees k synthetic records guesses the data worse than who sees the model: computed from the model they cannot tell more, and a "
        f"guess of the variance s has an error that is larger by {times(factor, ' * ')}2 (s^2 + v)/k > 0, v the variance of the noise. (It vanishes as k grows.)"
    )
    return Statement(text, parts(*harder_attack(factor=factor)))
