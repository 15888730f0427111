"""How strong convexity of the objective bounds the distance of two minimisers (Pathak, Raj 2010, lemma 2 to equation 18)."""

from __future__ import annotations

import sympy as sp

from .....symbolic.proof.as_written import difference, power, product, total, value_at
from .....symbolic.proof.derivation import Derivation, Step
from .....symbolic.proof.trace import Column, Letter, Rules, cauchy_schwarz, gram, identity

LAMBDA, NOISE = sp.symbols("lambda b", positive=True)
CLASSES, D = sp.symbols("C d", integer=True, positive=True)
ZERO, ONE = sp.Integer(0), sp.Integer(1)
SUPREMUM = (
    "a supremum of affine functions is convex; each lead is linear in Phi; traces are linear (equation 26)"
)
OPTIMAL = "Phi^* minimises J and Phi^p minimises J_p over a convex set, so that J(midpoint) >= J(Phi^*), J_p(midpoint) >= J_p(Phi^p)"
_S = sp.Symbol("S", positive=True)
# The names of printed relations between minimisers, see the rule "two minimisers".
NAMES = {"lambda": LAMBDA, "C": CLASSES, "d": D, "S": _S, "noise2": NOISE**2}


def strongly_convex(ridge: sp.Expr, constant: sp.Expr = LAMBDA) -> tuple[Step, ...]:
    """J + (ridge/2) sum |Phi_c|^2 is `constant`-strongly convex, for all data and dimensions; false if the ridge is smaller."""
    h = sp.Symbol("h", positive=True)
    t, w, a = sp.symbols("t w a", real=True)
    p, q = Letter("P"), Letter("Q")
    return (
        Step(
            (h - t) * w - h * w**2,
            "=",
            (h - t) ** 2 / (4 * h) - h * (w - (h - t) / (2 * h)) ** 2,
            "the loss at lead t is the largest (h - t) w - h w^2 over weights w in [0, 1], affine in t for each w",
        ),
        identity(
            a * gram(p) + (1 - a) * gram(q) - gram(a * p + (1 - a) * q),
            a * (1 - a) * gram(p - q),
            "the curvature of a squared norm",
        ),
        Step(
            sp.Derivative(ridge / 2 * t**2, (t, 2)),
            ">=",
            constant,
            "the curvature that the squares give along a direction of length 1, against the one that is claimed",
        ),
    )


def curved(ridge: sp.Expr, constant: sp.Expr = LAMBDA) -> Derivation:
    """The whole argument of lemma 2."""
    return Derivation("strong convexity", strongly_convex(ridge, constant), (SUPREMUM,))


def midpoint(ridge: sp.Expr, *bounds: sp.Expr) -> tuple[Step, ...]:
    """J(Phi^p) - J(Phi^*) is at least each bound: J at the midpoint is J(Phi^*) + m, and strong convexity leaves a slack s."""
    star = sp.Symbol("J", real=True)
    m, s = sp.symbols("m s", nonnegative=True)
    other = sp.Symbol("Jp", real=True)
    # J at the midpoint is the mean of both ends less what convexity takes off.
    balance = difference(total(star, m), (star + other) / 2 - ridge * _S / 8 - s / 2)
    half = sp.solve(balance, other)[0]
    return (
        Step(value_at(balance, {other: half}), "=", ZERO, "J at Phi^p, from the value at the midpoint"),
        *(
            Step(difference(half, star), ">=", bound, "the gap, from the value at the midpoint")
            for bound in bounds
        ),
    )


def gaps(ridge: sp.Expr, *bounds: sp.Expr) -> Derivation:
    """Equation 15, the gap of J and that of J_p; J_p has the curvature of J, since the tilt is linear."""
    return Derivation(
        "gap of the minimisers", strongly_convex(ridge) + midpoint(ridge, *bounds), (SUPREMUM, OPTIMAL)
    )


def combined(ridge: sp.Expr, bound: sp.Expr, square: sp.Expr) -> Derivation:
    """Equation 16: tilt >= bound, and its square."""
    a, c, u, v = sp.symbols("J_at_p J_at_star tilt_at_star tilt_at_p", real=True)
    s = sp.Symbol("s", nonnegative=True)
    tilt = 2 * (ridge / 4) * _S + s
    steps = (
        Step(
            total(difference(a, c), difference(total(c, u), total(a, v))),
            "=",
            u - v,
            "J cancels from the sum of both gaps",
        ),
        Step(tilt, ">=", bound, "the sum of both gaps"),
        Step(power(tilt, 2), ">=", square, "the square of numbers >= 0"),
    )
    return Derivation(
        "tilt of the minimisers", gaps(ridge, LAMBDA * _S / 4).steps + steps, (SUPREMUM, OPTIMAL)
    )


