"""Section 4.2.1 and Algorithm 1: unit records, the noisy mean, centring."""

from __future__ import annotations

import sympy as sp

from ...dossier import Parts, Statement, parts
from .arguments.pipeline_release import losses, opposite_records
from .arguments.released_moments import EPS_MEAN, MEAN, mean_loss, mean_sensitivity
from .arguments.unit_records import centred_alike, certain_difference, rescaled, scaled
from .dossier import DOSSIER

ZERO, ONE = sp.Integer(0), sp.Integer(1)
LESS = sp.Rational(99, 100)
SCALE = MEAN / EPS_MEAN


@DOSSIER.disputed(
    "pre-normalise",
    "Records of length one",
    condition="No record is zero; in the formulas its first entry is not.",
    printed="Every record is divided by its length, and has length one afterwards. Formulas: there is a length "
    "to divide by; the length afterwards, two entries.",
    without="The same for every record, (r, 0) with r >= 0 in the formulas: the record 0 has no length to divide "
    "by.",
    at=(True, False),
)
def pre_normalise(nonzero: bool) -> Parts:
    return parts(*scaled(nonzero))


@DOSSIER.disputed(
    "lemma-2",
    "Sensitivity of the mean (Lemma 2)",
    printed=("", MEAN, SCALE),
    twin=("0.99 ", LESS * MEAN, LESS * SCALE),
)
def lemma_2(said: str, printed: sp.Expr, mean_scale: sp.Expr) -> Statement[Parts]:
    text = (
        f"The L1 sensitivity of the mean of n records of length one is {said}2 sqrt(m)/n: attained by (1, ..., 1)/sqrt(m) and its negative, and "
        "never exceeded. Instances: the privacy loss of the mean of raw neighbouring data sets under Laplace noise of that scale."
    )
    return Statement(
        text,
        parts(
            mean_sensitivity(printed),
            instances=losses("loss of the mean", opposite_records, mean_scale=mean_scale),
        ),
    )


@DOSSIER.disputed(
    "centre",
    "Centred records are not private",
    printed="Centred records would not be eps-private for any eps. Made precise: two equal records stay equal "
    "with probability one, and once one of them is replaced by another they differ with probability one, "
    "since the released mean drops out of differences.",
    twin="Two records that differ agree after centring, as equal ones do.",
    at=(">", "="),
)
def centre(relation: str) -> Parts:
    return parts(*certain_difference(relation))


@DOSSIER.disputed(
    "same-mean",
    "Neighbouring data sets are centred by the same mean",
    condition="It is said of each value of the released mean, for which the loss of this release is paid apart "
    "(adaptive composition).",
    printed="Neighbouring data sets are centred by one mean, and differ in one record after centring. Formulas: "
    "the squared distance after centring of a record that both have, and the difference of the two "
    "centres.",
    without="The same of the two runs themselves, with the same noise: their means differ by (x - x')/n, and "
    "every record moves.",
    at=(ZERO, ONE),
)
def same_mean(share: sp.Expr) -> Parts:
    return parts(*centred_alike(share))


@DOSSIER.disputed(
    "re-normalise",
    "Length one once more",
    condition="No record equals the released mean: so with probability one for noise with a density.",
    printed="Every centred record is divided by its length, which depends on this record and the released mean "
    "only, and has length one afterwards. Formulas: there is a length to divide by; the length "
    "afterwards, two entries.",
    without="The same for every record and released mean, with the distance r >= 0.",
    at=(True, False),
)
def re_normalise(apart: bool) -> Parts:
    return parts(*rescaled(apart))


@DOSSIER.disputed(
    "algorithm-1", "Pre-processing (Algorithm 1)", printed=("", SCALE), twin=("0.99 * ", LESS * SCALE)
)
def algorithm_1(said: str, scale: sp.Expr) -> Statement[Parts]:
    text = (
        f"The pre-processing releases the mean with Laplace noise of scale {said}2 sqrt(m)/(n eps_mu) on every entry, and so spends eps_mu "
        "(n public, one record replaced, no record zero). Instances: the loss from raw neighbouring data sets."
    )
    return Statement(
        text,
        parts(mean_loss(scale), instances=losses("loss of the mean", opposite_records, mean_scale=scale)),
    )
