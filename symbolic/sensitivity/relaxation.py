"""The largest value of a polynomial on a domain, bounded above by a sum-of-squares certificate that is made rigorous.

bound - q = m'G m + sum_j g_j m_j'G_j m_j + sum_i h_i t_i with g_j >= 0 and h_i = 0 on the domain, m vectors of
monomials, G positive semidefinite.  The conic solver's matrices are moved into the cone, which is verified; the two
sides are expanded in rational arithmetic, and each coefficient in which they differ is paid for with the largest
absolute value of its monomial: one, in variables scaled to [-1, 1].  Whatever the solver returns, the bound is true.
Source of the hierarchy: J. B. Lasserre, Global optimization with polynomials (2001); M. Putinar (1993).
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb

import numpy as np

from ..arrays import Floats
from ..domains.exact import Product
from ..domains.polynomials import Coefficients, add, degree, multiply
from ..errors import counted
from ..programs.conic import solve
from ..programs.symmetric import Triangle
from ..programs.verified import all_positive_definite, shift_for

Exponents = tuple[int, ...]

LARGEST_BASIS = 56


def least_order(polynomial: Coefficients) -> int:
    """The first order of the hierarchy at which a certificate can exist."""
    return max((degree(polynomial) + 1) // 2, 1)


def basis_size(variables: int, order: int) -> int:
    """The order of the largest matrix of the certificate."""
    return comb(variables + order, order)


def bounded_maximum(polynomial: Coefficients, domain: Product, order: int) -> Fraction:
    """A rational number that is at least max q over the domain; `order` is half the degree of the certificate."""
    n = domain.dimension
    if basis_size(n, order) > LARGEST_BASIS:
        raise ValueError(
            f"{counted(n, 'variable')} at order {order} need matrices above order {LARGEST_BASIS}"
        )
    scales = [max(abs(a), abs(b)) for a, b in domain.bounds()]
    above, zero = ([_levelled(g, scales)[0] for g in part] for part in domain.constraints())
    polynomial, height = _levelled(polynomial, scales)
    one: Coefficients = {(0,) * n: Fraction(1)}
    squares = [
        (g, _monomials(n, order - (degree(g) + 1) // 2)) for g in [one, *above] if degree(g) <= 2 * order
    ]
    ideal = [multiply(h, {t: Fraction(1)}) for h in zero for t in _monomials(n, 2 * order - degree(h))]
    grams, multipliers = _solve(polynomial, squares, ideal, order)
    terms: list[tuple[Fraction, Coefficients]] = [(Fraction(-1), polynomial)]
    for (g, monomials), gram in zip(squares, grams, strict=True):
        terms.append((Fraction(-1), multiply(g, _expanded(monomials, _inside_cone(gram)))))
    # Denominators of floats are powers of two: the sums stay exact.
    terms += [(-Fraction(t), h) for t, h in zip(multipliers, ideal, strict=True)]
    missed = add(*terms)
    constant = missed.pop((0,) * n, Fraction(0))
    return height * (sum((abs(c) for c in missed.values()), Fraction(0)) - constant)


def _levelled(polynomial: Coefficients, scales: list[Fraction]) -> tuple[Coefficients, Fraction]:
    """The polynomial in the scaled variables, divided by its largest coefficient, and this coefficient."""
    scaled: Coefficients = {}
    for exponents, c in polynomial.items():
        for scale, power in zip(scales, exponents, strict=True):
            c *= scale**power
        scaled[exponents] = c
    height = max((abs(c) for c in scaled.values()), default=Fraction(1))
    return {m: c / height for m, c in scaled.items()}, height


def _monomials(variables: int, top: int) -> list[Exponents]:
    found = []
    for total in range(top + 1):
        for chosen in combinations_with_replacement(range(variables), total):
            found.append(tuple(chosen.count(i) for i in range(variables)))
    return found


def _expanded(monomials: list[Exponents], gram: Floats) -> Coefficients:
    """m'G m exactly."""
    total: Coefficients = {}
    for i, m in enumerate(monomials):
        for j, k in enumerate(monomials[: i + 1]):
            exponents = tuple(a + b for a, b in zip(m, k, strict=True))
            term = Fraction(gram[i, j]) * (1 if i == j else 2)
            total[exponents] = total.get(exponents, Fraction(0)) + term
    return total


def _inside_cone(gram: Floats) -> Floats:
    """A nearby symmetric matrix that is proved to be positive definite."""
    n = len(gram)
    values, vectors = np.linalg.eigh((gram + gram.T) / 2)
    size = float(np.abs(gram).max(initial=0.0)) * n + 1e-6
    moved = (vectors * np.maximum(values, 2 * shift_for(size, n))) @ vectors.T
    moved = (moved + moved.T) / 2 + 2 * shift_for(size, n) * np.eye(n)
    if not all_positive_definite(moved, size):
        raise ArithmeticError("a Gram matrix could not be verified")
    return np.asarray(moved)


def _solve(
    polynomial: Coefficients,
    squares: list[tuple[Coefficients, list[Exponents]]],
    ideal: list[Coefficients],
    order: int,
) -> tuple[list[Floats], list[float]]:
    """The solver's matrices and multipliers; no promise about their quality."""
    from scipy import sparse

    n = len(squares[0][1][0])
    place = {m: i for i, m in enumerate(_monomials(n, 2 * order))}
    triangles = [Triangle(len(monomials)) for _, monomials in squares]
    width = 1 + sum(len(t) for t in triangles) + len(ideal)
    equations = np.zeros((len(place), width))
    equations[place[(0,) * n], 0] = -1.0
    column, cone_rows = 1, []
    for (g, monomials), triangle in zip(squares, triangles, strict=True):
        weighted = [(m, float(c)) for m, c in g.items()]
        for offset, (i, j) in enumerate(triangle.entries):
            pair = [a + b for a, b in zip(monomials[i], monomials[j], strict=True)]
            for m, c in weighted:
                target = place[tuple(a + b for a, b in zip(pair, m, strict=True))]
                equations[target, column + offset] += c * (1.0 if i == j else 2.0)
            cone_rows.append((column + offset, triangle.roots[offset]))
        column += len(triangle)
    for offset, h in enumerate(ideal):
        for m, coefficient in h.items():
            equations[place[m], column + offset] = float(coefficient)
    right = np.zeros(len(place))
    for m, coefficient in polynomial.items():
        right[place[m]] = -float(coefficient)
    cone_matrix = sparse.csc_matrix(
        ([-w for _, w in cone_rows], (range(len(cone_rows)), [c for c, _ in cone_rows])),
        (len(cone_rows), width),
    )
    # -bound + sum of squares = -q, coefficient by coefficient; the bound is made small.
    matrix = sparse.vstack([sparse.csc_matrix(equations), cone_matrix]).tocsc()
    constant = np.concatenate([right, np.zeros(len(cone_rows))])
    cost = np.zeros(width)
    cost[0] = 1.0
    orders = [triangle.order for triangle in triangles]
    found = solve(cost, matrix, constant, zero=len(place), semidefinite=orders, tolerance=1e-10)
    solution = np.nan_to_num(np.array(found.x), nan=0.0, posinf=0.0, neginf=0.0)
    grams, column = [], 1
    for triangle in triangles:
        grams.append(triangle.matrices(solution[column : column + len(triangle)]))
        column += len(triangle)
    return grams, [float(x) for x in solution[column:]]
