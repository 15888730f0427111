"""Section 3: second moments, the assumption, sufficient conditions."""

from __future__ import annotations

import sympy as sp

from ...dossier import Formula, Parts, Statement, parts, times
from .arguments.eigenvalues import entries, inverses, projectors, same_order, stays_away, weyl
from .arguments.rates import (
    at_rates,
    both_at_once,
    loss_under_nine,
    nine_from_rate,
    norms_for_two,
    quantity,
    three_terms,
)
from .arguments.ratio import accepted
from .arguments.sign_tables import normalised_neighbours
from .arguments.tables import normal_rows, spread, told_apart
from .dossier import DOSSIER

LESS, MORE = sp.Rational(99, 100), sp.Rational(101, 100)
EIGENVALUES = "The least eigenvalues of the second moments stay above a constant (as Theorem 3.2 asks)."
SINGULAR = (
    "Without it: sign tables with two equal columns and one sign turned, told apart with certainty; formula: 1 <= e^alpha P_2, P_2 the probability "
    "that the columns of the release agree to within t. (Truncation raises P_2 by a factor of at most 1/(1 - 1/n^2), P_1 stays 1.)"
)


@DOSSIER.disputed(
    "eq-4",
    "Normalised columns (equation 4)",
    condition="Entries are signs, so that scaling changes nothing. (Or privacy is distributional, Definition 2.4, "
    "which does not count rows.)",
    printed=("signs", True),
    without=("whole numbers: the factors depend on the data, and one record changes all n rows", False),
)
def equation_4(value: str, signs: bool) -> Statement[Parts]:
    text = (
        "All columns have squared length n, which scaling can bring about as the first step of the scheme: tables that differed in one row still do. "
        f"Instances: rows that differ after scaling, exactly, for tables of {value}."
    )
    return Statement(text, parts(instances=normalised_neighbours(signs)))


@DOSSIER.disputed("gaussian-law", "Law of the release", printed=sp.Integer(1), twin=MORE)
def gaussian_law(factor: sp.Expr) -> Statement[Parts]:
    text = (
        f"Given X the rows of Phi X are independent N(0, {times(factor)}X'X/n). Formula: logarithm of the moment generating function, "
        "three records with two attributes, any entries."
    )
    return Statement(text, parts(normal_rows(factor=factor)))


@DOSSIER.disputed(
    "eq-5-6", "Spread of the second moments (equations 5 and 6)", printed=sp.Integer(1), twin=LESS
)
def equation_5_6(factor: sp.Expr) -> Statement[Parts]:
    text = (
        f"Dmax is twice the largest distance of an entry from the true one; entries of any two tables of the set then differ by at most {times(factor)}Dmax. "
        "Formulas: entries on the same side of the true one and on both sides, Dmax = 2 eps."
    )
    return Statement(text, parts(*spread(factor=factor)))


@DOSSIER.disputed("prop-3.1", "Norms of the differences (Proposition 3.1)", printed=sp.Integer(1), twin=LESS)
def proposition_3_1(factor: sp.Expr) -> Statement[Parts]:
    text = (
        f"Read as: Gamma = Sigma_j^-1 Delta Sigma_1^-1, (7) |Delta|_F <= {times(factor)}p Dmax, (8) |Gamma|_F <= {times(factor)}|Delta|_F/(lmin_1 lmin_j). Formulas, "
        "squared: all p (p - 1) free entries at Dmax = d; p = 2, Sigma_1 = I, correlation 1/(1 + x)^2; the step on Gamma is for every p."
    )
    return Statement(text, parts(*entries(factor=factor), inverses(factor=factor)))


@DOSSIER.disputed(
    "assumption-1",
    "Assumption 1",
    printed="1/lmax(Sigma_1) >= C_min > 0 with |Gamma|_2 = o(1) and |Delta|_2 = o(1) keeps all second moments of "
    "the set away from being singular. Formula: lmin >= c for Sigma_1 (= all others) of correlation r = "
    "1/(1 + x) and c < 1/lmax.",
    twin="lmin(Sigma_1) >= c (that is, lmax(Sigma_1^-1) <= 1/c) with |Delta|_2 <= c/2 does: all least "
    "eigenvalues are at least c/2. Formula: lmin_1 = c + j, |Delta|_2 = c/(2 (1 + k)).",
    at=(False, True),
)
def assumption_1(by_least: bool) -> Parts:
    """1/lmax >= C_min bounds Sigma_1 from above; nothing keeps it from being singular."""
    return parts(stays_away(by_least))


@DOSSIER.disputed(
    "theorem-3.2",
    "A sufficient condition (Theorem 3.2)",
    condition="Outputs are truncated and renormalised by Procedures 4.1 and 4.2, which the theorem does not say.",
    printed=(
        "Formula: (15) with |Delta|_F = p Dmax and p^2 Dmax sqrt(m L) = h, against (C h + (1 + 2 kappa) "
        "h^2)/(2 l).",
        loss_under_nine(),
    ),
    without=(
        "Formula: tr(Gamma (S - Sigma_1)), p = 2, at outputs of any size w, which occur, against any bound B.",
        accepted(False),
    ),
)
def theorem_3_2(value: str, formula: Formula) -> Statement[Parts]:
    text = (
        "Read as: with least eigenvalues and |Sigma_1|_2 of one order and m >= L = ln(2np), Dmax = o(1/(p^2 sqrt(m L))) makes the loss tend to "
        "zero. "
    )
    return Statement(text + value, parts(formula))


