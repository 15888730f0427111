"""Formulas about the soft-margin machine: its convexity, the limit of small rho, its movement under noise, and the quality D."""

from __future__ import annotations

from functools import cache

import sympy as sp

from .....symbolic.proof import as_written as written
from .....symbolic.proof.derivation import Step
from .....symbolic.proof.trace import Column, Trace, gram, identity
from ....dossier.arguments.bounds_arguments import SQUARES, UNIT, by_steps, cancelled
from ....dossier.formula import Argument, Formula, argued

RHO, THETA = sp.symbols("rho theta", positive=True)
COERCIVE = "a continuous cost that tends to infinity has a minimiser on a closed set that is not empty"
MARKOV = "Markov's inequality; the mean of a sum is the sum of the means"
CONTINUOUS = (
    "the optimum is a continuous function of the records, and records off the margin stay off it: the global inequality "
    "with multipliers that stay bounded"
)
HOFFMAN = (
    "Hoffman's bound: the multipliers of the changed program come within a constant times (|dz| + |M|) of the polyhedron "
    "of multipliers of the old one"
)
# Noise that takes the value 0 or +-(1 + t) times what moves the model by the tolerance: Markov's bound is nearly attained.
BEYOND = sp.Rational(1001, 1000)


@cache
def convexity(factor: sp.Expr = UNIT) -> Formula:
    """What the cost of (2) at the middle of two points lies below the mean of both, one feature and one record."""
    names = "alpha beta xi alpha_2 beta_2 xi_2"
    a, b, s, a2, b2, s2 = sp.symbols(names, real=True)

    def cost(alpha: sp.Expr, beta: sp.Expr, xi: sp.Expr) -> sp.Expr:
        return alpha**2 / 2 + RHO / 2 * (beta**2 + xi**2) + THETA * xi

    gap = (cost(a, b, s) + cost(a2, b2, s2)) / 2 - cost((a + a2) / 2, (b + b2) / 2, (s + s2) / 2)
    derived = ((a - a2) ** 2 + RHO * (b - b2) ** 2 + RHO * (s - s2) ** 2) / 8
    steps = (
        Step(gap, "=", derived, "the cost is a sum over entries, so one of each kind settles all", cancelled),
        Step(derived, ">=", sp.Integer(0), "so two optima would have a better point between them"),
    )
    return Formula(
        gap,
        "=",
        factor * derived,
        argument=argued(*steps, lemmas=(COERCIVE,), conclusion="one optimum at most, and one at least"),
    )


def _limit_steps() -> tuple[Step, ...]:
    """f is the cost of (1), g = (beta^2 + |xi|^2)/2; z is the optimum of f + rho g, z0 any optimum of f."""
    f, g, extra, slack = sp.symbols("f_0 g_0 u s", nonnegative=True)
    at_z = (f + RHO * g - slack - (f + extra)) / RHO
    return (
        Step(g - at_z, "=", (extra + slack) / RHO, "f(z) = f_0 + u, and f(z) + rho g(z) = f_0 + rho g_0 - s"),
        Step((extra + slack) / RHO, ">=", sp.Integer(0), "g(z) <= g(z0): the points stay bounded"),
        Step(
            RHO * (g - at_z) - slack,
            "=",
            extra,
            "f(z) - f_0 <= rho g(z0) tends to 0: cluster points are optima of (1)",
        ),
    )


LEAST = (
    "a bounded family with one cluster point converges",
    "g is strictly convex in (beta, xi) and all optima of (1) share alpha: one of them has the least g",
)


@cache
def slack_path() -> tuple[sp.Expr, sp.Expr]:
    """(alpha, beta) of (2) while all four records 1/10, -1/10, 1/5, -3/10 with labels +, -, +, - have slack."""
    a, b = sp.symbols("a b", real=True)
    margins = [y * (a * x + b) for x, y in telling_records()]
    cost = (
        a**2 / 2 + RHO / 2 * (b**2 + sum((1 - m) ** 2 for m in margins)) + THETA * sum(1 - m for m in margins)
    )
    found = sp.solve([sp.diff(cost, a), sp.diff(cost, b)], [a, b], dict=True)[0]
    return sp.factor(found[a]), sp.factor(found[b])


