"""The Lagrangian of P(lambda), its stationarity condition, the change of variable and the solution, on jets at one point.

A jet holds the values at one point of a function and its derivatives, which smooth functions take on freely; two entries
of the noise settle all dimensions, since every term is a sum over pairs of entries.
"""

from __future__ import annotations

from functools import cache

import sympy as sp
from sympy.calculus.euler import euler_equations

from ....symbolic.proof.as_written import power, product
from ....symbolic.proof.derivation import Derivation, Step
from ..formula import Formula, argued
from .bounds_arguments import UNIT, cancelled
from .stationarity import ALL_SIZES, equal

LAM = sp.Symbol("lambda", positive=True)
PRICE = sp.Symbol("mu", real=True)
N = sp.symbols("n1 n2", real=True)
# Pi^-1, by entries.
INVERSE = sp.Matrix(2, 2, [*sp.symbols("a11 a12", real=True), *sp.symbols("a12 a22", real=True)])
VALUE = sp.Symbol("g", positive=True)
SLOPE = sp.Matrix(sp.symbols("g1 g2", real=True))
BEND = sp.Matrix(2, 2, [*sp.symbols("g11 g12", real=True), *sp.symbols("g12 g22", real=True)])
ROOT = sp.Symbol("u", positive=True)
ROOT_SLOPE = sp.Matrix(sp.symbols("u1 u2", real=True))
ROOT_BEND = sp.Matrix(2, 2, [*sp.symbols("u11 u12", real=True), *sp.symbols("u12 u22", real=True)])
SQUARE = N[0] ** 2 + N[1] ** 2


def _form(left: sp.Matrix, middle: sp.Matrix, right: sp.Matrix) -> sp.Expr:
    return (left.T * middle * right)[0, 0]


def lagrangian(factor: sp.Expr = UNIT) -> Formula:
    """The density of Tr(Pi^-1 I) + lambda Tr(V) + mu (int gamma - 1) against the printed integrand, `mu` outside left out."""
    t = sp.symbols("t1 t2", real=True)
    near = VALUE + (SLOPE.T * sp.Matrix(t))[0, 0]
    score = sp.Matrix([sp.diff(sp.log(near), s) for s in t]).subs(dict.fromkeys(t, 0))
    defined = VALUE * (INVERSE * score * score.T).trace() + LAM * SQUARE * VALUE + PRICE * VALUE
    printed = _form(SLOPE, INVERSE, SLOPE) / VALUE + (LAM * SQUARE + PRICE) * VALUE
    step = Step(defined, "=", printed, "the score is the gradient over the density", how=equal)
    return Formula(
        defined, "=", factor * printed, argument=argued(step, lemmas=(ALL_SIZES,), conclusion="one integrand")
    )


@cache
def variation() -> sp.Expr:
    """The first variation of the Lagrangian in gamma, as Euler's expression on the jet."""
    t = sp.symbols("t1 t2", real=True)
    v = sp.Function("gamma")(*t)
    gradient = sp.Matrix([v.diff(s) for s in t])
    integrand = _form(gradient, INVERSE, gradient) / v + (LAM * SQUARE + PRICE) * v
    euler = euler_equations(integrand, v, t)[0].lhs
    point = sp.Matrix(t)
    near = VALUE + (SLOPE.T * point)[0, 0] + _form(point, BEND, point) / 2
    return sp.expand(euler.subs(v, near).doit().subs(dict.fromkeys(t, 0)))


def stationarity(factor: sp.Expr = UNIT) -> Formula:
    """The first variation against the printed condition."""
    printed = LAM * SQUARE + PRICE + _form(SLOPE, INVERSE, SLOPE) / VALUE**2
    printed -= factor * 2 * (INVERSE * BEND).trace() / VALUE
    step = Step(variation(), "=", printed, "Euler's expression of the integrand", how=equal)
    return Formula(
        variation(),
        "=",
        printed,
        argument=argued(step, lemmas=(ALL_SIZES,), conclusion="the stationarity condition"),
    )