def over_classes(factor: sp.Expr) -> tuple[Step, ...]:
    """(sum_c <b, D_c>)^2 <= factor |b|^2 sum_c |D_c|^2 with factor = C; D is the matrix of the D_c, one in each row."""
    d, one, size = Letter("D"), Column("j"), sp.Symbol("norm", positive=True)
    ones: Rules = {(one.T, one): CLASSES}
    numbers = {one: sp.Matrix([1]), d: sp.Matrix([[3]])}
    return (
        identity(
            gram(d - one * one.T * d / CLASSES),
            gram(d) - gram(one.T * d) / CLASSES,
            "|sum_c D_c|^2 <= C sum_c |D_c|^2",
            ones,
            None,
            numbers,
        ),
        cauchy_schwarz(size**2, "<b, d>^2 <= |b|^2 |d|^2 for e = b and d = sum_c D_c"),
        Step(
            factor,
            ">=",
            sp.Sum(ONE, (sp.Symbol("c", integer=True), 1, CLASSES)),
            "the printed factor against j'j, one for each class",
        ),
    )


def distances(ridge: sp.Expr, far: sp.Expr, cost: sp.Expr) -> Derivation:
    """Equation 18: S <= far |b|^2 and tilt <= cost |b|^2, from tilt >= (lambda/2) S and tilt^2 <= C |b|^2 S."""
    u, v = sp.symbols("u v", nonnegative=True)
    r = sp.Symbol("r", positive=True)
    root = sp.solve(LAMBDA / 2 * r * (1 + u) - sp.sqrt(CLASSES) * NOISE, r)[0]
    steps = (
        *strongly_convex(ridge),
        *over_classes(CLASSES),
        Step(root**2, "<=", far * NOISE**2, "S, where (lambda/2) S (1 + u) = sqrt(C S) |b|"),
        Step(
            sp.sqrt(CLASSES) * NOISE * root / (1 + v),
            "<=",
            cost * NOISE**2,
            "the tilt is at most sqrt(C S) |b|",
        ),
    )
    return Derivation("distance of the minimisers", steps, (SUPREMUM, OPTIMAL))


def sharper(ridge: sp.Expr) -> tuple[Step, ...]:
    """With points near Phi^* in place of the midpoint: gap >= (lambda/2) S, S <= C |b|^2/lambda^2 and gap <= C |b|^2/(2 lambda)."""
    a, x = sp.symbols("a x", positive=True)
    tilt = sp.sqrt(CLASSES) * NOISE * x
    gain = tilt - LAMBDA * x**2 / 2
    peak = sp.solve(sp.diff(gain, x), x)[0]
    return (
        *strongly_convex(ridge),
        Step(
            sp.Limit((1 - a) * ridge * _S / 2, a, 0),
            ">=",
            LAMBDA * _S / 2,
            "J(Phi^*) <= J at the share a of the way, a to 0",
        ),
        Step(
            power(sp.solve(LAMBDA * x - sp.sqrt(CLASSES) * NOISE, x)[0], 2),
            "=",
            CLASSES * NOISE**2 / LAMBDA**2,
            "lambda S <= tilt <= sqrt(C S) |b|",
        ),
        Step(
            value_at(gain, {x: peak}),
            "=",
            CLASSES * NOISE**2 / (2 * LAMBDA),
            "gap = tilt - gap of J_p <= sqrt(C S) |b| - (lambda/2) S, at the worst S",
        ),
    )


def traces(factor: sp.Expr) -> tuple[Step, ...]:
    """factor (sum of d C diagonal entries)^2 <= sum_c |D_c|^2; all other entries only add squares."""
    entries = sp.Symbol("N", positive=True, integer=True)
    return (
        cauchy_schwarz(entries, "N sum x_i^2 >= (sum x_i)^2 for N = d C numbers"),
        Step(product(D, CLASSES, factor), "<=", ONE, "N times the printed factor is at most 1"),
    )


def cauchy_schwarz_argument(factor: sp.Expr) -> Derivation:
    """Equation 17 with the printed factor in place of C."""
    return Derivation("Cauchy-Schwarz inequality over all classes", over_classes(factor))


def traces_argument(factor: sp.Expr) -> Derivation:
    """Lemma 3 with the printed factor in place of 1/(d C)."""
    return Derivation("traces against norms", traces(factor))
