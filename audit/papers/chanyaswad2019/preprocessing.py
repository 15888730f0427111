"""Section 4.2.1 and Algorithm 1: unit records, the noisy mean, centring."""

from __future__ import annotations

import sympy as sp

from ...dossier.paper_claim import PaperClaim, Statement
from ...dossier.parts import CHECKS, WITH_INSTANCES, Parts, parts
from .arguments.pipeline_release import losses, opposite_records
from .arguments.released_moments import EPS_MEAN, MEAN, mean_loss, mean_sensitivity
from .arguments.unit_records import centred_alike, certain_difference, rescaled, scaled
from .dossier import DOSSIER

ZERO, ONE = sp.Integer(0), sp.Integer(1)
LESS = sp.Rational(99, 100)
SCALE = MEAN / EPS_MEAN


@DOSSIER.claim("pre-normalise")
def pre_normalise() -> PaperClaim[Parts]:
    return PaperClaim(
        title="Records of length one",
        printed=Statement(
            "Every record is divided by its length, and has length one afterwards. Formulas: there is a length to divide by; the "
            "length afterwards, two entries.",
            parts(*scaled(True)),
        ),
        condition="No record is zero; in the formulas its first entry is not.",
        without_condition=Statement(
            "The same for every record, (r, 0) with r >= 0 in the formulas: the record 0 has no length to divide by.",
            parts(*scaled(False)),
        ),
        checks=CHECKS,
    )


@DOSSIER.claim("lemma-2")
def lemma_2() -> PaperClaim[Parts]:
    text = (
        "The L1 sensitivity of the mean of n records of length one is {}2 sqrt(m)/n: attained by (1, ..., 1)/sqrt(m) and its negative, and "
        "never exceeded. Instances: the privacy loss of the mean of raw neighbouring data sets under Laplace noise of that scale."
    )
    return PaperClaim(
        title="Sensitivity of the mean (Lemma 2)",
        printed=Statement(
            text.format(""),
            parts(mean_sensitivity(MEAN), instances=losses("loss of the mean", opposite_records)),
        ),
        twin=Statement(
            text.format("0.99 "),
            parts(
                mean_sensitivity(LESS * MEAN),
                instances=losses("loss of the mean", opposite_records, mean_scale=LESS * SCALE),
            ),
        ),
        checks=WITH_INSTANCES,
    )


@DOSSIER.claim("centre")
def centre() -> PaperClaim[Parts]:
    return PaperClaim(
        title="Centred records are not private",
        printed=Statement(
            "Centred records would not be eps-private for any eps. Made precise: two equal records stay equal with probability one, and "
            "once one of them is replaced by another they differ with probability one, since the released mean drops out of differences.",
            parts(*certain_difference(">")),
        ),
        twin=Statement(
            "Two records that differ agree after centring, as equal ones do.", parts(*certain_difference("="))
        ),
        checks=CHECKS,
    )


@DOSSIER.claim("same-mean")
def same_mean() -> PaperClaim[Parts]:
    return PaperClaim(
        title="Neighbouring data sets are centred by the same mean",
        printed=Statement(
            "Neighbouring data sets are centred by one mean, and differ in one record after centring. Formulas: the squared distance "
            "after centring of a record that both have, and the difference of the two centres.",
            parts(*centred_alike(ZERO)),
        ),
        condition="It is said of each value of the released mean, for which the loss of this release is paid apart (adaptive "
        "composition).",
        without_condition=Statement(
            "The same of the two runs themselves, with the same noise: their means differ by (x - x')/n, and every record moves.",
            parts(*centred_alike(ONE)),
        ),
        checks=CHECKS,
    )


@DOSSIER.claim("re-normalise")
def re_normalise() -> PaperClaim[Parts]:
    return PaperClaim(
        title="Length one once more",
        printed=Statement(
            "Every centred record is divided by its length, which depends on this record and the released mean only, and has length one "
            "afterwards. Formulas: there is a length to divide by; the length afterwards, two entries.",
            parts(*rescaled(True)),
        ),
        condition="No record equals the released mean: so with probability one for noise with a density.",
        without_condition=Statement(
            "The same for every record and released mean, with the distance r >= 0.", parts(*rescaled(False))
        ),
        checks=CHECKS,
    )


@DOSSIER.claim("algorithm-1")
def algorithm_1() -> PaperClaim[Parts]:
    text = (
        "The pre-processing releases the mean with Laplace noise of scale {}2 sqrt(m)/(n eps_mu) on every entry, and so spends eps_mu "
        "(n public, one record replaced, no record zero). Instances: the loss from raw neighbouring data sets."
    )
    return PaperClaim(
        title="Pre-processing (Algorithm 1)",
        printed=Statement(
            text.format(""),
            parts(mean_loss(SCALE), instances=losses("loss of the mean", opposite_records)),
        ),
        twin=Statement(
            text.format("0.99 * "),
            parts(
                mean_loss(LESS * SCALE),
                instances=losses("loss of the mean", opposite_records, mean_scale=LESS * SCALE),
            ),
        ),
        checks=WITH_INSTANCES,
    )
