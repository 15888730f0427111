"""Symmetry of a law about a centre: by an identity of the density, refuted by a point or by a third moment."""

from __future__ import annotations

import sympy as sp

from ..proof.enclosure import is_zero, settled_sign
from ..proof.fact import Fact
from ..proof.truth import Truth
from .domains import domain_points
from .law import Law
from .lawful import probes
from .pieces import borders, within
from .smooth_pieces import KINKED, with_values

_POINTS = 6


def symmetric(law: Law) -> Fact:
    """Whether the law is that of its mirror image about a centre."""
    lower, upper = law.support
    if lower.is_infinite != upper.is_infinite:
        return Fact(Truth.FAILS, "the support has one end only")
    if lower.is_finite:
        centre = sp.simplify((lower + upper) / 2)
        return _mirrored(law, centre, only=True)
    candidates = [*_centres(law), sp.Integer(0)]
    for centre in dict.fromkeys(candidates):
        fact = _mirrored(law, centre, only=False)
        if fact.truth is Truth.HOLDS:
            return fact
    for at in domain_points(law.free_symbols, law.domains, _POINTS):
        if _refuted_everywhere(law.at(dict(at)) if at else law):
            return Fact(Truth.FAILS, f"no point of the line is a centre{with_values(at)}", at=at)
    return Fact(Truth.UNKNOWN, f"the centres {', '.join(map(str, dict.fromkeys(candidates)))} were tried")


def _centres(law: Law) -> list[sp.Expr]:
    """Where the density is steepest in no direction, and where it has its one kink."""
    y = law.variable
    kinks = list(borders(law.density, y) or ())
    roots: list[sp.Expr] = []
    if not law.density.has(*KINKED, sp.Abs):
        slope = sp.together(sp.diff(law.log_density(), y))
        top = sp.numer(slope)
        if top.is_polynomial(y) and sp.degree(top, y) == 1:
            roots = sp.solve(top, y)
    lines = {a.args[0] for a in law.density.atoms(sp.exp, sp.Pow) if a.args[0].is_polynomial(y)}
    for line in lines:
        if sp.degree(line, y) == 2:
            a, b, _ = sp.Poly(line, y).all_coeffs()
            roots.append(sp.simplify(-b / (2 * a)))
        elif sp.degree(line, y) == 1:
            a, b = sp.Poly(line, y).all_coeffs()
            roots.append(sp.simplify(-b / a))
    return [*kinks, *roots]


def _mirrored(law: Law, centre: sp.Expr, only: bool) -> Fact:
    y = law.variable
    difference = law.density - law.density.subs(y, 2 * centre - y)
    if law.discrete and not (2 * centre).is_integer:
        truth = Truth.FAILS if only and (2 * centre).is_integer is False else Truth.UNKNOWN
        return Fact(truth, f"mirrored about {centre}, whole numbers are none")
    if not law.density.has(*KINKED) and not law.pieces and _vanishes(difference):
        return Fact(Truth.HOLDS, f"the density is the same on both sides of {centre}", (centre,))
    if not law.free_symbols and law.density.has(*KINKED) and not law.discrete:
        pieces = [f for _, _, f in within(difference, y, law.support)]
        if all(f is not None and sp.simplify(f) == 0 for f in pieces):
            return Fact(Truth.HOLDS, f"the density is the same on both sides of {centre}", (centre,))
    if only:
        for at in domain_points(law.free_symbols, law.domains, _POINTS):
            for point in probes(law, at):
                if settled_sign(difference.subs(at).subs(y, point), {}, bits=320) in (-1, 1):
                    said = f"mirrored about {centre} the density is another at {y} = {point}"
                    return Fact(Truth.FAILS, f"{said}{with_values(at)}", at={**at, y: point})
        if law.discrete and not law.density.has(y):
            return Fact(Truth.HOLDS, f"all masses are the same, on both sides of {centre}", (centre,))
    return Fact(Truth.UNKNOWN, f"whether {centre} is a centre is not known")


def _vanishes(difference: sp.Expr) -> bool:
    return is_zero(difference) is Truth.HOLDS or is_zero(sp.expand(difference)) is Truth.HOLDS


def _refuted_everywhere(law: Law) -> bool:
    """Whether no centre is possible: the mean would be it, and the third central moment would vanish."""
    if law.parts or law.pieces or law.density.has(*KINKED):
        return False
    mean = law.expectation(law.variable)
    if mean.has(sp.Integral, sp.Sum, sp.oo, sp.nan, sp.zoo, sp.Piecewise):
        return False
    third = law.expectation(sp.expand((law.variable - mean) ** 3))
    if third.has(sp.Integral, sp.Sum, sp.oo, sp.nan, sp.zoo, sp.Piecewise):
        return False
    return is_zero(third) is Truth.FAILS