@DOSSIER.disputed(
    "theorem-3.2/eq-16",
    "Proof of Theorem 3.2 (equation 16)",
    reading="Propositions 3.1 and D.1, which print the same chain with <=",
    printed="=",
    twin="<=",
)
def equation_16(said: str) -> Statement[Parts]:
    text = (
        f"Read as: p Dmax, p^2 Dmax sqrt(m L) and m p^2 Dmax^2 tend to zero under (9), where the second is h; and |Delta|_2 {said} |Delta|_F {said} p Dmax. "
        "Formulas: the three against h, h, h^2; the norms for p = 2."
    )
    return Statement(text, parts(*three_terms(), *norms_for_two(said)))


@DOSSIER.disputed(
    "lemma-3.3",
    "Least eigenvalues (Lemma 3.3)",
    condition="lmin(Sigma_1) is of the order of lmax(Sigma_1), and |Delta|_2 <= lmin(Sigma_1)/2.",
    printed=("lmax/lmin of Sigma_j against 2 kappa + 1, kappa that of Sigma_1.", True),
    without=(
        "lmax/lmin for correlation r = 1/(1 + x), where Assumption 1 holds, against any bound B.",
        False,
    ),
)
def lemma_3_3(value: str, bounded: bool) -> Statement[Parts]:
    text = (
        "lmin(Sigma_j) >= lmin(Sigma_1) - |Delta|_2, and the eigenvalue conditions of Theorem 3.2 hold under Assumption 1: lmax/lmin is bounded. "
        f"Formulas: the form x'Sigma_j x at a unit vector; {value}"
    )
    return Statement(text, parts(weyl(), same_order(bounded)))


@DOSSIER.disputed(
    "prop-3.4",
    "Perturbed principal components (Proposition 3.4, cited)",
    printed=("", sp.Integer(1)),
    twin=("0.99/2 ", LESS / 2),
)
def proposition_3_4(said: str, factor: sp.Expr) -> Statement[Parts]:
    """Proved by another route: Davis and Kahan's theorem gives 0.943 in place of 1."""
    text = (
        "If |B|_F <= delta_D/2, delta_D half the gap after the D-th eigenvalue, the projectors on the first D eigenvectors of A and A + B differ by "
        f"at most {said}|B|_F/delta_D in Frobenius norm. Formula, squared: A = diag(1, -1), B = t outside the diagonal, t = 1/(3 + k); the steps are for all."
    )
    return Statement(text, parts(projectors(factor=factor)))


@DOSSIER.disputed(
    "theorem-3.5",
    "Private principal components (Theorem 3.5)",
    reading="the last sentence of the theorem, p = o(n^(1/6)/sqrt(ln 2np))",
    printed="O",
    twin="o",
)
def theorem_3_5(kind: str) -> Statement[Parts]:
    """With O the three factors multiply to a constant, whatever p is as a power of n."""
    text = (
        f"Read as (what it says of components is under Theorem 5.1): with Dmax = sqrt(ln p/n) the loss tends to zero if p^2 = {kind}(sqrt(n/m)/ln n), as Theorem 3.2 (9) asks; so p = "
        "o(n^(1/6)/sqrt(L)) with m = p^2 L. Formula: (p^2 Dmax sqrt(m L))^2, against what tends to zero as t grows. Rates p = n^a (ln n)^b, m = p^2 L."
    )
    premise = quantity("p^2 ln(n) sqrt(m/n)", kind, p=2, L=1, m="1/2", n="-1/2")
    conclusion = quantity("p^2 Dmax sqrt(m L)", "o", p=2, D=1, m="1/2", L="1/2")
    hence = quantity("p n^(-1/6) sqrt(L)", "o", p=1, n="-1/6", L="1/2")
    return Statement(
        text, parts(nine_from_rate(kind == "o"), instances=at_rates([premise], [conclusion, hence]))
    )


DOSSIER.introduces(
    "example-3.6",
    "The binary game (Example 3.6)",
    "Tables of signs; a neighbour has tau p signs of one row turned.",
)


@DOSSIER.disputed(
    "corollary-3.7",
    "Components in the binary game (Corollary 3.7)",
    condition=EIGENVALUES,
    printed=(
        "Formula: the product of p^2 L/m and m p^4 L/n^2, which some m makes small together, for p^4 = h n/L "
        "against h^2.",
        both_at_once(sp.Rational(1, 4)),
    ),
    without=(SINGULAR, told_apart(private=True)),
)
def corollary_3_7(value: str, formula: Formula) -> Statement[Parts]:
    """m = sqrt(n L) serves; p = o((n/L)^(1/3)) would be enough as well, (n/L)^(1/2.9) not."""
    text = "In the binary game p = o((n/ln n)^(1/4)) suffices for components with |B|_F = o(1) and a loss of o(1), for some m. "
    return Statement(text + value, parts(formula))
