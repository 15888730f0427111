"""Whether an expression is never negative, for all values that its symbols admit: by signs of coefficients, or by Sturm's count of roots."""

from __future__ import annotations

import sympy as sp

from .enclosure import compare, sign
from .truth import Truth

_HIGHEST, _MOST_TERMS = 40, 400


def nonnegative(expression: sp.Expr) -> Truth:
    """HOLDS only if proved, FAILS only at a point where a ball is certainly negative."""
    answer = compare(expression, ">=", sp.Integer(0))
    if answer is not Truth.UNKNOWN:
        return answer
    top, bottom = sp.fraction(sp.together(expression))
    signs = _sign_of(sp.expand(top)), _sign_of(sp.expand(bottom))
    strict = signs[1] if signs[1] in (1, -1) else None
    if strict is not None and signs[0] is not None and signs[0] * strict >= 0:
        return Truth.HOLDS
    return Truth.UNKNOWN


def _sign_of(polynomial: sp.Expr) -> int | None:
    """1 (or -1) if it is never negative (or positive), which of a denominator excludes zero too as far as it is defined; None if not known."""
    terms = sp.Add.make_args(polynomial)
    if len(terms) > _MOST_TERMS:
        return None
    if all(term.is_nonnegative for term in terms):
        return 1
    if all(term.is_nonpositive for term in terms):
        return -1
    return _by_roots(polynomial)


def _by_roots(polynomial: sp.Expr) -> int | None:
    """Of one symbol with rational coefficients: no root of odd order where the symbol may be."""
    symbols = list(polynomial.free_symbols)
    if len(symbols) != 1 or not polynomial.is_polynomial(symbols[0]):
        return None
    (x,) = symbols
    poly = sp.Poly(polynomial, x)
    if poly.degree() > _HIGHEST or not all(c.is_Rational for c in poly.all_coeffs()):
        return None
    low = sp.Integer(0) if x.is_nonnegative else -sp.oo
    high = sp.Integer(0) if x.is_nonpositive else sp.oo
    for factor, power in poly.factor_list()[1]:
        inner = factor.count_roots(low, high) - sum(
            1 for end in (low, high) if end.is_finite and factor.eval(end) == 0
        )
        if power % 2 and inner:
            return None
    probe = sp.Rational(7, 5) if high is sp.oo else sp.Rational(-7, 5)
    for shift in range(poly.degree() + 2):
        found = sign(poly.eval(probe + (shift if high is sp.oo else -shift)))
        if found:
            return found
    return None
