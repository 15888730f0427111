"""Appendices G, H, I: the condition for the query x and its change of variable, nonlinear queries, and Problem 3."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import sympy as sp

from ....symbolic.proof.as_written import applied, difference, power, product, root, total
from ....symbolic.proof.derivation import Derivation, Step
from ....symbolic.proof.enclosure import compare
from ....symbolic.proof.expressions import parse
from ....symbolic.proof.truth import Truth
from ...dossier.arguments.stationarity import Equation, Jet, equal, true_operator
from ...dossier.formula import Formula, argued, rechecked, through
from ...dossier.instances import Instances, on_instances
from ...record.evidence import Evidence
from .arguments.equation_checks import identity_optima
from .arguments.policy_information import Score, cost_formula
from .dossier import DOSSIER
from .policies import SIGN


def identity_operator(expression: sp.Expr) -> sp.Expr:
    """The operator for n = m = 1 at f(x) = x: f' = 1, f'' = 0."""
    jet = Jet(1, 1)
    return sp.expand(expression.subs({jet.F[0, 0]: 1, jet.laplacian[0, 0]: 0}))


def identity_stationarity(equation: Equation, _: np.random.Generator) -> Evidence:
    """The equation for f(x) = x against the first variation of the cost."""
    left = identity_operator(equation.operator(Jet(1, 1)))
    jet = Jet(1, 1)
    second = total(jet.second_x[0, 0], product(-2, jet.mixed[0, 0]), jet.second_w[0, 0])
    first = product(jet.ratio[0, 0], difference(jet.slope_x[0, 0], jet.slope_w[0, 0]))
    grouped = total(second, first)  # D D u + (p'/p) D u with D = d/dx - d/dw
    steps = (
        Step(
            identity_operator(true_operator(1, 1)),
            "=",
            grouped,
            "Euler's expression of J for f(x) = x: D D u + (p'/p) D u with D = d/dx - d/dw",
            how=equal,
        ),
        Step(left, "=", grouped, "first variation of J for f(x) = x", how=equal),
    )
    found = Derivation("the equation is the stationarity condition for f(x) = x", steps)
    return rechecked("first variation", found, found.conclusion)


def identity_optimum(equation: Equation, rng: np.random.Generator) -> Evidence:
    """The equation gives one mu(x) for all noises at policies known to be optimal for f(x) = x."""
    what = "the equation holds at policies known to be optimal"
    rule = "one multiplier at a known optimum"
    return on_instances(Instances(rule, equation.data(), identity_optima, what), rng)


IDENTITY_CHECKS = (identity_stationarity, identity_optimum)


@DOSSIER.disputed(
    "appendix-g-pde",
    "The stationarity condition for the query x (Appendix G)",
    checks=IDENTITY_CHECKS,
    printed="For f(x) = x the condition of Problem 2 is u_ww + 2 u_wx + u_xx + (p'/p)(u_w + u_x) + mu(x) u = 0.",
    twin=f"It is u_ww - 2 u_wx + u_xx + (p'/p)(u_x - u_w) + mu(x) u = 0: {SIGN}.",
    at=(1, -1),
)
def identity_equation(sign: int) -> Equation:
    """The paper puts derivatives of u where (12) prints those of gamma, and keeps the sign."""
    coefficients = {"ww": 1, "wx": 2 * sign, "xx": 1, "p w": sign, "p x": 1}
    return Equation({term: str(value) for term, value in coefficients.items()})


def from_answer(terms: Mapping[str, str]) -> Equation:
    """An equation in (v, x), v = x + w, written in (w, x): d/dv is d/dw, and d/dx at fixed v is d/dx - d/dw.

    Keys: "vv", "xx" for second derivatives, "p v", "p x" for first ones times p'/p.
    """
    c = {name: parse(terms.get(name, "0")) for name in ("vv", "xx", "p v", "p x")}
    jet = {
        "ww": c["vv"] + c["xx"],
        "wx": -2 * c["xx"],
        "xx": c["xx"],
        "p w": c["p v"] - c["p x"],
        "p x": c["p x"],
    }
    return Equation({name: str(value) for name, value in jet.items()})


