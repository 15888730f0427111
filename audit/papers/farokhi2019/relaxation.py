"""Section 2, from the convex relaxation (10) to Problems 2, 3 and 4: convexity, existence, and a price against a budget."""

from __future__ import annotations

import sympy as sp

from ....symbolic.laws import catalogue as laws
from ....symbolic.proof.as_written import difference, power, product, quotient, total, value_at
from ....symbolic.proof.derivation import Step, evaluated
from ....symbolic.proof.trace import Column, Trace, gram, identity
from ...dossier import Formula, Parts, argued, parts
from ...dossier.arguments.bounds_arguments import SQUARES, by_steps, cancelled
from ...dossier.arguments.information_noise import FREE_NOISE, cells, pushed_to_infinity, pushed_to_zero
from .arguments.bounds_averages import lower_bound
from .arguments.bounds_matrices import weighted_mean
from .dossier import DOSSIER

W = sp.Symbol("w", positive=True)
RATIO, PRICE = sp.symbols("r rho", positive=True)
A, B = sp.symbols("a b", positive=True)
V1, U1 = sp.symbols("v u", real=True)
ONE_PER_CENT = sp.Rational(101, 100)
# Two densities on [0, 1] that satisfy Assumptions 2 and 4.
FIRST, SECOND = 30 * W**2 * (1 - W) ** 2, 140 * W**3 * (1 - W) ** 3


def unit(density: sp.Expr) -> sp.Expr:
    """The integral over [0, 1]."""
    return sp.Poly(density, W).integrate(W).eval(1)


@DOSSIER.disputed(
    "eq-10",
    "The relaxed cost and the bound that it gives (10)",
    printed="J is the integral of Tr(I(x)) p(x); for p of integral one, n^2/J is a lower bound of the integral "
    "of Tr(I(x)^-1) p(x). Formula: n = 2, two values of x with weights 1 : r, eigenvalues a1, b1 and a2, "
    "b2.",
    twin="1.01 n^2/J is a lower bound.",
    at=((sp.Integer(1), "1"), (ONE_PER_CENT, "101/100")),
)
def eq_10(factor: sp.Expr, said: str) -> Parts:
    return parts(lower_bound(factor), instances=weighted_mean(said))


DOSSIER.introduces(
    "assumption-4",
    "Assumption 4",
    "For each x with p(x) > 0 the policy is positive on W except for a set of measure zero.",
)


@DOSSIER.disputed(
    "gamma-bar",
    "The admissible densities form a convex set",
    printed="A mixture of two densities that satisfy Assumptions 2 and 4 satisfies them. Formula: 30 w^2 (1-w)^2 and "
    "140 w^3 (1-w)^3 with weights 1 : r: mass, boundary, and the inside w = q/(1+q).",
    twin="The roots u of the densities form a convex set as well: the square of their mixture has mass one.",
    at=(False, True),
)
def gamma_bar(of_roots: bool) -> Parts:
    odds = sp.Symbol("q", positive=True)
    mixed = (FIRST + RATIO * SECOND) / (1 + RATIO)
    roots = sp.expand(FIRST + RATIO**2 * SECOND)
    cross = 2 * RATIO * sp.sqrt(30 * 140) * sp.beta(sp.Rational(7, 2), sp.Rational(7, 2)).rewrite(sp.gamma)
    linear = (
        "a mixture of densities is twice differentiable, vanishes where both do and is positive where one is",
    )
    inside = sp.factor(mixed.subs(W, odds / (1 + odds)))
    mass = (unit(roots) + cross) / (1 + RATIO) ** 2 if of_roots else unit(mixed)
    masses = [sp.Integral(density, (W, 0, 1)) for density in (FIRST, SECOND)]
    whole = total(masses[0], product(RATIO**2 if of_roots else RATIO, masses[1]))
    written = quotient(total(whole, cross), power(1 + RATIO, 2)) if of_roots else quotient(whole, 1 + RATIO)
    argument = argued(lemmas=linear, conclusion="mass", written=written)
    return parts(
        Formula(sp.simplify(mass), "=", sp.Integer(1), argument=argument),
        Formula(
            mixed.subs(W, 0) ** 2 + mixed.subs(W, 1) ** 2,
            "=",
            sp.Integer(0),
            argument=argued(written=total(*(power(value_at(mixed, {W: end}), 2) for end in (0, 1)))),
        ),
        Formula(inside, ">", sp.Integer(0)),
    )