def root_form(factor: sp.Expr = UNIT) -> Formula:
    """The first variation at gamma = u^2 against the printed condition in u."""
    into: dict[sp.Expr, sp.Expr] = {VALUE: ROOT**2}
    into |= {SLOPE[i]: 2 * ROOT * ROOT_SLOPE[i] for i in range(2)}
    into |= {
        BEND[i, k]: 2 * (ROOT_SLOPE[i] * ROOT_SLOPE[k] + ROOT * ROOT_BEND[i, k])
        for i in range(2)
        for k in range(2)
    }
    derived = sp.expand(variation().subs(into, simultaneous=True))
    printed = LAM * SQUARE + PRICE - factor * 4 * (INVERSE * ROOT_BEND).trace() / ROOT
    step = Step(derived, "=", printed, "the terms of first order cancel", how=equal)
    return Formula(
        derived, "=", printed, argument=argued(step, lemmas=(ALL_SIZES,), conclusion="gamma = u^2")
    )


def above_tangent(power: sp.Expr = UNIT) -> Formula:
    """|D gamma|^2/gamma^power against its tangent at another density, at one point and for one entry in the eigenbasis of Pi."""
    a, b, h = sp.symbols("a b h", real=True)
    above = (a + b) ** 2 / (VALUE + h) ** power - a**2 / VALUE**power
    above -= 2 * a * b / VALUE**power - power * a**2 * h / VALUE ** (power + 1)
    square = (b * VALUE - a * h) ** 2 / (VALUE**2 * (VALUE + h))
    over_density = Step(
        ((b * VALUE - a * h) / VALUE) ** 2,
        "=",
        product(square, VALUE + h),
        "a square over a density",
        cancelled,
    )
    lemmas = (
        "the other terms and the constraint are linear in gamma, and densities form a convex set",
        "two densities that satisfy a sufficient condition cost no more than each other",
    )

    def argue(formula: Formula) -> Derivation:
        excess = Step(
            formula.left - formula.right, "=", square, "what the cost exceeds its tangent by", cancelled
        )
        return Derivation(
            "a density at which the first variation vanishes has the least cost",
            (excess, over_density),
            lemmas,
        )

    return Formula(above, ">=", sp.Integer(0), (VALUE + h,), argument=argue)


def solution(weighted: bool, factor: sp.Expr = UNIT) -> tuple[Formula, Formula]:
    """The residual of the condition in u at u = c_0 exp(-n'X n/2), mu = -4 Tr(X) or (weighted) -4 Tr(Pi^-1 X); and int u^2 = 1.

    In the eigenbasis of Pi, with eigenvalues w1, w2 and X = Pi^(1/2) lambda^(1/2)/2.
    """
    weights = sp.symbols("w1 w2", positive=True)
    x = [sp.sqrt(w * LAM) / 2 for w in weights]
    constant = sp.Mul(*(sp.pi / k for k in x)) ** sp.Rational(-1, 4)
    u = constant * sp.exp(-sum((k * n**2 for k, n in zip(x, N, strict=True)), sp.Integer(0)) / 2)
    price = (
        -4 * factor * sum((k / w if weighted else k for k, w in zip(x, weights, strict=True)), sp.Integer(0))
    )
    bend = sum((sp.diff(u, n, 2) / w for n, w in zip(N, weights, strict=True)), sp.Integer(0))
    residual = sp.simplify(LAM * SQUARE - 4 * bend / u)
    mass = sp.simplify(sp.integrate(sp.integrate(u**2, (N[0], -sp.oo, sp.oo)), (N[1], -sp.oo, sp.oo)))
    lines = (sp.Integral(sp.exp(-k * n**2), (n, -sp.oo, sp.oo)) for k, n in zip(x, N, strict=True))
    argument = argued(written=product(power(constant, 2), *lines), reason="the mass of u^2, entry by entry")
    return Formula(residual, "=", -price), Formula(mass, "=", UNIT, argument=argument)
