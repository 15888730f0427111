"""Formulas about independently noisy records: errors of estimates, local privacy, and the optimal noise problem."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ....symbolic.laws import catalogue as laws
from ....symbolic.proof.as_written import difference, power, product, quotient, value_at
from ....symbolic.proof.as_written import total as sum_of
from ....symbolic.proof.derivation import Step
from ....symbolic.proof.trace import Column, Symmetric, Trace, gram, identity
from ..formula import Formula, argued
from .bounds_arguments import REGULAR, SQUARES, UNIT, by_steps, cancelled, cramer_rao, inverse_of_trace
from .written_integrals import mean, normal_between, normal_probability

HALF = sp.Rational(1, 2)
# Weights (eigenvalues of Pi) and noise variances of two entries.
W1, W2, V1, V2 = sp.symbols("w1 w2 v1 v2", positive=True)
MU, FAR = sp.symbols("mu mu_far", positive=True)
EPSILON = sp.Symbol("epsilon", nonnegative=True)
BOUNDED = "The entries lie in a bounded set, so that two records are at most mu standard deviations of the noise apart."
STEIN = "E[score n'] = -1 on R^p for a density of finite information: integration by parts (symbolic.optimal_noise)"


def weighted_cramer_rao() -> tuple[Step, ...]:
    """E|Pi^(1/2) e|^2 - Tr(Pi K) is a mean square, e the error of an unbiased estimate, K = I^-1; every dimension."""
    e, s, k, pi = Column("e"), Column("s"), Symmetric("K"), Symmetric("Pi")
    root = pi**HALF
    bound = Trace(k * pi)
    # Means: E[e s'] = 1 and E[s s'] = K^-1.
    values = {Trace(e.T * pi * k * s): bound, Trace(s.T * k * pi * k * s): bound}
    reason = (
        "E|Pi^(1/2)(e - K s)|^2 with E[e s'] = 1, E[s s'] = K^-1: E|Pi^(1/2) e|^2 - Tr(Pi K), not negative"
    )
    return (identity(gram(root * (e - k * s)), Trace(e.T * pi * e) - bound, reason, None, values),)


def information_times_variance() -> tuple[Step, ...]:
    """E|Q s + c n|^2 = J - 2 c T + c^2 Tr(V) for Q = Pi^(-1/2), score s; so J Tr(V) >= T^2 for every density and dimension."""
    s, n, q = Column("s"), Column("n"), Symmetric("Q")
    c, total, variance = sp.symbols("c T v", positive=True)
    square = Trace(s.T * q * q * s) - 2 * c * total + c**2 * Trace(n.T * n)
    value = 2 * c * total - c**2 * variance
    return (
        identity(
            gram(q * s + c * n), square, "with E[s n'] = -1 and T = Tr(Q)", None, {Trace(s.T * q * n): -total}
        ),
        Step(value_at(value, {c: total / variance}), "=", total**2 / variance, "the best c is T/Tr(V)"),
    )


def shrinkage(weight: sp.Expr = UNIT, factor: sp.Expr = UNIT) -> Formula:
    """The error of the estimate s xbar, 0 < s < 1, against 1/Tr(Pi^-1 I): one entry x, normal noise of variance v."""
    s, v = sp.symbols("s v", positive=True)
    x = sp.Symbol("x", real=True)
    return Formula(weight * (s**2 * v + (1 - s) ** 2 * x**2), ">=", factor * weight * v, (1 - s,))


@cache
def unbiased_one(weight: sp.Expr = UNIT, factor: sp.Expr = UNIT) -> Formula:
    """The same for the release itself, which no unbiased estimate beats: the bound is attained."""
    argument = by_steps(
        "no unbiased estimate has an error below 1/Tr(Pi^-1 I)",
        lambda: (*weighted_cramer_rao(), *inverse_of_trace()),
        _weighted(weight, _variance(V1)),
        ">=",
        quotient(1, _weighted(1 / weight, quotient(1, V1))),
        (SQUARES, REGULAR),
    )
    return Formula(weight * V1, ">=", factor / (1 / (weight * V1)), argument=argument)


@cache
def weighted_error(power: sp.Expr, factor: sp.Expr = UNIT) -> Formula:
    """E|Pi^power (x - xbar)|^2 against Tr(Pi I^-1), Pi = diag(w1, w2), normal noise of variances v1, v2."""
    left = W1 ** (2 * power) * V1 + W2 ** (2 * power) * V2
    argument = by_steps(
        "no unbiased estimate has a mean of |Pi^(1/2) error|^2 below Tr(Pi I^-1)",
        weighted_cramer_rao,
        sum_of(product(W1, _variance(V1)), product(W2, _variance(V2))),
        ">=",
        _of_inverse(),
        (SQUARES, REGULAR),
    )
    return Formula(left, ">=", factor * (W1 * V1 + W2 * V2), argument=argument)


@cache
def trace_inequality(factor: sp.Expr = UNIT) -> Formula:
    """Tr(Pi I^-1) against 1/Tr(Pi^-1 I), the same instance."""
    left, right = W1 * V1 + W2 * V2, 1 / (1 / (W1 * V1) + 1 / (W2 * V2))
    argument = by_steps(
        "p^2/Tr(A) <= Tr(A^-1) for A = Pi^(-1/2) I Pi^(-1/2)",
        inverse_of_trace,
        _of_inverse(),
        ">=",
        quotient(1, sum_of(*(quotient(quotient(1, v), w) for v, w in ((V1, W1), (V2, W2))))),
        (SQUARES,),
    )
    return Formula(left, ">=", factor * right, argument=argument)


def _weighted(weight: sp.Expr, value: sp.Expr) -> sp.Expr:
    """Weight times value; a weight of one is not written."""
    return value if weight == 1 else product(weight, value)


def _variance(v: sp.Expr) -> sp.Expr:
    """E n^2 of normal noise of variance v, as an integral."""
    law = laws.normal(0, sp.sqrt(v))
    return mean(law, law.variable**2)


def _of_inverse() -> sp.Expr:
    """Tr(Pi I^-1) of normal noise, whose information is diag(1/v1, 1/v2)."""
    return sum_of(quotient(W1, quotient(1, V1)), quotient(W2, quotient(1, V2)))


def _phi(x: sp.Expr) -> sp.Expr:
    """The standard normal distribution function, by erf: sympy cancels it better than erfc."""
    return (1 + sp.erf(x / sp.sqrt(2))) / 2


def profile(mu: sp.Expr, epsilon: sp.Expr = EPSILON) -> sp.Expr:
    """The exact delta of two normal laws mu standard deviations apart."""
    return _phi(mu / 2 - epsilon / mu) - sp.exp(epsilon) * _phi(-mu / 2 - epsilon / mu)


def normal_privacy(separation: sp.Expr = MU, factor: sp.Expr = UNIT) -> Formula:
    """The exact delta at every epsilon against erf(mu/sqrt(8)) < 1, for records `separation` standard deviations apart."""
    exact, total = profile(MU), sp.erf(MU / (2 * sp.sqrt(2)))
    steps = (
        Step(
            value_at(exact, {EPSILON: 0}),
            "=",
            total,
            "at epsilon = 0 the delta is the total variation distance",
        ),
        Step(
            sp.Derivative(exact, EPSILON),
            "=",
            -sp.exp(EPSILON) * _phi(-MU / 2 - EPSILON / MU),
            "it decreases in epsilon",
        ),
    )
    argument = by_steps(
        "the exact delta is largest at epsilon = 0",
        lambda: steps,
        difference(
            normal_probability(MU / 2 - EPSILON / MU),
            product(sp.exp(EPSILON), normal_probability(-MU / 2 - EPSILON / MU)),
        ),
        "<=",
        normal_between(-MU / 2, MU / 2),
        ("a distribution function is not negative", "the exact delta increases with the separation"),
    )
    return Formula(profile(separation), "<=", factor * total, argument=argument)


def error_of_private(factor: sp.Expr = UNIT) -> Formula:
    """s^2, the error of the raw release, against (1 + sqrt(2 ln(1/delta)))^2/eps^2 at every (eps, delta) of N(0, s^2); |x - x'| <= 1."""
    s, eps = sp.symbols("s epsilon", positive=True)
    delta = profile(1 / s, eps)
    return Formula(s**2, ">=", factor * (1 + sp.sqrt(2 * sp.log(1 / delta))) ** 2 / eps**2)


