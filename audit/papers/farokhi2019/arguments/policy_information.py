"""Printed integrals for the Fisher information and the cost of a policy, against the law of the answer."""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from .....symbolic.proof.derivation import Derivation, Step
from .....symbolic.proof.expressions import parse
from ....dossier.arguments.stationarity import ALL_SIZES, SIZES, Jet, equal
from ....dossier.formula import Formula


@dataclass(frozen=True)
class Score:
    """The derivative in x of p(y|x) at fixed y, as `noise` F' d gamma/dw + `state` d gamma/dx, and a factor before the square."""

    noise: str
    state: str = "1"
    factor: str = "1"

    def steps(self) -> list[Step]:
        """The chain rule on jets of gamma and f for sizes up to two by two."""
        steps = []
        for n, m in SIZES:
            jet = Jet(n, m)
            seen = jet.at_fixed_answer()
            for i, x in enumerate(jet.x):
                printed = (
                    parse(self.noise) * (jet.F.T * jet.slope_w)[i, 0] + parse(self.state) * jet.slope_x[i]
                )
                truth = jet.at_origin(sp.diff(seen, x))
                steps.append(
                    Step(printed, "=", truth, f"d/dx{i} of gamma(y - f(x)|x), sizes {n}, {m}", how=equal)
                )
        steps.append(
            Step(parse(self.factor), "=", sp.Integer(1), "the definition has the square once over gamma")
        )
        return steps


K, V, RHO = sp.Symbol("k", real=True), sp.Symbol("v", positive=True), sp.Symbol("rho", positive=True)


def information(score: Score, slope: sp.Expr) -> sp.Expr:
    """The printed integral over w for gamma(w|x) = N(slope x, v), f(x) = x, at x = 0 (it is the same at every x)."""
    w, x = sp.symbols("w x", real=True)
    gamma = sp.exp(-((w - slope * x) ** 2) / (2 * V)) / sp.sqrt(2 * sp.pi * V)
    moved = parse(score.noise) * sp.diff(gamma, w) + parse(score.state) * sp.diff(gamma, x)
    integrand = sp.simplify((moved**2 / gamma).subs(x, 0))
    return sp.simplify(parse(score.factor) * sp.integrate(integrand, (w, -sp.oo, sp.oo)))


def _instance(formula: Formula) -> Step:
    return Step(
        formula.left, "=", formula.right, "the printed integral for this noise, integrated", how=equal
    )


def information_formula(score: Score) -> Formula:
    """I of the answer to the query x under noise N(k x, v): the printed integral against that of y ~ N((1 + k) x, v)."""

    def argument(formula: Formula) -> Derivation:
        return Derivation(
            "the printed square is that of the derivative of p(y|x)",
            (*score.steps(), _instance(formula)),
            (ALL_SIZES, "the shift y = f(x) + w leaves the integral over y as one over w"),
        )

    return Formula(information(score, K), "=", (1 + K) ** 2 / V, argument=argument)


def cost_formula(score: Score, price: str = "0") -> Formula:
    """J + rho Q under noise N(k x^2/2, v) with p = 2 x on [0, 1]: the printed integrals against y ~ N(x + k x^2/2, v)."""
    x = sp.Symbol("x", positive=True)

    def average(expression: sp.Expr) -> sp.Expr:
        return sp.integrate(sp.expand(2 * x * expression), (x, 0, 1))

    # The derivative of the mean noise at x is k x; the mean itself is a shift and leaves the information alone.
    left = average(information(score, K * x)) + parse(price) * RHO * average(K**2 * x**4 / 4 + V)
    share = RHO if sp.sympify(parse(price)) != 0 else sp.Integer(0)
    right = average((1 + K * x) ** 2 / V) + share * average((K * x**2 / 2) ** 2 + V)

    def argument(formula: Formula) -> Derivation:
        steps = [*score.steps(), _instance(formula)]
        if share != 0:
            steps.append(Step(parse(price), "=", sp.Integer(1), "rho w'w gamma enters once"))
        return Derivation("the printed integrand is that of the cost", tuple(steps), (ALL_SIZES,))

    return Formula(sp.expand(left), "=", sp.expand(right), argument=argument)
