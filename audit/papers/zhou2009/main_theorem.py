"""Section 4, second part, and appendix C: the bound on the loss."""

from __future__ import annotations

import sympy as sp

from ...dossier import Parts, Statement, parts, times
from .arguments.eigenvalues import inverses
from .arguments.ratio import (
    correlated,
    integrals,
    last_step,
    log_ratio,
    main_bound,
    product_of_norms,
    remainder_above,
    remainder_below,
    taylor,
    triangle,
)
from .dossier import DOSSIER

LESS, MORE = sp.Rational(99, 100), sp.Rational(101, 100)


@DOSSIER.disputed("theorem-4.6", "The loss (Theorem 4.6)", printed=sp.Integer(1), twin=LESS)
def theorem_4_6(factor: sp.Expr) -> Statement[Parts]:
    text = (
        f"Read as, with the o(1) outside the bracket: alpha <= {times(factor)}m p |Delta|_F/(2 lmin_1 lmin_i) (w + 2 |Delta|_F |Sigma_1|^2/(p lmin_1 lmin_i)) + o(1), "
        "w = C sqrt(ln(2np)/m) + Dmax. Formula: the sum of the proof against it, |Sigma_1||Gamma| <= 1/2; instances: the log ratio at the worst "
        "accepted output for Sigma_1 = I and equal correlations. The o(1) is the normaliser's."
    )
    return Statement(text, parts(main_bound(factor=factor), instances=correlated("theorem", factor=factor)))


@DOSSIER.disputed("theorem-4.6/log-ratio", "The log ratio", printed=sp.Integer(1), twin=MORE)
def log_ratio_claim(factor: sp.Expr) -> Statement[Parts]:
    text = (
        f"Read as: ln(f_1/f_2) = {times(factor)}(m/2)(ln|Sigma_2| - ln|Sigma_1| + tr(Gamma S)) = {times(factor)}(m/2)(A + tr(Gamma (S - Sigma_1))), Gamma = Sigma_2^-1 - Sigma_1^-1. "
        "Formulas: p = 1, from the densities; the step on the quadratic forms is for every p and m."
    )
    return Statement(text, parts(*log_ratio(factor=factor)))


@DOSSIER.disputed("theorem-4.6/last-step", "The last step of the proof", printed=sp.Integer(1), twin=LESS)
def last_step_claim(factor: sp.Expr) -> Statement[Parts]:
    text = (
        f"Read as: on accepted outputs alpha <= {times(factor)}[m p |Gamma|_F w/2 + m |Gamma|_F^2 |Sigma_1|^2/2], and |Gamma|_F <= {times(factor)}|Delta|_F/(lmin_1 lmin_2). "
        "Formulas: the bounds on A and the trace, |Sigma_1||Gamma| <= 1/4; |vec Gamma|_1 of equal entries; |Gamma|_F for p = 2. Instances as for "
        "Theorem 4.6."
    )
    return Statement(
        text, parts(*last_step(factor), inverses(factor), instances=correlated("last step", factor))
    )


@DOSSIER.disputed("remark-4.7", "Any two tables (Remark 4.7)", printed=sp.Integer(1), twin=LESS)
def remark_4_7(factor: sp.Expr) -> Statement[Parts]:
    text = (
        f"Read as: the log ratio of any two tables of the set is at most {times(factor, ' times ')}the sum of those against Sigma_1 (absolute values). Formulas: log ratios add up; "
        "sums of the same and of opposite signs."
    )
    return Statement(text, parts(*triangle(factor=factor)))


@DOSSIER.disputed(
    "prop-C.1", "Expansion of the log determinant (Proposition C.1)", printed=sp.Integer(1), twin=MORE
)
def proposition_c_1(factor: sp.Expr) -> Statement[Parts]:
    text = (
        f"Read as: ln|Sigma_2| - ln|Sigma_1| = ln|Theta_1| - ln|Theta_2| = {times(factor)}A - tr(Gamma Sigma_1), A the integral of (1 - v) vec(Gamma)' "
        "[(Theta_1 + v Gamma)^-1 (x) (Theta_1 + v Gamma)^-1] vec(Gamma) over [0, 1]. Formula: one eigenvalue t of "
        "Theta_1^(-1/2) Theta_2 Theta_1^(-1/2)."
    )
    return Statement(text, parts(taylor(factor=factor)))


@DOSSIER.disputed(
    "lemma-C.2",
    "Bounds on the remainder (Lemma C.2)",
    condition="Least eigenvalues stay above a constant b.",
    printed=(", both least eigenvalues at least b.", True),
    without=(
        ", or B |Delta| for any B: four columns, the first two of correlation r = x/(1 + x) in both tables, "
        "the others of d/(1 + d) in one table and of none in the other: Gamma and Delta are small with d, "
        "whatever r is.",
        False,
    ),
)
def lemma_c_2(value: str, bounded: bool) -> Statement[Parts]:
    text = (
        "Read as: under Assumption 1 |Sigma_1||Gamma| <= |Delta||Sigma_1|/(lmin_1 lmin_2) = o(1), and |Gamma|_F^2 lmin_1^2/(2 (1 + lmin_1 |Gamma|)^2) "
        "<= A <= |Gamma|_F^2 |Sigma_1|^2/(2 (1 - |Sigma_1||Gamma|)^2), the last denominator being 2 - o(1). Formulas: the extreme eigenvalues of the "
        "integral that A is, for every p; A in one eigenvalue, both ways; the middle term against |Delta||Sigma_1|/b^2"
    )
    return Statement(
        text + value, parts(remainder_below(), remainder_above(), *integrals(), product_of_norms(bounded))
    )


@DOSSIER.disputed("lemma-C.2/proof", "Proof of Lemma C.2", printed=("", sp.Integer(1)), twin=("1.01 ", MORE))
def lemma_c_2_proof(shown: str, factor: sp.Expr) -> Statement[Parts]:
    text = (
        f"Read as: the integral of 1 - v is 1/2, so that the integral's eigenvalues lie between {shown}lmin_1^2/(2 (1 + lmin_1 |Gamma|)^2) and "
        f"{shown}|Sigma_1|^2/(2 (1 - |Sigma_1||Gamma|)^2), the values of 1/(2 (|Theta_1| + |Gamma|)^2) and 1/(2 (lmin(Theta_1) - |Gamma|)^2). Formulas: these two "
        "identities; A in one eigenvalue, both ways."
    )
    return Statement(text, parts(*integrals(factor), remainder_below(factor), remainder_above(sp.Integer(1))))
