"""Section 4 and its appendix: the excess risk of the perturbed classifier on the sample."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from ....symbolic.proof.derivation import Derivation
from ....symbolic.proof.expressions import parse
from ...dossier import ARGUED, Formula, PaperClaim, Parts, Statement, parts, times
from .arguments.risk_bounds import (
    ORDER,
    chance,
    empirical_argument,
    kept_objective,
    linear_traces,
    order,
    union,
)
from .arguments.risk_convexity import (
    CLASSES,
    LAMBDA,
    NAMES,
    NOISE,
    D,
    cauchy_schwarz_argument,
    combined,
    curved,
    distances,
    gaps,
    traces_argument,
)
from .arguments.risk_minimisers import Printed, along_segments, any_differences, minimisers
from .arguments.risk_tails import norm_of_noise
from .dossier import DOSSIER

ONE, ZERO = sp.Integer(1), sp.Integer(0)
LESS, MORE = sp.Rational(99, 100), sp.Rational(101, 100)
RIDGE = "J contains (lambda/2) sum_c |Phi_c|^2 as well, which makes it lambda-strongly convex."
FLAT = "J as printed: the record 0 in both classes leaves equal last entries of the matrices free, and a wide parabola bends less than lambda."


def under_ridge(
    title: str,
    text: str,
    argue: Callable[..., Derivation],
    *relations: Printed,
    formulas: tuple[Formula, ...] = (),
    condition: str = RIDGE,
    flat: str = FLAT,
) -> PaperClaim[Parts]:
    """A consequence of strong convexity, which holds with the ridge and falls without it; `flat` is said of J without.

    `argue` is given the ridge and what stands on the right of each relation.
    """
    bounds = [parse(right, NAMES) for _, _, right in relations]

    def says(ridge: sp.Expr) -> Parts:
        return Parts(formulas, minimisers(*relations, ridge=str(ridge)), lambda: argue(ridge, *bounds))

    return PaperClaim(
        title=title,
        printed=Statement(text, says(LAMBDA)),
        checks=ARGUED,
        condition=condition,
        without_condition=Statement(f"{text} {flat}", says(ZERO)),
    )


@DOSSIER.disputed(
    "lemma-2",
    "Strong convexity of the objective (Lemma 2)",
    printed="J (Huber loss as it must read, plus lambda times the traces of the inverse covariances) is lambda-strongly convex in "
    "(Phi_1, ..., Phi_C), positive semidefinite.",
    twin="J + (lambda/2) sum_c |Phi_c|^2 is lambda-strongly convex; J is convex, and constant when the last diagonal entries of all "
    "classes rise together, whatever the data.",
    at=(("0", ZERO), ("lambda", LAMBDA)),
)
def lemma_2(extra: str, ridge: sp.Expr) -> Parts:
    """Adding one matrix to all Phi_c changes no lead, and no trace if only its last entry is not zero: J is constant along it."""
    return Parts(instances=along_segments("lambda", extra, "lambda"), argument=lambda: curved(ridge))


@DOSSIER.disputed(
    "eq-24",
    "Strong convexity of the loss (24)",
    printed="The sum L of the Huber losses is lambda-strongly convex by definition.",
    twin="L + (lambda/2) sum_c |Phi_c|^2 is lambda-strongly convex; L is convex.",
    at=(("0", ZERO), ("lambda", LAMBDA)),
)
def equation_24(extra: str, ridge: sp.Expr) -> Parts:
    """The loss does not know lambda, and is 0 wherever all leads exceed h."""
    return Parts(instances=along_segments("0", extra, "lambda"), argument=lambda: curved(ridge))


# A definition.
DOSSIER.introduces(
    "eq-25",
    "Norm of a collection of matrices (25)",
    "|Phi - Phi'|^2 stands for the sum over the classes of the squared Frobenius norms |Phi_c - Phi'_c|^2.",
)


@DOSSIER.disputed("eq-26", "Linearity of the regulariser (26)", printed=ONE, twin=MORE)
def equation_26(share: sp.Expr) -> Statement[Parts]:
    text = (
        f"N(a Phi + (1 - a) Phi') = {times(share)}a N(Phi) + (1 - a) N(Phi') for N = lambda sum_c tr(I_Phi Phi_c I_Phi). Formula: two classes, "
        "d = 2; the step is for all dimensions."
    )
    return Statement(text, parts(linear_traces(share)))


@DOSSIER.disputed(
    "theorem-2",
    "Regularised excess risk on the sample (Theorem 2)",
    printed="With probability at least 1 - delta, J(Phi^p) <= J(Phi^*) + 8 (d+1)^4 C/(eps^2 lambda) log^2(d/delta), for every delta in "
    "(0, 1). Formula: the probability that Phi^p exists is at most 1/2, for any data.",
    twin="So it is with (lambda/2) sum_c |Phi_c|^2 in J and log^2((d+1)^2/delta). Formula: the union bound over (d+1)^2 exponentials.",
    at=((ZERO, D), (LAMBDA, ORDER**2)),
)
def theorem_2(ridge: sp.Expr, ratio: sp.Expr) -> Parts:
    """Half of all draws have b_kk < 0, for which J_p falls without bound: there is no Phi^p for the bound to speak of.

    Where it exists, J(Phi^p) - J(Phi^*) is proportional to the width h of the loss, which the bound does not contain.
    """
    return Parts((chance(ridge != ZERO, ratio),), argument=lambda: empirical_argument(ridge, ratio))


@DOSSIER.disputed("eq-14", "From the perturbed objective to the plain one (14)", printed=ONE, twin=LESS)
def equation_14(share: sp.Expr) -> Statement[Parts]:
    text = (
        f"If J_p(Phi^p) <= J_p(Phi^*) then J(Phi^p) <= J(Phi^*) + {times(share)}sum_c <b, Phi_c^* - Phi_c^p>. Formula: J_p(Phi^p) = J_p(Phi^*) - s, "
        "s >= 0, with the tilts u at Phi^* and v at Phi^p."
    )
    return Statement(text, parts(*kept_objective(share)))


@DOSSIER.claim("eq-15")
def equation_15() -> PaperClaim[Parts]:
    """With points near Phi^* in place of the midpoint the constant is lambda/2, which quadratic objectives attain."""
    return under_ridge(
        "Gap of two minimisers (15)",
        "J(Phi^p) - J(Phi^*) and J_p(Phi^*) - J_p(Phi^p) are at least (lambda/4) sum_c |Phi_c^* - Phi_c^p|^2.",
        gaps,
        ("gap", ">=", "lambda*S/4"),
        ("gap_p", ">=", "lambda*S/4"),
    )


@DOSSIER.claim("eq-16")
def equation_16() -> PaperClaim[Parts]:
    return under_ridge(
        "Tilt and distance of two minimisers (16)",
        "sum_c <b, Phi_c^* - Phi_c^p> >= (lambda/2) sum_c |Phi_c^* - Phi_c^p|^2, and squared with lambda^2/4.",
        combined,
        ("tilt", ">=", "lambda*S/2"),
        ("tilt**2", ">=", "lambda**2*S**2/4"),
    )


@DOSSIER.disputed("eq-17", "The Cauchy-Schwarz inequality over all classes (17)", printed=ONE, twin=LESS)
def equation_17(factor: sp.Expr) -> Statement[Parts]:
    text = f"(sum_c <b, D_c>)^2 <= {times(factor)}C |b|^2 sum_c |D_c|^2 for any matrices b, D_1, ..., D_C."
    relation: Printed = ("tilt**2", "<=", f"{factor}*C*noise2*S")
    return Statement(
        text,
        Parts(
            instances=any_differences(relation), argument=lambda: cauchy_schwarz_argument(factor * CLASSES)
        ),
    )


@DOSSIER.claim("eq-18")
def equation_18() -> PaperClaim[Parts]:
    return under_ridge(
        "Distance of two minimisers (18)",
        "sum_c |Phi_c^* - Phi_c^p|^2 <= (4 C/lambda^2)|b|^2 and sum_c <b, Phi_c^* - Phi_c^p> <= (2 C/lambda)|b|^2.",
        lambda ridge, far, cost: distances(ridge, far / NOISE**2, cost / NOISE**2),
        ("S", "<=", "4*C/lambda**2*noise2"),
        ("tilt", "<=", "2*C/lambda*noise2"),
    )


@DOSSIER.disputed("eq-19", "The norm of the noise put in (19)", printed=("d", D), twin=("(d+1)^2", ORDER**2))
def equation_19(said: str, ratio: sp.Expr) -> Statement[Parts]:
    """The arithmetic is right; the probability is that of lemma 4."""
    text = f"With probability at least 1 - delta, (2 C/lambda)|b|^2 <= 8 (d+1)^4 C/(eps^2 lambda) log^2({said}/delta)."
    bound = f"8*(d+1)**4*C/(eps**2*lambda)*log(({sp.sstr(ratio)})/delta)**2"
    return Statement(
        text,
        Parts(
            instances=norm_of_noise(f"sqrt(lambda/(2*C)*{bound})"),
            argument=lambda: union(ratio, 2 * CLASSES / LAMBDA),
        ),
    )


@DOSSIER.disputed("lemma-4", "Tail of the noise (Lemma 4)", printed=("d", D), twin=("(d+1)^2", ORDER**2))
def lemma_4(said: str, ratio: sp.Expr) -> Statement[Parts]:
    """For one feature it fails from delta = 0.31 on; the union bound over (d+1)^2 numbers gives (d+1)^2, not d."""
    text = f"P[|b| >= (2 (d+1)^2/eps) log({said}/delta)] <= delta for every d >= 1 and delta in (0, 1), |b| ~ Gamma((d+1)^2, scale 2/eps)."
    return Statement(
        text,
        Parts(
            instances=norm_of_noise(f"2*(d+1)**2/eps*log(({sp.sstr(ratio)})/delta)"),
            argument=lambda: union(ratio),
        ),
    )


@DOSSIER.disputed("lemma-3", "Traces against norms (Lemma 3)", printed=ONE, twin=MORE)
def lemma_3(factor: sp.Expr) -> Statement[Parts]:
    text = (
        f"({float(factor):g}/(d C)) [sum_c tr(I_Phi (Phi_c - Phi'_c) I_Phi)]^2 <= sum_c |Phi_c - Phi'_c|^2."
    )
    relation: Printed = (f"{factor}/(d*C)*traces**2", "<=", "S")
    return Statement(
        text,
        Parts(instances=any_differences(relation), argument=lambda: traces_argument(factor / (D * CLASSES))),
    )


@DOSSIER.disputed("theorem-2-order", "Order of the bound on the sample", printed=sp.Integer(2), twin=2 * LESS)
def theorem_2_order(power: sp.Expr) -> Statement[Parts]:
    """About the printed expression; that it bounds anything is judged under theorem-2."""
    text = f"The bound of theorem 2 is C/eps^{float(power):g} times what does not depend on C and eps, and falls as eps rises."
    return Statement(text, parts(*order(power)))