def telling_records() -> list[tuple[sp.Rational, int]]:
    """Four records on a line with many optimal offsets in (1) when theta = 1."""
    return [(sp.Rational(k, 10), y) for k, y in ((1, 1), (-1, -1), (2, 1), (-3, -1))]


@cache
def limit_slope(factor: sp.Expr = UNIT) -> Formula:
    """lim alpha of (2) against alpha of (1) with the price factor * theta, four records on a line, theta <= 1."""
    alpha, _ = slack_path()
    reach = sp.limit(alpha, RHO, 0, "+")
    # With all multipliers at theta, alpha of (1) is their sum; the offset multiplies sum y = 0.
    own = sum((THETA * y * x for x, y in telling_records()), sp.Integer(0))
    pulled = written.total(*(written.product(THETA, y, x) for x, y in telling_records()))
    argument = by_steps("every cluster point is an optimum of (1)", _limit_steps, pulled, "=", pulled, LEAST)
    return Formula(reach, "=", factor * own, argument=argument)


@cache
def limit_offset(factor: sp.Expr = UNIT) -> Formula:
    """lim beta of (2) against the offset of least beta^2 + |xi|^2 among the optima of (1), same records."""
    _, beta = slack_path()
    b = sp.Symbol("b", real=True)
    alpha = sum((THETA * y * x for x, y in telling_records()), sp.Integer(0))
    g = b**2 + sum((1 - y * (alpha * x + b)) ** 2 for x, y in telling_records())
    least = sp.solve(sp.diff(g, b), b)[0]
    # g' = 0: (1 + q) b is the sum of the residuals y - alpha x, since labels square to one.
    residuals = written.total(*(y - alpha * x for x, y in telling_records()))
    mean = written.quotient(residuals, written.total(1, len(telling_records())))
    argument = by_steps("the limit exists", _limit_steps, mean, "=", mean, LEAST)
    return Formula(sp.limit(beta, RHO, 0, "+"), "=", factor * least, argument=argument)


def optimal_cost(offset: str) -> Formula:
    """The cost of (1) at alpha = 7/10 and this offset against the dual value with all multipliers 1, theta = 1."""
    b, alpha = sp.Rational(offset), sp.Rational(7, 10)
    slacks = (written.applied(sp.Max, 0, 1 - y * (alpha * x + b)) for x, y in telling_records())
    cost = written.total(written.quotient(written.power(alpha, 2), 2), *slacks)
    pulled = sum((y * x for x, y in telling_records()), sp.Integer(0))
    dual = written.difference(len(telling_records()), written.quotient(written.power(pulled, 2), 2))
    return Formula(
        cost, "=", dual, argument=argued(conclusion="cost and dual value agree, so the point is optimal")
    )


def oscillating_singletons() -> Formula:
    """S(rho) = {sin(1/rho)} is a singleton for rho > 0, with limsup [-1, 1]; its values along two sequences are equal."""
    k = sp.Symbol("k", integer=True, positive=True)
    values = [sp.sin(2 * sp.pi * k + side * sp.pi / 2) for side in (1, -1)]
    return Formula(values[0] - values[1], "=", 0 * k)


def _monotone() -> tuple[Step, ...]:
    """One record's share of |dalpha|^2 + rho dbeta^2 + rho |dxi|^2, from the optimality conditions before and after."""
    w, w2, v, v2 = sp.symbols("omega omega_2 varsigma varsigma_2", nonnegative=True)
    new_new, new_old, old_new, old_old, b, b2, y = sp.symbols("A_nn A_no A_on A_oo beta beta_2 y", real=True)
    s, s2, m, m2 = sp.symbols("xi xi_2 m m_2", nonnegative=True)
    # A_no is the new alpha on the old record; margins less one plus slack are m and m_2.
    margin, margin2 = y * (old_old + b) - 1 + s, y * (new_new + b2) - 1 + s2
    share = y * (w2 * (new_new - old_new) - w * (new_old - old_old)) + (b2 - b) * (w2 - w) * y
    share += (w2 - w) * (s2 - s) + (v2 - v) * (s2 - s)
    work = y * (w * (new_new - new_old) - w2 * (old_new - old_old))
    rest = (w2 - w) * (margin2 - margin) + (v2 - v) * (s2 - s)
    crossed = -w2 * m - w * m2 - v2 * s - v * s2
    given = crossed + w2 * m2 + w * m + v2 * s2 + v * s
    return (
        Step(
            share,
            "=",
            work + rest,
            "the share of a record is the work of its noise and two products",
            cancelled,
        ),
        Step((w2 - w) * (m2 - m) + (v2 - v) * (s2 - s), "=", given, "the products, written out", cancelled),
        Step(
            crossed, "<=", sp.Integer(0), "by complementarity only crossed terms stay, none of them positive"
        ),
    )


