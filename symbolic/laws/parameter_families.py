"""Families by their parameters: which move or stretch a law, and which statistics an exponential family has.

Lehmann and Casella 1998, Theory of Point Estimation, sections 1.4 and 1.5.
"""

from __future__ import annotations

import sympy as sp

from ..proof.enclosure import is_zero, settled_sign
from ..proof.fact import Fact
from ..proof.truth import Truth
from .domains import domain_points
from .law import Law
from .lawful import probes
from .smooth_pieces import KINKED

_POINTS = 3


def location_scale(law: Law) -> Fact:
    """Which parameters only move the law, and which one only stretches it about them."""
    if law.discrete:
        return Fact(Truth.FAILS, "a law on whole numbers is not moved or stretched by real numbers")
    parameters = sorted(law.free_symbols, key=str)
    if not parameters:
        return Fact(Truth.FAILS, "the law has no parameters")
    if law.pieces or law.density.has(*KINKED):
        return Fact(Truth.UNKNOWN, "densities in pieces are not looked at")
    u = sp.Dummy("u", real=True)
    places = [m for m in parameters if m.is_positive is None and m.is_negative is None and _moves(law, m, u)]
    centre = places[0] if len(places) == 1 else sp.Integer(0)
    scales = [s for s in parameters if s not in places and s.is_positive and _stretches(law, centre, s, u)]
    found = (*places[:1], *scales[:1])
    if found:
        words = [f"{p} moves it" for p in places[:1]] + [f"{s} stretches it" for s in scales[:1]]
        return Fact(Truth.HOLDS, " and ".join(words), found)
    return Fact(Truth.UNKNOWN, f"none of {', '.join(map(str, parameters))} was seen to move or to stretch it")


def _moves(law: Law, m: sp.Symbol, u: sp.Symbol) -> bool:
    """f(u + m) and the ends less m are free of m."""
    there = law.density.subs(law.variable, u + m)
    ends = [e if e.is_infinite else e - m for e in law.support]
    return all(_free_of(e, m) for e in (there, *ends))


def _stretches(law: Law, centre: sp.Expr, s: sp.Symbol, u: sp.Symbol) -> bool:
    """s f(centre + s u) and the ends less the centre over s are free of s."""
    there = s * law.density.subs(law.variable, centre + s * u)
    ends = [e if e.is_infinite else (e - centre) / s for e in law.support]
    return all(_free_of(e, s) for e in (there, *ends))


def _free_of(e: sp.Expr, symbol: sp.Symbol) -> bool:
    if not e.has(symbol):
        return True
    return not sp.simplify(e).has(symbol) or is_zero(sp.diff(sp.expand(e), symbol)) is Truth.HOLDS


def exponential_family(law: Law) -> Fact:
    """Whether log f is a sum of functions of the outcome times functions of the parameters; which statistics it has."""
    y = law.variable
    if not law.free_symbols:
        return Fact(Truth.FAILS, "the law has no parameters")
    ends = [e for piece in law.pieces or (law,) for e in piece.support if e.free_symbols]
    if ends:
        moves = any(is_zero(sp.diff(e, s)) is Truth.FAILS for e in ends for s in e.free_symbols)
        shown = ", ".join(sorted(set(map(str, ends))))
        return Fact(
            Truth.FAILS if moves else Truth.UNKNOWN,
            f"the support ends at {shown}, which moves with the parameters",
        )
    if law.density.has(*KINKED) and not law.pieces:
        return Fact(Truth.UNKNOWN, "densities in pieces are not looked at")
    log = law.log_density()
    terms = sp.Add.make_args(
        sp.expand(sp.expand_trig(sp.expand_log(sp.expand(log), force=True)), log=True, force=True)
    )
    statistics: dict[sp.Expr, None] = {}
    for term in terms:
        factor, rest = term.as_independent(y, as_Add=False)
        if rest.free_symbols - {y}:
            return Fact(Truth.UNKNOWN, "outcome and parameters were not taken apart")
        if rest != 1 and factor.free_symbols:
            statistics[rest] = None
    # The logarithms were taken apart as if all were positive: the sum is held against the density at points.
    for at in domain_points(law.free_symbols, law.domains, _POINTS):
        for point, _ in zip(probes(law, at), range(_POINTS), strict=False):
            same = sp.exp(sp.Add(*terms)) - law.density
            if settled_sign(same, {**at, y: point}) in (-1, 1):
                return Fact(Truth.UNKNOWN, "outcome and parameters were not taken apart")
    found = tuple(statistics)
    names = ", ".join(map(str, found))
    return Fact(Truth.HOLDS, f"an exponential family with the statistics {names}", found)
