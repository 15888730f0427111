"""Integrals of a density that is a sum, or is put together at a border that a parameter moves: part by part."""

from __future__ import annotations

import sympy as sp

from .bessel_integrals import bessel_integral
from .chart import expectation, standard_charts
from .domains import Domains, inside, positive_within
from .found_charts import found_charts
from .pieces import KINKED, borders, resolved

_MOST = 12
Ends = tuple[sp.Expr, sp.Expr]


def by_terms(e: sp.Expr, y: sp.Symbol, ends: Ends, domains: Domains) -> sp.Expr | None:
    """The integral of `e` between the ends, a closed form for each of its terms; None where one is missing."""
    # What does not contain the variable stays outside: a sum among it would be taken apart for nothing.
    outside, e = e.as_independent(y, as_Add=False)
    parts = _split(e, y, ends, domains)
    if parts is None:
        return None
    total = []
    for lower, upper, formula in parts:
        terms = _terms(formula, y)
        if len(terms) > _MOST:
            return None
        for term in terms:
            value = _integral(term, y, (lower, upper), domains)
            if value is None:
                return None
            total.append(value)
    infinite = {sp.sign(v) for v in total if v.has(sp.oo, -sp.oo, sp.zoo, sp.nan)}
    return outside * sp.Add(*total) if len(infinite) < 2 else None


def _terms(formula: sp.Expr, y: sp.Symbol) -> list[sp.Expr]:
    formula = sp.powsimp(formula)
    if formula.is_polynomial(y):
        return [sp.cancel(c) * y**k for (k,), c in sp.Poly(formula, y).terms()]
    return list(sp.Add.make_args(sp.expand_mul(formula, deep=False)))


def _integral(term: sp.Expr, y: sp.Symbol, ends: Ends, domains: Domains) -> sp.Expr | None:
    constant, rest = term.as_independent(y, as_Add=False)
    if rest == 0:
        return sp.Integer(0)
    waves = bessel_integral(rest, y, ends)
    if waves is not None:
        return constant * waves
    for charts in (standard_charts(ends, rest, y), found_charts(rest, y, ends), ()):
        value = expectation(rest, sp.Integer(1), y, ends, charts, domains)
        if value is not None:
            return constant * value
    return None


def _split(
    e: sp.Expr, y: sp.Symbol, ends: Ends, domains: Domains
) -> list[tuple[sp.Expr, sp.Expr, sp.Expr]] | None:
    """(lower, upper, formula) between the ends and one border that is known to lie there."""
    if not e.has(*KINKED):
        return [(*ends, e)]
    marks = borders(e, y)
    if marks is None or len(marks) != 1:
        return None
    (mark,) = marks
    if not all(_positive(gap, domains) for gap in (mark - ends[0], ends[1] - mark)):
        return None
    parts = []
    for lower, upper in ((ends[0], mark), (mark, ends[1])):
        point = inside(lower, upper)

        def side(gap: sp.Expr, at: sp.Expr = point) -> int | None:
            along = gap.subs(y, at)
            return 1 if _positive(along, domains) else -1 if _positive(-along, domains) else None

        formula = resolved(e, y, side)
        if formula is None:
            return None
        parts.append((lower, upper, formula))
    return parts


def _positive(gap: sp.Expr, domains: Domains) -> bool:
    if gap.is_infinite:
        return bool(gap.is_extended_positive)
    return positive_within(gap, domains)
