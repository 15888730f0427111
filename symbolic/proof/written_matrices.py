"""Products of matrices entry by entry, as they are written: the residual of a linear system, a weighted trace."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import sympy as sp

from .as_written import Written, power, product, total

_MOST = 64  # products that a reader still follows; above, their sum is carried out


def residual(matrix: sp.Matrix, solution: sp.Matrix, right: sp.Matrix) -> sp.Expr:
    """The sum of the squares of the entries of matrix * solution - right: 0 if and only if the system is solved.

    >>> residual(sp.Matrix([[2]]), sp.Matrix([[3]]), sp.Matrix([[6]]))
    (-6 + 2*3)**2
    """
    if len(matrix) * solution.cols > _MOST:
        left = (matrix * solution - right).applyfunc(sp.simplify)
        return sp.Add(*(e**2 for e in left))
    squares = []
    for i in range(right.rows):
        for j in range(right.cols):
            terms = _products(zip(matrix.row(i), solution.col(j), strict=True))
            squares.append(power(_sum([*terms, *([-right[i, j]] if right[i, j] != 0 else [])]), 2))
    return _sum(squares)


def weighted_trace(weight: sp.Matrix, rows: sp.Matrix, solution: sp.Matrix, offset: sp.Matrix) -> sp.Expr:
    """Tr(weight * rows * solution) + offset' weight offset, as the sum of its products."""
    n, k = rows.shape
    used = [(i, j) for i in range(n) for j in range(n) if weight[i, j] != 0]
    triples: list[tuple[sp.Expr, ...]] = [
        (weight[i, j], rows[j, c], solution[c, i]) for i, j in used for c in range(k)
    ]
    triples += [(weight[i, j], offset[i], offset[j]) for i, j in used]
    terms = _products(triples)
    return _sum(terms) if len(terms) <= _MOST else sp.Add(*(t.doit() for t in terms))


def _products(several: Iterable[Sequence[sp.Expr]]) -> list[sp.Expr]:
    """Products without factors of 1; those with a factor 0 are left out."""
    found = []
    for factors in several:
        if all(f != 0 for f in factors):
            more = [f for f in factors if f != 1]
            found.append(product(*more) if more else sp.Integer(1))
    return found


def _sum(terms: Sequence[Written]) -> sp.Expr:
    return total(*terms) if terms else sp.Integer(0)