@DOSSIER.disputed(
    "eq-20",
    "The condition after the change of variable v = x + w (equation 20)",
    checks=IDENTITY_CHECKS,
    printed="With v = x + w the condition for f(x) = x is u_vv + (p'/p) u_v + mu(x) u = 0, the primes of u in v, "
    "for v in [x + w_lo, x + w_hi].",
    twin="The derivatives are in x at fixed v: u_xx + (p'/p) u_x + mu(x) u = 0. For each answer v it is an "
    "ordinary differential equation in x, for the x at which v is possible.",
    at=({"vv": "1", "p v": "1"}, {"xx": "1", "p x": "1"}),
)
def equation_20(terms: Any) -> Equation:
    """For v = x + w the chain rule keeps a derivative in x, also with the printed sign (2 d/dv + d/dx)."""
    return from_answer(terms)


R, L = sp.Symbol("r", real=True), sp.Symbol("L", positive=True)


@DOSSIER.disputed(
    "appendix-g-mu-condition",
    "What mu must satisfy in equation (20) (Appendix G)",
    printed="At one x, if a nonzero solution of (20) vanishes at both ends, a distance L apart, then (p'/p)^2 - "
    "4 mu(x) < 0. (Of (20) as printed, which is not the condition of Problem 2.)",
    twin="The same with 3.96 mu(x).",
    at=("4", "3.96"),
)
def multiplier_condition(factor: str) -> Formula:
    """r = p'/p at one x; with q = mu - r^2/4, u = exp(-r v/2) h and h'' + q h = 0, h = 0 at both ends."""
    k = sp.Symbol("k", integer=True, positive=True)
    mu = R**2 / 4 + k**2 * sp.pi**2 / L**2

    def argument(formula: Formula) -> Derivation:
        v, q, s = sp.Symbol("v", real=True), sp.Symbol("q", real=True), sp.Symbol("s", positive=True)
        h = sp.Function("h")(v)
        u = sp.exp(-R * v / 2) * h
        reduced = (sp.diff(u, v, 2) + R * sp.diff(u, v) + (q + R**2 / 4) * u) * sp.exp(R * v / 2)
        steps = (
            Step(
                reduced,
                "=",
                sp.diff(h, v, 2) + q * h,
                "u = exp(-r v/2) h turns the equation into h'' + q h = 0",
            ),
            Step(
                sp.Matrix([[1, 0], [sp.cosh(s * L), sp.sinh(s * L)]]).det(),
                ">",
                sp.Integer(0),
                "q = -s^2: h = a cosh + b sinh vanishes at both ends only for a = b = 0",
            ),
            Step(
                sp.Matrix([[1, 0], [1, L]]).det(),
                ">",
                sp.Integer(0),
                "q = 0: h = a + b v vanishes at both ends only for a = b = 0",
            ),
            Step(
                applied(sp.sin, product(root(difference(mu, R**2 / 4)), L)),
                "=",
                sp.Integer(0),
                "q = mu - r^2/4 > 0: h = sin(sqrt(q)(v - x - w_lo)) vanishes at the other end iff q = (k pi/L)^2, k = 1, 2, ...",
                _at_this_phase,
            ),
            Step(formula.left - formula.right, "<", sp.Integer(0), "the condition for these mu"),
        )
        return Derivation("every mu that allows a nonzero u satisfies the condition", steps)

    return Formula(sp.expand(R**2 - parse(factor) * mu), "<", sp.Integer(0), argument=argument)


