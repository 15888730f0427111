"""Log-concavity of a density, or of masses: by the sign of the second derivative, or of the ratio of neighbours; refuted by points.

Saumard and Wellner 2014, Log-concavity and strong log-concavity: a review, sections 2 and 4.
"""

from __future__ import annotations

from itertools import pairwise

import sympy as sp

from ..proof.enclosure import is_zero, settled_sign
from ..proof.fact import Fact
from ..proof.truth import Truth
from .domains import domain_points, within_domains
from .finite import DiscreteLaw
from .law import Law
from .lawful import nonnegative, probes
from .log_density import log_density
from .smooth_pieces import KINKED, everywhere, known_sign, smooth_pieces, with_values

_POINTS = 6


def log_concave(law: Law) -> Fact:
    """Whether the logarithm of the density is concave on the line: of masses, p(k)^2 >= p(k - 1) p(k + 1) for all k."""
    if law.pieces:
        return Fact(Truth.FAILS, "the support has a gap, and that of a log-concave law is an interval")
    if isinstance(law, DiscreteLaw):
        return Fact(Truth.UNKNOWN, "a table of masses is not looked at")
    return _concave_masses(law) if law.discrete else _concave_density(law)


def _concave_density(law: Law) -> Fact:
    y = law.variable
    for at in domain_points(law.free_symbols, law.domains, _POINTS):
        points = sorted(probes(law, at), key=float)
        for low, high in zip(points, points[2:], strict=False):
            middle = (low + high) / 2
            f = [law.density.subs(y, x) for x in (low, middle, high)]
            if settled_sign(f[1] ** 2 - f[0] * f[2], at, bits=320) == -1:
                said = (
                    f"the density at {y} = {middle} is below the geometric mean of those at {low} and {high}"
                )
                return Fact(Truth.FAILS, f"{said}{with_values(at)}", at={**at, y: middle})
    pieces = smooth_pieces(law)
    if pieces is None:
        return Fact(Truth.UNKNOWN, "the density has kinks whose place is not known")
    for lower, upper, formula in pieces:
        bend = sp.diff(log_density(formula), y, 2)
        # Where the density vanishes inside, its logarithm is not concave, whatever the second derivative is elsewhere.
        if not everywhere(formula, law, (lower, upper), "positive"):
            return Fact(Truth.UNKNOWN, "that the density is positive inside of its support is not known")
        if not everywhere(bend, law, (lower, upper), "nonpositive"):
            return Fact(
                Truth.UNKNOWN, "no point refutes it, and the second derivative of log f was given no sign"
            )
    for (_, border, left), (_, _, right) in pairwise(pieces):
        gap = (left - right).subs(y, border)
        drop = (sp.diff(log_density(left), y) - sp.diff(log_density(right), y)).subs(y, border)
        if is_zero(gap) is not Truth.HOLDS or not known_sign(
            within_domains(drop, law.domains), "nonnegative"
        ):
            return Fact(Truth.UNKNOWN, f"that the slope of log f falls at {border} is not known")
    return Fact(
        Truth.HOLDS, "the second derivative of log f is nowhere positive, and its slope falls at each kink"
    )


def _concave_masses(law: Law) -> Fact:
    y = law.variable
    lower, upper = law.support
    for at in domain_points(law.free_symbols, law.domains, _POINTS):
        points = list(probes(law, at))
        for below, k, above in zip(points, points[1:], points[2:], strict=False):
            f = [law.density.subs(at).subs(y, x) for x in (below, k, above)]
            if settled_sign(f[1] ** 2 - f[0] * f[2], {}, bits=320) == -1:
                return Fact(
                    Truth.FAILS, f"p({k})^2 is below p({below}) p({above}){with_values(at)}", at={**at, y: k}
                )
    if law.density.has(*KINKED, sp.Abs) or not lower.is_integer or nonnegative(law).truth is not Truth.HOLDS:
        return Fact(Truth.UNKNOWN, "no point refutes it, and no proof was found")
    n = sp.Dummy("n", integer=True, nonnegative=True)
    k = lower + 1 + n
    change: dict[sp.Expr, sp.Expr] = {}
    if upper.is_Symbol:
        change = {upper: k + 1 + sp.Dummy("m", integer=True, nonnegative=True)}
    elif upper.is_finite:
        return Fact(Truth.UNKNOWN, "no point refutes it, and no proof was found")
    ratio = law.density.subs(y, k) ** 2 / (law.density.subs(y, k - 1) * law.density.subs(y, k + 1))
    ratio = sp.simplify(sp.gammasimp(sp.powsimp(ratio.subs(change, simultaneous=True))))
    if known_sign(within_domains(sp.factor(sp.together(ratio - 1)), law.domains), "nonnegative"):
        return Fact(
            Truth.HOLDS, "the ratio of neighbours falls: p(k)^2 / (p(k - 1) p(k + 1)) is at least one"
        )
    return Fact(Truth.UNKNOWN, "no point refutes it, and no proof was found")
