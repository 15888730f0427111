"""Products of matrices entry by entry, as they are written: the residual of a linear system, a weighted trace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import sympy as sp

from .as_written import power, product, total, weighted
from .derivation import Step

_MOST = 64  # products that differ, which a reader still follows; above, words stand for their sum


def solves(matrix: sp.Matrix, solution: sp.Matrix, right: sp.Matrix, reason: str, words: str) -> Step:
    """That matrix * solution - right has no entry but 0, as the sum of its squares; in `words` = 0 where that is long.

    >>> step = solves(sp.Matrix([[2]]), sp.Matrix([[3]]), sp.Matrix([[6]]), "2 * 3 is 6", "A*X - B")
    >>> step.left, step.right, step.shown
    ((-6 + 2*3)**2, 0, None)
    """
    entries, written, columns = Counter[sp.Expr](), 0, solution.T.tolist()
    for row, wanted in zip(matrix.tolist(), right.tolist(), strict=True):
        for column, known in zip(columns, wanted, strict=True):
            entry = _entry([*zip(row, column, strict=True)], known)
            if entry != 0:
                written += len(entry.args) * (entry not in entries)
                entries[entry] += 1
        if written > _MOST:
            left = (matrix * solution - right).applyfunc(sp.simplify)
            return Step(sp.Add(*(e**2 for e in left)), "=", sp.Integer(0), reason, shown=(words, "0"))
    squares = [weighted(times, power(e, 2)) for e, times in entries.items()]
    return Step(_sum(squares), "=", sp.Integer(0), reason)


def weighted_trace(weight: sp.Matrix, rows: sp.Matrix, solution: sp.Matrix) -> sp.Expr:
    """Tr(weight * rows * solution) as the sum of its products; equal ones stand once, with their number."""
    n, k = rows.shape
    used = [(i, j) for i in range(n) for j in range(n) if weight[i, j] != 0]
    triples = [(weight[i, j], rows[j, c], solution[c, i]) for i, j in used for c in range(k)]
    terms = Counter(_products(triples))
    if len(terms) > _MOST:
        return sp.Add(*(times * t.doit() for t, times in terms.items()))
    return _sum([weighted(times, t) for t, times in terms.items()])


def _entry(pairs: Sequence[tuple[sp.Expr, sp.Expr]], right: sp.Expr) -> sp.Expr:
    return _sum([*_products(pairs), *([-right] if right != 0 else [])])


def _products(several: Iterable[Sequence[sp.Expr]]) -> list[sp.Expr]:
    """Products without factors of 1; those with a factor 0 are left out."""
    found = []
    for factors in several:
        if all(f != 0 for f in factors):
            more = [f for f in factors if f != 1]
            found.append(product(*more) if more else sp.Integer(1))
    return found


def _sum(terms: Sequence[sp.Expr]) -> sp.Expr:
    return total(*terms) if terms else sp.Integer(0)