@DOSSIER.disputed(
    "appendix-g-solution",
    "The solution of equation (20) (Appendix G)",
    reading="the condition (p'/p)^2 - 4 mu(x) < 0 just before, under which the printed root is imaginary while pi/(w_hi - "
    "w_lo) is real",
    printed="At one x, u = exp(-p'/(2p) v) cos(k (v - beta)) with k^2 = (p'/(2p))^2 - mu(x) solves (20), where k = pi/(w_hi - "
    "w_lo) and beta = x + (w_lo + w_hi)/2.",
    twin="k^2 = mu(x) - (p'/(2p))^2.",
    at=(1, -1),
)
def solution(sign: int) -> Formula:
    """At one x, with r = p'/p: what is left of (20), over u, when the frequency squared is the printed one."""
    v, beta, mu = sp.symbols("v beta mu", real=True)

    def ends(formula: Formula) -> Derivation:
        x, low, high = sp.symbols("x w_lo w_hi", real=True)
        middle = x + (low + high) / 2
        phases = [product(sp.pi / (high - low), difference(x + end, middle)) for end in (low, high)]
        steps = [*through(formula, written, "the equation, divided by u")]
        steps += [
            Step(
                applied(sp.cos, phase),
                "=",
                sp.Integer(0),
                "u vanishes at the ends of W for frequency pi/(w_hi - w_lo)",
                _at_this_phase,
                where=(high - low,),
            )
            for phase in phases
        ]
        return Derivation("u solves (20) and vanishes at both ends", tuple(steps))

    # sqrt(q) may be imaginary: its cosine is real and enters through its square only.
    q = sp.Symbol("q")
    u = sp.exp(-R * v / 2) * sp.cos(sp.sqrt(q) * (v - beta))
    left = sp.simplify((sp.diff(u, v, 2) + R * sp.diff(u, v) + mu * u) / u)
    square = sp.expand(sign * ((R / 2) ** 2 - mu))
    # With u'/u = -r/2 - k tan and u''/u = (r/2)^2 + r k tan - k^2.
    wave = sp.Symbol("k_tan", real=True)
    bent = total(power(R / 2, 2), product(R, wave), product(-1, square))
    written = total(bent, product(R, difference(-R / 2, wave)), mu)
    return Formula(sp.expand(left.subs(q, square)), "=", sp.Integer(0), argument=ends)


def _at_this_phase(left: sp.Expr, right: sp.Expr) -> Truth:
    """Equality after the argument of a sine or cosine is brought to its simplest form."""
    return compare(left.func(sp.simplify(sp.expand(left.args[0].doit()))), "=", right)


@DOSSIER.disputed(
    "appendix-h",
    "Nonlinear scalar queries by the choice mu(x) = mu Tr F F' (Appendix H)",
    printed="For p constant, m = 1 and any f, a u(w) with u'' + mu u = 0 solves the condition of Problem 2 with mu(x) = mu |F|^2.",
    twin="It does where the Laplacian of f is zero, as for linear queries; otherwise the term with the Laplacian and u' "
    "is left, so that noise independent of x is not even stationary (f = x^2, for example).",
    at=(1, 0),
)
def any_scalar_query(bends: int) -> Formula:
    """u(w) with u'' = -mu u put into the condition for p constant, m = 1: what is left over u(w)'s derivative."""
    mu, slope, curve, lap = sp.symbols("mu u_w u Laplacian", real=True)
    # Two entries of x stand for any number: only |F|^2 and the Laplacian enter.
    jet = Jet(2, 1)
    still = dict.fromkeys([*jet.slope_x, *jet.mixed, *jet.second_x, *jet.ratio], 0)
    first, *_ = jet.hessians
    split = {first[0, 0]: bends * lap - first[1, 1], jet.value: curve, jet.slope_w[0, 0]: slope}
    operator = true_operator(2, 1).subs(still).subs(jet.second_w[0, 0], -mu * curve).subs(split)
    square = (jet.F * jet.F.T)[0, 0]
    argument = argued(written=total(operator, product(square, mu, curve)), how=equal)
    left = sp.expand(operator + square * mu * curve)
    return Formula(left, "=", sp.Integer(0), argument=argument)


@DOSSIER.disputed(
    "appendix-i",
    "The Lagrangian of Problem 3 (Appendix I)",
    printed="The Lagrangian, int int p (-mu gamma + rho w'w gamma + |F' d gamma/dw + d gamma/dx|^2/gamma) + int "
    "mu p, equals J + rho Q at every policy.",
    twin=f"The square is |d gamma/dx - F' d gamma/dw|^2: {SIGN}.",
    at=("1", "-1"),
)
def lagrangian_of_problem_3(said: str) -> Formula:
    """At densities the terms in mu cancel, so the Lagrangian is J + rho Q there."""
    return cost_formula(Score(said), "1")
