"""Noise for one scalar query: the cosine among noises on an interval, and what beats Gaussians where quality is E|w|."""

from __future__ import annotations

from functools import partial
from typing import Literal

import numpy as np
import sympy as sp
from sympy.simplify.fu import TR8

from .....symbolic.information.fisher import location_information
from .....symbolic.laws import catalogue as laws
from .....symbolic.proof.as_written import inner, power, product, total
from .....symbolic.proof.derivation import Derivation, Step
from .....symbolic.proof.enclosure import compare
from .....symbolic.proof.expressions import parse
from .....symbolic.proof.truth import Truth
from ....dossier.arguments.stationarity import ALL_SIZES, SIZES, Jet, equal
from ....dossier.formula import Formula, direction, through
from ....record.evidence import Line, Series

W, L = sp.Symbol("w", real=True), sp.Symbol("L", positive=True)

S, RHO = sp.Symbol("s", positive=True), sp.Symbol("rho", positive=True)


SLOPE_SQUARE = sp.Symbol("S", positive=True)


def scalar_optimum(
    density: str, policies: Literal["independent", "all"], square: sp.Expr = SLOPE_SQUARE
) -> Formula:
    """The density on [0, L] costs S 4 pi^2/L^2 at most, or no more than turning noise; S = int p |F|^2 > 0.

    Turning noise of angle e (f(x) - f_0), |f - f_0| <= R, costs S 4 (e^2 - 16 e/(3 L) + (pi/L)^2 (1 + 3 sin^2)) or less.
    """
    gamma = parse(density, {"w": W, "L": L})
    edge = sp.simplify(gamma.subs(W, 0) + gamma.subs(W, L))
    if edge != 0:
        return Formula(edge, "=", sp.Integer(0))
    mass = over_noise(gamma)
    if mass != 1:
        return Formula(mass, "=", sp.Integer(1))
    left = square * over_noise(sp.trigsimp(sp.diff(gamma, W) ** 2 / gamma))
    if policies == "independent":
        # The integrand is a trigonometric polynomial for every density that is tried.
        spent = sp.Integral(sp.expand(sp.trigsimp(sp.diff(gamma, W) ** 2 / gamma)), (W, 0, L))
        argument = partial(_wirtinger, product(square, spent))
        return Formula(left, "<=", square * 4 * sp.pi**2 / L**2, argument=argument)
    e, reach = sp.symbols("e R", positive=True)
    modes = [sp.sqrt(2 / L) * sp.sin(k * sp.pi * W / L) for k in (1, 2)]
    # u = cos(t) u1 + sin(t) u2, Du = |F| (e (cos(t) u2 - sin(t) u1) - u_w); the cross term is 2 e int u1 u2'.
    cross = over_noise(modes[0] * sp.diff(modes[1], W) - modes[1] * sp.diff(modes[0], W))
    levels = [over_noise(sp.diff(mode, W) ** 2) for mode in modes]
    most = levels[0] + (levels[1] - levels[0]) * (e * reach) ** 2
    right = square * 4 * (e**2 + e * cross + most)
    return Formula(left, "<=", sp.expand(right), (sp.Rational(2, 5) - e * reach,))


def over_noise(expression: sp.Expr) -> sp.Expr:
    """The integral over W = [0, L] of a trigonometric polynomial, by the angle pi w/L and sums in place of products."""
    angle = sp.Symbol("angle", real=True)
    turned = sp.expand(TR8(sp.expand(sp.expand_trig(expression.subs(W, L * angle / sp.pi)))))
    return sp.simplify(L / sp.pi * sp.integrate(turned, (angle, 0, sp.pi)))