def _crude() -> tuple[Step, ...]:
    """d^2 <= h (a d + b h) has d <= (a + b + 1) h: the global inequality, Hoffman's bound in it, over min(1, rho)."""
    a, b, h, over = sp.symbols("a b h r", nonnegative=True)
    c = a + b + 1
    d = c * h + over
    excess = sp.expand(d**2 - h * (a * d + b * h))
    return (Step(excess, ">=", sp.Integer(0), "for d = (a + b + 1) h + r the inequality is reversed"),)


@cache
def movement_of_one(exponent: sp.Expr = UNIT, factor: sp.Expr = UNIT) -> Formula:
    """|dz|^2 against (|M|^2)^exponent for one record x on a line that moves to m, rho = theta = 1: c = 1 is the least constant."""
    x, m = sp.symbols("x m", real=True)

    def optimum(t: sp.Expr) -> sp.Matrix:
        return sp.Matrix([t, 1]) / (1 + t**2)

    step = optimum(m) - optimum(x)
    moved = (step.T * step)[0, 0]
    square = (m - x) ** 2
    derived = square / ((1 + x**2) * (1 + m**2))
    whole = 1 + x**2 + m**2 + x**2 * m**2
    here = (
        Step(
            (1 + x**2) * (1 + m**2), "=", whole, "one record: |dz|^2 = |M|^2/((1 + x^2)(1 + m^2))", cancelled
        ),
        Step(whole, ">=", UNIT, "so that |dz| <= |M|"),
    )
    argument = by_steps(
        "z is a locally Lipschitz function of the records",
        lambda: (*_monotone(), *_crude(), *here),
        derived,
        "<=",
        written.total(m**2, written.product(-2, m, x), x**2),
        (CONTINUOUS, HOFFMAN),
    )
    return Formula(moved, "<=", factor * square**exponent, (square,), argument=argument)


@cache
def quality_of_one(factor: sp.Expr = UNIT) -> Formula:
    """D against 1 - q c^2 Tr(V)/eps^2 for one record at 0, noise +-k with probability r else 0, c = 1, rho = theta = 1."""
    k, big = sp.symbols("k R", positive=True)
    r = 1 / (1 + big)
    tolerance = k**2 / (1 + k**2) / BEYOND**2
    derived = written.difference(1, written.quotient(written.product(r, k**2), tolerance))
    bound = 1 - factor * r * k**2 / tolerance
    argument = by_steps(
        "D >= P(|M| <= eps/c) >= 1 - q c^2 Tr(V)/eps^2",
        lambda: (*_monotone(), *_crude(), *_norms(), Step(1 - r, ">=", derived, "this record")),
        _neither(r),
        ">=",
        derived,
        (CONTINUOUS, HOFFMAN, SQUARES, MARKOV),
    )
    return Formula(1 - r, ">=", bound, argument=argument)


@cache
def markov(factor: sp.Expr = UNIT) -> Formula:
    """P(|n_1|^2 + |n_2|^2 <= eps^2) against 1 - 2 Tr(V)/eps^2: |n_i| = 1.001 eps with probability r < 1/100, else 0."""
    big = sp.Symbol("R", positive=True)
    r = 1 / (100 + big)
    derived = 1 - 2 * r * BEYOND**2
    exceed, square = sp.Symbol("h", nonnegative=True), sp.Symbol("e", positive=True)
    pointwise = Step((square + exceed) / square, ">=", UNIT, "S/eps^2 >= 1 where S = eps^2 + h; e = eps^2")
    argument = by_steps(
        "P(S >= eps^2) <= E S/eps^2, and E S = q Tr(V)",
        lambda: (pointwise, Step((1 - r) ** 2 - derived, ">=", sp.Integer(0), "two records")),
        written.product(1 - r, 1 - r),
        ">=",
        _markov_bound(written.total(r, r)),
        (MARKOV, "noise with a density has P(S = eps^2) = 0"),
    )
    return Formula((1 - r) ** 2, ">=", 1 - factor * 2 * r * BEYOND**2, argument=argument)


