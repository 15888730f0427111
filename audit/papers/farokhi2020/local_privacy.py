"""Local differential privacy of the optimal noise: Theorem 2.5, what it is said to mean for errors, figures 1 and 2."""

from __future__ import annotations

import math
from functools import cache

import sympy as sp

from ....symbolic.privacy.pair import GaussianPair
from ....symbolic.proof.as_written import power, product, value_at
from ....symbolic.proof.derivation import Derivation, Step
from ....symbolic.proof.trace import Column, Symmetric, Trace, identity
from ...dossier import Formula, Parts, Statement, argued, parts
from ...record.evidence import Line, Series
from ...studies.dataset_release.local_privacy import printed_condition_small
from .dossier import DOSSIER

EPSILON, DELTA = sp.symbols("epsilon delta", positive=True)
NORM = sp.Symbol("mu", positive=True)  # lambda^(1/4) |Pi^(1/4)|_{inf,2}
REACH = sp.Symbol("D", positive=True)  # the largest difference of two entries, |x - x'|_inf
NEAR, SMALL = sp.symbols("z g", nonnegative=True)
WEIGHT = sp.Symbol("K", positive=True)  # Tr(Pi^(1/2)) |Pi^(1/4)|_{inf,2}^2
T, H = sp.Symbol("t", nonnegative=True), sp.Symbol("h", positive=True)
ONE, TENTH, ONE_PER_CENT = sp.Integer(1), sp.Rational(1, 10), sp.Rational(101, 100)
DELTAS = [10.0**-k for k in range(1, 11)]


def tail(delta: sp.Expr, one: sp.Expr = ONE) -> sp.Expr:
    """1 + sqrt(2 ln(1/delta)), the factor of Theorem 2.5; `one` is its first term."""
    return one + sp.sqrt(2 * sp.log(1 / delta))


def _largest_shift() -> Step:
    """(x - x')' V^-1 (x - x') for the noise of Theorem 2.4, V^-1 = sqrt(lambda) Pi^(1/2)."""
    pi, shift, root, quarter = Symmetric("P"), Column("d"), sp.Symbol("r", positive=True), sp.Rational(1, 4)
    return identity(
        Trace(shift.T * (root**2 * pi ** sp.Rational(1, 2)) * shift),
        Trace(product(shift.T, root, pi**quarter, root, pi**quarter, shift)),
        "with r = lambda^(1/4): the two laws are r |Pi^(1/4) (x - x')| apart, at most mu |x - x'|_inf",
    )


@cache
def private(reach: sp.Expr, norm: sp.Expr, one: sp.Expr = ONE) -> Parts:
    """The exact delta of normal laws reach * norm apart, at the least epsilon that the condition admits, is at most delta."""
    least = norm * tail(DELTA, one)
    left = GaussianPair(reach * norm).profile(least)
    near, small = 1 / (1 + NEAR), 2 / (1 + SMALL)

    def argument(formula: Formula) -> Derivation:
        known = printed_condition_small()
        mu, epsilon = sp.symbols("mu epsilon", positive=True)
        at = {mu: product(near, small), epsilon: product(small, tail(DELTA))}
        meant = value_at(GaussianPair(mu).profile(epsilon), at)
        edge = value_at(sp.exp(-(T**2) / 2), {T: sp.sqrt(2 * sp.log(1 / DELTA))})
        steps = (
            _largest_shift(),
            *known.steps,
            Step(
                near * small,
                "<=",
                small,
                "entries at most 1 apart: the laws are at most mu apart, and the exact delta increases with that",
            ),
            Step(
                formula.left,
                "=",
                meant,
                "the formula is about that curve, with mu = 2/(1 + g) and entries 1/(1 + z) apart",
            ),
            Step(formula.right, "=", edge, "and about the delta of the condition: exp(-t^2/2) at its t"),
        )
        return Derivation("the condition is enough for |x - x'|_inf <= 1 and mu <= 2", steps, known.lemmas)

    return parts(Formula(left, "<=", DELTA, (1 - DELTA,), argument))


