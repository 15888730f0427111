"""Section 2: kinds of privacy."""

from __future__ import annotations

from ...dossier.paper_claim import PaperClaim, Statement, asserts_nothing
from ...dossier.parts import CHECKS, Parts, parts
from ...dossier.rules.compression_tables import part_of, two_rows
from .dossier import DOSSIER


@DOSSIER.claim("def-2.1")
def definition_2_1() -> PaperClaim[None]:
    return asserts_nothing(
        "Differential privacy (Definition 2.1)",
        "A randomised algorithm is alpha-differentially private if for all data sets that differ in one element and all sets of outputs the "
        "probabilities differ by a factor of at most e^alpha.",
    )


@DOSSIER.claim("def-2.2")
def definition_2_2() -> PaperClaim[None]:
    return asserts_nothing(
        "Privacy algorithm (Definition 2.2)",
        "An algorithm maps a database to a probability measure on outputs.",
    )


@DOSSIER.claim("def-2.3")
def definition_2_3() -> PaperClaim[None]:
    return asserts_nothing(
        "Constrained differential privacy (Definition 2.3)",
        "delta-constrained: only databases that differ in one row and are at a distance V of at most delta are compared; the largest ratio of "
        "densities (essential supremum) is at most e^alpha.",
    )


@DOSSIER.claim("def-2.4")
def definition_2_4() -> PaperClaim[None]:
    return asserts_nothing(
        "Distributional privacy (Definition 2.4)",
        "For a set of databases of n records: densities of all outputs differ by a factor of at most e^alpha between any two of the set at a "
        "distance V of at most delta, however many rows differ. Databases are fixed, not random.",
    )


@DOSSIER.claim("composes")
def composes() -> PaperClaim[Parts]:
    text = "The guarantee of Definition 2.3 composes: two differing rows cost at most 2 alpha. Formula: the log ratio across two rows, {}"
    return PaperClaim(
        title="Several differing rows",
        printed=Statement(
            text.format("a sum of two of at most alpha each."),
            parts(two_rows(True)),
        ),
        condition="A table between the two belongs to the set and is within delta of both.",
        without_condition=Statement(
            text.format(
                "of sign tables of four records with correlations 1/2 and -1/2, m rows, S = Sigma_1; the set has no other table, so alpha = 0."
            ),
            parts(two_rows(False)),
        ),
        checks=CHECKS,
    )


@DOSSIER.claim("theorem-2.5")
def theorem_2_5() -> PaperClaim[Parts]:
    text = (
        "(alpha, delta)-distributional privacy on a set implies (alpha, delta)-differential privacy on it, and so is the stronger concept. "
        "Formula: the largest log ratio over pairs with one differing row, a, and over all pairs within delta, a + j, j >= 0."
    )
    return PaperClaim(
        title="Distributional privacy is stronger (Theorem 2.5)",
        printed=Statement(text, parts(part_of(True))),
        twin=Statement(
            text
            + " The two are even equivalent: a + j <= a. (A set without neighbours has a = 0, its tables are told apart nevertheless.)",
            parts(part_of(True), part_of(False)),
        ),
        checks=CHECKS,
    )
