"""The Hessian of a formula, positive semidefinite on a region: exact elimination block by block, or signs of minors."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import sympy as sp

from ..proof.defined import NEEDS, needs
from ..proof.derivation import Step
from ..proof.exact_matrices import is_semidefinite, matrix_of
from ..proof.truth import Truth
from .lifting import KINKED
from .region import Region

_LARGEST = 6


def hessian_steps(e: sp.Expr, region: Region) -> tuple[Step, ...] | None:
    """The minors that are shown not to be negative, which proves convexity on the region; None where that is not known."""
    own = tuple(v for v in region.variables if e.has(v))
    if e.has(*KINKED):
        return None
    plain = sp.hessian(e, own)
    if not all(need in NEEDS and region.known(term, need) for entry in plain for term, need in needs(entry)):
        return None  # a kink may hide where the second derivative is not defined
    matrix = plain.applyfunc(
        lambda entry: sp.simplify(entry) if entry.count_ops() < 60 else sp.factor_terms(entry)
    )
    steps: list[Step] = []
    for block in _blocks(matrix):
        found = _block_steps(block, region)
        if found is None:
            return None
        steps += found
    return tuple(steps)


def _blocks(matrix: sp.Matrix) -> Iterator[sp.Matrix]:
    """The matrices of the indices that hang together by entries that do not vanish."""
    left = list(range(matrix.rows))
    while left:
        block = [left.pop(0)]
        for i in block:
            near = [j for j in left if matrix[i, j] != 0]
            block += near
            left = [j for j in left if j not in near]
        yield matrix.extract(sorted(block), sorted(block))


def _block_steps(matrix: sp.Matrix, region: Region) -> list[Step] | None:
    if all(entry.is_Rational for entry in matrix):
        return [_exact_step(matrix)] if is_semidefinite(matrix_of(matrix.tolist())) else None
    if matrix.rows > _LARGEST:
        return None
    leading = _signed((tuple(range(k + 1)) for k in range(matrix.rows)), matrix, "positive", region)
    if leading is not None:
        return leading
    everything = (c for k in range(matrix.rows) for c in combinations(range(matrix.rows), k + 1))
    return _signed(everything, matrix, "nonnegative", region)


def _exact_step(matrix: sp.Matrix) -> Step:
    def decided(left: sp.MatrixBase, right: sp.MatrixBase) -> Truth:
        return Truth.HOLDS if is_semidefinite(matrix_of((left - right).tolist())) else Truth.FAILS

    zero = sp.ImmutableMatrix.zeros(matrix.rows, matrix.rows)
    return Step(
        sp.ImmutableMatrix(matrix),
        ">=",
        zero,
        "the Hessian is positive semidefinite: exact elimination",
        decided,
    )


def _signed(
    choices: Iterator[tuple[int, ...]], matrix: sp.Matrix, need: str, region: Region
) -> list[Step] | None:
    """A step for each minor; the leading ones above zero, or all principal ones not below, show semidefiniteness (Sylvester)."""
    steps = []
    for chosen in choices:
        minor = sp.factor(matrix.extract(list(chosen), list(chosen)).det(method="berkowitz"))
        if not region.known(minor, need):
            return None
        steps.append(_sign_step(minor, need, region))
    return steps


def _sign_step(minor: sp.Expr, need: str, region: Region) -> Step:
    def decided(left: sp.Expr, right: sp.Expr) -> Truth:
        return Truth.HOLDS if region.known(left - right, need) else Truth.UNKNOWN

    where = region.said()
    reason = "a minor of the Hessian" + (f", where {where}" if where else "")
    return Step(minor, ">" if need == "positive" else ">=", sp.Integer(0), reason, decided)
