"""Polynomials of degree two with rational coefficients: their matrix, and as a sum of squares by exact elimination."""

from __future__ import annotations

import sympy as sp
from flint import fmpq_mat

from ..proof.exact_matrices import is_semidefinite, matrix_of


def quadratic(e: sp.Expr, variables: tuple[sp.Symbol, ...]) -> sp.Poly | None:
    """The polynomial, if it has degree at most two in the variables, rational coefficients and no other symbols; else None."""
    if not variables or e.free_symbols - set(variables) or not e.is_polynomial(*variables):
        return None
    poly = sp.Poly(e, *variables)
    fits = poly.total_degree() <= 2 and all(c.is_Rational for c in poly.coeffs())
    return poly if fits else None


def homogenised(poly: sp.Poly) -> list[list[sp.Rational]]:
    """The matrix M with (1, x) M (1, x)' = the polynomial."""
    order = len(poly.gens) + 1
    rows = [[sp.Integer(0)] * order for _ in range(order)]
    for powers, coefficient in poly.terms():
        hit = [k + 1 for k, power in enumerate(powers) for _ in range(power)]
        i, j = ([0, 0, *hit])[-2:]
        rows[i][j] += coefficient / 2
        rows[j][i] += coefficient / 2
    return rows


def never_negative(e: sp.Expr, variables: tuple[sp.Symbol, ...]) -> bool:
    """Whether a polynomial of degree two is proved to be nowhere negative; False says nothing of other formulas."""
    poly = quadratic(e, variables)
    return poly is not None and is_semidefinite(matrix(poly))


def matrix(poly: sp.Poly) -> fmpq_mat:
    """The same matrix in python-flint."""
    return matrix_of(homogenised(poly))


def squares(e: sp.Expr, variables: tuple[sp.Symbol, ...]) -> list[tuple[sp.Rational, sp.Expr]] | None:
    """Positive numbers d and affine formulas l with e = sum d l^2; None where there are none."""
    poly = quadratic(e, variables)
    if poly is None or not is_semidefinite(matrix(poly)):
        return None
    left, names = homogenised(poly), (sp.Integer(1), *poly.gens)
    found = []
    # The constant comes last: it is what is left when all variables are eliminated.
    for k in [*range(1, len(names)), 0]:
        pivot = left[k][k]
        if pivot == 0:
            continue
        row = [entry / pivot for entry in left[k]]
        found.append((pivot, sp.Add(*(a * n for a, n in zip(row, names, strict=True)))))
        left = [[left[i][j] - pivot * row[i] * row[j] for j in range(len(names))] for i in range(len(names))]
    return found
