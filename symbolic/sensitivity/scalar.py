"""The largest value of one polynomial on a domain: exactly where its structure allows, otherwise by sums of squares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import cast

import sympy as sp
from flint import acb, arb, fmpq_mat, fmpz_poly

from ..domains.ball import Round, Sphere
from ..domains.box import Box
from ..domains.exact import Product
from ..domains.polynomials import Coefficients, degree, value
from ..domains.simplex import Simplex
from ..proof.enclosure import enclose
from ..proof.exact_matrices import is_semidefinite
from ..proof.exact_numbers import quotient
from .enclosure import with_precision
from .relaxation import LARGEST_BASIS, basis_size, bounded_maximum, least_order


@dataclass(frozen=True)
class Maximum:
    """`upper` is a ball whose upper end is at least the maximum; `closed` gives it in closed form where that is known."""

    upper: arb
    method: str
    closed: Callable[[], sp.Expr | None]
    order: int | None = None


def maximum(polynomial: Coefficients, domain: Product, order: int | None = None) -> Maximum:
    """A bound on max q over the domain; with `order`, by a sum-of-squares certificate of that order."""
    if order is None:
        found = exact_maximum(polynomial, domain)
        if found is not None:
            return found
    order = order or least_order(polynomial)
    if basis_size(domain.dimension, order) > LARGEST_BASIS:
        return Maximum(ball(_interval(polynomial, domain)), "interval arithmetic", _unknown)
    return Maximum(ball(bounded_maximum(polynomial, domain, order)), "sums of squares", _unknown, order=order)


def exact_maximum(polynomial: Coefficients, domain: Product) -> Maximum | None:
    """The maximum where support functions, extreme eigenvalues or vertices give it; None elsewhere."""
    for attempt in (_linear, _eigenvalue, _vertices):
        found = attempt(polynomial, domain)
        if found is not None:
            return found
    return None


def ball(number: Fraction) -> arb:
    """The rational number as a ball."""
    return with_precision(lambda: arb(quotient(number)))


def _unknown() -> None:
    return None


def _rational(number: Fraction) -> sp.Rational:
    return sp.Rational(number.numerator, number.denominator)


def _linear(polynomial: Coefficients, domain: Product) -> Maximum | None:
    """Support functions of the blocks."""
    if degree(polynomial) > 1:
        return None
    constant = polynomial.get((0,) * domain.dimension, Fraction(0))
    slopes = [
        polynomial.get(tuple(int(i == k) for i in range(domain.dimension)), Fraction(0))
        for k in range(domain.dimension)
    ]
    rational, roots = constant, []
    for block, part in zip(domain.blocks, domain.parts(), strict=True):
        c = slopes[part]
        if isinstance(block, Round):
            roots.append(block.exact_radius**2 * sum(x * x for x in c))
        elif isinstance(block, Box):
            rational += sum(max(x * a, x * b) for x, (a, b) in zip(c, block.bounds, strict=True))
        elif isinstance(block, Simplex):
            rational += block.exact_total * max(c)
        else:
            return None
    upper = with_precision(lambda: ball(rational) + sum((ball(Fraction(r)).sqrt() for r in roots), arb(0)))
    return Maximum(
        upper,
        "support functions",
        lambda: _rational(rational) + sum((sp.sqrt(_rational(Fraction(r))) for r in roots), sp.Integer(0)),
    )


def _eigenvalue(polynomial: Coefficients, domain: Product) -> Maximum | None:
    """Extreme eigenvalue of a quadratic form on one ball or sphere."""
    n = domain.dimension
    constant = polynomial.get((0,) * n, Fraction(0))
    form = {m: c for m, c in polynomial.items() if any(m)}
    if len(domain.blocks) != 1 or not isinstance(domain.blocks[0], Round) or any(sum(m) != 2 for m in form):
        return None
    block = domain.blocks[0]
    matrix = fmpq_mat(n, n)
    for m, c in form.items():
        places = [i for i, power in enumerate(m) for _ in range(power)]
        i, j = places
        entry = quotient(c) / (1 if i == j else 2)
        matrix[i, j] = matrix[j, i] = entry
    characteristic = matrix.charpoly()
    integral = [int(c) for c in characteristic.numer().coeffs()]
    roots = cast(list[tuple[acb, int]], fmpz_poly(integral).complex_roots())
    top = roots[0][0].real
    for root, _ in roots:
        top = top.max(root.real)
    solid = not isinstance(block, Sphere)
    if solid:
        top = top.max(arb(0))
    upper = with_precision(lambda: ball(constant) + ball(block.exact_radius**2) * top)

    def closed() -> sp.Expr | None:
        x = sp.Symbol("x")
        found = []
        for factor, _ in sp.factor_list(sp.Poly(list(reversed(integral)), x))[1]:
            if factor.degree() <= 2:
                found += [root for root in sp.roots(factor, multiple=True) if root.is_real]
        candidates = [root for root in found + [sp.Integer(0)] * solid if _near(root, top)]
        if not candidates:
            return None
        return sp.simplify(_rational(constant) + _rational(block.exact_radius**2) * candidates[0])

    return Maximum(upper, "extreme eigenvalues", closed)


def _near(root: sp.Expr, top: arb) -> bool:
    # The balls of the characteristic polynomial's roots are disjoint: only the largest one meets its ball.
    return bool(enclose(root).overlaps(top))


def _vertices(polynomial: Coefficients, domain: Product) -> Maximum | None:
    """Vertices, where the polynomial is convex along the boxes' axes and affine on each simplex, or convex quadratic."""
    vertices = domain.vertices() if _at_vertices(polynomial, domain) else None
    if vertices is None:
        return None
    best = max(value(polynomial, vertex) for vertex in vertices)
    return Maximum(ball(best), "vertices", lambda: _rational(best))


def _at_vertices(polynomial: Coefficients, domain: Product) -> bool:
    if all(isinstance(block, Box | Simplex) for block in domain.blocks):
        affine = True
        for block, part in zip(domain.blocks, domain.parts(), strict=True):
            if isinstance(block, Box):
                affine &= all(max(m[part]) <= 1 for m in polynomial)
            else:
                affine &= all(sum(m[part]) <= 1 for m in polynomial)
        return affine or (degree(polynomial) == 2 and _convex_quadratic(polynomial))
    return False


def _convex_quadratic(polynomial: Coefficients) -> bool:
    """Whether the Hessian is positive semidefinite, by exact elimination."""
    n = len(next(iter(polynomial)))
    hessian = fmpq_mat(n, n)
    for m, c in polynomial.items():
        places = [i for i, power in enumerate(m) for _ in range(power)]
        if len(places) == 2:
            i, j = places
            hessian[i, j] += quotient(c)
            hessian[j, i] += quotient(c)
    return is_semidefinite(hessian)


def _interval(polynomial: Coefficients, domain: Product) -> Fraction:
    """The sum of the largest values of the terms."""
    total, bounds = Fraction(0), domain.bounds()
    for m, c in polynomial.items():
        low = high = c
        for (a, b), power in zip(bounds, m, strict=True):
            if power:
                ends = [a**power, b**power] + ([Fraction(0)] if a < 0 < b else [])
                products = [low * x for x in (min(ends), max(ends))] + [
                    high * x for x in (min(ends), max(ends))
                ]
                low, high = min(products), max(products)
        total += high
    return total
