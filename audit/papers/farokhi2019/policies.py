"""Policies that depend on x (Theorems 2 and 3, Corollaries 4 and 5, Figure 1) and another measure of quality."""

from __future__ import annotations

from typing import Literal

import sympy as sp

from ....symbolic.proof.as_written import product, quotient
from ....symbolic.proof.derivation import Derivation, Step, evaluated
from ....symbolic.proof.expressions import parse
from ...dossier.arguments.stationarity import ALL_SIZES, Equation, Jet, equal
from ...dossier.formula import Formula, through
from ...dossier.instances import Instances
from .arguments.closed_policy import ClosedPolicy, against_constant, drawn, policy_derivation
from .arguments.equation_checks import EQUATION_CHECKS, SAME_COST_CHECKS, SameCost, turning
from .arguments.scalar_noise import absolute_noise, scalar_optimum
from .dossier import DOSSIER

Ends = Literal["free", "no flux"]
Policies = Literal["independent", "all"]

TRUE_TERMS = {"ww": "1", "wx": "-2", "xx": "1", "p w": "-1", "f w": "-1", "p x": "1"}


PLUS_TERMS = {"ww": "1", "wx": "2", "xx": "1", "p w": "1", "f w": "1", "p x": "1"}


SIGN = "the density of y is gamma(y - f(x)|x), by equation (2), so at fixed y the derivative in x of the noise is -F"
DEFECTS = (
    f"The sign is that of d/dx - F' d/dw ({SIGN}); first-order terms hold derivatives of u; and where X has ends, p times "
    "(du/dx - F' du/dw) vanishes there."
)


@DOSSIER.disputed(
    "theorem-2",
    "The solution of Problem 2 (Theorem 2)",
    checks=(*EQUATION_CHECKS, turning),
    printed="A density u^2, positive inside W, solves Problem 2 iff Tr(M D^2 u) + L [d gamma/dw; d gamma/dx] + "
    "mu(x) u = 0 inside, u = 0 on the boundary of W and int u^2 dw = 1, where M = [[FF', F], [F', I]] "
    "and L = [(grad p/p)' F' + Lap f', (grad p/p)'].",
    twin="Tr(M D^2 u) + L [du/dw; du/dx] + mu(x) u = 0 with -F in place of F in M, and -(grad p/p)' F' - Lap "
    f"f' in L. {DEFECTS}",
    at=((PLUS_TERMS, "gamma", "free"), (TRUE_TERMS, "u", "no flux")),
)
def theorem_2(terms: dict[str, str], beside: Literal["u", "gamma"], ends: Ends) -> Equation:
    """The printed blocks, with 1' D^2 f read as the row of the Laplacians of f's entries, the reading of the right size."""
    return Equation(terms, beside=beside, ends=ends)


@DOSSIER.disputed(
    "theorem-2-same-cost",
    "All solutions of (12) have one cost (Theorem 2)",
    checks=SAME_COST_CHECKS,
    printed="If (12) has several solutions, they have the same cost.",
    twin="Solutions of the corrected equation that also satisfy p (du/dx - F' du/dw) = 0 at the ends of X "
    "have the same cost.",
    at=(("1", "free"), ("-1", "no flux")),
)
def theorem_2_same_cost(sign: str, ends: Ends) -> SameCost:
    """In the refuting case p is constant and f(x) = x, so that it does not matter whose derivatives stand beside L."""
    return SameCost(sign, ends)


def superposition(equation: Equation) -> Formula:
    """The terms at u + v against the terms at u plus those at v, n = m = 1, on free jets."""
    jet = Jet(1, 1)
    whole = equation.operator(jet)
    fields = [jet.value, *jet.slope_w, *jet.slope_x, *jet.second_w, *jet.mixed, *jet.second_x]
    other = {s: sp.Symbol(s.name.replace("u", "v"), **s.assumptions0) for s in fields}
    together = whole.subs({s: s + v for s, v in other.items()}, simultaneous=True)
    left = sp.expand(together)
    right = sp.expand(whole + whole.subs(other, simultaneous=True))

    def argument(formula: Formula) -> Derivation:
        t = sp.Symbol("t", positive=True)
        scaled = whole.subs({s: t * s for s in fields}, simultaneous=True)
        return Derivation(
            "the equation is linear",
            (
                *through(formula, together, "superposition", equal),
                Step(sp.expand(scaled), "=", product(t, whole), "multiples", how=equal),
            ),
            (ALL_SIZES,),
        )

    return Formula(left, "=", right, argument=argument)


