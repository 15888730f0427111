"""Neighbours that no constraint holds together, and what normalising by the data does to neighbours: explicit tables.

Zhou, Ligett, Wasserman (2009), appendix D: no differential privacy without a constraint on the tables; equation (4): columns are scaled
to squared length n, "as the first step".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from noiseproof.audit.studies.compression.log_ratio import PairAlpha, pair_alpha
from noiseproof.mechanisms.additive import positive, whole
from noiseproof.mechanisms.compression import (
    Compression,
    ReferenceCovariance,
    normalised_columns,
    second_moments,
)
from noiseproof.symbolic.arrays import Floats
from noiseproof.symbolic.errors import SpecError


def shrinking_neighbours(n: int, t: float) -> tuple[Floats, Floats]:
    """Two tables (n, 2) that differ in one record: X'X/n is the identity, and diag(1, t^2).

    Only the last record has a second entry: sqrt(n), or t sqrt(n).
    """
    whole("n", n, least=2)
    positive("t", t, "")
    first = np.zeros((n, 2))
    first[0, 0] = np.sqrt(n)
    first[-1, 1] = np.sqrt(n)
    second = first.copy()
    second[-1, 1] *= t
    return first, second


def unconstrained_alpha(m: int, n: int, t: float, delta_max: float = 1.0) -> PairAlpha:
    """The exact alpha of `shrinking_neighbours` around the identity: no constraint on how near to singular a table may be.

    It grows like 1/t^2 as t -> 0, so that no alpha holds for all neighbours; `delta_max` must be at least 1 - t^2.
    """
    first, second = ((s + s.T) / 2 for s in map(second_moments, shrinking_neighbours(n, t)))
    return pair_alpha(Compression(m, ReferenceCovariance(np.eye(2), delta_max)), first, second, n)


def singular_binary_neighbours(n: int) -> tuple[Floats, Floats]:
    """Two tables of signs (n, 2) that differ in one sign: in the second both columns are the same.

    Phi X then has two equal columns with certainty, in the first one with probability zero: no alpha holds in the binary game
    without a lower bound of the eigenvalues.
    """
    whole("n", n, least=2)
    second = np.ones((n, 2))
    first = second.copy()
    first[-1, 1] = -1
    return first, second


def tells_singular(output: Floats) -> bool:
    """The event that separates `singular_binary_neighbours`: the two columns of the output are equal."""
    return bool(np.all(output[:, 0] == output[:, 1]))


@dataclass(frozen=True)
class NormalisationEffect:
    """How far two neighbours are apart, entrywise in second moments, before and after normalising, and in how many records."""

    before: float
    after: float
    records_before: int
    records_after: int


def normalisation_effect(first: Floats, second: Floats) -> NormalisationEffect:
    """What data-dependent normalisation makes of two tables (n, p)."""
    if first.shape != second.shape:
        raise SpecError(f"the tables must have one shape, got {first.shape} and {second.shape}")
    a, b = normalised_columns(first), normalised_columns(second)

    def apart(x: Floats, y: Floats) -> float:
        return float(np.abs(second_moments(x) - second_moments(y)).max())

    def moved(x: Floats, y: Floats) -> int:
        return int((x != y).any(axis=1).sum())

    return NormalisationEffect(apart(first, second), apart(a, b), moved(first, second), moved(a, b))


def faint_column_neighbours(n: int, size: float) -> tuple[Floats, Floats]:
    """Neighbours (n, 2) that differ in one entry: orthogonal columns, the second of entries +-size, then one entry as of the first.

    n is a multiple of 4.  Before normalising the second moments differ by about 1/n, the faint column's squares
    being n size^2; with size^2 << 1/n the second column is all but the one record afterwards.
    """
    if whole("n", n, least=4) % 4:
        raise SpecError(f"n must be a multiple of 4, so that the columns are orthogonal, got {n}")
    sign = np.tile([1.0, -1.0], n // 2)
    first = np.column_stack([sign, np.tile([size, size, -size, -size], n // 4)])
    second = first.copy()
    second[-1, 1] = second[-1, 0]
    return first, second


def refusal_leak(compression: Compression, first: Floats, second: Floats) -> bool:
    """Whether being refused alone tells the two tables apart with certainty: one is compressed, the other raises ValueError."""

    def taken(table: Floats) -> bool:
        try:
            compression.table(table)
        except ValueError:
            return False
        return True

    return taken(first) != taken(second)