def _convexity(factor: sp.Expr) -> Parts:
    """v^2/gamma at weights 1 : r of (v, a) and (u, b): the information density along F' d_w + d_x."""
    mixed = (V1 + RATIO * U1) ** 2 / ((A + RATIO * B) * (1 + RATIO))
    mean = (V1**2 / A + RATIO * U1**2 / B) / (1 + RATIO)
    v, u = Column("v"), Column("u")
    general = identity(
        (A + RATIO * B) * (B * Trace(v.T * v) + RATIO * A * Trace(u.T * u)) - A * B * gram(v + RATIO * u),
        RATIO * gram(B * v - A * u),
        "the mean less the value at the mixture, times a b (a + r b)(1 + r): a square, in every dimension",
    )
    argument = by_steps(
        "|v|^2/gamma is convex in (v, gamma), v is linear in gamma, and integrals and weights keep this",
        lambda: (general,),
        quotient(power(quotient(V1 + RATIO * U1, 1 + RATIO), 2), quotient(A + RATIO * B, 1 + RATIO)),
        "<=",
        total(
            product(quotient(1, 1 + RATIO), quotient(power(V1, 2), A)),
            product(quotient(RATIO, 1 + RATIO), quotient(power(U1, 2), B)),
        ),
        (SQUARES,),
    )
    return parts(Formula(factor * mixed, "<=", mean, argument=argument))


DOSSIER.disputed(
    "proposition-2",
    "J is convex (Proposition 2)",
    printed="J is convex: its value at a mixture of two policies is at most the mixture of its values. Formula: "
    "the integrand |v|^2/gamma at two pairs (v, a), (u, b) with weights 1 : r.",
    twin="The value at a mixture is at most 1/1.01 of that.",
    at=(sp.Integer(1), ONE_PER_CENT),
)(_convexity)


def _tangent(factor: sp.Expr) -> Parts:
    """u^2/b against the tangent of v^2/a in (v, a), at (u, b)."""
    t = sp.Symbol("t", real=True)
    curve = (V1 + t * (U1 - V1)) ** 2 / (A + t * (B - A))
    slope = sp.diff(curve, t).subs(t, 0)
    tangent = 2 * V1 * U1 / A - V1**2 * B / A**2
    steps = (
        Step(curve.subs(t, 0) + slope, "=", tangent, "value plus slope towards the other density", cancelled),
        Step(
            U1**2 / B - tangent,
            "=",
            B * (U1 / B - V1 / A) ** 2,
            "what is above the tangent is a square",
            cancelled,
        ),
    )
    lemma = (
        "a minimiser over a convex set has no negative slope towards a member of it, as the mixtures are members (gamma-bar)",
    )
    argument = by_steps(
        "a slope that is not negative in any direction makes a minimum",
        lambda: steps,
        total(tangent, product(B, power(U1 / B - V1 / A, 2))),
        ">=",
        # Value plus slope: 2 v (u - v)/a - v^2 (b - a)/a^2 from (v, a) to (u, b).
        total(
            quotient(power(V1, 2), A),
            difference(
                product(quotient(2 * V1, A), U1 - V1), product(quotient(power(V1, 2), power(A, 2)), B - A)
            ),
        ),
        lemma,
    )
    return parts(Formula(U1**2 / B, ">=", factor * tangent, argument=argument))


DOSSIER.disputed(
    "proposition-2-consequence",
    "Stationary policies minimise J",
    printed="A policy minimises J over the convex set if and only if J has no negative slope from it towards "
    "another policy: J lies above its tangents. Formula: the integrand u^2/b against its tangent at (v, "
    "a).",
    twin="J lies above 1.01 times its tangents.",
    at=(sp.Integer(1), ONE_PER_CENT),
)(_tangent)


DOSSIER.introduces("problem-2", "Problem 2", "Find a policy in the convex set Gammabar for which J is least.")


@DOSSIER.disputed(
    "problem-2-welldefined",
    "Problems 1 and 2 on unbounded supports",
    condition=FREE_NOISE,
    printed="On an unbounded W neither problem has a solution: scaled noise brings Tr(I) below and Tr(I^-1) "
    "above every level B > 0.",
    without="The same on every unbounded W. On separate intervals of length L, Tr(I) of one entry is never below "
    "4 pi^2/L^2, and mixtures of cos^2 noise on them attain it: Problem 2 has solutions there.",
    at=((pushed_to_zero(), pushed_to_infinity()), (cells(inverse=False), cells(inverse=True))),
)
def problem_2_welldefined(formula: Formula, value: Formula) -> Parts:
    return parts(formula, value)


