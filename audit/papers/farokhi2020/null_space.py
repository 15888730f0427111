"""Noise that leaves the classifier as it is: (15), Proposition 2.9, problem (16), Theorem 2.10, appendices E and F."""

from __future__ import annotations

import sympy as sp

from ...dossier.paper_claim import PaperClaim, Statement
from ...dossier.parts import ARGUED, CHECKS, Parts
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


@DOSSIER.claim("eq-15")
def eq_15() -> PaperClaim[Parts]:
    rest = "beta = sum omega_i y_i/rho, omega_i (y_i (alpha'x_i + beta) - 1 + xi_i) = 0, xi_i varsigma_i = 0"
    return PaperClaim(
        title="The optimality conditions of the machine (15)",
        printed=Statement(
            "The Karush-Kuhn-Tucker conditions of (2): alpha = sum omega_i y_i x_i, xi_i = max((omega_i + varsigma_i - 1)/rho, 0), "
            f"{rest}, omega, varsigma >= 0.",
            conditions("1", False),
        ),
        twin=Statement(
            "They are these with theta in place of 1 in (15b), and with y_i (alpha'x_i + beta) >= 1 - xi_i. Without the latter the "
            "zero point satisfies all of them on every data set.",
            conditions("theta", True),
        ),
        checks=ARGUED,
    )


@DOSSIER.claim("claim-kkt-solvable")
def claim_kkt_solvable() -> PaperClaim[Parts]:
    return PaperClaim(
        title="The conditions (15) can be solved",
        printed=Statement(
            "The conditions (15) have at least one solution. (As printed already the zero point; with the corrected ones, the "
            "optimum.)",
            solvable("any"),
        ),
        twin=Statement("They have exactly one solution.", solvable("1")),
        checks=ARGUED,
    )


@DOSSIER.claim("proposition-2.9")
def proposition_2_9() -> PaperClaim[Parts]:
    return PaperClaim(
        title="When noise does not change the classifier (Proposition 2.9)",
        printed=Statement(
            "P{both optima agree} = P{Omega w = 0}: Omega has the rows of the sums of omega_i y_i w_i (printed with lambda for "
            "omega) and of alpha'w_i. Tried on records on a line with alpha = 0, normal noise of any deviation.",
            same_classifier("="),
        ),
        twin=Statement(
            "P{both optima agree} >= P{Omega w = 0}: other multipliers may serve, and records without a multiplier may move away "
            "from the margin.",
            same_classifier(">="),
        ),
        checks=ARGUED,
    )


@DOSSIER.claim("appE-1")
def app_e_1() -> PaperClaim[Parts]:
    return PaperClaim(
        title="When the optimality conditions stay the same (appendix E)",
        printed=Statement(
            "The optimality conditions of both programs agree at the optimum if and only if sum omega_i y_i w_i = 0 and alpha'w_i = "
            "0 for all i. Tried: the conditions of the moved records at the old optimum with the old multipliers.",
            unchanged_conditions("if and only if"),
        ),
        twin=Statement(
            "They agree if sum omega_i y_i w_i = 0 and alpha'w_i = 0 for all i.", unchanged_conditions("if")
        ),
        checks=ARGUED,
    )


INSIDE = (
    "The noise has a density, with its Fisher information, on the image of Psi only (the reading of appendix F); on R^(qp) it "
    "has none."
)


@DOSSIER.claim("eq-16")
def eq_16() -> PaperClaim[Parts]:
    text = (
        "minimise Tr((I (x) Pi^-1) J) subject to V <= m I and P{Omega w = 0} = 1; m can be chosen arbitrarily large, and with it "
        "the cost falls below every level"
    )
    return PaperClaim(
        title="The most private noise that leaves the classifier alone (16)",
        printed=Statement(
            f"There is noise that satisfies the constraints of (16): {text}. Formula: E|Omega w|^2 for normal noise with the "
            "variances m inside and e outside of im(Psi), e = 0.",
            problem_16(ZERO),
        ),
        condition=INSIDE,
        without_condition=Statement(
            f"The same for noise with a density on R^(qp), e > 0: {text}. No such noise satisfies P{{Omega w = 0}} = 1.",
            problem_16(LEAK),
        ),
        checks=CHECKS,
    )


NORMAL = (1 / sp.sqrt(2 * sp.pi * M), 1 / (2 * M))