@cache
def error_at_condition(factor: sp.Expr = UNIT) -> Formula:
    """The variance 1/sqrt(lambda) for which the condition on the noise is an equality, against the same expression; L = ln(1/delta)."""
    eps, log = sp.symbols("epsilon L", positive=True)
    fourth_root = eps / (1 + sp.sqrt(2 * log))
    derived = (1 + sp.sqrt(2 * log)) ** 2 / eps**2
    argument = by_steps(
        "the noise that the condition asks for has this variance",
        lambda: cramer_rao(False),
        # The variance r^(-2), and one over the information r^2 of normal noise of this variance.
        power(quotient(eps, 1 + sp.sqrt(2 * log)), -2),
        ">=",
        quotient(1, power(quotient(eps, 1 + sp.sqrt(2 * log)), 2)),
        (SQUARES, REGULAR),
    )
    return Formula(1 / fourth_root**2, ">=", factor * derived, argument=argument)


@cache
def growth() -> Formula:
    """(1 + sqrt(2 L))^2 <= 2 (1 + 2 L): the expression grows like ln(1/delta), not like its square; r = sqrt(2 L)."""
    r = sp.Symbol("r", positive=True)
    argument = argued(
        Step(2 * (1 + r**2) - (1 + r) ** 2, "=", (1 - r) ** 2, "what is left is a square"),
        conclusion="growth in ln(1/delta)",
    )
    return Formula(sp.expand((1 + r) ** 2 - 2 * (1 + r**2)), "<=", sp.Integer(0), argument=argument)