def _quality(differential: bool) -> Parts:
    """f(x) = x^3, noise of mean a and deviation d at x; without dw the integrand stands for its integral."""
    a, x = sp.symbols("mean x", real=True)
    d = sp.Symbol("d", positive=True)
    answer, noise = laws.normal(x**3 + a, d), laws.normal(a, d)
    y = answer.variable
    by_answer = sp.simplify(answer.variance() + (answer.mean() - x**3) ** 2)
    by_noise = noise.density * y**2
    shift = sp.simplify(noise.variance() + noise.mean() ** 2)
    mixed = (FIRST + RATIO * SECOND) / (1 + RATIO)
    moved = Step(
        product(power(y, 2), value_at(answer.density, {y: y + x**3})),
        "=",
        by_noise,
        "y = f(x) + w: the density of y at f(x) + w is that of w",
        evaluated,
    )
    moment = sp.Integral(product(power(y, 2), noise.density), (y, -sp.oo, sp.oo))
    second = (
        Formula(by_answer, "=", shift, argument=argued(moved, conclusion="the same integral", written=moment))
        if differential
        else Formula(by_answer, "=", by_noise.subs(y, sp.Symbol("w", real=True)))
    )
    return parts(
        second,
        Formula(unit(W**2 * mixed), "=", (unit(W**2 * FIRST) + RATIO * unit(W**2 * SECOND)) / (1 + RATIO)),
    )


DOSSIER.disputed(
    "def-Q",
    "The quality of the answer",
    reading="the first form of the definition, a mean over y given x, and the sign of an integral over w in the second",
    printed="Q, the weighted mean of |y - f(x)|^2, is in its second form the integral of w'w gamma(w|x) p(x) dx over x and w, "
    "with no dw: what is printed depends on w. Formulas: one x, f(x) = x^3 and normal noise of any mean, every w; two "
    "densities with weights 1 : r.",
    twin="With dw dx it is the weighted integral of |w|^2 gamma(w|x), and linear in gamma.",
    at=(False, True),
)(_quality)


DOSSIER.introduces(
    "problem-3",
    "Problem 3",
    "Find a policy in Gammabar for which J + rho Q is least, with a constant rho > 0.",
)

DOSSIER.introduces(
    "problem-4",
    "Problem 4",
    "Find a policy in Gammabar with Q <= theta for which J is least, with theta > 0.",
)


def _priced(t: sp.Expr) -> sp.Expr:
    """J + rho Q of the density proportional to (cos(pi w/2) + t cos(3 pi w/2))^2 on W = [-1, 1], f(x) = x."""
    from sympy.simplify.fu import TR8

    w, share = sp.Symbol("w", real=True), sp.Symbol("t", real=True)
    u = sp.cos(sp.pi * w / 2) + share * sp.cos(3 * sp.pi * w / 2)

    def over(f: sp.Expr) -> sp.Expr:
        # Products of waves become sums first, which sympy integrates at once.
        return sp.integrate(sp.expand(TR8(sp.expand(f))), (w, -1, 1))

    cost = 4 * over(sp.diff(u, w) ** 2) + PRICE * over(w**2 * u**2)
    return sp.factor(cost / over(u**2)).subs(share, t)


@DOSSIER.disputed(
    "equivalence-3-4",
    "A price on the noise and a budget for it",
    printed="For every rho there is a theta, and for every theta a rho > 0, such that solutions of Problem 4 solve Problem 3. "
    "Formulas: J - h, Q - g of a solution of Problem 4 for theta = Q, where (J, Q) solves Problem 3; and for W = [-1, 1], "
    "f(x) = x, noise independent of x and theta above its Q, cos^2 noise, which solves Problem 4, against a density with "
    "less Q, at every rho.",
    twin="For every rho for which Problem 3 has a solution there is such a theta; for every theta between the infimum of Q and the Q of all minimisers "
    "of J there is such a rho > 0.",
    at=(True, False),
)
def equivalence_3_4(always: bool) -> Parts:
    cost, quality = sp.symbols("J Q", positive=True)
    less, below = sp.symbols("h g", nonnegative=True)
    # Near t = 0 the information grows like t^2 and Q falls like t: at this t it pays for every rho.
    better = 3 * PRICE / (2 * (8 * sp.pi**4 + 2 * PRICE))
    multiplier = (
        "a convex problem with an inner point has a multiplier rho >= 0 at its solution (Luenberger 1969, 8.3, theorem 1); rho = 0 "
        "would make the solution a minimiser of J, whose Q is above theta",
    )
    forward = Formula(
        (cost - less) + PRICE * (quality - below),
        "<=",
        cost + PRICE * quality,
        argument=None if always else argued(lemmas=multiplier, conclusion="both directions"),
    )
    found = (forward, Formula(_priced(sp.Integer(0)), "<=", _priced(better))) if always else (forward,)
    return parts(*found)
