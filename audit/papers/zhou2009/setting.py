"""Introduction: the mechanism and what is announced of it."""

from __future__ import annotations

from ...dossier import Formula, Parts, Statement, parts
from .arguments.eigenvalues import no_gap, projectors
from .arguments.ratio import accepted, accepted_edge, information, main_bound, triangle
from .arguments.sign_tables import known_phi
from .arguments.tables import (
    determinant,
    neighbours_too,
    redraws,
    two_lines,
    vanishing_rate,
    without_neighbours,
)
from .dossier import DOSSIER

DOSSIER.introduces(
    "mechanism",
    "The mechanism",
    "The release of a table X of n records (rows) and p attributes is Phi X, Phi an m x n matrix of independent N(0, 1/n) entries, "
    "m much smaller than n; Phi stays private.",
)


@DOSSIER.disputed(
    "eq-1",
    "Lipschitz functions of second moments (equation 1)",
    condition="Half the gap of eigenvalues, delta, is fixed, and |A - D|_F <= delta/2: then L = 1/delta "
    "(Proposition 3.4).",
    printed=(
        "A = diag(1, -1) plus a multiple of I, D off by t outside the diagonal, L = 1; the step is for all.",
        projectors(),
    ),
    without=(
        "diag(1 + e, 1) and diag(1, 1 + e) have projectors at the distance sqrt(2), for L = B.",
        no_gap(),
    ),
)
def equation_1(value: str, formula: Formula) -> Statement[Parts]:
    """The class F(L) is a definition; that components depend on the distance is what can fail."""
    text = (
        "F(L) is the class of functions with |f(A) - f(D)| <= L |A - D| on positive definite matrices (formula reconstructed), and principal "
        f"components depend on |A - D|_F in this sense: the projector on the first of them is in F(L) for some L. Formula, squared: {value}"
    )
    return Statement(text, parts(formula))


@DOSSIER.disputed(
    "phi-revealed",
    "Phi revealed",
    printed="Even with Phi revealed a table cannot be recovered, since the linear system has too few equations: "
    "another table agrees with the release. Tried on tables of signs, the paper's own example, n = 8, m "
    "= 1 and 2, all 2^8 columns.",
    twin="It is so for real tables of which nothing else is known: columns that agree with the release have n "
    "- rank(Phi) >= 1 free directions. A column of signs is the only one of its kind for almost every "
    "Phi, since sums of +-2 Phi_1i over any subset vanish with probability zero.",
    at=("signs", "real"),
)
def phi_revealed(said: str) -> Parts:
    return parts(instances=known_phi(said))


@DOSSIER.disputed(
    "p-less-than-n",
    "How many attributes",
    printed="Differential privacy requires p < n: for p >= n second moments are singular, and the release shows "
    "the space of the rows. Formulas: det X'X for n = p = 2; the mean square of x_2 - a x_1 for the "
    "records (1, a) and (1, a + c).",
    twin="It requires p <= n: for p > n second moments are singular. At p = n they need not be, and all "
    "densities are positive. Formulas: det X'X for n = 2, p = 3; the mean squares as before, which tell "
    "two records apart with certainty.",
    at=(0, 1),
)
def p_less_than_n(extra: int) -> Parts:
    return parts(determinant(extra), *two_lines())


@DOSSIER.disputed(
    "rare-events",
    "Rare events cut out",
    printed="Redrawing outputs with |S - Sigma_1| > w in some entry makes the log ratio of densities bounded. "
    "Formula: tr(Gamma (S - Sigma_1)) against 2 w (r^2 + r)/(1 - r^2), p = 2, correlation r = 1/(2 + k) "
    "against none; the step is for every p.",
    twin="Without redrawing the log ratio is bounded just the same. Formula: tr(Gamma (S - Sigma_1)) at "
    "deviations of any size w against any bound B.",
    at=(parts(accepted(), accepted_edge()), parts(accepted(False))),
)
def rare_events(data: Parts) -> Parts:
    return data


@DOSSIER.disputed(
    "efficient",
    "Polynomial time",
    condition="The table belongs to the set S_n for which the window was made (and m >= 2 (C_1 + C_2) ln(2np)); "
    "polynomial in the mean.",
    printed=("1/(1 - 1/n^2), by Lemma 4.4.", True),
    without=(
        "for any other table, of correlation r and Sigma_1 = I, Chebyshev's inequality asks for m (r - "
        "w)^2/(1 + r^2) draws at least.",
        False,
    ),
)
def efficient(value: str, inside: bool) -> Statement[Parts]:
    text = "The scheme takes polynomial time and is private. Made precise: the expected number of draws is at most 4/3, n = 2 + k. Formula: "
    return Statement(text + value, parts(redraws(inside)))


@DOSSIER.disputed(
    "more-informative",
    "Compressed data against their covariance",
    printed="A release of Phi X tells more about the data than S = (Phi X)'(Phi X)/m, which is a perturbed "
    "covariance matrix. Formula: information (Kullback-Leibler) between variances v and 1 in m rows and "
    "in S, p = 1; the step is for every p.",
    twin="A release of Phi X tells exactly as much about the data than S = (Phi X)'(Phi X)/m, which is a "
    "perturbed covariance matrix. Formula: information (Kullback-Leibler) between variances v and 1 in m "
    "rows and in S, p = 1; the step is for every p. Given S, Phi X is a fixed root of S turned by a "
    "uniform rotation, which anyone can draw; least squares and sparse regression need S only.",
    at=(">", "="),
)
def more_informative(relation: str) -> Parts:
    return parts(information(relation))


@DOSSIER.disputed(
    "both-types",
    "Both kinds of privacy",
    printed=("Neighbours alone say less: two tables without neighbours have a log ratio above zero.", ">"),
    twin=("Neighbours alone say as much: two tables without neighbours have none.", "<="),
)
def both_types(value: str, relation: str) -> Statement[Parts]:
    text = (
        "Both procedures give distributional and (delta-constrained) differential privacy on the set, since the bound of Theorem 4.6, under "
        "its assumptions, reads the tables through their second moments only, not how many rows differ. Formulas: this bound; twice it "
        f"between any two tables; densities of neighbours. {value}"
    )
    bounded = (main_bound(), *triangle(), neighbours_too())
    return Statement(text, parts(*bounded, without_neighbours(relation)))


@DOSSIER.disputed(
    "information-rate",
    "Information rate (cited)",
    condition="m/n tends to zero and the least eigenvalue of X'X/n stays above a constant.",
    printed=("The rate is at most (m/(2n)) ln(1/lmin), columns of mean square 1; derived, not cited.", False),
    without=(
        "With a column that combines two others (coefficients shown exactly by the release, e^(npR) of them "
        "equally likely): R.",
        True,
    ),
)
def information_rate(value: str, singular: bool) -> Statement[Parts]:
    text = f"The information rate I(X; Phi X)/(np) tends to zero as n grows. Formula: below any eps > 0 once n/m is large enough. {value}"
    return Statement(text, parts(vanishing_rate(singular)))