@DOSSIER.disputed(
    "remark-7",
    "Equation (12) is linear (Remark 7)",
    reading="Appendix G, which states (12) for the query x with the derivatives of u, and the remark's own word "
    "linear",
    printed="For given mu(x), (12) as printed is a linear differential equation in u, with coefficients that "
    "vary with x: the sum of two functions gives the sum of both left-hand sides.",
    twin="With the derivatives of u, not of gamma = u^2, beside L, (12) is linear in u.",
    at=("gamma", "u"),
)
def remark_7(beside: Literal["u", "gamma"]) -> Formula:
    """The unknown is u: with gamma = u^2 beside L the equation is quadratic in it."""
    return superposition(Equation(PLUS_TERMS, beside=beside))


@DOSSIER.disputed(
    "corollary-4",
    "The optimal policy for the query x and any weight (Corollary 4)",
    checks=(policy_derivation, against_constant),
    printed="For f(x) = x, W of length L and any weight p, c(x) exp(-(p'/p)(w + x)) cos^2(pi w/L) solves Problem "
    "2 (w from the middle of W).",
    twin="There is a closed form for weights p(x) = int G(x + w) (2/L) cos^2(pi w/L) dw on X = R, G > 0: the "
    "policy G(x + w) (2/L) cos^2(pi w/L)/p(x) solves Problem 2, at the cost 4 pi^2/L^2 - int p'^2/p. "
    "(For p = exp(-rate x) the printed policy ignores x and costs rate^2 more than cosine noise.)",
    at=(("exp(-r*(w + x)/2)*cos(pi*w/L)", "all"), ("g*sqrt(2/L)*cos(pi*w/L)/sqrt(p)", "matched")),
)
def corollary_4(root: str, weights: Literal["all", "matched"]) -> ClosedPolicy:
    """The middle of W may be put at 0: a shift of w by a constant changes no cost."""
    return ClosedPolicy(root, weights)


X = sp.Symbol("x", real=True)
SHAPE = "exp(-r*(w + x))*cos(pi*(w - 1/2))**2"


SLOPES = {"exp(-x^2)": "-2*x", "exp(-x)": "-1"}


@DOSSIER.disputed(
    "figure-1",
    "Figure 1: the policy of Corollary 4",
    printed="For w in [0, 1], x in [0, 4] the densities of Corollary 4 for p = exp(-x^2) and p = exp(-x) stay "
    "within the drawn axis, from 0 to 2.5.",
    twin="They stay below 2.94, which the first comes near at x = 4. (The formula that is drawn is itself not "
    "optimal.)",
    at=("2.5", "2.94"),
)
def figure_1(said: str) -> Instances:
    """The integral over W by enclosure; the top tick of the vertical axis is 2.5."""
    return drawn(said, SHAPE, SLOPES)


@DOSSIER.disputed(
    "figure-1-text",
    "Where the policy of Corollary 4 depends on x (Figure 1)",
    printed="The density of Corollary 4 as printed does not depend on x for p = exp(-x), and does for p = "
    "exp(-x^2). (The optimum depends on x for both.)",
    twin="It does not depend on x for p = exp(-x - x^2/100).",
    at=("exp(-x)", "exp(-x - x**2/100)"),
)
def figure_1_text(still: str) -> Formula:
    """The density is the shape over its integral, so it depends on x iff the ratio of two of its values does."""
    moving = "exp(-x**2)"
    first, second = sp.symbols("w1 w2", real=True)

    def change(weight: str) -> sp.Expr:
        p = parse(weight, {"x": X})
        r = sp.simplify(sp.diff(p, X) / p)
        shapes = [parse(SHAPE, {"w": w, "x": X, "r": r}) for w in (first, second)]
        # log of the ratio without the cosines, which do not hold x
        logs = [
            sp.expand_log(sp.log(s / sp.cos(sp.pi * (w - sp.Rational(1, 2))) ** 2), force=True)
            for s, w in zip(shapes, (first, second), strict=True)
        ]
        return sp.simplify(sp.diff(logs[0] - logs[1], X))

    p = parse(still, {"x": X})
    # The log ratio is r (w2 - w1) with r = p'/p.
    ratio = quotient(sp.Derivative(p, X), p)
    written = product(second - first, sp.Derivative(ratio, X, evaluate=False))

    def argument(formula: Formula) -> Derivation:
        other = change(moving).subs({first: 1, second: 0, X: 1})
        return Derivation(
            "one policy depends on x, the other does not",
            (
                *through(
                    formula, written, f"p = {still}: the log ratio of two values is constant in x", evaluated
                ),
                Step(
                    other**2, ">", sp.Integer(0), f"p = {moving}: it moves at x = 1, between w = 1 and w = 0"
                ),
            ),
        )

    return Formula(change(still), "=", sp.Integer(0), argument=argument)


