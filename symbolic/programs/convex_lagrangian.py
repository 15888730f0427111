"""Whether a Lagrangian is convex where its variables may be: by its Hessian, or in the logarithms of positive variables."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import sympy as sp
from flint import fmpq_mat

from ..proof.exact_matrices import is_semidefinite
from ..proof.exact_numbers import quotient
from ..proof.truth import Truth, all_hold
from .judge import Judge

Ranges = Mapping[sp.Symbol, tuple[sp.Expr, sp.Expr]]
_LARGEST = 4


def placed(ranges: Ranges) -> dict[sp.Symbol, sp.Expr]:
    """Each variable as a formula of a symbol that may be any positive, or any real number: it then fills its interval."""
    moved = {}
    for v, (low, high) in ranges.items():
        u = sp.Dummy(v.name, positive=True)
        if low.is_finite and high.is_finite:
            moved[v] = (low + high * u) / (1 + u)
        elif low.is_finite:
            moved[v] = low + u
        elif high.is_finite:
            moved[v] = high - u
        else:
            moved[v] = sp.Dummy(v.name, real=True)
    return moved


def convex(e: sp.Expr, variables: Sequence[sp.Symbol], ranges: Ranges, judge: Judge) -> Truth:
    """HOLDS only if the Hessian is proved positive semidefinite in the interior of the box; never says FAILS of a set it does not know."""
    hessian = sp.hessian(e, list(variables))
    answers = []
    for block in blocks(hessian):
        answers.append(_block(hessian.extract(block, block), ranges, judge))
        if answers[-1] is not Truth.HOLDS:
            return answers[-1]
    return all_hold(answers)


def blocks(matrix: sp.MatrixBase) -> list[list[int]]:
    """The rows that hang together, without those that are all zero."""
    left = [i for i in range(matrix.rows) if any(matrix[i, j] != 0 for j in range(matrix.rows))]
    found = []
    while left:
        reached, waiting = set[int](), [left[0]]
        while waiting:
            i = waiting.pop()
            if i not in reached:
                reached.add(i)
                waiting += [j for j in left if matrix[i, j] != 0]
        found.append(sorted(reached))
        left = [i for i in left if i not in reached]
    return found


def _block(block: sp.MatrixBase, ranges: Ranges, judge: Judge) -> Truth:
    if all(x.is_Rational for x in block):
        exact = fmpq_mat([[quotient(x) for x in row] for row in block.tolist()])
        return Truth.HOLDS if is_semidefinite(exact) else Truth.FAILS
    if block.rows > _LARGEST:
        return Truth.UNKNOWN
    moved = placed({v: r for v, r in ranges.items() if v in block.free_symbols})
    for size in range(1, block.rows + 1):
        for rows in itertools.combinations(range(block.rows), size):
            minor = sp.factor(block.extract(rows, rows).det(method="berkowitz"))
            answer = judge.at_least_zero(minor.subs(moved, simultaneous=True))
            if answer is not Truth.HOLDS:
                return answer
    return Truth.HOLDS


def convex_in_logarithms(e: sp.Expr, variables: Sequence[sp.Symbol], judge: Judge) -> Truth:
    """Whether it is a sum of monomials with coefficients that are not negative, constants and multiples of logarithms.

    Such a posynomial is a convex function of the logarithms of positive variables (Boyd and Vandenberghe 2004, 4.5.3).
    """
    positive = {v: sp.Dummy(v.name, positive=True) for v in variables}
    answers = [Truth.HOLDS]
    for term in sp.Add.make_args(sp.expand_log(sp.expand(e.subs(positive)))):
        factor, rest = term.as_independent(*positive.values(), as_Add=False)
        if rest == 1 or (isinstance(rest, sp.log) and rest.args[0] in positive.values()):
            continue
        if not all(_power(f, set(positive.values())) for f in sp.Mul.make_args(rest)):
            return Truth.UNKNOWN
        answers.append(judge.at_least_zero(factor))
    return all_hold(answers)


def _power(e: sp.Expr, variables: set[sp.Symbol]) -> bool:
    base, exponent = e.as_base_exp()
    return base in variables and not exponent.free_symbols & variables
