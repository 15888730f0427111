"""What follows from Corollary 6: Problem 4, the sentence after it, Example 2 with noise on the whole line, Appendix J."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import sympy as sp

from ....symbolic.information.fisher import location_information
from ....symbolic.laws import catalogue as laws
from ....symbolic.programs.least_cost_noise import EIGENVALUE, RHO, SPECTRAL, STEIN, UNIQUE, GaussianNoise
from ....symbolic.proof.as_written import power, product, quotient, value_at
from ....symbolic.proof.as_written import root as square_root
from ....symbolic.proof.as_written import total as sum_of
from ....symbolic.proof.derivation import Step, evaluated
from ....symbolic.proof.enclosure import compare
from ....symbolic.proof.trace import Column, Symmetric, Trace, gram, identity
from ....symbolic.proof.truth import Truth, all_hold
from ...dossier import ARGUED, Formula, Instances, Parts, argued, parts
from ...dossier.arguments import optimality_checks as optimality
from ...dossier.arguments.optimality_checks import OptimalNoise
from .dossier import DOSSIER

# r1, r2 are eigenvalues of (C C')^(1/2), theta the budget of Problem 4.
R1, R2, THETA = sp.symbols("r1 r2 theta", positive=True)
R, TOTAL = sp.symbols("r total", positive=True)
CONDITION = (
    "The noise does not depend on x. Problem 4 admits densities of the noise given x: where x lies in a known bounded set and "
    "theta exceeds its mean square, answering a normal variable around a constant costs no information."
)


def budgeted(variance: sp.Expr, data_independent: bool = True, roots: int = 2) -> Parts:
    """Gaussian noise with this variance at the eigenvalue r of (C C')^(1/2), `total` their sum, solves Problem 4."""
    eigenvalues = (R1, R2)[:roots]
    total = sum(eigenvalues)
    variances = [variance.subs({R: r, TOTAL: total}, simultaneous=True) for r in eigenvalues]
    cost = sum(r**2 / v for r, v in zip(eigenvalues, variances, strict=True))
    shares = [quotient(r, quotient(total, THETA)) for r in eigenvalues]
    root, covariance, s, w = Symmetric("R"), Symmetric("S"), Column("s"), Column("w")
    t, spent = sp.symbols("t V", positive=True)
    steps = (
        identity(
            gram(root * s + t * w),
            Trace(s.T * root**2 * s) + t**2 * Trace(w.T * w) - 2 * t * Trace(root),
            "square completed under the expectation, with R = (C C')^(1/2) and E[s w'] = -I: Tr(C C' K) >= 2 t Tr R - t^2 E|w|^2 "
            "for every t > 0",
            values={Trace(s.T * root * w): -Trace(root)},
        ),
        Step(
            2 * t * TOTAL - t**2 * spent - (2 * t * TOTAL - t**2 * THETA),
            "=",
            t**2 * (THETA - spent),
            "a budget that is not used up only raises the bound",
        ),
        Step(
            value_at(2 * t * TOTAL - t**2 * THETA, {t: TOTAL / THETA}),
            "=",
            TOTAL**2 / THETA,
            "at t = Tr R/theta: Tr(C C' K) >= (Tr R)^2/theta",
        ),
        identity(
            gram(root * covariance ** -sp.Rational(1, 2) - t * covariance ** sp.Rational(1, 2)),
            Trace(root**2 * covariance**-1) + t**2 * Trace(covariance) - 2 * t * Trace(root),
            "the bound for a Gaussian of covariance S, met for S = R/t only",
        ),
        *(
            Step(found, "=", needed, "the printed covariance is R/t with t = Tr R/theta")
            for found, needed in zip(variances, shares, strict=True)
        ),
        Step(sum_of(*shares), "=", THETA, "these variances use up the budget: their sum is theta"),
    )
    bound = total**2 / THETA
    written = sum_of(*(quotient(power(r, 2), share) for r, share in zip(eigenvalues, shares, strict=True)))
    argument = argued(*steps, lemmas=(STEIN, SPECTRAL, UNIQUE), written=written)
    formula = Formula(cost, "=", bound, argument=argument)

    def draw(rng: np.random.Generator) -> Iterable[dict[str, Any]]:
        if not data_independent:
            answers = {"type": "answers", "radius": "1", "variance": "1/100"}
            yield {"roots": ["1"], "theta": "1", "competitor": answers}
        for _ in range(8):
            size = int(rng.integers(2, 5)) if roots > 1 else 1
            eigen = [f"{int(rng.integers(1, 30))}/7" for _ in range(size)]
            weights = [str(int(rng.integers(1, 20))) for _ in range(size)]
            competitor = {"type": "gaussian", "weights": weights}
            yield {"roots": eigen, "theta": f"{int(rng.integers(1, 40))}/8", "competitor": competitor}

    printed = {"variance": sp.sstr(variance)}
    sentence = "the noise keeps to the budget, and no noise that does has less information"
    found = Instances("Gaussian noise within a budget", printed, draw, sentence)
    missing = "" if data_independent else "E[s w'] = -I is not available for policies that look at the data"
    return parts(formula, instances=found, missing=missing)


@DOSSIER.disputed(
    "corollary-6-problem-4",
    "Optimal unconstrained noise within a budget (Corollary 6, Problem 4)",
    checks=ARGUED,
    condition=CONDITION,
    printed="For C x with C of full row rank, noise on all of R^m, constant weight and E|w|^2 <= theta, the "
    "least Fisher information is that of the centred Gaussian with covariance theta (C C')^(1/2)/Tr (C "
    "C')^(1/2).",
    without="The same Gaussian is optimal among all policies.",
    at=(True, False),
)
def problem_4(data_independent: bool) -> Parts:
    """Right as printed, though Appendix J reaches it through the covariance of Problem 3 that is twice too large."""
    variance = THETA * R / TOTAL
    return budgeted(variance, data_independent=data_independent)


@DOSSIER.disputed(
    "corollary-6-text",
    "The sentence after Corollary 6",
    checks=(optimality.derivation, optimality.other_noises),
    condition="The noise does not depend on x. Problem 3 admits densities of the noise given x: where x lies in a "
    "known bounded set, answering a constant can cost less.",
    printed="For Problem 3 the optimal noise is Gaussian with covariance (C C')^(1/2)/sqrt(rho).",
    without="The same Gaussian is optimal among all policies.",
    at=(True, False),
)
def sentence_after(data_independent: bool) -> OptimalNoise:
    """The covariance without the factor 2 of the corollary is the right one."""
    noise = GaussianNoise.with_variance(sp.sqrt(EIGENVALUE) / sp.sqrt(RHO))
    return OptimalNoise(noise, data_independent=data_independent)


@DOSSIER.disputed(
    "corollary-6-monotone",
    "The noise shrinks with rho and is not Laplace (after Corollary 6)",
    printed="Of the optimal Gaussian noise of Problem 3 the variance falls as rho grows (compared: its square), "
    "and no Laplace noise is optimal.",
    twin="The variance does not fall as rho grows.",
    at=("<", ">="),
)
def monotone(relation: str) -> Formula:
    """The sum of the variances is Tr (C C')^(1/2)/sqrt(rho); Laplace noise costs sqrt(2) times the optimum at its best scale."""

    rho, more, a, b = sp.symbols("rho more a b", positive=True)
    y = sp.Symbol("y", positive=True)
    other = laws.laplace(0, b)
    information, moment = location_information(other).scalar, other.variance()
    variance = 1 / sp.sqrt(rho)
    steps = (
        Step(
            sp.diff(variance, rho), "<", sp.Integer(0), "the variance per unit of (C C')^(1/2) falls with rho"
        ),
        Step(
            product(quotient(1, power(b, 2)), sp.Integral(y**2 * sp.exp(-y / b) / b, (y, 0, sp.oo))),
            "=",
            sp.Integer(2),
            "information times second moment of Laplace noise, whose score is -1/b or 1/b; a Gaussian has 1",
            _as_of_the_law(information * moment),
        ),
        Step(
            (a * information + rho * moment) - 2 * sp.sqrt(2 * a * rho),
            "=",
            (sp.sqrt(a) / b - sp.sqrt(2 * rho) * b) ** 2,
            "so Laplace noise of any scale b costs at least 2 sqrt(2 a rho)",
            how=lambda left, right: compare(sp.expand(left), "=", sp.expand(right)),
        ),
        Step(
            2 * sp.sqrt(2 * a * rho),
            ">",
            2 * sp.sqrt(a * rho),
            "the Gaussian costs 2 sqrt(a rho): the optimum is not Laplace",
        ),
    )
    return Formula(1 / (rho + more), relation, variance**2, argument=argued(*steps))


@DOSSIER.disputed(
    "corollary-6-example-2",
    "Optimal noise for the weighted average within a budget (after Corollary 6)",
    checks=ARGUED,
    condition=CONDITION,
    printed="For Example 2 the solution of Problem 4 is Gaussian noise of mean 0 and variance theta, whatever C "
    "is.",
    without="The same noise is optimal among all policies.",
    at=(True, False),
)
def example_2(data_independent: bool) -> Parts:
    """For one answer (C C')^(1/2) is a number and cancels."""
    return budgeted(THETA, data_independent=data_independent, roots=1)


@DOSSIER.disputed(
    "appendix-j-problem-4",
    "From Problem 3 to Problem 4 (Appendix J)",
    reading="the sentence after Corollary 6 (farokhi2019/corollary-6-text), whose covariance without the factor "
    "2 gives the multiplier without it; the covariance for Problem 4 is the same either way",
    printed="There is no duality gap and the constraint is active; the multiplier has sqrt(rho) = 2 Tr((C "
    "C')^(1/2))/theta.",
    twin="sqrt(rho) = Tr((C C')^(1/2))/theta.",
    at=(2, 1),
)
def multiplier(i: int) -> Formula:
    """rho is the rate at which the optimal information falls with the budget."""
    factor = sp.Integer(i)
    total = R1 + R2
    least = total**2 / THETA
    rho = sp.Symbol("rho", positive=True)
    dual, best = 2 * sp.sqrt(rho) * total - rho * THETA, power(quotient(total, THETA), 2)
    steps = (
        Step(sp.Derivative(dual, rho), "=", total / sp.sqrt(rho) - THETA, "the slope of the dual function"),
        Step(
            value_at(total / sp.sqrt(rho) - THETA, {rho: best}),
            "=",
            sp.Integer(0),
            "the dual function 2 sqrt(rho) Tr R - rho theta is largest there",
        ),
        Step(
            value_at(dual, {rho: best}),
            "=",
            least,
            "and equals the least information: no duality gap, and the constraint is active",
        ),
    )
    derived = sp.sqrt(sp.factor(-sp.diff(least, THETA)))
    written = square_root(product(-1, sp.Derivative(least, THETA)))
    argument = argued(*steps, written=written)
    return Formula(factor * total / THETA, "=", derived, argument=argument)


def _as_of_the_law(value: sp.Expr) -> Callable[[sp.Expr, sp.Expr], Truth]:
    """Both sides are equal, and are the value that the toolkit computes from the law."""
    return lambda left, right: all_hold((evaluated(left, right), compare(value, "=", right)))