def _wirtinger(cost: sp.Expr, formula: Formula) -> Derivation:
    v, h = sp.Function("v", real=True)(W), sp.sin(sp.pi * W / L)
    ratio, slope = sp.diff(h, W) / h, v.diff(W)
    steps = []
    for n, m in SIZES:
        if m > 1:
            continue
        jet = Jet(n, m)
        seen = jet.at_fixed_answer().subs(dict.fromkeys([*jet.slope_x, *jet.mixed, *jet.second_x], 0))
        scores = [jet.at_origin(sp.diff(seen, x)) for x in jet.x]
        square = product(inner(jet.F, jet.F), power(jet.slope_w[0, 0], 2))
        reason = f"noise independent of x: |D u|^2 = |F|^2 u_w^2, {n} entries of x"
        steps.append(Step(total(*(power(s, 2) for s in scores)), "=", square, reason, how=equal))
    steps += [
        Step(
            slope**2 - sp.pi**2 / L**2 * v**2,
            "=",
            total(power(slope - v * ratio, 2), sp.Derivative(v**2 * ratio, W)),
            "v_w^2 - (pi/L)^2 v^2 is a square plus the derivative of v^2 h'/h, h = sin(pi w/L); the square is zero only for "
            "multiples of h, so no other density is as cheap",
            _trigonometric,
            where=(h,),
        ),
        direction(formula, "<="),
        *through(formula, cost, "the density attains the bound that follows"),
    ]
    return Derivation(
        "the density is the cheapest that is independent of x and vanishes at the ends of W",
        tuple(steps),
        ("v^2 h'/h tends to 0 at both ends for a v of finite int v_w^2 that vanishes there", ALL_SIZES),
    )


def _trigonometric(left: sp.Expr, right: sp.Expr) -> Truth:
    return compare(sp.simplify(sp.expand(left.doit() - right.doit())), "=", sp.Integer(0))


def absolute_noise(part: str) -> Formula:
    """`part` of the cost of N(0, v), v = s^2 (2 pi)^(1/3) rho^(-2/3), exceeds the cost of u^2, u = (1 + t + 2 t^2/5) e^-t.

    The cost is int gamma'^2/gamma + rho E|w|; u is scaled to t = b |w| with the best b.
    """
    t = sp.Symbol("t", nonnegative=True)
    u = (1 + t + sp.Rational(2, 5) * t**2) * sp.exp(-t)
    mass, energy, size = (
        sp.integrate(sp.expand(g), (t, 0, sp.oo)) for g in (u**2, sp.diff(u, t) ** 2, t * u**2)
    )
    # 4 b^2 energy/mass + rho size/(b mass), least at b^3 = rho size/(8 energy)
    b = (RHO * size / (8 * energy)) ** sp.Rational(1, 3)
    right = sp.simplify((4 * b**2 * energy + RHO * size / b) / mass)
    v = S**2 * (2 * sp.pi) ** sp.Rational(1, 3) * RHO ** sp.Rational(-2, 3)
    variance = sp.Symbol("V", positive=True)
    normal = laws.normal(0, sp.sqrt(variance))
    whole = location_information(normal).scalar + RHO * normal.expectation(sp.Abs(normal.variable))
    left = sp.powdenest(sp.powsimp(sp.expand(parse(part) * whole.subs(variance, v)), force=True), force=True)
    unit = RHO ** sp.Rational(2, 3) * (2 * sp.pi) ** sp.Rational(-1, 3)

    def argument(formula: Formula) -> Derivation:
        best = parse(part) * unit * 3
        gap = parse(part) * unit * (S - 1) ** 2 * (2 * S + 1) / S**2
        return Derivation(
            "no Gaussian is optimal",
            (
                Step(formula.left, "=", best + gap, "the cost of a Gaussian, least at s = 1"),
                Step(gap, ">=", sp.Integer(0), "what the others cost more"),
                Step(
                    (best / RHO ** sp.Rational(2, 3)),
                    ">",
                    sp.simplify(formula.right / RHO ** sp.Rational(2, 3)),
                    "the best Gaussian loses",
                ),
            ),
        )

    return Formula(left, ">", right, argument=argument, series=(_absolute_series(),))


def _absolute_series() -> Series:
    """At rho = 1: the optimal density Ai((|w| - e)/4^(1/3))^2, Ai' zero at the middle, and the best Gaussian."""
    from scipy.special import ai_zeros, airy

    w = np.linspace(-5, 5, 201)
    edge = float(ai_zeros(1)[1][0])
    root = airy(np.abs(w) / 4 ** (1 / 3) + edge)[0]
    optimum = root**2 / (np.sum(root**2) * (w[1] - w[0]))
    v = (2 * np.pi) ** (1 / 3)
    normal = np.exp(-(w**2) / (2 * v)) / np.sqrt(2 * np.pi * v)
    x = tuple(w.tolist())
    return Series(
        "noise for E|w|",
        "Optimal noise where quality is E|w| (rho = 1)",
        "noise w",
        "density",
        (
            Line("Airy", "law", x, tuple(optimum.tolist())),
            Line("best Gaussian", "bound", x, tuple(normal.tolist())),
        ),
    )
