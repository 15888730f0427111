"""What the information of additive noise can and cannot be: scaling, its product with the variance, nearly constant answers."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ....symbolic.information.fisher import fisher_information, information_of_query, location_information
from ....symbolic.laws import catalogue as laws
from ....symbolic.laws.law import Law
from ....symbolic.proof.as_written import power, product, quotient, root, total
from ....symbolic.proof.derivation import Step, evaluated
from ....symbolic.proof.trace import Column, Trace, gram, identity
from ....symbolic.proof.truth import Truth, all_hold
from ..formula import Formula, argued
from .bounds_arguments import CAUCHY_SCHWARZ, REGULAR, SQUARES, UNIT, WIRTINGER, by_steps, cramer_rao
from .written_integrals import information, inverse_information, mean

FREE_NOISE = (
    "The noise does not depend on x, and W contains balls of every radius, as R^m and half-spaces do. A noise that "
    "cancels x and makes the answer nearly constant tells little at a bounded variance, and on an unbounded union of "
    "separate intervals of length L the information of a noise entry is at least 4 pi^2/L^2."
)
BY_PARTS = "E[score w'] = -1 on R^m: integration by parts (symbolic.optimal_noise)"

LEVEL, SHARE, DEVIATION, WIDTH, PRICE = sp.symbols("B s d L rho", positive=True)
RECORD = sp.Symbol("x", real=True)
HALF = sp.Rational(1, 2)


@cache
def pushed_to_zero(level: sp.Expr = LEVEL) -> Formula:
    """Normal noise scaled by B^(-1/2) has the information B, for every level B > 0."""
    law = laws.normal(0, 1 / sp.sqrt(LEVEL))
    argument = argued(
        *scaling(),
        conclusion="for every level B > 0 some scale gives information at most B",
        relation="<=",
        written=information(law),
    )
    return Formula(location_information(law).scalar, "<=", level, argument=argument)


@cache
def pushed_to_infinity() -> Formula:
    """The inverse information of normal noise of standard deviation B^(1/2) reaches every level B > 0."""
    law = laws.normal(0, sp.sqrt(LEVEL))
    argument = argued(
        *scaling(),
        conclusion="for every level B > 0 some scale gives inverse information at least B",
        relation=">=",
        written=inverse_information(law),
    )
    return Formula(1 / location_information(law).scalar, ">=", LEVEL, argument=argument)


def scaling() -> tuple[Step, ...]:
    """The score of s w is the score of w over s, at every density: the information is divided by s^2."""
    w, s = sp.Symbol("w", real=True), sp.Symbol("s", positive=True)
    g = sp.Function("g")
    scaled = sp.Derivative(sp.log(g(w / s) / s), w).doit().subs(w, s * w)

    def again(left: sp.Expr, right: sp.Expr) -> Truth:
        """Also by the derivative of g(z/s)/s in z, taken at z = s w."""
        return all_hold((evaluated(left, right), evaluated(scaled, right)))

    return (
        Step(
            quotient(sp.Derivative(sp.log(g(w) / s), w), s),
            "=",
            quotient(quotient(g(w).diff(w), g(w)), s),
            "the noise scaled by s has the density g(w)/s at s w, and d/d(s w) = (1/s) d/dw: its score there is the score at w, "
            "divided by s, whatever the density",
            again,
            where=(g(w),),
        ),
    )


@cache
def error_of_response() -> Formula:
    """The variance of noise is at least its inverse information; normal noise attains it."""
    law = laws.normal(0, DEVIATION)
    left, right = law.variance(), 1 / location_information(law).scalar
    argument = by_steps(
        "the response itself is an unbiased estimator of x + E w",
        lambda: cramer_rao(False),
        mean(law, law.variable**2),
        ">=",
        inverse_information(law),
        (SQUARES, REGULAR),
    )
    return Formula(left, ">=", right, argument=argument)


@cache
def answer_close_to_constant() -> Formula:
    """For w = z - (1 - s) x the inequality E w^2 >= 1/I, true of noise independent of x, fails for small s: the answer s x + z is nearly constant."""
    law = laws.normal(SHARE * RECORD, DEVIATION)
    known = fisher_information(law, [RECORD]).scalar
    noise = law.variance() + sp.factor(law.mean() - RECORD) ** 2
    return Formula(noise, ">=", sp.simplify(1 / known), (1 - SHARE,))


@cache
def quadratic_cost(factor: sp.Expr = UNIT) -> Formula:
    """2 sqrt(rho), the cost of the Gaussian of variance 1/sqrt(rho), is the least of information + rho variance."""
    best, other = laws.normal(0, PRICE ** sp.Rational(-1, 4)), laws.normal(0, DEVIATION)
    s, w = Column("s"), Column("w")
    r, m = sp.symbols("r m", positive=True)
    square = identity(
        gram(s + r * w),
        Trace(s.T * s) - 2 * r * m + r**2 * Trace(w.T * w),
        "E|score + sqrt(rho) w|^2 >= 0 with r = sqrt(rho) and E score' w = -m",
        None,
        {Trace(s.T * w): -m},
    )
    left, right = _cost(best), _cost(other)
    argument = by_steps(
        "no noise on R^m costs less than 2 m sqrt(rho)",
        lambda: (square,),
        # The bound, as the cost of the variance 1/sqrt(rho) that attains it.
        total(quotient(1, power(PRICE, -HALF)), product(PRICE, power(PRICE, -HALF))),
        "<=",
        total(quotient(1, DEVIATION**2), product(PRICE, mean(other, other.variable**2))),
        (SQUARES, BY_PARTS),
    )
    return Formula(factor * left, "<=", right, argument=argument)


def _cost(law: Law) -> sp.Expr:
    return sp.simplify(location_information(law).scalar + PRICE * law.variance())


@cache
def smooth_noise(power: int, width: sp.Expr) -> sp.Expr:
    """The information of the density proportional to cos(pi w/L)^power on an interval of length L."""
    w, ends = sp.Symbol("w", real=True), (-width / 2, width / 2)
    shape = sp.cos(sp.pi * w / width) ** power
    noise = Law("smooth noise", w, shape / sp.integrate(shape, (w, *ends)), ends)
    return location_information(noise).scalar


def _mixed_modes() -> tuple[sp.Expr, sp.Expr]:
    """4 int v'^2/int v^2 for v = cos(pi w/L) + t cos(3 pi w/L) on an interval of length L: its value, and as it is written."""
    t = sp.Symbol("t", nonnegative=True)
    w = sp.Symbol("w", real=True)
    first, second = (sp.cos(k * sp.pi * w / WIDTH) for k in (1, 3))
    ends = (w, -WIDTH / 2, WIDTH / 2)
    squares = [
        sp.expand((a + t * b) ** 2) for a, b in ((first, second), (sp.diff(first, w), sp.diff(second, w)))
    ]
    mass, energy = (sp.simplify(sp.integrate(square, ends)) for square in squares)
    shown = quotient(product(4, sp.Integral(squares[1], ends)), sp.Integral(squares[0], ends))
    return sp.simplify(4 * energy / mass), shown


