"""Abstract, introduction and conclusion: what is announced."""

from __future__ import annotations

from ...dossier import Formula, Later, PaperClaim, Parts, Statement, parts
from ...dossier.arguments.information_noise import quadratic_cost
from ...dossier.arguments.release_statements import (
    FAR,
    error_at_condition,
    error_of_private,
    growth,
    normal_privacy,
    shrinkage,
    unbiased_one,
    weighted_sum_prefers_no_scale,
)
from .arguments.svm_exact import null_space_release
from .arguments.svm_statements import stable_model, two_minima
from .dossier import DOSSIER


@DOSSIER.disputed(
    "headline-1",
    "Inverse Fisher information as a measure of privacy against everyone",
    printed="Whatever an adversary does, her error on an entry is at least the inverse of the Fisher information "
    "of the noise, without any assumption on the data. Formula: the estimate s xbar, 0 < s < 1, of an "
    "entry x under normal noise of variance v has an error of at least v.",
    twin="Every unbiased estimate of an entry has an error of at least the inverse of the Fisher information "
    "of the noise.",
    at=(shrinkage(), unbiased_one()),
)
def headline_1(formula: Formula) -> Parts:
    """Tried on s xbar: an adversary who pulls the release towards a value she thinks likely."""
    return parts(formula)


@DOSSIER.disputed(
    "headline-2",
    "The variance of the noise degrades the utility of a model",
    condition="The loss has one minimiser, which moves by at most c times the change of the data; so it is for "
    "program (2) and for strongly convex losses.",
    printed="For some c and all small eps the trained model moves by at most eps with a probability D of at "
    "least 1 - c^2 V/eps^2, V the variance of the noise (up to the number of records): what is "
    "guaranteed falls as V grows and rises to 1 as V falls to 0. Formula: the mean, c = 1, and noise "
    "that nearly attains the bound.",
    without="The same for every twice differentiable loss. Formula: (phi^2 - 1)^2 - x phi at x = 0, where D <= "
    "1/2 for every symmetric noise that is not zero.",
    at=(stable_model(), two_minima()),
)
def headline_2(formula: Formula) -> Parts:
    """For the machine (2) the stability is a theorem; other losses may have two minima."""
    return parts(formula)


@DOSSIER.disputed(
    "headline-3",
    "The optimal noise is Gaussian and locally private",
    printed="Maximising a weighted sum of the measures of privacy and utility, 1/Tr(Pi^-1 I) and -Tr(V), gives "
    "Gaussian noise, which is (eps, delta)-locally private. Formulas: the noise of P(lambda) against the "
    "same scaled by sqrt(2) and sqrt(1/2), divided by Tr(V), Tr(Pi^(-1/2)) = 1; delta = erf(mu/sqrt(8)) "
    "< 1 for records at any distance mu_far (in standard deviations).",
    twin="The noise of least Tr(Pi^-1 I) + lambda Tr(V) is Gaussian. If records are at most mu standard "
    "deviations apart, as for bounded entries, it is (eps, delta)-locally private with delta = "
    "erf(mu/sqrt(8)) < 1 for every eps >= 0.",
    at=(
        (weighted_sum_prefers_no_scale(), normal_privacy(FAR)),
        Later(lambda: (quadratic_cost(), normal_privacy())),
    ),
)
def headline_3(formula: Formula, value: Formula) -> Parts:
    """Two things go wrong: the sum has no maximiser, and privacy needs bounded entries."""
    return parts(formula, value)


@DOSSIER.disputed(
    "headline-4",
    "Correlated noise that leaves the classifier unchanged and provides privacy",
    printed="Noise on the null space of Omega leaves the linear classifier unchanged and makes every record "
    "noisy, in every direction.",
    twin="The classifier is unchanged; record i gets noise at a right angle to alpha only, of variance m (1 - "
    "c_i^2) in each such direction, c the unit vector along (omega_i y_i). alpha'x_i is released as it "
    "is.",
    at=("every direction", "across"),
)
def headline_4(said: str) -> Parts:
    """The records (1, 0)+ and (-4, 1)- with rho = theta = 1: the only support record gets no noise at all."""
    return Parts((), null_space_release(said))


@DOSSIER.disputed(
    "headline-5",
    "What (eps, delta) says about the error of an adversary",
    printed="Normal noise that is (eps, delta)-locally private leaves every estimate of an entry an error of at "
    "least (1 + sqrt(2 ln(1/delta)))^2/eps^2, of the order ln^2(1/delta)/eps^2. Formula: the raw release "
    "under N(0, s^2), entries at most 1 apart, at each (eps, delta) of the exact privacy curve.",
    twin="Unbiased estimates have that error under the normal noise for which the condition of Theorem 2.5 is "
    "an equality; noise that is just (eps, delta)-private needs less. The expression is at most 2 (1 + 2 "
    "ln(1/delta))/eps^2.",
    at=(parts(error_of_private()), parts(error_at_condition(), growth())),
)
def headline_5(data: Parts) -> Parts:
    """One entry, Pi = 1, entries at most 1 apart."""
    return data


@DOSSIER.claim("headline-6")
def headline_6() -> PaperClaim[None]:
    """The breast cancer data come with scikit-learn; the other two do not."""
    return PaperClaim(
        title="Optimal noise against Laplace noise on three data sets",
        printed=Statement(
            "On the Breast Cancer, Adult and Lending Club data, models trained on data with the optimal noise are always better "
            "than models trained on data with Laplace noise of the same privacy guarantee.",
            None,
        ),
        undecided="needs the Adult and Lending Club data, which are not bundled: run noiseproof experiment adult",
    )