DOSSIER.disputed(
    "theorem-2.5",
    "Local differential privacy of the optimal noise (Theorem 2.5)",
    condition="The entries of any two records differ by at most 1, mu <= 2, and delta < 1.",
    printed="The noise of Theorem 2.4 is (epsilon, delta)-locally differentially private if mu (1 + sqrt(2 "
    "ln(1/delta))) <= epsilon, where mu = lambda^(1/4) max |Pi^(1/4) x|_2/|x|_inf. Formula: the exact "
    "delta of two normal laws whose records are 1/(1 + z) apart, mu = 2/(1 + g), at the least such "
    "epsilon.",
    without="The same for all mu and for records whose entries differ by any D.",
    at=((1 / (1 + NEAR), 2 / (1 + SMALL)), (REACH, NORM)),
)(private)


N1, N2 = sp.symbols("a b", positive=True)  # eigenvalues of Pi, p = 2
QUARTER = sp.sqrt(sp.sqrt(N1) + sp.sqrt(N2))  # max |Pi^(1/4) x|_2/|x|_inf for diagonal Pi
HALF = sp.sqrt(N1 + N2)  # max |Pi^(1/2) x|_2/|x|_inf


@cache
def border(root: sp.Expr, level: sp.Expr = TENTH) -> Parts:
    """The least epsilon of Theorem 2.5, for lambda^(1/4) = root, is level (1 + sqrt(2 ln(1/delta)))."""
    left, right = product(root, QUARTER, tail(DELTA)), level * tail(DELTA)
    points = [(float(level) * (1 + math.sqrt(-2 * math.log(d))), d) for d in DELTAS]
    shaded = Line(
        "least epsilon of Theorem 2.5", "claimed", tuple(e for e, _ in points), tuple(d for _, d in points)
    )
    figure = Series("figure 1", "border of the gray region", "epsilon", "delta", (shaded,), "linear", "log")
    scalar, norm = sp.symbols("l N", positive=True)
    any_weight = Step(
        value_at(scalar * norm * tail(DELTA), {scalar: 1 / (10 * norm)}),
        "=",
        tail(DELTA) / 10,
        "whatever Pi is, the condition depends on lambda^(1/4) |Pi^(1/4)|_{inf,2} = 1/10 only",
    )
    argument = argued(any_weight, conclusion="the border of the region")
    return parts(Formula(left, "=", right, (1 - DELTA,), argument, (figure,)))


@DOSSIER.disputed(
    "fig-1",
    "The region of Theorem 2.5 (figure 1)",
    reading="the running text on figure 1 and the norm in Theorem 2.5",
    printed=(
        "For sqrt(lambda) |Pi^(1/2)|_(inf,2) = 0.1 (the caption), the condition of Theorem 2.5 holds on ",
        ".",
        1 / sp.sqrt(10 * HALF),
    ),
    twin=(
        "For lambda^(1/4) |Pi^(1/4)|_(inf,2) = 0.1, it holds on ",
        ". The caption's number does not fix the region: with Pi = I it gives a border of sqrt(0.1) p^(1/4) "
        "(1 + sqrt(2 ln(1/delta))).",
        1 / (10 * QUARTER),
    ),
)
def fig_1(words: str, value: str, root: sp.Expr) -> Statement[Parts]:
    """Pi = diag(a, b), for which both norms are closed."""
    region = "{(epsilon, delta): epsilon >= (1 + sqrt(2 ln(1/delta)))/10}"
    return Statement(f"{words}{region}{value}", border(root))


def _error(norm: sp.Expr) -> sp.Expr:
    """Tr(Pi V) for the noise of Theorem 2.4: Tr(Pi^(1/2))/sqrt(lambda) = K/mu^2."""
    return product(WEIGHT, power(1 / norm, 2))


def _bound(factor: sp.Expr = ONE) -> sp.Expr:
    return factor * WEIGHT * tail(DELTA) ** 2 / EPSILON**2


def _trace_of_weighted_covariance() -> Step:
    pi, root = Symmetric("P"), sp.Symbol("r", positive=True)
    half = sp.Rational(1, 2)
    return identity(
        Trace(product(pi, pi**-half, 1 / root**2)),
        Trace(pi**half) / root**2,
        "Tr(Pi V) with V = Pi^(-1/2)/r^2, r = lambda^(1/4): the inverse information of normal noise is V",
    )


def _logarithmic() -> Formula:
    """(1 + t)^2 <= 8 (t^2/2) for t = 1 + h >= 1: of the order ln(1/delta), since t^2/2 = ln(1/delta)."""
    t = 1 + NEAR
    return Formula((1 + t) ** 2, "<=", sp.expand(8 * t**2 / 2))


