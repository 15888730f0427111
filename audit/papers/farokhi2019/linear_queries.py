"""Noise that does not look at the data, linear queries: Theorem 1, Remarks 5 and 6, Example 1."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

import numpy as np
import sympy as sp

from ....symbolic.proof.as_written import difference, power, product, quotient, total
from ....symbolic.proof.derivation import Step, evaluated
from ....symbolic.proof.enclosure import compare
from ....symbolic.proof.trace import Column, Letter, Symmetric, Trace, identity
from ....symbolic.proof.truth import Truth, all_hold
from ...dossier import ARGUED, Formula, Instances, Parts, argued, parts
from ...dossier.arguments.bounds_arguments import expanded
from .cosine_density import L, T, entry_information, information_written
from .dossier import DOSSIER

ANGLES = sp.symbols("x y", real=True)


@DOSSIER.disputed(
    "linear-fisher",
    "Fisher information of a linear query",
    printed="For f(x) = C x and noise that does not depend on x, I = C' K C with the information matrix K of the "
    "noise density, whatever x is; so J = Tr I, and Tr I^-1 is the other measure where I is invertible, "
    "for every weight p of mass one.",
    twin="I = 1.01 C' K C.",
    at=(sp.Integer(1), sp.Rational(101, 100)),
)
def linear_fisher(factor: sp.Expr) -> Formula:
    """Gaussian noise of precision K shows every entry; the chain rule carries it to all densities."""

    c, d, w = (sp.Matrix(sp.symbols(f"{x}1 {x}2", real=True)) for x in "cdw")
    k11, rest = sp.symbols("k11 k22", positive=True)
    k12 = sp.Symbol("k12", real=True)
    precision = sp.Matrix([[k11, k12], [k12, rest + k12**2 / k11]])
    x = sp.Matrix(sp.symbols("x1 x2", real=True))
    y = sp.Matrix(sp.symbols("y1 y2", real=True))
    residual = y - sp.Matrix.hstack(c, d) * x
    log_density = -(residual.T * precision * residual)[0, 0] / 2
    noise = dict(zip(y, w + sp.Matrix.hstack(c, d) * x, strict=True))
    slopes = [sp.expand(sp.diff(log_density, entry).subs(noise)) for entry in x]
    shown = sp.Matrix.hstack(c, d) * x
    covariance, squares = precision.inv(), sp.Poly(sp.expand(slopes[0] * slopes[1]), *w)
    moments = {(2, 0): covariance[0, 0], (1, 1): covariance[0, 1], (0, 2): covariance[1, 1]}
    derived = sp.expand(sp.cancel(sum(v * moments[k] for k, v in squares.terms())))
    printed = factor * (c.T * precision * d)[0, 0]
    C, s, e = Letter("C"), Column("s"), Letter("E")
    steps = (
        identity(
            Trace(product(e, product(-1, C.T * s), product(-1, s.T * C))),
            factor * Trace(e * C.T * s * s.T * C),
            "d log p(y|x)/dx = -C' s(y - C x) with the score s of the noise (chain rule): the sign cancels in "
            "the product, in every entry (E is arbitrary) and for all m and n",
        ),
        Step(
            total(*(power(difference(difference(w[i] + shown[i], shown[i]), w[i]), 2) for i in range(2))),
            "=",
            sp.Integer(0),
            "at y = C x + w the residual y - C x is w: the slopes do not contain x",
            _as_well(sum(map(sp.Abs, (sp.diff(v, t) for v in slopes for t in x)))),
        ),
    )
    lemmas = ("translation y = w + C x has unit Jacobian; p has mass one, so averages over x change nothing",)
    return Formula(printed, "=", derived, argument=argued(*steps, lemmas=lemmas))


def _as_well(value: sp.Expr) -> Callable[[sp.Expr, sp.Expr], Truth]:
    """Both sides are equal, and the value is the right one."""
    return lambda left, right: all_hold((evaluated(left, right), compare(value, "=", right)))


def stationary(exponent: sp.Expr, unconnected: dict[str, Any] | None = None) -> Parts:
    """Tr(I^-exponent C' D^2u C) + mu u = 0 with u > 0 is necessary for Problem 1."""
    lam, step = sp.Symbol("lam", positive=True), sp.Symbol("h", real=True)
    formula_left, formula_right = lam**-exponent, -sp.diff(1 / (lam + step), step).subs(step, 0)
    information, C, hessian = Symmetric("I"), Letter("C"), Symmetric("H")
    w1, w2, b11, b12, b22 = sp.symbols("w1 w2 b11 b12 b22", real=True)
    u, v = sp.Function("u")(w1, w2), sp.Function("v")(w1, w2)
    flow = (b11 * u.diff(w1) + b12 * u.diff(w2), b12 * u.diff(w1) + b22 * u.diff(w2))
    operator = b11 * u.diff(w1, 2) + 2 * b12 * u.diff(w1, w2) + b22 * u.diff(w2, 2)
    steps = (
        identity(
            Trace(information**-exponent * C.T * hessian * C),
            Trace(information**-1 * C.T * hessian * C * information**-1),
            "the variation of Tr I^-1 is -Tr(I^-1 dI I^-1)",
        ),
        Step(
            sp.diff(v * flow[0], w1) + sp.diff(v * flow[1], w2),
            "=",
            v.diff(w1) * flow[0] + v.diff(w2) * flow[1] + v * operator,
            "parts: 8 int grad v' B grad u = -8 int v Tr(B D^2u) for constant B = C I^-2 C', for each pair of coordinates",
            how=expanded,
        ),
    )
    lemmas = (
        "C I^-2 C' is positive definite (C square and invertible), so weak solutions of the equation are smooth; squares of "
        "smooth functions of compact support are admissible and dense, so u = sqrt(gamma*) is a weak solution",
        "strong maximum principle (Gilbarg and Trudinger, Theorem 8.19): u >= 0 that solves an elliptic equation on a connected "
        "open set is positive or zero throughout",
    )
    # Minus the derivative of 1/(lam + h) in h, at h = 0.
    argument = argued(*steps, lemmas=lemmas, written=power(total(lam, 0), -2))
    formula = Formula(formula_left, "=", formula_right, argument=argument)

    def draw(rng: np.random.Generator) -> Iterable[dict[str, Any]]:
        if unconnected is not None:
            yield unconnected
        for _ in range(4):
            low = int(rng.integers(-5, 5))
            yield {"intervals": [[str(low), str(low + int(rng.integers(1, 7)))]]}

    found = Instances(
        "maximiser positive inside", {"where": "inside W"}, draw, "the maximiser is positive inside W"
    )
    return parts(
        formula,
        instances=found,
        missing="" if unconnected is None else "no maximum principle: W in pieces, or C not square",
    )


@DOSSIER.disputed(
    "theorem-1",
    "Stationarity for Problem 1 (Theorem 1, equation 11)",
    checks=ARGUED,
    condition="C is square and invertible and the interior of W is connected. On [0, 1] and [2, 4] together the "
    "maximiser for f(x) = x is 0 on all of [0, 1]; for f(x) = (x, 0) on the unit square 2 sin^2(pi w1) "
    "(8/3) sin^4(2 pi w2) is one, with zeros inside.",
    printed="If gamma* maximises Tr I^-1 for f(x) = C x among densities that do not depend on x, then u = "
    "sqrt(gamma*) solves Tr(I^-2 C' D^2u C) + mu u = 0 in W for some mu, is 0 on the boundary, has no "
    "zero inside and unit square.",
    without="The same for every W and C.",
    at=(None, {"intervals": [["0", "1"], ["2", "4"]]}),
)
def theorem_1(unconnected: Any) -> Parts:
    """Equation (11); that u has no zero inside W needs more than the paper says."""
    return stationary(sp.Integer(2), unconnected=unconnected)


@DOSSIER.disputed(
    "remark-5",
    "The multiplier in equation (11) (Remark 5)",
    printed="Up to the factor 4 that Appendix B takes out, mu in (11) is the multiplier of int u^2 = 1: 4 mu is "
    "the rate at which the optimal Tr I^-1 falls with the mass; where u has no zero inside W, (11) is "
    "the KKT condition.",
    twin="The multiplier is 4.04 mu.",
    at=(sp.Integer(4), sp.Rational(404, 100)),
)
def remark_5(factor: sp.Expr) -> Formula:
    """Appendix B calls the multiplier mu and writes mu/4 in the equation, so the factor is part of the statement."""

    c, mass = sp.symbols("c M", positive=True)
    information = entry_information() * c**2
    u = sp.cos(sp.pi * T)
    rate = sp.simplify(-sp.diff(u, T, 2) / u) / L**2
    value = 1 / (mass * information)
    B, p, C = Symmetric("B"), Column("p"), Letter("C")
    steps = (
        identity(
            4 * Trace(B**2 * C.T * p * p.T * C),
            Trace(B**2 * (4 * C.T * p * p.T * C)),
            "equation (11) times u, integrated by parts: mu = int grad u' C I^-2 C' grad u, and I is the integral of "
            "4 C' grad u grad u' C: so mu = Tr(I^-2 I)/4 = Tr(I^-1)/4, whatever u is",
        ),
        Step(
            quotient(
                product(4, power(c, 2), quotient(quotient(product(-1, sp.Derivative(u, (T, 2))), u), L**2)),
                power(product(information_written(), power(c, 2)), 2),
            ),
            "=",
            1 / information,
            "the same for the cosine noise on an interval, inside of which u is positive",
            where=(u,),
        ),
    )
    lemmas = (
        "where u is not 0 inside W the constraint gamma >= 0 is not active, and the KKT conditions are that the first "
        "variation of the Lagrangian vanishes",
    )
    return Formula(
        factor * c**2 * rate / information**2,
        "=",
        -sp.diff(value, mass).subs(mass, 1),
        argument=argued(
            *steps, lemmas=lemmas, written=quotient(1, product(information_written(), power(c, 2)))
        ),
    )


@lru_cache(maxsize=8)
def over_triangle(function: sp.Expr) -> sp.Expr:
    """The integral over x, y > 0 with x + y < 2 pi: the angles 2 pi d_i/h of points in an equilateral triangle."""
    x, y = ANGLES
    expanded = sp.expand(sp.expand_trig(function))
    inner = sp.expand(sp.integrate(expanded, (y, 0, 2 * sp.pi - x)))
    return sp.simplify(sp.integrate(inner, (x, 0, 2 * sp.pi)))


def _triangle_integral(function: sp.Expr) -> sp.Expr:
    """The same integral as it is written."""
    x, y = ANGLES
    return sp.Integral(function, (y, 0, 2 * sp.pi - x), (x, 0, 2 * sp.pi))


def _integrated(left: sp.Expr, right: sp.Expr) -> Truth:
    """Equality once the integrals over the triangle are carried out."""
    sides = [e.xreplace({i: over_triangle(i.function) for i in e.atoms(sp.Integral)}) for e in (left, right)]
    return compare(sides[0], "=", sides[1])


@DOSSIER.disputed(
    "remark-6",
    "Equation (11) is nonlinear and only necessary (Remark 6)",
    printed="Tr I^-1 is not concave and (11) not sufficient: for f(x) = x on an equilateral triangle the first "
    "eigenfunction solves (11), has no zero inside, and another density on the triangle has a larger Tr "
    "I^-1.",
    twin="No density on the triangle has a larger Tr I^-1: (11) is sufficient there.",
    at=(">", "<="),
)
def remark_6(relation: str) -> Formula:
    """An equilateral triangle has a positive solution of (11) in closed form, and a better density in closed form."""
    s = sp.Symbol("s", positive=True)

    a, d, scale = sp.symbols("a d c", positive=True)
    x, y = ANGLES
    wave = sp.sin(x) + sp.sin(y) + sp.sin(2 * sp.pi - x - y)

    square, mixed = over_triangle(sp.cos(x) ** 2), over_triangle(sp.cos(x) * sp.cos(y))
    height = s * sp.sqrt(3) / 2
    information = (
        4 * (2 * sp.pi / height) ** 2 * sp.Rational(3, 2) * (square - mixed) / over_triangle(wave**2)
    )
    energy = difference(_triangle_integral(sp.cos(x) ** 2), _triangle_integral(sp.cos(x) * sp.cos(y)))
    written = quotient(
        product(4, power(2 * sp.pi / height, 2), sp.Rational(3, 2), energy), _triangle_integral(wave**2)
    )
    side, thick, shape = s * (1 - 2 / (100 * sp.sqrt(3))), s / 100, sp.Rational(3, 2)
    competitor = (side**2 + thick**2) * (2 * shape - 1) / (4 * sp.pi**2 * shape**2)
    steps = (
        Step(
            sp.expand_trig(wave),
            "=",
            sp.expand_trig(4 * sp.sin(x / 2) * sp.sin(y / 2) * sp.sin(sp.pi - (x + y) / 2)),
            "u = sum of sin(2 pi d_i/h) over the distances d_i to the sides, sum d_i = h: positive inside, 0 on the sides",
            how=_trigonometric,
        ),
        Step(
            _triangle_integral(sp.cos(x) * sp.cos(y)),
            "=",
            _triangle_integral(sp.cos(x) * sp.cos(2 * sp.pi - x - y)),
            "the integrals of cos_i cos_j agree: I is a multiple of the identity, so that (11) is the eigenvalue equation",
            _integrated,
        ),
        Step(
            quotient(2, written),
            "=",
            3 * s**2 / (16 * sp.pi**2),
            "Tr I^-1 of this solution, by integration",
            _integrated,
        ),
        Step(
            product(power(power(scale, 2), -2), scale),
            "=",
            scale**-3,
            "u times c multiplies I by c^2, and Tr(I^-2 D^2u) by c^-3 instead of c: the equation is not linear",
        ),
        Step(
            2 / (a + (a + d)),
            "<",
            (1 / a + 1 / (a + d)) / 2,
            "two densities of information a and a + d on disjoint sets: their mixture has the mean information, so Tr I^-1 "
            "lies below the chord: it is not concave",
        ),
    )
    lemmas = (
        "the density proportional to (cos cos)^3 on a rectangle within the triangle, along a side, is twice continuously "
        "differentiable; a power q of the cosine has int u'^2 / int u^2 = (pi/L)^2 q^2/(2 q - 1) (Wallis)",
    )
    return Formula(competitor, relation, 2 / information, argument=argued(*steps, lemmas=lemmas))


def _trigonometric(left: sp.Expr, right: sp.Expr) -> Any:
    exponentials = sp.expand((left - right).rewrite(sp.exp).doit())
    return evaluated(sp.simplify(exponentials), sp.Integer(0))


@DOSSIER.disputed(
    "example-1",
    "Smart meters (Example 1)",
    condition="w_lo < w_hi: at w_lo = w_hi, which the paper admits, no density exists.",
    printed="For every 0 < w_lo <= w_hi the box [w_lo, w_hi]^n has volume, so that it carries a noise density, "
    "and with it the released consumption x + w of households with x >= 0 is never negative.",
    without="The same with w_lo = w_hi admitted.",
    at=(sp.Symbol("d", positive=True), sp.Symbol("d", nonnegative=True)),
)
def example_1(excess: sp.Symbol) -> Formula:
    """Noise that is never negative keeps the released consumption from being negative."""

    low, x = sp.Symbol("w_lo", positive=True), sp.Symbol("x", nonnegative=True)
    steps = (
        Step(x + low, ">", sp.Integer(0), "the least answer x + w_lo to a consumption x >= 0"),
        Step(
            low + excess / 2,
            ">",
            sp.Integer(0),
            "the mean of the optimal noise: the answers are biased upwards",
        ),
    )
    return Formula((low + excess) - low, ">", sp.Integer(0), argument=argued(*steps))
