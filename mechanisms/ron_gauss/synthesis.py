"""Normal vectors from a factored covariance, made in pieces: memory beyond the answer stays bounded."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...symbolic.arrays import Floats
from ..additive import whole

ROWS = 4096  # a piece of the numbers that are transformed at once stays in the cache


def normal_pieces(
    mean: Floats, factor: Floats, size: int, rng: np.random.Generator, rows: int = ROWS
) -> Iterator[Floats]:
    """`size` rows of N(mean, factor factor'), mean (q,) and factor (q, k), in arrays of at most `rows` rows."""
    size, rows = whole("size", size), whole("rows", rows)
    transposed = np.ascontiguousarray(factor.T)
    moved = bool(np.any(mean))
    for start in range(0, size, rows):
        piece = rng.standard_normal((min(rows, size - start), factor.shape[1])) @ transposed
        if moved:
            piece += mean
        yield piece


def normal_records(mean: Floats, factor: Floats, size: int, rng: np.random.Generator) -> Floats:
    """`size` rows (size, q) of N(mean, factor factor')."""
    out = np.empty((whole("size", size), len(mean)))
    start = 0
    for piece in normal_pieces(mean, factor, size, rng):
        out[start : start + len(piece)] = piece
        start += len(piece)
    return out