def _neither(r: sp.Expr) -> sp.Expr:
    """The probability of no noise, where either sign has the probability r/2."""
    return written.difference(written.difference(1, r / 2), r / 2)


def _markov_bound(r: sp.Expr) -> sp.Expr:
    """1 - V/eps^2 for noise of the size 1.001 eps that comes with probability r."""
    eps = sp.Symbol("epsilon", positive=True)
    variance = written.product(r, written.power(written.product(BEYOND, eps), 2))
    return written.difference(1, written.quotient(variance, eps**2))


def _norms() -> tuple[Step, ...]:
    n, v = Column("n"), Column("v")
    lagrange = gram(n * v.T - v * n.T) / 2
    return (
        identity(
            lagrange,
            Trace(n.T * n) * Trace(v.T * v) - Trace(n.T * v) ** 2,
            "(n_i'v)^2 <= |n_i|^2 |v|^2 for each record, in every dimension",
        ),
    )


@cache
def norm_chain(factor: sp.Expr = UNIT) -> Formula:
    """|M v|^2/|v|^2 against the sum of |n_i|^2: n_1 = (a, b), v = n_1 turned by slope k, n_2 along v of length c."""
    a, b, k, c = sp.symbols("a b k c", real=True)
    v = (a - k * b, b + k * a)
    size = v[0] ** 2 + v[1] ** 2
    left = (a * v[0] + b * v[1]) ** 2 / size + c**2
    derived = (a**2 + b**2) / (1 + k**2) + c**2
    argument = by_steps(
        "|M|_2 <= sqrt(sum |n_i|^2); labels square to one",
        _norms,
        derived,
        "<=",
        written.total(written.product(a, a), written.product(b, b), written.product(c, c)),
        (SQUARES,),
    )
    return Formula(left, "<=", factor * (a**2 + b**2 + c**2), (a**2 + b**2,), argument=argument)


@cache
def stable_model(factor: sp.Expr = UNIT) -> Formula:
    """D against 1 - c^2 V/eps^2 for the mean, whose loss (phi - x)^2/2 has the constant c = 1: noise 0 or +-1.001 eps."""
    big = sp.Symbol("R", positive=True)
    r = 1 / (1 + big)
    bend, lip, n, d = sp.symbols("kappa L n d", positive=True)
    steps = (
        Step(
            bend * d**2 - lip * n * d,
            "=",
            d * (bend * d - lip * n),
            "kappa |dphi|^2 <= L |n| |dphi|: |dphi| <= (L/kappa) |n|",
            cancelled,
        ),
        Step(1 - r, ">=", _markov_bound(r), "noise that nearly attains the bound"),
    )
    argument = by_steps(
        "D >= 1 - c^2 V/eps^2, which rises to 1 as V falls to 0",
        lambda: steps,
        _neither(r),
        ">=",
        _markov_bound(r),
        (MARKOV,),
    )
    return Formula(1 - r, ">=", 1 - factor * r * BEYOND**2, argument=argument)


def two_minima() -> Formula:
    """D against 1 - c^2 V/eps^2 for l = (phi^2 - 1)^2 - x phi at x = 0 and eps < 1: the minimiser takes the sign of the noise."""
    c, v, eps = sp.symbols("c V epsilon", positive=True)
    return Formula(sp.Rational(1, 2), ">=", 1 - c**2 * v / eps**2, argument=_half())


def _half() -> Argument:
    phi, n = sp.symbols("phi n", positive=True)
    loss = (phi**2 - 1) ** 2 - n * phi
    return argued(
        Step(
            written.difference(written.value_at(loss, {phi: -phi}), loss),
            "=",
            2 * n * phi,
            "the better sign is that of n",
        ),
        conclusion="a symmetric noise gives D <= 1/2",
    )
