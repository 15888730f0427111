"""Recovery of one record from a compressed table, by what the adversary knows: Phi, the other records, both or that entries are signs.

Zhou, Ligett, Wasserman (2009, section 1) say that recovering X is hard even if Phi is revealed: a highly underdetermined system.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from noiseproof.mechanisms.additive import whole
from noiseproof.mechanisms.learning.training_set import finite_matrix
from noiseproof.symbolic.arrays import Floats
from noiseproof.symbolic.errors import SpecError

Row = tuple[Fraction, ...]

_MOST_SIGNS = 24


def _fractions(matrix: ArrayLike) -> list[list[Fraction]]:
    return [[Fraction(x) for x in row] for row in np.asarray(matrix, dtype=object)]


def exact_product(phi: ArrayLike, table: ArrayLike) -> list[list[Fraction]]:
    """Phi X in exact rational arithmetic: (m, n) times (n, p)."""
    a, b = _fractions(phi), _fractions(table)
    return [
        [
            sum((x * y for x, y in zip(row, column, strict=True)), Fraction(0))
            for column in zip(*b, strict=True)
        ]
        for row in a
    ]


def recovered_row(output: ArrayLike, phi: ArrayLike, rest: ArrayLike, row: int) -> Row:
    """The record at `row`, exactly, from the output (m, p), Phi (m, n) and the other n - 1 records (n - 1, p).

    output - Phi_rest rest = phi_row x': one number divided by one number for each entry.  Holds for every m >= 1.
    """
    a, x, out = _fractions(phi), _fractions(rest), _fractions(output)
    if len(a[0]) != len(x) + 1 or not 0 <= row < len(a[0]):
        raise SpecError(
            f"Phi has {len(a[0])} columns: {len(a[0]) - 1} other records are needed, got {len(x)}; row {row!r}"
        )
    used = max(range(len(a)), key=lambda j: abs(a[j][row]))
    own = a[used][row]
    if own == 0:
        raise SpecError(f"Phi gives record {row} no weight: it cannot be recovered")
    others = a[used][:row] + a[used][row + 1 :]
    return tuple(
        (out[used][k] - sum((w * r[k] for w, r in zip(others, x, strict=True)), Fraction(0))) / own
        for k in range(len(x[0]))
    )


def alternative_table(phi: ArrayLike, table: ArrayLike, row: int, change: ArrayLike) -> Floats | None:
    """Another table (n, p) with the same Phi X, up to rounding, whose record at `row` is moved by `change` (p,); None if there is none.

    With m < n equations for n unknowns in each column, the output and Phi alone do not fix a record of real numbers.
    """
    a, x = finite_matrix("phi", phi), finite_matrix("table", table)
    unit = np.eye(len(x))[row]
    direction = unit - np.linalg.pinv(a) @ (a @ unit)
    if direction[row] <= 1e-9:
        return None
    return np.asarray(x + np.outer(direction / direction[row], np.asarray(change, dtype=float)))


def signs_from_one_row(weights: ArrayLike, value: float, tolerance: float = 1e-9) -> list[Floats]:
    """All vectors of n <= 24 signs with weights'x = value up to `tolerance`: both halves enumerated and matched.

    For continuous weights almost surely one remains: Phi and one compressed row fix a whole column of a table of signs.
    """
    w = np.asarray(weights, dtype=float)
    if w.ndim != 1 or not 2 <= len(w) <= _MOST_SIGNS:
        raise SpecError(f"weights must be a vector of 2 to {_MOST_SIGNS} numbers, got shape {w.shape}")
    half = len(w) // 2
    left, right = _all_signs(half), _all_signs(len(w) - half)
    sums = right @ w[half:]
    order = np.argsort(sums)
    wanted = value - left @ w[:half]
    low = np.searchsorted(sums[order], wanted - tolerance)
    high = np.searchsorted(sums[order], wanted + tolerance)
    return [
        np.concatenate([left[i], right[j]])
        for i in np.flatnonzero(high > low)
        for j in order[low[i] : high[i]]
    ]


def _all_signs(count: int) -> Floats:
    bits = (np.arange(2**count)[:, None] >> np.arange(count)) & 1
    return np.asarray(2.0 * bits - 1.0)


@dataclass(frozen=True, eq=False)
class RowEstimate:
    """An estimate of x x' (p, p) of one record, unbiased before truncation, its standard deviations (p, p), and x up to sign."""

    product: Floats
    deviation: Floats
    row: Floats


def estimated_row(output: ArrayLike, rest: ArrayLike) -> RowEstimate:
    """x x' = n S - rest' rest, without Phi, by an adversary who knows the other n - 1 records (n - 1, p).

    n S is Wishart: an entry's standard deviation is n sqrt((Sigma_jj Sigma_kk + Sigma_jk^2)/m), here at Sigma = S.  A record is seen where
    its squares are well above n/sqrt(m) times those of a typical one: never in an ordinary table, for an outlier always.
    """
    out, known = finite_matrix("output", output), finite_matrix("rest", rest)
    n, m = len(known) + 1, whole("m", len(out))
    s = out.T @ out / m
    product = n * s - known.T @ known
    deviation = n * np.sqrt((np.outer(np.diag(s), np.diag(s)) + s**2) / m)
    values, vectors = np.linalg.eigh(product)
    return RowEstimate(product, deviation, np.sqrt(max(values[-1], 0.0)) * vectors[:, -1])
