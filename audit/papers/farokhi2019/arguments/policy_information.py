"""Printed integrals for the Fisher information and the cost of a policy, against the law of the answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import sympy as sp

from .....symbolic.proof.as_written import inner, power, product, quotient, total, weighted
from .....symbolic.proof.derivation import Derivation, Step
from .....symbolic.proof.expressions import parse
from .....symbolic.proof.truth import Truth, all_hold
from ....dossier.arguments.stationarity import ALL_SIZES, SIZES, Jet, equal
from ....dossier.formula import Formula, through


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
                printed = total(
                    weighted(parse(self.noise), inner(jet.F[:, i], jet.slope_w)),
                    weighted(parse(self.state), jet.slope_x[i]),
                )
                # To first order gamma is u + uw'w + ux'x, and w = y - f(x) moves by -f' x.
                moves = [product(s, -f * x) for f, s in zip(jet.F[:, i], jet.slope_w, strict=True)]
                near = sp.Derivative(total(jet.value, *moves, product(jet.slope_x[i], x)), x)
                how = _as_seen(jet.at_origin(sp.diff(seen, x)))
                steps.append(
                    Step(printed, "=", near, f"d/dx{i} of gamma(y - f(x)|x), sizes {n}, {m}", how=how)
                )
        g, moved = sp.Symbol("gamma", positive=True), sp.Symbol("gamma_x", real=True)
        steps.append(
            Step(
                weighted(parse(self.factor), quotient(power(moved, 2), g)),
                "=",
                product(g, power(quotient(moved, g), 2)),
                "the square of the slope over gamma is the definition's gamma times the squared score",
            )
        )
        return steps


def _as_seen(truth: sp.Expr) -> Callable[[sp.Expr, sp.Expr], Truth]:
    """Both sides are equal, and are the derivative of the whole jet at the fixed answer."""
    return lambda left, right: all_hold((equal(left, right), equal(right, truth)))


K, V, RHO = sp.Symbol("k", real=True), sp.Symbol("v", positive=True), sp.Symbol("rho", positive=True)


def information(score: Score, slope: sp.Expr) -> sp.Expr:
    """The printed integral over w for gamma(w|x) = N(slope x, v), f(x) = x, at x = 0 (it is the same at every x)."""
    w, x = sp.symbols("w x", real=True)
    gamma = sp.exp(-((w - slope * x) ** 2) / (2 * V)) / sp.sqrt(2 * sp.pi * V)
    moved = parse(score.noise) * sp.diff(gamma, w) + parse(score.state) * sp.diff(gamma, x)
    integrand = sp.simplify((moved**2 / gamma).subs(x, 0))
    return sp.simplify(parse(score.factor) * sp.integrate(integrand, (w, -sp.oo, sp.oo)))


def _written(score: Score, slope: sp.Expr) -> sp.Expr:
    """The same as a whole, with its integral sign; what stands before the exponential is simplified."""
    w = sp.Symbol("w", real=True)
    gamma = sp.exp(-(w**2) / (2 * V)) / sp.sqrt(2 * sp.pi * V)
    # At x = 0 the derivatives are -w/v gamma in w and slope w/v gamma in x.
    moved = weighted(parse(score.noise), -w / V) + weighted(parse(score.state), slope * w / V)
    integrand = product(power(sp.factor(moved), 2), gamma)
    return weighted(parse(score.factor), sp.Integral(integrand, (w, -sp.oo, sp.oo)))


def _instance(formula: Formula, written: sp.Expr) -> tuple[Step, ...]:
    return through(formula, written, "the printed integral for this noise, integrated", equal)


def information_formula(score: Score) -> Formula:
    """I of the answer to the query x under noise N(k x, v): the printed integral against that of y ~ N((1 + k) x, v)."""

    def argument(formula: Formula) -> Derivation:
        return Derivation(
            "the printed square is that of the derivative of p(y|x)",
            (*score.steps(), *_instance(formula, _written(score, K))),
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

    cost = total(_written(score, K * x), product(parse(price), RHO, K**2 * x**4 / 4 + V))
    whole = sp.Integral(product(2 * x, cost), (x, 0, 1))

    def argument(formula: Formula) -> Derivation:
        steps = [*score.steps(), *_instance(formula, whole)]
        if share != 0:
            w = sp.Symbol("w", real=True)
            square = w**2 * sp.exp(-(w**2) / (2 * V)) / sp.sqrt(2 * sp.pi * V)
            quality = product(RHO, sp.Integral(square, (w, -sp.oo, sp.oo)))
            steps.append(Step(weighted(parse(price), quality), "=", RHO * V, "rho w'w gamma enters once"))
        return Derivation("the printed integrand is that of the cost", tuple(steps), (ALL_SIZES,))

    return Formula(sp.expand(left), "=", sp.expand(right), argument=argument)
