"""Integrals between any two ends of sums of powers, of powers times exponentials, and of powers times bells.

By parts down to exp and erf (DLMF 7.1, 7.7), term by term: every term has to be of one of these kinds.
"""

from __future__ import annotations

import sympy as sp

from .domains import Domains, positive_within
from .pieces import within

_MOST = 60  # terms


def elementary_integral(
    e: sp.Expr, y: sp.Symbol, ends: tuple[sp.Expr, sp.Expr], domains: Domains = ()
) -> sp.Expr | None:
    """The integral of `e` between two ends; None where a term is of no kind that is known, or does not converge."""
    if ends[0].is_nonnegative:
        u = sp.Dummy(y.name, positive=True)
        e, y = e.subs(y, u), u
    # What does not contain the variable stays outside: a sum among it may stand under a fraction.
    outside, inner = e.as_independent(y, as_Add=False)
    terms = sp.Add.make_args(sp.expand(inner, power_exp=False, log=False))
    if len(terms) > _MOST:
        return None
    total = sp.Integer(0)
    for term in terms:
        part = _of_term(term, y, ends, domains)
        if part is None or part.has(sp.nan, sp.zoo, sp.oo):
            return None
        total += part
    return outside * total


def piecewise_integral(e: sp.Expr, y: sp.Symbol, ends: tuple[sp.Expr, sp.Expr]) -> sp.Expr | None:
    """The integral over the pieces between the kinks of `e`, where these are numbers."""
    if any(end.free_symbols for end in ends):
        return None
    pieces = list(within(e, y, ends))
    values = [None if f is None else elementary_integral(f, y, (a, b)) for a, b, f in pieces]
    return None if any(v is None for v in values) else sp.Add(*values)


def _of_term(term: sp.Expr, y: sp.Symbol, ends: tuple[sp.Expr, sp.Expr], domains: Domains) -> sp.Expr | None:
    constant, rest = sp.powsimp(term).as_independent(y, as_Add=False)
    line, k = rest.as_base_exp()
    if line.is_Add and not k.has(y) and not (slope := sp.diff(line, y)).has(y) and slope.is_positive:
        moved = [e if e.is_infinite else sp.simplify(line.subs(y, e)) for e in ends]
        value = _power(k, sp.Dummy(positive=True), (moved[0], moved[1]), domains)
        return None if value is None else constant * value / slope
    power, exponent = sp.Integer(0), sp.Integer(0)
    for factor in sp.Mul.make_args(rest):
        base, k = factor.as_base_exp()
        if isinstance(factor, sp.exp):
            exponent += factor.args[0]
        elif base == y and not k.has(y):
            power += k
        elif factor != 1:
            return None
    exponent = sp.expand(exponent)
    if not exponent.is_polynomial(y):
        return None
    coefficients = sp.Poly(exponent, y).all_coeffs()[::-1] if exponent.has(y) else [exponent]
    if len(coefficients) > 3:
        return None
    c, b, a = (*coefficients, sp.Integer(0), sp.Integer(0))[:3]
    value = _power(power, y, ends, domains) if (a, b) == (0, 0) else _moment(power, a, b, ends)
    return None if value is None else constant * sp.exp(c) * value


def _power(k: sp.Expr, y: sp.Symbol, ends: tuple[sp.Expr, sp.Expr], domains: Domains) -> sp.Expr | None:
    lower, upper = ends
    rises, falls = (positive_within(side * (k + 1), domains) for side in (1, -1))
    whole = k.is_Integer and k >= 0 and all(e.is_finite for e in ends)
    if not (whole or lower.is_positive or (lower.is_zero and rises)):
        return None
    if k == -1:
        return sp.log(upper / lower) if upper.is_finite else None
    if not (rises or falls or (k + 1).is_zero is False):
        return None
    if upper is sp.oo:
        return -(lower ** (k + 1)) / (k + 1) if falls else None
    return (upper ** (k + 1) - lower ** (k + 1)) / (k + 1)


def _moment(k: sp.Expr, a: sp.Expr, b: sp.Expr, ends: tuple[sp.Expr, sp.Expr]) -> sp.Expr | None:
    """The integral of y^k exp(a y^2 + b y) for whole k: by parts down to k = 0."""
    if not (k.is_Integer and 0 <= k <= _MOST):
        return None
    lower, upper = ends
    if a != 0:
        if not a.is_negative:
            return None
    elif (lower.is_infinite and not b.is_positive) or (upper.is_infinite and not b.is_negative):
        return None

    def edge(j: int) -> sp.Expr:
        """y^j exp(a y^2 + b y) at the upper end less that at the lower."""
        at = [sp.Integer(0) if e.is_infinite else e**j * sp.exp(a * e**2 + b * e) for e in (upper, lower)]
        return at[0] - at[1]

    n = int(k)
    if a == 0:
        value = edge(0) / b
        for j in range(1, n + 1):
            value = (edge(j) - j * value) / b
        return value
    root, centre = sp.sqrt(-a), -b / (2 * a)
    first = [sp.erf(root * (e - centre)) if e.is_finite else sp.sign(e) for e in (upper, lower)]
    values = [sp.sqrt(sp.pi) / (2 * root) * sp.exp(-(b**2) / (4 * a)) * (first[0] - first[1])]
    for j in range(1, n + 1):
        before = (j - 1) * values[j - 2] if j > 1 else sp.Integer(0)
        values.append((edge(j - 1) - b * values[j - 1] - before) / (2 * a))
    return values[n]