@cache
def released_error(norm: sp.Expr, where: tuple[sp.Expr, ...], factor: sp.Expr = ONE) -> Parts:
    """The error K/mu^2 of the released record itself against the bound claimed for unbiased estimators."""
    argument = argued(
        _trace_of_weighted_covariance(), conclusion="the noise on the border of Theorem 2.5", relation=">="
    )
    return parts(Formula(_error(norm), ">=", _bound(factor), (*where, 1 - DELTA), argument), _logarithmic())


ERROR_BOUND = "K (1 + sqrt(2 ln(1/delta)))^2/epsilon^2, K = Tr(Pi^(1/2)) |Pi^(1/4)|_(inf,2)^2"


@DOSSIER.disputed(
    "claim-mse-eps-delta",
    "What (epsilon, delta) is said to mean for errors",
    printed=f"If the normal noise is (epsilon, delta)-locally private, every unbiased estimate of a record errs by at least {ERROR_BOUND}; "
    "of the order ln(1/delta)^2/epsilon^2 at most. Formula: the error K/mu^2 of the released record itself, entries at most "
    "1 apart, wherever the exact delta at epsilon is below delta.",
    twin=f"If lambda makes the condition of Theorem 2.5 an equality, the Pi-weighted error of an unbiased estimate is at least "
    f"{ERROR_BOUND}, attained by the released record and of the order ln(1/delta)/epsilon^2 for delta <= e^(-1/2). Less noise is "
    "private, too, and then the error is smaller.",
    at=((NORM, True), (EPSILON / tail(DELTA), False)),
)
def claim_mse_eps_delta(norm: sp.Expr, exactly: bool) -> Parts:
    """K = Tr(Pi^(1/2)) |Pi^(1/4)|^2; the released record is an unbiased estimate with the error Tr(Pi V) = K/mu^2."""
    exact = DELTA - GaussianPair(NORM).profile(EPSILON)
    return released_error(norm, (exact,) if exactly else ())


@cache
def plotted(factor: sp.Expr) -> Parts:
    """K = 1: the error on the border is the plotted bound, which falls in epsilon and in delta = exp(-t^2/2)."""
    shown = _bound(factor).subs(WEIGHT, 1)
    value = shown.subs(DELTA, sp.exp(-(T**2) / 2))
    lines = tuple(
        Line(
            f"epsilon = {e:g}",
            "claimed",
            tuple(DELTAS),
            tuple((1 + math.sqrt(-2 * math.log(d))) ** 2 / e**2 for d in DELTAS),
        )
        for e in (0.5, 1.0, 2.0)
    )
    figure = Series(
        "figure 2", "least error for unit constants", "delta", "squared error", lines, "log", "log"
    )
    slope = Step(sp.Derivative(value, EPSILON), "<", sp.Integer(0), "the derivative in epsilon is negative")
    rise = Step(
        sp.Derivative(value, T), ">", sp.Integer(0), "the derivative in t is positive, and delta falls in t"
    )
    moved = value.subs(EPSILON, EPSILON + H)
    return parts(
        Formula(
            value_at(_error(EPSILON / tail(DELTA)), {WEIGHT: ONE}),
            "=",
            shown,
            (1 - DELTA,),
            argued(_trace_of_weighted_covariance(), conclusion="the plotted bound"),
            (figure,),
        ),
        Formula(sp.factor(value - moved), ">", sp.Integer(0), (), argued(slope, conclusion="in epsilon")),
        Formula(
            sp.factor(value.subs(T, T + H) - value),
            ">",
            sp.Integer(0),
            (),
            argued(rise, conclusion="in delta"),
        ),
    )


@DOSSIER.disputed(
    "fig-2",
    "The error bound as a function of (epsilon, delta) (figure 2)",
    printed=("The plotted bound is ", sp.Integer(1)),
    twin=("The plotted bound is 1.01 times ", ONE_PER_CENT),
)
def fig_2(words: str, factor: sp.Expr) -> Statement[Parts]:
    text = (
        "(1 + sqrt(2 ln(1/delta)))^2/epsilon^2: the least error of unbiased estimates for K = 1, noise for which the "
        "condition of Theorem 2.5 is an equality. It grows as epsilon or delta decreases"
    )
    return Statement(f"{words}{text}.", plotted(factor))
