"""How far slopes of a loss can differ between two records, at all points that can be minimisers: what stability asks for."""

from __future__ import annotations

import math

import sympy as sp
from flint import arb

from ...domains.domain import Domain
from ...proof.branch_and_bound import maximum
from ...proof.work import units_of
from ..changes import Change
from ..enclosure import ends
from .risk_problem import RiskProblem, region

_FINE, _COARSE = 1e-9, 1e-3


def reach(problem: RiskProblem, domain: Domain, modulus: sp.Rational) -> float:
    """No minimiser is longer: |theta| <= max |slope at 0| / modulus; inf where the slope was not bounded."""
    zero = dict.fromkeys(problem.over, sp.Integer(0))
    slopes = [(g + r).subs(zero) for g, r in zip(problem.gradient, problem.pull, strict=True)]
    square = sp.Add(*(e**2 for e in slopes))
    box, below, equal = region(domain, problem.records)
    found = maximum(square, box, at_most_zero=below, zero=equal, tolerance=_COARSE, units=units_of(0.1))
    if found.undefined or not found.upper.is_finite():
        return math.inf
    # The margin outweighs the rounding, and leaves room around each minimiser for the kinks of the slopes.
    return math.sqrt(float(found.upper.upper())) * 1.001 / float(modulus) + 1e-3


def slope_bound(
    problem: RiskProblem, domain: Domain, change: Change, longest: sp.Rational, units: int
) -> sp.Expr | None:
    """No less than |g(theta; u) - g(theta; v)| for |theta| <= longest; of neighbours that differ in size, |g(theta; v) + r(theta)|.

    Where subgradients stand beside the gradient at a kink, those of u and v may be chosen apart, so that the two are bounded apart.
    """
    if change.kind == "resize":
        slopes = [g + r for g, r in zip(problem.gradient, problem.pull, strict=True)]
        if len(slopes) == 1:
            tops = [_top(problem, domain, e, longest, units) for e in (slopes[0], -slopes[0])]
            return None if None in tops else max(t for t in tops if t is not None)
        square = _top(problem, domain, sp.Add(*(e**2 for e in slopes)), longest, units)
        return None if square is None else sp.sqrt(square)
    found = [_apart(problem, domain, longest, units), _together(problem, domain, longest, units)]
    known = [bound for bound in found if bound is not None]
    return min(known, key=float) if known else None


def _apart(problem: RiskProblem, domain: Domain, longest: sp.Rational, units: int) -> sp.Expr | None:
    """The range of one slope, or twice the largest length."""
    if len(problem.over) == 1:
        g = problem.gradient[0]
        tops = [_top(problem, domain, e, longest, units) for e in (g, -g)]
        return None if None in tops else sp.Add(*(t for t in tops if t is not None))
    square = _top(problem, domain, sp.Add(*(g**2 for g in problem.gradient)), longest, units)
    return None if square is None else 2 * sp.sqrt(square)


def _together(problem: RiskProblem, domain: Domain, longest: sp.Rational, units: int) -> sp.Expr | None:
    """Both at one theta: where the loss is smooth."""
    if not problem.smooth:
        return None
    other = {s: sp.Symbol(f"{s.name}_other", real=True) for s in problem.records}
    slopes = [g - g.subs(other) for g in problem.gradient]
    square = slopes[0] if len(slopes) == 1 else sp.Add(*(e**2 for e in slopes))
    top = _top(problem, domain, square, longest, units, other)
    return None if top is None else top if len(slopes) == 1 else sp.sqrt(top)


def _top(
    problem: RiskProblem,
    domain: Domain,
    formula: sp.Expr,
    longest: sp.Rational,
    units: int,
    other: dict[sp.Symbol, sp.Symbol] | None = None,
) -> sp.Rational | None:
    """A rational number no less than the largest value of a formula of theta and one record, or two."""
    box, below, equal = region(domain, problem.records)
    whole = {**dict.fromkeys(problem.over, (-longest, longest)), **box}
    if other:
        whole |= {other[s]: pair for s, pair in box.items()}
        below, equal = ([*below, *(c.subs(other) for c in below)], [*equal, *(c.subs(other) for c in equal)])
    one = len(problem.over) == 1
    short = [] if one else [sp.Add(*(t**2 for t in problem.over)) - longest**2]
    found = maximum(
        formula,
        whole,
        at_most_zero=[*below, *short],
        zero=equal,
        tolerance=_FINE if one else _COARSE,
        units=units,
    )
    return None if found.undefined else _rational(found.upper)


def _rational(upper: arb) -> sp.Rational | None:
    if not upper.is_finite():
        return None
    top = ends(upper)[1]
    return sp.Rational(top.numerator, top.denominator)
