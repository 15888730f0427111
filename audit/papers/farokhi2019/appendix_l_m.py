"""Appendices L and M: the proofs of Propositions 3 and 4."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import sympy as sp

from ....symbolic.privacy.normal_tail import tail_steps
from ....symbolic.proof.as_written import applied, difference, power, product, quotient, root, total
from ....symbolic.proof.derivation import Derivation, Step, evaluated
from ....symbolic.proof.enclosure import compare
from ....symbolic.proof.truth import Truth
from ...dossier import ARGUED, Formula, Instances, Parts, argued
from ...dossier.formula import through
from .arguments.normal_calibration import DELTA, K, S, eps, normal_calibration
from .dossier import DOSSIER
from .laplace_and_gaussian import random_weights

TIGHT = (K + sp.sqrt(K**2 + 2 * eps)) / (2 * eps)
_CENT = sp.Rational(101, 100)


@DOSSIER.disputed(
    "appendix-l",
    "Ratio of two Laplace densities (Appendix L)",
    reading="Proposition 3, which this proves and which has max|c_i|",
    printed="For x, x' that differ in one entry, exp(-|y-Cx|/b)/exp(-|y-Cx'|/b) <= exp(|C(x-x')|/b) <= exp((x_hi-x_lo) max c_i/b), "
    "which is exp(epsilon) for the right b.",
    twin="The same with max|c_i|: the largest weight can be smaller than the size of the least, as for C = (-2, 3/2, 3/2). (The "
    "last equality needs b = S/epsilon.)",
    at=("top", "most"),
)
def appendix_l(largest: str) -> Parts:
    """One weight is c, two are (1 - c)/2, so that they add up to one: |c| against the printed largest weight."""
    c = sp.Symbol("c", real=True)
    others = (1 - c) / 2
    listed = (c, others) if largest == "top" else (sp.Abs(c), sp.Abs(others))
    u, v, gap = sp.Symbol("u", real=True), sp.Symbol("v", real=True), sp.Symbol("g", nonnegative=True)

    def argument(formula: Formula) -> Derivation:
        weights = formula.right.args if isinstance(formula.right, sp.Max) else (formula.right,)
        steps = (
            Step(
                2 * (sp.Abs(u * v) - u * v) - sp.expand((sp.Abs(u) + sp.Abs(v)) ** 2 - (u + v) ** 2),
                "=",
                sp.Integer(0),
                "triangle inequality, squared: 2(|u v| - u v) >= 0; the log ratio is at most |C(x - x')|/b",
            ),
            Step(
                product(*(difference(sp.Abs(c), a) for a in weights)),
                "=",
                sp.Integer(0),
                "the size of the weight is among those of which the largest is taken",
            ),
            Step(
                sp.Abs(c) + gap,
                ">=",
                formula.left,
                "and the largest, that size and something more, is not below it",
            ),
        )
        lemmas = ("monotone exponential; integration over a set keeps the inequality",)
        return Derivation("the chain of ratios", steps, lemmas)

    formula = Formula(sp.Abs(c), "<=", sp.Max(*listed), argument=argument)
    return Parts((formula,), Instances("chain of ratios", {"middle": f"D*{largest}/b"}, _chains))


@DOSSIER.disputed(
    "appendix-m-erfc",
    "Complementary error function (Appendix M)",
    reading="the next lines, where erfc(K/sqrt(2))/2 is bounded by delta = exp(-K^2/2)/2: at K = 0 this needs "
    "erfc(0) = 1, and the printed integral gives sqrt(2)",
    printed="erfc(x) is 2/sqrt(pi) times the integral of exp(-u^2/2) over u > x.",
    twin="It is that of exp(-u^2).",
    at=(sp.Rational(1, 2), sp.Integer(1)),
)
def appendix_m_erfc(exponent: sp.Expr) -> Formula:
    """The integral as printed against the complementary error function."""
    x, u = sp.Symbol("x", real=True), sp.Symbol("u", positive=True)

    whole = sp.Integral(2 / sp.sqrt(sp.pi) * sp.exp(-exponent * u**2), (u, x, sp.oo))
    integral = whole.doit()

    def argument(formula: Formula) -> Derivation:
        steps = (
            Step(
                sp.Derivative(formula.left, x),
                "=",
                -2 / sp.sqrt(sp.pi) * sp.exp(-(x**2)),
                "equal slopes",
                evaluated,
            ),
            Step(sp.Limit(formula.left, x, sp.oo), "=", sp.Integer(0), "and the same limit"),
            *through(formula, whole, "so it is the complementary error function", _complementary),
        )
        return Derivation("erfc", steps)

    return Formula(integral.rewrite(sp.erfc), "=", sp.erfc(x), argument=argument)


@DOSSIER.disputed(
    "appendix-m-bound",
    "Bound on the normal tail (Appendix M)",
    printed="With K = sqrt(2 log(1/(2 delta))), delta <= 1/2: 2 delta = exp(-K^2/2) and delta >= "
    "erfc(K/sqrt(2))/2, hence sqrt(2) erfc^-1(2 delta) <= K (the usual erfc).",
    twin="Even 0.99 delta >= erfc(K/sqrt(2))/2 (false at K = 0).",
    at=(sp.Integer(1), sp.Rational(99, 100)),
)
def appendix_m_bound(factor: sp.Expr) -> Formula:
    """The normal tail beyond K is at most half of exp(-K^2/2)."""
    t, u = sp.symbols("t u", nonnegative=True)
    delta = sp.Symbol("delta", positive=True)
    density = sp.exp(-(u**2) / 2) / sp.sqrt(2 * sp.pi)

    def argument(formula: Formula) -> Derivation:
        bar = sp.sqrt(2 * sp.log(1 / (2 * delta)))
        steps = (
            Step(
                sp.Derivative(formula.left, K),
                "=",
                -density.subs(u, K),
                "erfc(K/sqrt(2))/2 has the slope of the normal tail beyond K",
                evaluated,
            ),
            Step(sp.Limit(formula.left, K, sp.oo), "=", sp.Integer(0), "and its limit, so it is that tail"),
            *tail_steps(t, u, "so that the tail is at most exp(-t^2/2)/2", "the density beyond t"),
            Step(
                quotient(1, product(2, sp.exp(K**2 / 2))),
                "<=",
                formula.right,
                "which is the printed right side, or less",
            ),
            Step(
                applied(sp.exp, -quotient(power(bar, 2), 2)),
                "=",
                2 * delta,
                "K = sqrt(2 log(1/(2 delta))) gives 2 delta = exp(-K^2/2)",
                where=(sp.log(1 / (2 * delta)),),
            ),
        )
        return Derivation(
            "erfc(K/sqrt(2))/2 <= delta",
            steps,
            ("erfc decreases: erfc(K/sqrt(2)) <= 2 delta says erfc^-1(2 delta) <= K/sqrt(2)",),
        )

    return Formula(sp.erfc(K / sp.sqrt(2)) / 2, "<=", factor * DELTA, argument=argument)


@DOSSIER.disputed(
    "appendix-m-chain",
    "From condition (16) to the condition of the Gaussian mechanism (Appendix M)",
    printed="K/epsilon + 1/sqrt(2 epsilon) = (2 K + sqrt(2 epsilon))/(2 epsilon) = (K + sqrt((K + sqrt(2 "
    "epsilon))^2))/(2 epsilon) >= (K + sqrt(K^2 + 2 epsilon))/(2 epsilon) for K >= 0.",
    twin="The last root is that of K^2 + 2.02 epsilon (false at K = 0).",
    at=(K**2 + 2 * eps, K**2 + 2 * _CENT * eps),
)
def appendix_m_chain(inner: sp.Expr) -> Parts:
    """The chain member by member, the inequality by squares."""
    first = K / eps + 1 / sp.sqrt(2 * eps)

    second = (2 * K + sp.sqrt(2 * eps)) / (2 * eps)
    third = (K + sp.sqrt((K + sp.sqrt(2 * eps)) ** 2)) / (2 * eps)
    last = (K + sp.sqrt(inner)) / (2 * eps)

    def squares(formula: Formula) -> Derivation:
        steps = (
            Step(
                difference(product(2 * eps, formula.left), K),
                "=",
                K + sp.sqrt(2 * eps),
                "the root of the square",
                _multiplied_out,
            ),
            Step(
                difference(product(2 * eps, formula.right), K),
                "=",
                sp.sqrt(inner),
                "what stands under the last root",
                _multiplied_out,
            ),
            Step(
                difference(power(K + sp.sqrt(2 * eps), 2), inner),
                ">=",
                sp.Integer(0),
                "(K + sqrt(2 epsilon))^2 is not below it",
                lambda left, right: compare(sp.expand(left.doit()), ">=", right),
            ),
        )
        return Derivation("roots of ordered numbers are ordered", steps)

    rooted = total(K, root(power(total(K, root(product(2, eps))), 2)))
    expanded, through_root = (
        argued(reason="multiplied out", how=_multiplied_out, conclusion="equal members", written=written)
        for written in (None, quotient(rooted, 2 * eps))
    )
    return Parts(
        (
            Formula(first, "=", second, argument=expanded),
            Formula(second, "=", third, argument=through_root),
            Formula(third, ">=", last, argument=squares),
        )
    )


@DOSSIER.disputed(
    "appendix-m-conclusion",
    "Condition of the Gaussian mechanism (Appendix M)",
    checks=ARGUED,
    printed="If theta, the variance, is at least S (K + sqrt(K^2 + 2 epsilon))/(2 epsilon) with K = sqrt(2 "
    "log(1/(2 delta))), the normal noise gives (epsilon, delta)-differential privacy.",
    twin="It does if sqrt(theta), the standard deviation, is.",
    at=(S * TIGHT, S**2 * TIGHT**2),
)
def appendix_m_conclusion(variance: sp.Expr) -> Parts:
    """The cited condition is one on the deviation of the noise."""
    return normal_calibration(variance, TIGHT)


def _multiplied_out(left: sp.Expr, right: sp.Expr) -> Truth:
    return compare(sp.expand(left.doit() - right.doit()), "=", sp.Integer(0))


def _complementary(left: sp.Expr, right: sp.Expr) -> Truth:
    return compare(left.doit().rewrite(sp.erfc), "=", right.doit().rewrite(sp.erfc))


def _chains(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    yield {"weights": ["-2", "3/2", "3/2"], "b": "1", "y": "0"}
    for n in (2, 3, 4, 3, 4):
        yield {
            "weights": random_weights(rng, n),
            "lower": "-1",
            "upper": "2",
            "b": f"{int(rng.integers(1, 30))}/7",
            "y": f"{int(rng.integers(-9, 10))}/2",
        }
