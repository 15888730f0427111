"""Instances of what is said about noise on a bounded set, and about Gaussian noise, for linear queries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any

import sympy as sp
from flint import arb

from .....symbolic.proof.enclosure import enclose
from .....symbolic.proof.exact_numbers import ball, enclosed
from .....symbolic.proof.expressions import parse
from ....dossier.instances import Comparison, rule

W = sp.Symbol("w", real=True)


def _row(numbers: Mapping[str, Any]) -> sp.Matrix:
    return sp.Matrix([[sp.Rational(c) for c in numbers["C"]]])


@rule("cosine noise against another policy", "width", "gram")
def cosine_noise(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterable[Comparison]:
    """The density normaliser cos^2(frequency (w - middle)) has mass one and costs no more than the competitor.

    Competitors: {"type": "power", "exponent": q}, density proportional to cos^(2 q); {"type": "parabola"}, density
    proportional to (w - w_lo)^2 (w_hi - w)^2; {"type": "answers", "range": r, "share": s}: x ranges over a set on which
    the query has the range r < L, so that answers in an interval of length L - r fit every x; with probability 1 - s
    the answer is drawn there by a smooth law that does not look at x, otherwise the printed noise is added.  The
    information is convex, so that this policy costs at most s times what the printed noise does.
    """
    width, gram = ball(numbers["width"]), ball(numbers["gram"])
    names = {"L": sp.Rational(numbers["width"])}
    scale, rate = (enclosed(printed[key], names) for key in ("normaliser", "frequency"))
    wave = (rate * width).sin() / (2 * rate)
    mass, cost = scale * (width / 2 + wave), 4 * gram * scale * rate**2 * (width / 2 - wave)
    yield "mass of the density", mass, "=", arb(1)
    competitor = numbers["competitor"]
    match competitor["type"]:
        case "power":
            q = ball(competitor["exponent"])
            if not q > arb(1) / 2:
                raise ValueError("a power of the cosine has finite information for exponents above 1/2 only")
            other = 4 * gram * (arb.pi() / width) ** 2 * q**2 / (2 * q - 1)
        case "parabola":
            other = 40 * gram / width**2
        case "answers":
            if not Fraction(0) < Fraction(competitor["range"]) < Fraction(numbers["width"]):
                raise ValueError(
                    "an answer that fits every x needs a range of the query below the width of W"
                )
            other = ball(competitor["share"]) * cost
        case unknown:
            raise ValueError(f"unknown type of competitor {unknown!r}: expected power, parabola or answers")
    yield f"cost against {competitor['type']}", cost, "<=", other


@rule("Gaussian noise within a budget", "theta")
def gaussian_noise(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterable[Comparison]:
    """Noise of the printed variances keeps sum of variances <= theta and has the least Tr(C C' K).

    `roots` are the eigenvalues r of (C C')^(1/2), `total` their sum.  Competitors: {"type": "gaussian", "weights"},
    variances in this proportion that exhaust the budget; {"type": "answers", "radius", "variance"}: f(x) = x on
    [-radius, radius], weighted uniformly, answered by a normal variable around 0 whatever x is.
    """
    roots, theta = [Fraction(r) for r in numbers["roots"]], sp.Rational(numbers["theta"])
    names = {"theta": theta, "total": sp.Rational(sum(roots))}
    variances = [enclosed(printed["variance"], {**names, "r": sp.Rational(r)}) for r in roots]
    budget = ball(numbers["theta"])
    yield "sum of the variances", sum(variances, arb(0)), "<=", budget
    cost = sum((ball(r) ** 2 / v for r, v in zip(roots, variances, strict=True)), arb(0))
    competitor = numbers["competitor"]
    match competitor["type"]:
        case "gaussian":
            weights = [Fraction(v) for v in competitor["weights"]]
            if len(weights) != len(roots) or min(weights) <= 0:
                raise ValueError("expected one positive weight for each root")
            share = [ball(v / sum(weights)) * budget for v in weights]
            other = sum((ball(r) ** 2 / v for r, v in zip(roots, share, strict=True)), arb(0))
        case "answers":
            spent = Fraction(competitor["radius"]) ** 2 / 3 + Fraction(competitor["variance"])
            if roots != [1] or Fraction(competitor["variance"]) <= 0 or spent > Fraction(numbers["theta"]):
                raise ValueError("constant answers are for f(x) = x and must keep to the budget")
            other = arb(0)
        case unknown:
            raise ValueError(f"unknown type of competitor {unknown!r}: expected gaussian or answers")
    yield f"information against {competitor['type']}", cost, "<=", other


@rule("maximiser positive inside")
def maximiser(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterable[Comparison]:
    """A density that maximises Tr I^-1 is positive inside W.

    `intervals`: f(x) = x and W a union of disjoint intervals; with mass t_i on one of length L_i the information is at
    least 4 pi^2 sum t_i/L_i^2, so that the optimum sits on the longest alone.  `free`: x real, f(x) = (x, 0), W the
    unit square; the information is that of the first entry of the noise, and 2 sin^2(pi w1) g(w2) is optimal for
    every density g on [0, 1].
    """
    if "free" in numbers:
        g = parse(numbers["free"], {"w": W})
        if sp.simplify(sp.integrate(g, (W, 0, 1)) - 1) != 0:
            raise ValueError(f"{g} does not integrate to one over [0, 1]")
        value = 2 * enclose(g.subs(W, sp.Rational(numbers["at"])))
        yield f"density at (1/2, {numbers['at']})", value, ">", arb(0)
        return
    ends = [(Fraction(a), Fraction(b)) for a, b in numbers["intervals"]]
    lengths = [b - a for a, b in ends]
    longest = max(lengths)
    if lengths.count(longest) > 1 or any(b >= c for (_, b), (c, _) in pairwise(ends)):
        raise ValueError("expected disjoint intervals in increasing order, one of them longest")
    for (a, b), length in zip(ends, lengths, strict=True):
        value = 2 / ball(length) if length == longest else arb(0)
        yield f"density in the middle of [{a}, {b}]", value, ">", arb(0)


@rule("zero of a solution")
def nodal(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterable[Comparison]:
    """A function that vanishes at an interior point does not solve u'' + mu u = 0.

    Where only functions u >= 0 count (`nonnegative`), one that is negative at a probe is no instance.
    """
    u, mu = parse(numbers["u"], {"w": W}), parse(numbers["mu"])
    if sp.simplify(u.subs(W, sp.Rational(numbers["zero"]))) != 0:
        raise ValueError(f"expected a function that vanishes at {numbers['zero']}")
    probes = [sp.Rational(p) for p in numbers["probes"]]
    lowest = min((enclose(u.subs(W, p)) for p in probes), key=lambda ball: float(ball.mid()))
    if printed["nonnegative"] and lowest < 0:
        yield "excluded: u at some probe", lowest, "<", arb(0)
        return
    rest = sp.simplify(sp.diff(u, W, 2) + mu * u)
    size = sum((abs(enclose(rest.subs(W, p))) for p in probes), arb(0)) if rest != 0 else arb(0)
    yield "sum of |u'' + mu u| over the probes", size, ">", arb(0)


@rule("solution of the eigenvalue problem")
def eigenfunction(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterable[Comparison]:
    """A unit solution of u'' + mu u = 0 on [0, 1] with u = 0 at both ends has the density 2 sin^2(pi w).

    Where only functions positive inside count (`positive`), one that is not is no instance.
    """
    u, mu = parse(numbers["u"], {"w": W}), parse(numbers["mu"])
    if sp.simplify(sp.diff(u, W, 2) + mu * u) != 0 or any(sp.simplify(u.subs(W, k)) != 0 for k in (0, 1)):
        raise ValueError(f"{u} is no solution")
    if sp.simplify(sp.integrate(u**2, (W, 0, 1)) - 1) != 0:
        raise ValueError(f"the density of {u} does not integrate to one")
    probes = [sp.Rational(k, 7) for k in range(1, 7)]
    if printed["positive"]:
        lowest = min((enclose(u.subs(W, p)) for p in probes), key=lambda ball: float(ball.mid()))
        if lowest < 0:
            yield "excluded: u at some probe", lowest, "<", arb(0)
            return
    for p in probes:
        expected = 2 * (arb.pi() * ball(p)).sin() ** 2
        yield f"density at {p}", enclose(u.subs(W, p)) ** 2, "=", expected


@rule("rank of the gain of least squares")
def gain(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterable[Comparison]:
    """G = C^+ C, the Jacobian of the mean of C^+ y, is invertible."""
    c = _row(numbers)
    g = c.T * (c * c.T).inv() * c
    yield "det(G G')", ball(str((g * g.T).det())), ">", arb(0)


@rule("inverse of the information", "K")
def inverse(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterable[Comparison]:
    """I = C' K C has an inverse N (`inverse`: ordinary, or pseudo), and Tr(N s) = factor Tr(N) s for s = 1/(C C')."""
    c, k = _row(numbers), sp.Rational(numbers["K"])
    information = k * c.T * c
    if printed["inverse"] == "ordinary":
        yield "det I(x)", ball(str(information.det())), ">", arb(0)
        if information.det() == 0:
            return
    n, s = information.pinv(), (c * c.T).inv()
    yield (
        "information times inverse times information",
        ball(str((information * n * information).trace())),
        "=",
        ball(str(information.trace())),
    )
    factor = enclosed(printed["factor"])
    yield "trace", ball(str((n * s[0, 0]).trace())), "=", factor * ball(str(n.trace() * s[0, 0]))
