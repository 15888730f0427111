"""Polynomials as sums of squares with coefficients of one sign, by completing squares: what a kernel can multiply out again."""

from __future__ import annotations

import sympy as sp

_MOST_VARIABLES = 8


def as_squares(expression: sp.Expr) -> sp.Expr | None:
    """The expression with its squares completed, one variable after the other; None where it is no polynomial of degree 2 in one.

    >>> x, y = sp.symbols("x y", real=True)
    >>> as_squares(x**2 - 2 * x * y + y**2)
    (x - y)**2
    """
    if not expression.is_polynomial(*expression.free_symbols) or not expression.free_symbols:
        return None
    found, rest = sp.Integer(0), sp.expand(expression)
    for _ in range(_MOST_VARIABLES):
        one = _first(rest)
        if one is None:
            break
        variable, a, b = one
        square = sp.factor(a) * (variable + sp.cancel(b / (2 * a))) ** 2
        rest = sp.expand(sp.cancel(rest - a * variable**2 - b * variable - b**2 / (4 * a)))
        if not rest.is_polynomial(*rest.free_symbols):
            return None
        found += square
    return found + sp.factor(rest) if found != 0 else None


def _first(rest: sp.Expr) -> tuple[sp.Symbol, sp.Expr, sp.Expr] | None:
    """A variable of degree 2 whose leading coefficient has a sign and whose slope at 0 is not 0."""
    for variable in sorted(rest.free_symbols, key=str):
        if not rest.is_polynomial(variable):
            continue
        poly = sp.Poly(rest, variable)
        if poly.degree() == 2:
            a, b, _ = poly.all_coeffs()
            if a.is_positive or a.is_negative:
                return variable, a, b
    return None