COSINE = "2/L*cos(pi*(w - L/2)/L)**2"


INDEPENDENT = "The noise does not look at x; and the gradient of f, in place of f, is not zero throughout X (of positive weight)."


TURNS = (
    "among all policies too: noise whose root turns from the first towards the second sine mode of W as f(x) grows has to "
    "cost as much."
)


@DOSSIER.disputed(
    "corollary-5",
    "The optimal noise of every scalar query (Corollary 5)",
    condition=INDEPENDENT,
    printed="For m = 1, p constant, W of length L and any f, the noise (2/L) cos^2(pi (w - middle)/L) solves "
    "Problem 2.",
    without=f"It is optimal {TURNS}",
    at=("independent", "all"),
)
def corollary_5(among: Policies) -> Formula:
    """S = int p |F|^2; the query enters the cost of noise independent of x through S alone."""
    return scalar_optimum(COSINE, among)


def both_queries() -> sp.Expr:
    """int |F|^2 over [0, 1]^3 with p = 1, summed over the average and the variance of three entries."""
    entries = sp.symbols("x1:4", real=True)
    mean = sp.Add(*entries) / 3
    queries = (mean, sp.Add(*((x - mean) ** 2 for x in entries)) / 2)
    total = sp.Integer(0)
    for query in queries:
        square = sp.expand(sp.Add(*(sp.diff(query, x) ** 2 for x in entries)))
        total += sp.integrate(square, *((x, 0, 1) for x in entries))
    return total


@DOSSIER.disputed(
    "corollary-5-consequence",
    "Averaging and variance have the same optimal noise (after Corollary 5)",
    condition=INDEPENDENT,
    printed="A nonlinear scalar query has the same optimal noise as a linear one: the average and the variance "
    "of three entries of [0, 1], p constant, share the cosine noise.",
    without=f"The same noise is optimal for both {TURNS}",
    at=("independent", "all"),
)
def same_noise(among: Policies) -> Formula:
    """Both excesses over the bound are not negative, so their sum is zero only if both are."""
    square = both_queries()
    return scalar_optimum(COSINE, among, square)


_PRINTED_TERMS = {name: text for name, text in PLUS_TERMS.items() if name != "wx"}


@DOSSIER.disputed(
    "theorem-3",
    "The solution of Problem 3 (Theorem 3)",
    checks=EQUATION_CHECKS,
    printed="A density u^2, positive inside W, solves Problem 3 iff Tr(N D^2 u) + L [d gamma/dw; d gamma/dx] + (mu(x) - (rho/4) w'w) u = 0 inside, "
    "with u = 0 on the boundary of W, N = [[FF', F'], [F, I]] and L of (13).",
    twin=f"N = [[FF', -F], [-F', I]], and L = [-(grad p/p)' F' - Lap f', (grad p/p)'] beside the derivatives of u. {DEFECTS}",
    at=(
        Equation({**_PRINTED_TERMS, "wx transposed": "2"}, beside="gamma", rho_share="1/4", ends="free"),
        Equation(TRUE_TERMS, rho_share="1/4", ends="no flux"),
    ),
)
def theorem_3(equation: Equation) -> Equation:
    """Printed N has F' where F stands in M: the sizes fit only for n = m."""
    return equation


@DOSSIER.disputed(
    "theorem-3-same-cost",
    "All solutions of (15) have one cost (Theorem 3)",
    checks=SAME_COST_CHECKS,
    printed="If (15) has several solutions, they have the same cost.",
    twin="Solutions of the corrected equation that also satisfy p (du/dx - F' du/dw) = 0 at the ends of X "
    "have the same cost.",
    at=(("1", "free"), ("-1", "no flux")),
)
def theorem_3_same_cost(sign: str, ends: Ends) -> SameCost:
    """W = [-1/2, 1/2], rho > 0; the cosine is replaced by the ground state of the oscillator on W."""
    rho = ("4", "1/3")
    return SameCost(sign, ends, rho)


@DOSSIER.disputed(
    "disc-quality-measure",
    "Other measures of quality have other optimal densities (discussion, footnote 2)",
    printed="For noise independent of x, with rho E|w| in place of rho E w^2, other densities than the Gaussian "
    "are optimal. Precise form: for every rho, each Gaussian costs more than the density u^2, u = (1 + t "
    "+ 2 t^2/5) e^-t, t = b |w|.",
    twin="Even 99 % of the cost of each Gaussian is more than that of this density.",
    at=("1", "0.99"),
)
def other_quality(said: str) -> Formula:
    """m = n = 1, f(x) = x, noise independent of x; the optimum is the square of an Airy function."""
    return absolute_noise(said)
