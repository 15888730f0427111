"""Introduction: the mechanism and what is announced of it."""

from __future__ import annotations

from ...dossier.paper_claim import PaperClaim, Statement, asserts_nothing
from ...dossier.parts import CHECKS, Parts, parts, tried
from .arguments.eigenvalues import no_gap, projectors
from .arguments.ratio import accepted, accepted_edge, information, main_bound, triangle
from .arguments.tables import (
    determinant,
    known_phi,
    neighbours_too,
    redraws,
    two_lines,
    vanishing_rate,
    without_neighbours,
)
from .dossier import DOSSIER


@DOSSIER.claim("mechanism")
def mechanism() -> PaperClaim[None]:
    return asserts_nothing(
        "The mechanism",
        "The release of a table X of n records (rows) and p attributes is Phi X, Phi an m x n matrix of independent N(0, 1/n) entries, "
        "m much smaller than n; Phi stays private.",
    )


@DOSSIER.claim("eq-1")
def equation_1() -> PaperClaim[Parts]:
    """The class F(L) is a definition; that components depend on the distance is what can fail."""
    text = (
        "F(L) is the class of functions with |f(A) - f(D)| <= L |A - D| on positive definite matrices (formula reconstructed), and principal "
        "components depend on |A - D|_F in this sense: the projector on the first of them is in F(L) for some L. Formula, squared: {}"
    )
    return PaperClaim(
        title="Lipschitz functions of second moments (equation 1)",
        printed=Statement(
            text.format(
                "A = diag(1, -1) plus a multiple of I, D off by t outside the diagonal, L = 1; the step is for all."
            ),
            parts(projectors()),
        ),
        condition="Half the gap of eigenvalues, delta, is fixed, and |A - D|_F <= delta/2: then L = 1/delta (Proposition 3.4).",
        without_condition=Statement(
            text.format(
                "diag(1 + e, 1) and diag(1, 1 + e) have projectors at the distance sqrt(2), for L = B."
            ),
            parts(no_gap()),
        ),
        checks=CHECKS,
    )


@DOSSIER.claim("phi-revealed")
def phi_revealed() -> PaperClaim[Parts]:
    return PaperClaim(
        title="Phi revealed",
        printed=Statement(
            "Even with Phi revealed a table cannot be recovered, since the linear system has too few equations: another table agrees with the "
            "release. Tried on tables of signs, the paper's own example, n = 8, m = 1 and 2, all 2^8 columns.",
            parts(instances=known_phi("signs")),
        ),
        twin=Statement(
            "It is so for real tables of which nothing else is known: columns that agree with the release have n - rank(Phi) >= 1 free "
            "directions. A column of signs is the only one of its kind for almost every Phi, since sums of +-2 Phi_1i over any subset "
            "vanish with probability zero.",
            parts(instances=known_phi("real")),
        ),
        checks=(tried,),
    )


@DOSSIER.claim("p-less-than-n")
def p_less_than_n() -> PaperClaim[Parts]:
    return PaperClaim(
        title="How many attributes",
        printed=Statement(
            "Differential privacy requires p < n: for p >= n second moments are singular, and the release shows the space of the rows. "
            "Formulas: det X'X for n = p = 2; the mean square of x_2 - a x_1 for the records (1, a) and (1, a + c).",
            parts(determinant(0), *two_lines()),
        ),
        twin=Statement(
            "It requires p <= n: for p > n second moments are singular. At p = n they need not be, and all densities are positive. "
            "Formulas: det X'X for n = 2, p = 3; the mean squares as before, which tell two records apart with certainty.",
            parts(determinant(1), *two_lines()),
        ),
        checks=CHECKS,
    )


@DOSSIER.claim("rare-events")
def rare_events() -> PaperClaim[Parts]:
    text = (
        "Redrawing outputs with |S - Sigma_1| > w in some entry makes the log ratio of densities bounded. Formula: tr(Gamma (S - Sigma_1)) "
        "against 2 w (r^2 + r)/(1 - r^2), p = 2, correlation r = 1/(2 + k) against none; the step is for every p."
    )
    return PaperClaim(
        title="Rare events cut out",
        printed=Statement(text, parts(accepted(), accepted_edge())),
        twin=Statement(
            "Without redrawing the log ratio is bounded just the same. Formula: tr(Gamma (S - Sigma_1)) at deviations of any size w against any bound B.",
            parts(accepted(False)),
        ),
        checks=CHECKS,
    )


@DOSSIER.claim("efficient")
def efficient() -> PaperClaim[Parts]:
    text = "The scheme takes polynomial time and is private. Made precise: the expected number of draws is at most 4/3, n = 2 + k. Formula: "
    return PaperClaim(
        title="Polynomial time",
        printed=Statement(text + "1/(1 - 1/n^2), by Lemma 4.4.", parts(redraws(True))),
        condition="The table belongs to the set S_n for which the window was made (and m >= 2 (C_1 + C_2) ln(2np)); polynomial in the mean.",
        without_condition=Statement(
            text
            + "for any other table, of correlation r and Sigma_1 = I, Chebyshev's inequality asks for m (r - w)^2/(1 + r^2) draws at least.",
            parts(redraws(False)),
        ),
        checks=CHECKS,
    )


@DOSSIER.claim("more-informative")
def more_informative() -> PaperClaim[Parts]:
    text = (
        "A release of Phi X tells {} about the data than S = (Phi X)'(Phi X)/m, which is a perturbed covariance matrix. Formula: information "
        "(Kullback-Leibler) between variances v and 1 in m rows and in S, p = 1; the step is for every p."
    )
    return PaperClaim(
        title="Compressed data against their covariance",
        printed=Statement(text.format("more"), parts(information(">"))),
        twin=Statement(
            text.format("exactly as much")
            + " Given S, Phi X is a fixed root of S turned by a uniform rotation, which anyone can draw; least squares and sparse "
            "regression need S only.",
            parts(information("=")),
        ),
        checks=CHECKS,
    )


@DOSSIER.claim("both-types")
def both_types() -> PaperClaim[Parts]:
    text = (
        "Both procedures give distributional and (delta-constrained) differential privacy on the set, since the bound of Theorem 4.6, under "
        "its assumptions, reads the tables through their second moments only, not how many rows differ. Formulas: this bound; twice it "
        "between any two tables; densities of neighbours. {}"
    )
    bounded = (main_bound(), *triangle(), neighbours_too())
    return PaperClaim(
        title="Both kinds of privacy",
        printed=Statement(
            text.format(
                "Neighbours alone say less: two tables without neighbours have a log ratio above zero."
            ),
            parts(*bounded, without_neighbours(">")),
        ),
        twin=Statement(
            text.format("Neighbours alone say as much: two tables without neighbours have none."),
            parts(*bounded, without_neighbours("<=")),
        ),
        checks=CHECKS,
    )


@DOSSIER.claim("information-rate")
def information_rate() -> PaperClaim[Parts]:
    text = "The information rate I(X; Phi X)/(np) tends to zero as n grows. Formula: below any eps > 0 once n/m is large enough. {}"
    return PaperClaim(
        title="Information rate (cited)",
        printed=Statement(
            text.format(
                "The rate is at most (m/(2n)) ln(1/lmin), columns of mean square 1; derived, not cited."
            ),
            parts(vanishing_rate(False)),
        ),
        condition="m/n tends to zero and the least eigenvalue of X'X/n stays above a constant.",
        without_condition=Statement(
            text.format(
                "With a column that combines two others (coefficients shown exactly by the release, e^(npR) of them equally likely): R."
            ),
            parts(vanishing_rate(True)),
        ),
        checks=CHECKS,
    )