def weighted_sum_prefers_no_scale() -> Formula:
    """The objective 1/J - price Tr(V), J = Tr(Pi^-1 I), at noise scaled by 1 against scaling by sqrt(2) and sqrt(1/2).

    The noise of P(lambda) has J = T sqrt(lambda) and Tr(V) = T/sqrt(lambda) with T = Tr(Pi^(-1/2)) = 1.  Divided by
    Tr(V): lambda drops out.
    """
    price = sp.Symbol("price", positive=True)
    root = sp.Symbol("r", positive=True)
    information, variance = root, 1 / root

    def worth(square: sp.Expr) -> sp.Expr:
        return sp.cancel((square / information - price * square * variance) / variance)

    return Formula(worth(UNIT), ">=", sp.Max(worth(sp.Integer(2)), worth(HALF)))


@cache
def budget_equivalence(factor: sp.Expr = UNIT) -> Formula:
    """1/J for any variances t1, t2 against b/T^2, b = t1 + t2: what the noise of P(lambda) has at Tr(V) = b; u_i^2 = 1/w_i.

    J = u1^2/t1 + u2^2/t2 and T = u1 + u2; lambda = (T/b)^2.
    """
    u1, u2, t1, t2 = sp.symbols("u1 u2 t1 t2", positive=True)
    total, budget = u1 + u2, t1 + t2
    information = u1**2 / t1 + u2**2 / t2
    root = total / budget
    optimal = 1 / (sum(u**2 * root / u for u in (u1, u2)))
    excess = (u1 * t2 - u2 * t1) ** 2 / (t1 * t2)
    steps = (
        Step(
            product(information, budget),
            "=",
            sum_of(power(total, 2), excess),
            "J Tr(V) = T^2 and a square",
            cancelled,
        ),
        Step(excess, ">=", sp.Integer(0), "so J >= T^2/b, attained by variances in the ratio u1 : u2"),
        *information_times_variance(),
    )
    argument = by_steps(
        "largest 1/J within the budget",
        lambda: steps,
        quotient(budget, sum_of(power(total, 2), excess)),
        "<=",
        quotient(1, quotient(total**2, budget)),
        (STEIN, SQUARES),
    )
    return Formula(1 / information, "<=", factor * optimal, argument=argument)
