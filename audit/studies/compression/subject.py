"""A compression of two given tables as a subject of an audit, and what plain sampling can tell about it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ....mechanisms.black_box import BlackBox
from ....mechanisms.compression import Compression, second_moments
from ....symbolic.arrays import Floats
from ....symbolic.errors import SpecError


def compression_subject(compression: Compression, first: ArrayLike, second: ArrayLike) -> BlackBox:
    """Outcomes are accepted outputs as vectors of m p numbers; the log density is that of Compression.log_density.

    The inputs are the numbers 0 and 1 of the two tables (n, p); the densities leave out the normaliser, which moves no event and
    the log ratio by a constant.  Raises ValueError for unusable tables, or tables of different shapes, before any draw.
    """
    tables = [compression.table(x) for x in (first, second)]
    if tables[0].shape != tables[1].shape:
        raise SpecError(f"the two tables must have one shape, got {tables[0].shape} and {tables[1].shape}")
    n, p = tables[0].shape
    moments = [second_moments(x) for x in tables]

    def release(index: int, size: int, rng: np.random.Generator) -> Floats:
        return compression.sample_moments(moments[index], n, size, rng).reshape(size, compression.rows * p)

    def log_density(y: Floats, index: int) -> Floats:
        return compression.log_density(
            np.asarray(y, dtype=float).reshape(-1, compression.rows, p), moments[index], n
        )

    return BlackBox(release, (0, 1), log_density, name="compression of two tables")


def expected_loss(compression: Compression, first: ArrayLike, second: ArrayLike) -> tuple[float, float]:
    """Kullback-Leibler divergences of the untruncated outputs, 1 from 2 and 2 from 1: what one output tells on average.

    m/2 (tr(Sigma_2^-1 Sigma_1) - p - ln |Sigma_1|/|Sigma_2|): m A/2 in the notation of theorem 4.6.
    """
    a, b = (second_moments(compression.table(x)) for x in (first, second))
    m, level = compression.rows, float(np.linalg.slogdet(b)[1] - np.linalg.slogdet(a)[1])
    return (
        m / 2 * (float(np.trace(np.linalg.solve(b, a))) - len(a) + level),
        m / 2 * (float(np.trace(np.linalg.solve(a, b))) - len(a) - level),
    )
