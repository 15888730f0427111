"""Section 4.2.2 and Algorithm 2: random projections with orthonormal columns."""

from __future__ import annotations

import sympy as sp

from ...dossier.paper_claim import PaperClaim, Statement
from ...dossier.parts import CHECKS, Parts, parts
from .arguments.orthonormal_projection import (
    far_from_normal,
    first_column,
    gram_schmidt,
    no_leak,
    projected_length,
    record_by_record,
)
from .arguments.unit_records import projected_difference
from .dossier import DOSSIER

ZERO, ONE = sp.Integer(0), sp.Integer(1)
LESS = sp.Rational(99, 100)


@DOSSIER.claim("ron-independent")
def ron_independent() -> PaperClaim[Parts]:
    return PaperClaim(
        title="The projection costs no privacy",
        printed=Statement(
            "W is drawn without looking at the data: releasing it along leaves every privacy loss as it is. Formula: the ratio of the "
            "joint densities of W and the release, for neighbouring data sets, against that of the release given W.",
            parts(no_leak(ONE)),
        ),
        twin=Statement(
            "The same if W is drawn with a density that the data change by 1 %.", parts(no_leak(LESS))
        ),
        checks=CHECKS,
    )


@DOSSIER.claim("ron-neighbours")
def ron_neighbours() -> PaperClaim[Parts]:
    return PaperClaim(
        title="Projected neighbours differ in one record",
        printed=Statement(
            "The projection is applied record by record, x~_i = W'xbar_i (Algorithm 2; a display in the text has x for xbar): a record "
            "that both data sets have is projected to the same point. Formula: m = 2, two records.",
            parts(record_by_record(ZERO)),
        ),
        twin=Statement(
            "The same if 1 % of the data's own mean is taken off before the projection.",
            parts(record_by_record(sp.Rational(1, 100))),
        ),
        checks=CHECKS,
    )


@DOSSIER.claim("lemma-3")
def lemma_3() -> PaperClaim[Parts]:
    text = "|W'x|^2 <= {} for every record x of length one and every W with W'W = I. Formula: one column in the plane; the step for all m, p."
    return PaperClaim(
        title="Length of a projected record (Lemma 3)",
        printed=Statement(text.format("1"), parts(projected_length("<=", ONE))),
        twin=Statement(text.format("0.99"), parts(projected_length("<=", LESS))),
        checks=CHECKS,
    )


@DOSSIER.claim("lemma-3-reading")
def lemma_3_reading() -> PaperClaim[Parts]:
    return PaperClaim(
        title="The projection does not change the length",
        printed=Statement(
            "|W'x| = |x| for every record x of length one. Formula: squares, one column in the plane.",
            parts(projected_length("=", ONE)),
        ),
        twin=Statement(
            "|W'x| <= |x|, and what is lost is |x - WW'x|^2: nothing for x in the range of W only.",
            parts(projected_length("<=", ONE)),
        ),
        checks=CHECKS,
    )


@DOSSIER.claim("ron-qr")
def ron_qr() -> PaperClaim[Parts]:
    text = (
        "p columns of Q, where A = QR has independent {} entries, are a uniformly random W as Theorem 2 needs it. Formulas: "
        "E q1 q2 = 0 and E q1^2 q2^2 = 1/8 for the first column and m = 2."
    )
    return PaperClaim(
        title="The projection from a QR factorisation",
        printed=Statement(text.format("uniform"), parts(*first_column("uniform on [0, 1]"))),
        twin=Statement(
            text.format("standard normal")
            + " Uniform entries fail on [-1, 1] as well: E q1^2 q2^2 = pi/8 - 1/4.",
            parts(*first_column("standard normal")),
        ),
        checks=CHECKS,
    )


@DOSSIER.claim("ron-vs-iid")
def ron_vs_iid() -> PaperClaim[Parts]:
    """Unit vectors +-e_i are records of length one whose every direction has variance 1/m."""
    test = (
        "Made precise on records +-e_i, equally likely: the fourth moment of a scaled projection to a line, given the direction and "
        "averaged over it, against 3, that of the standard normal law (m > 3)."
    )
    orthonormal = far_from_normal("orthonormal", "<=")
    return PaperClaim(
        title="Orthonormal against independent entries",
        printed=Statement(
            "Projections by random orthonormal columns become normal, in contrast with those by independent normal or sign entries. "
            f"{test} Within 6/m for orthonormal columns, more than 1 away for the two others.",
            parts(orthonormal, far_from_normal("sign", ">"), far_from_normal("normal", ">")),
        ),
        twin=Statement(
            "They do so in contrast with independent signs, but not with independent normal entries, which are a rotation-invariant "
            f"projection times a factor near 1. {test}",
            parts(orthonormal, far_from_normal("sign", ">"), far_from_normal("normal", "<=")),
        ),
        checks=CHECKS,
    )


@DOSSIER.claim("projected-not-private")
def projected_not_private() -> PaperClaim[Parts]:
    text = (
        "Made precise: two equal records are projected to one point with probability one, and once one of them is replaced by one of another direction {}. Formulas: "
        "the squared distance, averaged over uniform W."
    )
    return PaperClaim(
        title="Projected records are not private",
        printed=Statement(
            "Projected records would not be eps-private for any eps. "
            + text.format("they differ with probability one"),
            parts(*projected_difference(">")),
        ),
        twin=Statement(
            "Projected records hide a record. " + text.format("they still agree"),
            parts(*projected_difference("=")),
        ),
        checks=CHECKS,
    )


@DOSSIER.claim("algorithm-2")
def algorithm_2() -> PaperClaim[Parts]:
    text = (
        "The first p columns of Q, A = QR with A drawn, satisfy W'W = I, and W costs no privacy. Formulas: the first two columns for m = 3 by "
        "orthogonalising those of A{}; the joint density. (That W is uniformly random is another matter: ron-qr.)"
    )
    return PaperClaim(
        title="Projection (Algorithm 2)",
        printed=Statement(text.format(""), parts(*gram_schmidt(), no_leak(ONE))),
        twin=Statement(
            text.format(", with 1 % of the share along the first one left in"),
            parts(*gram_schmidt(LESS), no_leak(ONE)),
        ),
        checks=CHECKS,
    )
