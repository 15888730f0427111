"""Section 4.2.2 and Algorithm 2: random projections with orthonormal columns."""

from __future__ import annotations

import sympy as sp

from ...dossier import Parts, Statement, parts
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


@DOSSIER.disputed(
    "ron-independent",
    "The projection costs no privacy",
    printed="W is drawn without looking at the data: releasing it along leaves every privacy loss as it is. "
    "Formula: the ratio of the joint densities of W and the release, for neighbouring data sets, against "
    "that of the release given W.",
    twin="The same if W is drawn with a density that the data change by 1 %.",
    at=(ONE, LESS),
)
def ron_independent(tilt: sp.Expr) -> Parts:
    return parts(no_leak(tilt))


@DOSSIER.disputed(
    "ron-neighbours",
    "Projected neighbours differ in one record",
    printed="The projection is applied record by record, x~_i = W'xbar_i (Algorithm 2; a display in the text has "
    "x for xbar): a record that both data sets have is projected to the same point. Formula: m = 2, two "
    "records.",
    twin="The same if 1 % of the data's own mean is taken off before the projection.",
    at=(ZERO, sp.Rational(1, 100)),
)
def ron_neighbours(mixing: sp.Expr) -> Parts:
    return parts(record_by_record(mixing))


@DOSSIER.disputed("lemma-3", "Length of a projected record (Lemma 3)", printed=ONE, twin=LESS)
def lemma_3(bound: sp.Expr) -> Statement[Parts]:
    text = f"|W'x|^2 <= {float(bound):g} for every record x of length one and every W with W'W = I. Formula: one column in the plane; the step for all m, p."
    return Statement(text, parts(projected_length("<=", bound)))


@DOSSIER.disputed(
    "lemma-3-reading",
    "The projection does not change the length",
    printed="|W'x| = |x| for every record x of length one. Formula: squares, one column in the plane.",
    twin="|W'x| <= |x|, and what is lost is |x - WW'x|^2: nothing for x in the range of W only.",
    at=("=", "<="),
)
def lemma_3_reading(relation: str) -> Parts:
    return parts(projected_length(relation, ONE))


@DOSSIER.disputed(
    "ron-qr",
    "The projection from a QR factorisation",
    printed="p columns of Q, where A = QR has independent uniform entries, are a uniformly random W as Theorem 2 "
    "needs it. Formulas: E q1 q2 = 0 and E q1^2 q2^2 = 1/8 for the first column and m = 2.",
    twin="p columns of Q, where A = QR has independent standard normal entries, are a uniformly random W as "
    "Theorem 2 needs it. Formulas: E q1 q2 = 0 and E q1^2 q2^2 = 1/8 for the first column and m = 2. "
    "Uniform entries fail on [-1, 1] as well: E q1^2 q2^2 = pi/8 - 1/4.",
    at=("uniform on [0, 1]", "standard normal"),
)
def ron_qr(said: str) -> Parts:
    return parts(*first_column(said))


@DOSSIER.disputed(
    "ron-vs-iid",
    "Orthonormal against independent entries",
    printed="Projections by random orthonormal columns become normal, in contrast with those by independent "
    "normal or sign entries. Made precise on records +-e_i, equally likely: the fourth moment of a "
    "scaled projection to a line, given the direction and averaged over it, against 3, that of the "
    "standard normal law (m > 3). Within 6/m for orthonormal columns, more than 1 away for the two "
    "others.",
    twin="They do so in contrast with independent signs, but not with independent normal entries, which are a "
    "rotation-invariant projection times a factor near 1. Made precise on records +-e_i, equally likely: "
    "the fourth moment of a scaled projection to a line, given the direction and averaged over it, "
    "against 3, that of the standard normal law (m > 3).",
    at=(">", "<="),
)
def ron_vs_iid(relation: str) -> Parts:
    """Unit vectors +-e_i are records of length one whose every direction has variance 1/m."""
    orthonormal = far_from_normal("orthonormal", "<=")
    return parts(orthonormal, far_from_normal("sign", ">"), far_from_normal("normal", relation))


@DOSSIER.disputed(
    "projected-not-private",
    "Projected records are not private",
    printed=(
        "Projected records would not be eps-private for any eps. ",
        "they differ with probability one",
        ">",
    ),
    twin=("Projected records hide a record. ", "they still agree", "="),
)
def projected_not_private(value: str, said: str, claimed: str) -> Statement[Parts]:
    text = (
        f"Made precise: two equal records are projected to one point with probability one, and once one of them is replaced by one of another direction {said}. Formulas: "
        "the squared distance, averaged over uniform W."
    )
    return Statement(value + text, parts(*projected_difference(claimed)))


@DOSSIER.disputed(
    "algorithm-2",
    "Projection (Algorithm 2)",
    printed=("", ONE),
    twin=(", with 1 % of the share along the first one left in", LESS),
)
def algorithm_2(value: str, tilt: sp.Expr) -> Statement[Parts]:
    text = (
        "The first p columns of Q, A = QR with A drawn, satisfy W'W = I, and W costs no privacy. Formulas: the first two columns for m = 3 by "
        f"orthogonalising those of A{value}; the joint density. (That W is uniformly random is another matter: ron-qr.)"
    )
    return Statement(text, parts(*gram_schmidt(tilt=tilt), no_leak(ONE)))