@cache
def at_least_cosine(factor: sp.Expr = UNIT) -> Formula:
    """4 pi^2/L^2 is the least information of noise on an interval of length L; mixed modes show how tight it is."""
    other, written = _mixed_modes()
    u, slope = sp.symbols("u u_prime", positive=True)
    halves = Step(
        quotient(power(product(2, u, slope), 2), power(u, 2)),
        "=",
        4 * slope**2,
        "gamma = u^2: gamma'^2/gamma = 4 u'^2",
    )
    argument = by_steps(
        "the information is 4 int u'^2, and u vanishes at both ends",
        lambda: (halves,),
        product(4, power(sp.pi / WIDTH, 2)),
        "<=",
        written,
        (WIRTINGER,),
    )
    return Formula(factor * 4 * sp.pi**2 / WIDTH**2, "<=", other, argument=argument)


@cache
def vanishing_tail() -> Formula:
    """gamma(w)^2 <= I P(noise > w) for w > 0: with finite information the density tends to zero."""
    w, s = sp.Symbol("w", nonnegative=True), sp.Symbol("s", positive=True)
    law = laws.logistic(0, s)
    density = law.density.subs(law.variable, w)
    tail = 1 - law.distribution.subs(law.variable, w) if law.distribution is not None else sp.nan
    total_information = location_information(law).scalar
    g, slope = sp.symbols("g g_prime", positive=True)
    split = Step(
        product(quotient(slope, root(g)), root(g)), "=", slope, "(gamma'/sqrt(gamma)) sqrt(gamma) = gamma'"
    )
    q = sp.Symbol("q", positive=True)
    # q = exp(-w/s) is in (0, 1]: what is left of the inequality is (1 + q)^3 >= 3 q.
    left = sp.simplify(density.subs(w, -s * sp.log(q)) ** 2)
    right = sp.simplify(total_information * tail.subs(w, -s * sp.log(q)))
    polynomial = Step(
        sp.expand(right - left) * 3 * s**2 * (1 + q) ** 4 / q, "=", (1 + q) ** 3 - 3 * q, "logistic noise"
    )
    argument = by_steps(
        "int over (w, infinity) of |gamma'| is at most sqrt(I P(noise > w))",
        lambda: (split, polynomial),
        power(sp.Derivative(1 - tail, w), 2),
        "<=",
        product(total_information, quotient(sp.exp(-w / s), 1 + sp.exp(-w / s))),
        (
            CAUCHY_SCHWARZ,
            "gamma(w) is at most the integral of |gamma'| beyond w, for gamma with a zero limit inferior",
        ),
    )
    return Formula(density**2, "<=", total_information * tail, argument=argument)