@DOSSIER.claim("theorem-2.10")
def theorem_2_10() -> PaperClaim[Parts]:
    text = (
        "problem (16) is solved by w = Psi v, v of density ((2 pi m)^d)^(-1/2) exp(-v'v/(2 m)), with orthonormal columns of Psi that "
        "span the null space of Omega, d of them; the classifier does not change (Proposition 2.9)"
    )
    return PaperClaim(
        title="The optimal noise in the null space (Theorem 2.10)",
        printed=Statement(
            f"{text[0].upper()}{text[1:]}. Formulas: Omega w, mass, and cost against that of any other variance below m.",
            optimal_inside(*NORMAL),
        ),
        condition=INSIDE,
        without_condition=Statement(
            f"For noise with a density on R^(qp), {text}. Formula: E|Omega w|^2 for a variance e > 0 outside of im(Psi).",
            optimal_inside(*NORMAL, LEAK),
        ),
        checks=CHECKS,
    )


@DOSSIER.claim("appF-1")
def app_f_1() -> PaperClaim[Parts]:
    start = "If w = Psi v, then Omega w = Omega Psi v = 0; the density of w is that of v at Psi^+ w on im(Psi), and zero"
    return PaperClaim(
        title="Noise in the null space of Omega (appendix F)",
        printed=Statement(f"{start} on the orthogonal complement of im(Psi).", image("orthogonal")),
        twin=Statement(f"{start} for every w outside of im(Psi).", image("outside")),
        checks=ARGUED,
        reading="the indicator of im(Psi) in the density of Theorem 2.10",
    )


@DOSSIER.claim("appF-2")
def app_f_2() -> PaperClaim[Parts]:
    text = "the Fisher information of w is (Psi^+)' Jhat Psi^+, Jhat the information of v"
    return PaperClaim(
        title="The information of null-space noise (appendix F)",
        printed=Statement(
            f"For w = Psi v {text}. Formula: normal noise, one column, with variance e outside of im(Psi); a shift along Psi.",
            information_along(True),
        ),
        condition="Information about shifts of the data along the image of Psi.",
        without_condition=Statement(
            f"About every shift {text}. A shift with a part outside of im(Psi) shows without error: as e tends to 0 the information "
            "grows without bound, the formula gives 0.",
            information_along(False),
        ),
        checks=CHECKS,
    )


@DOSSIER.claim("appF-3")
def app_f_3() -> PaperClaim[Parts]:
    return PaperClaim(
        title="The pseudo-inverse of orthonormal columns (appendix F)",
        printed=Statement("Psi^+ (Psi^+)' = (Psi'Psi)^+ = I.", pseudo_inverse(ONE)),
        twin=Statement("Psi^+ (Psi^+)' = (Psi'Psi)^+ = 1.01 I.", pseudo_inverse(ONE_PER_CENT)),
        checks=CHECKS,
    )


@DOSSIER.claim("appF-4")
def app_f_4() -> PaperClaim[Parts]:
    return PaperClaim(
        title="Problem (16) in terms of the free noise (appendix F)",
        printed=Statement(
            "For w = Psi v, (16) is the minimisation of Tr(Psi^+ (I (x) Pi^-1) (Psi^+)' Jhat) subject to V <= m I; at each covariance V "
            "normal noise is best, since Jhat >= V^-1. Formulas: one column; normal and logistic noise.",
            reduced(ONE),
        ),
        twin=Statement("The same with Jhat >= 1.01 V^-1.", reduced(ONE_PER_CENT)),
        checks=CHECKS,
    )


@DOSSIER.claim("appF-5")
def app_f_5() -> PaperClaim[Parts]:
    text = "subject to V <= m I: V^-1 >= I/m, the cost is at least {}Tr(Psi^+ (I (x) Pi^-1) (Psi^+)')/m, attained at V = m I"
    return PaperClaim(
        title="The best covariance in the null space (appendix F)",
        printed=Statement(
            "Minimise Tr(Psi^+ (I (x) Pi^-1) (Psi^+)' V^-1) over V > 0 " + text.format("") + ".",
            last_step(ONE),
        ),
        twin=Statement(
            "The same " + text.format("1.01 ") + ".",
            last_step(ONE_PER_CENT),
        ),
        checks=CHECKS,
    )
