"""Section 2: kinds of privacy."""

from __future__ import annotations

from ...dossier import Formula, Parts, Statement, parts
from .arguments.tables import neighbours_too, one_row_more, without_neighbours
from .dossier import DOSSIER

DOSSIER.introduces(
    "def-2.1",
    "Differential privacy (Definition 2.1)",
    "A randomised algorithm is alpha-differentially private if for all data sets that differ in one element and all sets of outputs the "
    "probabilities differ by a factor of at most e^alpha.",
)

DOSSIER.introduces(
    "def-2.2",
    "Privacy algorithm (Definition 2.2)",
    "An algorithm maps a database to a probability measure on outputs.",
)


DOSSIER.introduces(
    "def-2.3",
    "Constrained differential privacy (Definition 2.3)",
    "delta-constrained: only databases that differ in one row and are at a distance V of at most delta are compared; the largest ratio of "
    "densities (essential supremum) is at most e^alpha.",
)

DOSSIER.introduces(
    "def-2.4",
    "Distributional privacy (Definition 2.4)",
    "For a set of databases of n records: densities of all outputs differ by a factor of at most e^alpha between any two of the set at a "
    "distance V of at most delta, however many rows differ. Databases are fixed, not random.",
)


@DOSSIER.disputed(
    "composes",
    "Several differing rows",
    condition="Tables that lead from one to the other, a row at a time, belong to the set, each within delta of "
    "the next.",
    printed=("across N + 1 rows, made of one across N and one across the last, for every N.", one_row_more()),
    without=(
        "across two rows of sign tables of four records with correlations 1/2 and -1/2, m rows, S = Sigma_1; "
        "the set has no other table, so alpha = 0.",
        without_neighbours("<="),
    ),
)
def composes(value: str, formula: Formula) -> Statement[Parts]:
    """Read of Definition 2.3; Definition 2.4 asks for alpha whatever the number of rows."""
    text = f"The guarantee of Definition 2.3 composes: k differing rows cost at most k alpha. Formula: the log ratio {value}"
    return Statement(text, parts(formula))


@DOSSIER.disputed(
    "theorem-2.5",
    "Distributional privacy is stronger (Theorem 2.5)",
    printed=("not the other way round: it is stronger.", ">"),
    twin=("the other way round as well: the two are equivalent.", "<="),
)
def theorem_2_5(value: str, relation: str) -> Statement[Parts]:
    """Both on the set and within delta, as its proof has it; nothing is said of neighbours outside or farther apart."""
    text = (
        f"(alpha, delta)-distributional privacy on a set implies (alpha, delta)-differential privacy of its tables, and {value} Formulas: the "
        "ratio of densities at any outcome of two neighbours within delta; the log ratio of two tables that have no neighbours."
    )
    return Statement(text, parts(neighbours_too(), without_neighbours(relation)))