def stationary_is_least(scale: sp.Expr = UNIT) -> Formula:
    """A positive u with u'' + mu u = 0 that vanishes at the ends is least: `scale` 4 pi^2/L^2 against mixed modes.

    The argument is Jacobi's: v'^2 - mu v^2 = u^2 ((v/u)')^2 plus a derivative that integrates to zero.
    """
    w, mu = sp.Symbol("w", real=True), sp.Symbol("mu", positive=True)
    u, v = sp.Function("u")(w), sp.Function("v")(w)
    flux = v**2 * sp.diff(u, w) / u
    steps = (
        Step(
            sp.diff(v, w) ** 2 + v**2 * sp.diff(u, w, 2) / u,
            "=",
            total(product(u**2, power(sp.Derivative(v / u, w), 2)), sp.Derivative(flux, w)),
            "Jacobi's identity for u > 0 and every v",
            evaluated,
            where=(u,),
        ),
        Step(
            product(v**2, quotient(-mu * u, u)),
            "=",
            -mu * v**2,
            "in which u'' = -mu u leaves v'^2 - mu v^2",
            where=(u,),
        ),
    )
    base, (_, written) = at_least_cosine(), _mixed_modes()
    argument = by_steps(
        "what is stationary and positive inside has the least information",
        lambda: steps,
        product(scale, 4, power(sp.pi / WIDTH, 2)) if scale != 1 else product(4, power(sp.pi / WIDTH, 2)),
        "<=",
        product(scale, written) if scale != 1 else written,
        ("v^2 u'/u tends to zero at the ends for v with finite information that vanishes there", SQUARES),
    )
    return Formula(scale * base.left, "<=", scale * base.right, argument=argument)


def almost_one_answer(scale: sp.Expr = UNIT) -> Formula:
    """cos^2 noise against a policy that answers at random whatever x is, but with probability e adds cos^2 noise.

    f(x) = x with x in an interval shorter than W = [-L/2, L/2]: the answer alone has no information, and the
    information of the mixture is at most e times that of cos^2 noise, which is positive inside W.
    """
    e = sp.Symbol("e", positive=True)
    w = sp.Symbol("w", real=True)
    wave = sp.cos(sp.pi * w / WIDTH)
    solves = Step(
        total(sp.Derivative(wave, (w, 2)), product(power(sp.pi / WIDTH, 2), wave)),
        "=",
        sp.Integer(0),
        "the cosine solves u'' + mu u = 0",
    )
    cosine = scale * smooth_noise(2, WIDTH)
    return Formula(
        cosine,
        "<=",
        e * cosine,
        (1 - e,),
        argued(solves, conclusion="the stationary noise against a mixture"),
    )


def nearly_one_answer_inverse() -> Formula:
    """The inverse information of the answers s x + z, z of density cos^4 on a length l, with s chosen for 2 B, against B."""
    length = sp.Symbol("l", positive=True)
    share_squared = 1 / (2 * LEVEL * smooth_noise(4, length))
    return Formula(1 / (share_squared * smooth_noise(4, length)), "<=", LEVEL, (1 - share_squared,))


def flat_query_inverse() -> Formula:
    """The inverse information of x^3 + w at the x with x^4 = L^2/(72 pi^2 B), w of density cos^2, against B."""
    x = sp.Symbol("x", positive=True)
    fourth = WIDTH**2 / (72 * sp.pi**2 * LEVEL)
    known = information_of_query([x**3], [x], smooth_noise(2, WIDTH)).scalar
    inverse = sp.simplify((1 / known).subs(x, fourth ** sp.Rational(1, 4)))
    return Formula(inverse, "<=", LEVEL, (1 - fourth,))


def cells(inverse: bool) -> Formula:
    """On an unbounded union of intervals of length L: the best information 4 pi^2/L^2 against any level B."""
    best = smooth_noise(2, WIDTH)
    return Formula(1 / best, ">=", LEVEL) if inverse else Formula(best, "<=", LEVEL)
