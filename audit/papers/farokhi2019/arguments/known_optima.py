"""Policies that are known to be optimal, and others that solve a printed equation: what it says of them, in balls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

import sympy as sp
from flint import acb, arb

from .....mechanisms.optimal_noise.shooting import Problem, ground_state
from .....symbolic.proof.enclosed_integral import enclosed_integral
from .....symbolic.proof.enclosure import enclose
from .....symbolic.proof.exact_numbers import ball, enclosed
from .....symbolic.proof.expressions import parse
from ....dossier.arguments.stationarity import TERMS
from ....dossier.instances import Comparison, rule

W = sp.Symbol("w", real=True)
Logs = dict[str, arb]  # jets of log u, the value of u, p'/p


def cosine_optimum(length: str, quartic: str, x: str, w: str) -> Logs:
    """u^2 = G(x + w) (2/L) cos^2(pi w/L)/p(x), p = int G(x + w) (2/L) cos^2 dw, W = [-L/2, L/2].

    G = exp(-y^2/2 - quartic y^4/4).  Optimal for f(x) = x on X = R and this p: with Z = sqrt(p) u as a function of y and x the cost is
    4 int int Z_x^2 - int p'^2/p, and for each y Wirtinger's inequality bounds the first integral from below.
    """
    L, bend, at, noise = (parse(s) for s in (length, quartic, x, w))
    square = 2 / L * sp.cos(sp.pi * W / L) ** 2
    y = sp.Symbol("y", real=True)
    log_mixing = -(y**2) / 2 - bend * y**4 / 4
    weights = []
    for order in range(3):
        shifted = sp.diff(sp.exp(log_mixing), y, order).subs(y, at + W)
        weights.append(enclosed_integral(shifted * square, W, -L / 2, L / 2))
    p, dp, ddp = weights
    phase, turn = enclose(sp.pi * noise / L), enclose(sp.pi / L)
    mixing, slope, curve = (
        enclose(e.subs(y, at + noise)) for e in (log_mixing, *(sp.diff(log_mixing, y, k) for k in (1, 2)))
    )
    cosine = phase.cos()
    density = mixing.exp() * 2 / enclose(L) * cosine**2 / p
    return {
        "u": density.sqrt(),
        "w": slope / 2 - turn * phase.tan(),
        "x": slope / 2 - dp / (2 * p),
        "ww": curve / 2 - (turn / cosine) ** 2,
        "wx": curve / 2,
        "xx": curve / 2 - (ddp / p - (dp / p) ** 2) / 2,
        "ratio": dp / p,
        "rho": arb(0),
        "noise": enclose(noise),
        "slope": arb(1),
        "bend": arb(0),
    }


def for_query(at: Logs, slope: str, bend: str) -> Logs:
    """The optimum for the query f at a point with f' = slope, f'' = bend: that for the query z = f(x), at z.

    With p(x) = q(f(x))/f'(x) the cost of v(y, f(x)) is 4 int int q v_z^2, that of the query z with weight q.
    """
    f1, f2 = enclosed(slope), enclosed(bend)
    moved = {
        "x": f1 * at["x"],
        "wx": f1 * at["wx"],
        "xx": f1**2 * at["xx"] + f2 * at["x"],
        "ratio": f1 * at["ratio"] - f2 / f1,
        "slope": f1,
        "bend": f2,
    }
    return {**at, **moved}


def normal_optimum(spread: str, rho: str, x: str, w: str) -> Logs:
    """y given x is N(a x, v) with a = 1 - 1/(sqrt(rho) s^2), v = a/sqrt(rho), for p = N(0, s^2) on X = R, W = R, f(x) = x.

    Optimal for Problem 3: the cost is 4 int int Z_x^2 + rho (y - x)^2 Z^2 - 1/s^2, and for each y the first two terms
    are at least 2 sqrt(rho) int Z^2 dx (ground state of the oscillator), with equality here.
    """
    s2, r, at, noise = (parse(text) for text in (spread, rho, x, w))
    share = 1 - 1 / (sp.sqrt(r) * s2)
    if not enclose(share) > 0:
        raise ValueError(f"this policy needs sqrt(rho) s^2 > 1, got rho = {rho}, s^2 = {spread}")
    v, slope = share / sp.sqrt(r), share - 1
    off = noise - slope * at
    log_u = {
        "u": (2 * sp.pi * v) ** sp.Rational(-1, 4) * sp.exp(-(off**2) / (4 * v)),
        "w": -off / (2 * v),
        "x": slope * off / (2 * v),
        "ww": -1 / (2 * v),
        "wx": slope / (2 * v),
        "xx": -(slope**2) / (2 * v),
        "ratio": -at / s2,
        "rho": r,
        "noise": noise,
    }
    return {name: enclose(value) for name, value in log_u.items()} | {"slope": arb(1), "bend": arb(0)}


def logs_at(numbers: Mapping[str, Any], w: str) -> Logs:
    """The jets of the optimum that an instance names, at one noise."""
    match numbers["optimum"]:
        case "cosine":
            found = cosine_optimum(numbers["length"], numbers["quartic"], numbers["f"], w)
            return for_query(found, numbers["slope"], numbers["bend"])
        case "normal":
            return normal_optimum(numbers["spread"], numbers["rho"], numbers["f"], w)
    raise ValueError(f"expected the optimum 'cosine' or 'normal', got {numbers['optimum']!r}")


@rule("one multiplier at a known optimum")
def one_multiplier(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterable[Comparison]:
    """The equation gives one number mu(x) whatever the noise, at an optimum for one query f of one x."""
    terms = {name: enclosed(printed["terms"].get(name, "0")) for name in TERMS}
    found = []
    for w in numbers["w"]:
        at = logs_at(numbers, w)
        factor = 2 * at["u"] if printed["beside"] == "gamma" else arb(1)
        inside = (
            terms["ww"] * at["slope"] ** 2 * (at["ww"] + at["w"] ** 2)
            + (terms["wx"] + terms["wx transposed"]) * at["slope"] * (at["wx"] + at["w"] * at["x"])
            + terms["xx"] * (at["xx"] + at["x"] ** 2)
            + factor * at["ratio"] * (terms["p w"] * at["slope"] * at["w"] + terms["p x"] * at["x"])
            + factor * terms["f w"] * at["bend"] * at["w"]
        )
        found.append(enclosed(printed["rho share"]) * at["rho"] * at["noise"] ** 2 - inside)
    for w, value in zip(numbers["w"][1:], found[1:], strict=True):
        yield f"mu(x) at w = {w} and at w = {numbers['w'][0]}", value, "=", found[0]


@rule("one multiplier at a known optimum, from the density")
def one_multiplier_of_density(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterable[Comparison]:
    """The same for a condition on gamma: quadratic + divergence in w + divergence in x + slope of p, divided by p."""
    c = {name: enclosed(text) for name, text in printed["terms"].items()}
    found = []
    for w in numbers["w"]:
        # log gamma = 2 log u
        at = logs_at(numbers, w)
        lw, lx, lww, lwx, lxx = (2 * at[name] for name in ("w", "x", "ww", "wx", "xx"))
        F, block = at["slope"], c["block"] * at["slope"]
        square = F**2 * lw**2 + 2 * block * lw * lx + lx**2
        along_x = c["block"] * at["bend"] * lw + block * lwx + lxx
        along_w = F**2 * lww + block * lwx
        flow = c["p"] * at["ratio"] * (lx + block * lw)
        found.append(-(c["square"] * square + c["w"] * along_w + c["x"] * along_x + flow))
    for w, value in zip(numbers["w"][1:], found[1:], strict=True):
        yield f"mu(x) at w = {w} and at w = {numbers['w'][0]}", value, "=", found[0]


@rule("a solution against turning noise")
def against_turning(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterable[Comparison]:
    """Cosine noise solves the equation for p constant, f(x) = x; without a condition at the ends of X it would be optimal.

    With one, it is no solution, and the cost, convex in the density, exceeds its tangent: turning noise v costs at least
    4 int p (v^2/u) D u dw more, between the ends of X, with D = d/dx + s d/dw of the equation, 2 s its mixed term.
    Turning noise has the root cos(t) u_1 + sin(t) u_2, t = e x, in the first two sine modes of W: it is a smooth positive
    density that vanishes at the ends of W, with information 4 (e^2 - 16 e/(3 L) + (pi/L)^2 (1 + 3 sin^2 t)).
    """
    L, reach, rate = (parse(numbers[name]) for name in ("length", "reach", "rate"))
    if not enclose(sp.tan(rate * reach) - sp.Rational(1, 2)) < 0:
        raise ValueError("turning noise is positive while |tan(e x)| < 1/2")
    share = sp.Rational(1, 2) - sp.sin(2 * rate * reach) / (4 * rate * reach)
    turning = 4 * (rate**2 - sp.Rational(16, 3) * rate / L + (sp.pi / L) ** 2 * (1 + 3 * share))
    ours = enclose(4 * sp.pi**2 / L**2)
    if printed["ends"] == "free":
        yield "cost of cosine noise, of turning noise", ours, "<=", enclose(turning)
    else:
        share_of_w = parse(printed["terms"]["wx"]) / 2
        flow = share_of_w * sp.Rational(32, 3) / (L * reach) * sp.sin(2 * rate * reach)
        name = "cost of cosine noise, of turning noise less what flows through the ends of X"
        yield name, ours, "<=", enclose(turning - flow)


@rule("two solutions of one equation")
def two_solutions(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterable[Comparison]:
    """Two policies that solve the equation with D = d/dx + d/dw for p constant and f(x) = x have one cost.

    W = [-1/2, 1/2], c the ground state of -c'' + (rho/4) w^2 c, h(k) = int c^2 cos(k w) dw, k a zero of h, X of length
    2 pi/k.  Since D kills functions of x - w, u = c sqrt(1 + e cos(k (x - w))) solves the equation for every |e| < 1,
    and int u^2 dw = 1.  Its cost exceeds that at e = 0 by 4 k^2 (1 - sqrt(1 - e^2)).
    """
    if printed["ends"] != "free" or enclosed(printed["sign"]) != 1:
        return
    share = enclosed(numbers["share"])
    if numbers["rho"] == "0":
        zero = enclose(4 * sp.pi)  # c^2 = 1 + cos(2 pi w)
    else:
        zero, high = (enclosed(text) for text in numbers["between"])
        if not (_transform(numbers["rho"], zero) > 0 and _transform(numbers["rho"], high) < 0):
            raise ValueError("expected h > 0 at the first and h < 0 at the second number of `between`")
    extra = 4 * zero**2 * (1 - (1 - share**2).sqrt())
    yield "what the second solution costs more, at least", extra, "<=", arb(0)


def _transform(rho: str, k: arb) -> arb:
    """int c^2 cos(k w) dw over [-1/2, 1/2], c(0) = 1."""
    value = Fraction(rho)
    root = ball(value).sqrt() / 2
    level = ground_state(Problem(value / 4, Fraction(-1, 2), Fraction(1, 2)))
    lam = level.below.union(level.above)
    a = arb(1) / 4 - lam / (4 * root)

    def square(w: acb, _: bool) -> acb:
        z = root * w**2
        return ((-z / 2).exp() * z.hypgeom_1f1(acb(a), acb(0.5))) ** 2 * (k * w).cos()

    found: arb = acb.integral(square, acb(-0.5), acb(0.5)).real
    return found
