"""Inverses, roots and least eigenvalues of exact symmetric matrices, in balls that certainly contain them."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from flint import arb, arb_mat, ctx, fmpq, fmpq_mat

from ..arrays import Floats
from .exact_matrices import identity_of
from .truth import Truth

BITS = 448
_TRIED = (256, 1024, 4096)  # bits, until no pivot is in doubt
_DIGITS = 30
_SQUARINGS = 60  # eigenvalues that differ by a part in 2^60 are told apart
_GAPS = (25, 16, 13, 11, 9, 6, 3, 1)  # digits to which a least eigenvalue may be known
_NEWTON = 60


def short(number: arb, side: Literal["below", "above"]) -> fmpq:
    """A number of thirty digits below, or above, every number of a finite ball."""
    with ctx.workprec(BITS):
        mantissa, exponent = (number.lower() if side == "below" else number.upper()).man_exp()
    exact = fmpq(mantissa) * fmpq(2) ** int(exponent)
    if exact == 0:
        return exact
    size = math.floor((abs(int(mantissa)).bit_length() + int(exponent)) * math.log10(2))
    scale = fmpq(10) ** (_DIGITS - size)
    return fmpq((exact * scale).floor() if side == "below" else (exact * scale).ceil()) / scale


def definite(matrix: fmpq_mat, less: fmpq | int = 0) -> Truth:
    """Whether S - less I is positive definite: elimination in ball arithmetic, UNKNOWN if a pivot stays in doubt."""
    for bits in _TRIED:
        answer = _pivots(matrix, less, bits)
        if answer is not Truth.UNKNOWN:
            return answer
    return Truth.UNKNOWN


def _pivots(matrix: fmpq_mat, less: fmpq | int, bits: int) -> Truth:
    with ctx.workprec(bits):
        rows = [[arb(x) for x in row] for row in matrix.tolist()]
        for i, row in enumerate(rows):
            row[i] -= arb(less)
        for i, row in enumerate(rows):
            if not row[i] > 0:
                return Truth.FAILS if row[i] < 0 else Truth.UNKNOWN
            for j in range(i + 1, len(rows)):
                factor = row[j] / row[i]
                if not factor.is_zero():
                    # Symmetric: the upper triangle says it all.
                    rows[j][j:] = [a - factor * b for a, b in zip(rows[j][j:], row[j:], strict=True)]
        return Truth.HOLDS


def least_eigenvalue(matrix: fmpq_mat) -> tuple[fmpq, fmpq]:
    """Numbers below (0 if none was shown) and above the least eigenvalue of a positive definite matrix."""
    with ctx.workprec(BITS):
        # Powers of the inverse turn every column towards the eigenvector; its Rayleigh quotient is exact.
        power = _scaled(inverse(matrix))
        for _ in range(_SQUARINGS):
            before, power = power, _scaled(power * power)
            if _length(power - before) < arb(2) ** (-BITS // 3):
                break
        columns = power.transpose().tolist()
        column = max(columns, key=lambda c: float(sum((x * x for x in c), arb(0)) / power.trace() ** 2))
        longest = max((abs(x) for x in column), key=lambda x: float(x / power.trace()))
        vector = fmpq_mat(len(column), 1, [_exactly(x / longest) for x in column])
        quotient = (vector.transpose() * (matrix * vector))[0, 0] / (vector.transpose() * vector)[0, 0]
        high = short(arb(quotient), "above")
    near = (high * (1 - fmpq(1, 10**digits)) for digits in _GAPS)
    far = (high / 2**halvings for halvings in range(1, 64))
    lows = (low for low in (*near, *far) if definite(matrix, low) is Truth.HOLDS)
    return next(lows, fmpq(0)), high


def _scaled(matrix: arb_mat) -> arb_mat:
    return (matrix.mid() * (1 / matrix.trace().mid())).mid()


def inverse(matrix: fmpq_mat | arb_mat) -> arb_mat:
    """Balls around the entries of the inverse; ValueError if it is not certain that there is one."""
    for bits in (BITS, 4 * BITS):
        try:
            with ctx.workprec(bits):
                return arb_mat(matrix).inv()
        except ZeroDivisionError:
            continue
    raise ValueError("this matrix could not be inverted with certainty: scale its entries alike")


def root(matrix: fmpq_mat) -> arb_mat:
    """Balls around the entries of the positive definite R with R R = S, S positive definite.

    For a symmetric positive definite X near R, E = R - X solves E R + X E = S - X X, so that
    |E|_F <= |S - X X|_F / (least eigenvalue of X); the latter is at least 1/|X^{-1}|_F.
    """
    for bits in (BITS, 4 * BITS):
        with ctx.workprec(bits):
            exact = middle(_near_root(arb_mat(matrix), bits))
            if definite(exact) is not Truth.HOLDS:
                continue
            x = arb_mat(exact)
            away = _length(arb_mat(matrix) - x * x) * _length(x.inv())
            if away * _length(x.inv()) < arb(2) ** -64:
                width = arb(0, away.upper())
                return arb_mat([[y + width for y in row] for row in x.tolist()])
    raise ValueError(
        "the root of this matrix could not be enclosed: it is nearly singular, scale its entries alike"
    )


def _near_root(s: arb_mat, bits: int) -> arb_mat:
    """Scaled Newton steps (Denman, Beavers 1976; Higham 2008, algorithm 6.13) on midpoints: no more than a good guess."""
    n = s.nrows()
    x, y = s.mid(), arb_mat(identity_of(n))
    away = 1.0
    for _ in range(_NEWTON):
        scale = abs((x.det() * y.det()).mid()) ** (-arb(1) / (2 * n)) if away > 0.01 else arb(1)
        x, y, before = (
            ((x * scale + y.inv().mid() * (1 / scale)) * arb("0.5")).mid(),
            ((y * scale + x.inv().mid() * (1 / scale)) * arb("0.5")).mid(),
            x,
        )
        away = float(_length(x - before) / _length(x))
        if away < 2.0 ** (-bits // 3):
            break
    return x


def middle(matrix: arb_mat) -> fmpq_mat:
    """The midpoints of a symmetric matrix, exactly."""
    rows = matrix.tolist()
    return fmpq_mat(
        [[_exactly(rows[max(i, j)][min(i, j)]) for j in range(len(rows))] for i in range(len(rows))]
    )


def _exactly(number: arb) -> fmpq:
    mantissa, exponent = number.mid().man_exp()
    return fmpq(mantissa) * fmpq(2) ** int(exponent)


def _length(matrix: arb_mat) -> arb:
    """A number at least the Frobenius norm."""
    return sum((x.abs_upper() * x.abs_upper() for x in matrix.entries()), arb(0)).upper().sqrt()


def trace_of(first: arb_mat, second: arb_mat) -> arb:
    """A ball around tr(A B), A and B symmetric."""
    with ctx.workprec(BITS):
        return sum((x * y for x, y in zip(first.entries(), second.entries(), strict=True)), arb(0))


def form(matrix: arb_mat, vector: list[fmpq]) -> arb:
    """A ball around v' A v."""
    with ctx.workprec(BITS):
        column = arb_mat(len(vector), 1, [arb(x) for x in vector])
        return (column.transpose() * matrix * column)[0, 0]


def nearest_floats(matrix: arb_mat) -> Floats:
    """The midpoints, rounded once."""
    return np.array([[float(x.mid()) for x in row] for row in matrix.tolist()])


def triangular_factor(matrix: fmpq_mat) -> Floats:
    """The lower triangular L with L L' = S, rounded once: the quietest directions are not lost as in floating point."""
    with ctx.workprec(BITS):
        rows = arb_mat(matrix).tolist()
        n = len(rows)
        out = [[arb(0)] * n for _ in range(n)]
        for j in range(n):
            pivot = (rows[j][j] - sum((x * x for x in out[j][:j]), arb(0))).sqrt()
            if not pivot > 0:
                raise ValueError("expected a positive definite matrix")
            out[j][j] = pivot
            for i in range(j + 1, n):
                inner = sum((a * b for a, b in zip(out[i][:j], out[j][:j], strict=True)), arb(0))
                out[i][j] = (rows[i][j] - inner) / pivot
        return np.array([[float(x.mid()) for x in row] for row in out])
