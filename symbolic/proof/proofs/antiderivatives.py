"""Antiderivatives that a kernel can check: polynomials times exponentials of degree two at most, and small products of sines and cosines."""

from __future__ import annotations

import sympy as sp

_SMALL = 40


def antiderivative(body: sp.Expr, x: sp.Symbol) -> sp.Expr | None:
    """F with F' = body, or None where this module has none; no search is made that could take long.

    >>> x, s = sp.symbols("x s", positive=True)
    >>> antiderivative(x * sp.exp(-x / s), x)
    (-s**2 - s*x)*exp(-x/s)
    """
    found = [_of_term(term, x) for term in sp.Add.make_args(body)]
    if all(f is not None for f in found):
        return sp.Add(*found)
    return _by_sympy(body, x)


def _of_term(term: sp.Expr, x: sp.Symbol) -> sp.Expr | None:
    """P(x) exp(Q(x)): R exp(Q), and an error function where Q has the degree 2."""
    exponents = [f.args[0] for f in sp.Mul.make_args(term) if isinstance(f, sp.exp) and f.has(x)]
    rest = sp.Mul(*(f for f in sp.Mul.make_args(term) if not (isinstance(f, sp.exp) and f.has(x))))
    exponent = sp.Add(*exponents)
    if not rest.is_polynomial(x) or not exponent.is_polynomial(x):
        return None
    p, q = sp.Poly(rest, x), sp.Poly(exponent, x)
    if q.degree() < 1:
        return p.integrate(x).as_expr() * sp.exp(exponent)
    if q.degree() == 1:
        return _below_a_line(p, q, x) * sp.exp(exponent)
    return _below_a_parabola(p, q, x) if q.degree() == 2 else None


def _below_a_line(p: sp.Poly, q: sp.Poly, x: sp.Symbol) -> sp.Expr:
    """R with R' + q1 R = P, from the highest power down."""
    slope, above, found = q.nth(1), sp.Integer(0), []
    for k in range(p.degree(), -1, -1):
        above = (p.nth(k) - (k + 1) * above) / slope
        found.append(above * x**k)
    return sp.Add(*found)


def _below_a_parabola(p: sp.Poly, q: sp.Poly, x: sp.Symbol) -> sp.Expr:
    """R exp(Q) with R' + (2 q2 x + q1) R = P up to a constant, which an error function takes."""
    bend, slope = q.nth(2), q.nth(1)
    rest = {k: p.nth(k) for k in range(p.degree() + 1)}
    found = []
    for k in range(p.degree(), 0, -1):
        r = sp.expand(rest[k]) / (2 * bend)
        found.append(r * x ** (k - 1))
        rest[k - 1] -= slope * r
        if k >= 2:
            rest[k - 2] -= (k - 1) * r
    root = sp.sqrt(-bend)
    bell = sp.exp(q.nth(0) - slope**2 / (4 * bend)) * sp.sqrt(sp.pi) / (2 * root)
    return sp.Add(*found) * sp.exp(q.as_expr()) + rest[0] * bell * sp.erf(root * (x + slope / (2 * bend)))


def _by_sympy(body: sp.Expr, x: sp.Symbol) -> sp.Expr | None:
    """Small products of polynomials, sines and cosines of lines."""
    factors = [f for term in sp.Add.make_args(body) for f in sp.Mul.make_args(term)]
    if body.count_ops() > _SMALL or not all(_simple(f, x) for f in factors):
        return None
    found = sp.integrate(body, x)
    return None if found.has(sp.Integral, sp.Piecewise) else found


def _simple(factor: sp.Expr, x: sp.Symbol) -> bool:
    if x not in factor.free_symbols or factor.is_polynomial(x):
        return True
    if isinstance(factor, sp.Pow) and factor.exp.is_Integer and factor.exp > 0:
        return _simple(factor.base, x)
    angle = factor.args[0] if isinstance(factor, sp.sin | sp.cos) else None
    return angle is not None and bool(angle.is_polynomial(x)) and bool(sp.degree(angle, x) <= 1)
