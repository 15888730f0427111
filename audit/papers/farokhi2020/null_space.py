"""Noise that leaves the classifier as it is: (15), Proposition 2.9, problem (16), Theorem 2.10, appendices E and F."""

from __future__ import annotations

import sympy as sp

from ...dossier import Parts, Statement
from .arguments.null_space_arguments import conditions, same_classifier, solvable, unchanged_conditions
from .arguments.null_space_noise import (
    LEAK,
    M,
    image,
    information_along,
    last_step,
    optimal_inside,
    problem_16,
    pseudo_inverse,
    reduced,
)
from .dossier import DOSSIER

ZERO, ONE = sp.Integer(0), sp.Integer(1)
ONE_PER_CENT = sp.Rational(101, 100)


DOSSIER.disputed(
    "eq-15",
    "The optimality conditions of the machine (15)",
    printed="The Karush-Kuhn-Tucker conditions of (2): alpha = sum omega_i y_i x_i, xi_i = max((omega_i + "
    "varsigma_i - 1)/rho, 0), beta = sum omega_i y_i/rho, omega_i (y_i (alpha'x_i + beta) - 1 + xi_i) = "
    "0, xi_i varsigma_i = 0, omega, varsigma >= 0.",
    twin="They are these with theta in place of 1 in (15b), and with y_i (alpha'x_i + beta) >= 1 - xi_i. "
    "Without the latter the zero point satisfies all of them on every data set.",
    at=(("1", False), ("theta", True)),
)(conditions)


DOSSIER.disputed(
    "claim-kkt-solvable",
    "The conditions (15) can be solved",
    printed="The conditions (15) have at least one solution. (As printed already the zero point; with the "
    "corrected ones, the optimum.)",
    twin="They have exactly one solution.",
    at=("any", "1"),
)(solvable)


DOSSIER.disputed(
    "proposition-2.9",
    "When noise does not change the classifier (Proposition 2.9)",
    printed="P{both optima agree} = P{Omega w = 0}: Omega has the rows of the sums of omega_i y_i w_i (printed "
    "with lambda for omega) and of alpha'w_i. Tried on records on a line with alpha = 0, normal noise of "
    "any deviation.",
    twin="P{both optima agree} >= P{Omega w = 0}: other multipliers may serve, and records without a "
    "multiplier may move away from the margin.",
    at=("=", ">="),
)(same_classifier)


DOSSIER.disputed(
    "appE-1",
    "When the optimality conditions stay the same (appendix E)",
    printed="The optimality conditions of both programs agree at the optimum if and only if sum omega_i y_i w_i "
    "= 0 and alpha'w_i = 0 for all i. Tried: the conditions of the moved records at the old optimum with "
    "the old multipliers.",
    twin="They agree if sum omega_i y_i w_i = 0 and alpha'w_i = 0 for all i.",
    at=("if and only if", "if"),
)(unchanged_conditions)


INSIDE = (
    "The noise has a density, with its Fisher information, on the image of Psi only (the reading of appendix F); on R^(qp) it "
    "has none."
)


@DOSSIER.disputed(
    "eq-16",
    "The most private noise that leaves the classifier alone (16)",
    condition=INSIDE,
    printed=(
        "There is noise that satisfies the constraints of (16): ",
        ". Formula: E|Omega w|^2 for normal noise with the variances m inside and e outside of im(Psi), e = "
        "0.",
        ZERO,
    ),
    without=(
        "The same for noise with a density on R^(qp), e > 0: ",
        ". No such noise satisfies P{Omega w = 0} = 1.",
        LEAK,
    ),
)
def eq_16(words: str, value: str, leak: sp.Expr) -> Statement[Parts]:
    text = (
        "minimise Tr((I (x) Pi^-1) J) subject to V <= m I and P{Omega w = 0} = 1; m can be chosen arbitrarily large, and with it "
        "the cost falls below every level"
    )
    return Statement(f"{words}{text}{value}", problem_16(leak))


NORMAL = (1 / sp.sqrt(2 * sp.pi * M), 1 / (2 * M))


@DOSSIER.disputed(
    "theorem-2.10",
    "The optimal noise in the null space (Theorem 2.10)",
    condition=INSIDE,
    printed="Problem (16) is solved by w = Psi v, v of density ((2 pi m)^d)^(-1/2) exp(-v'v/(2 m)), with "
    "orthonormal columns of Psi that span the null space of Omega, d of them; the classifier does not "
    "change (Proposition 2.9). Formulas: Omega w, mass, and cost against that of any other variance "
    "below m.",
    without="For noise with a density on R^(qp), problem (16) is solved by w = Psi v, v of density ((2 pi "
    "m)^d)^(-1/2) exp(-v'v/(2 m)), with orthonormal columns of Psi that span the null space of Omega, d "
    "of them; the classifier does not change (Proposition 2.9). Formula: E|Omega w|^2 for a variance e > "
    "0 outside of im(Psi).",
    at=(optimal_inside(*NORMAL), optimal_inside(*NORMAL, LEAK)),
)
def theorem_2_10(data: Parts) -> Parts:
    return data


@DOSSIER.disputed(
    "appF-1",
    "Noise in the null space of Omega (appendix F)",
    reading="the indicator of im(Psi) in the density of Theorem 2.10",
    printed=(" on the orthogonal complement of im(Psi).", "orthogonal"),
    twin=(" for every w outside of im(Psi).", "outside"),
)
def app_f_1(words: str, said: str) -> Statement[Parts]:
    start = "If w = Psi v, then Omega w = Omega Psi v = 0; the density of w is that of v at Psi^+ w on im(Psi), and zero"
    return Statement(f"{start}{words}", image(said))


@DOSSIER.disputed(
    "appF-2",
    "The information of null-space noise (appendix F)",
    condition="Information about shifts of the data along the image of Psi.",
    printed=(
        "For w = Psi v ",
        ". Formula: normal noise, one column, with variance e outside of im(Psi); a shift along Psi.",
        True,
    ),
    without=(
        "About every shift ",
        ". A shift with a part outside of im(Psi) shows without error: as e tends to 0 the information grows "
        "without bound, the formula gives 0.",
        False,
    ),
)
def app_f_2(words: str, value: str, inside: bool) -> Statement[Parts]:
    text = "the Fisher information of w is (Psi^+)' Jhat Psi^+, Jhat the information of v"
    return Statement(f"{words}{text}{value}", information_along(inside))


@DOSSIER.disputed(
    "appF-3",
    "The pseudo-inverse of orthonormal columns (appendix F)",
    printed=("I", ONE),
    twin=("1.01 I", ONE_PER_CENT),
)
def app_f_3(words: str, factor: sp.Expr) -> Statement[Parts]:
    return Statement(f"Psi^+ (Psi^+)' = (Psi'Psi)^+ = {words}.", pseudo_inverse(factor))


DOSSIER.disputed(
    "appF-4",
    "Problem (16) in terms of the free noise (appendix F)",
    printed="For w = Psi v, (16) is the minimisation of Tr(Psi^+ (I (x) Pi^-1) (Psi^+)' Jhat) subject to V <= m "
    "I; at each covariance V normal noise is best, since Jhat >= V^-1. Formulas: one column; normal and "
    "logistic noise.",
    twin="The same with Jhat >= 1.01 V^-1.",
    at=(ONE, ONE_PER_CENT),
)(reduced)


@DOSSIER.disputed(
    "appF-5",
    "The best covariance in the null space (appendix F)",
    printed=("Minimise Tr(Psi^+ (I (x) Pi^-1) (Psi^+)' V^-1) over V > 0 ", "", ONE),
    twin=("The same ", "1.01 ", ONE_PER_CENT),
)
def app_f_5(value: str, said: str, factor: sp.Expr) -> Statement[Parts]:
    text = f"subject to V <= m I: V^-1 >= I/m, the cost is at least {said}Tr(Psi^+ (I (x) Pi^-1) (Psi^+)')/m, attained at V = m I"
    return Statement(value + text + ".", last_step(factor))
