"""Compression of tables larger than memory: one pass over blocks of records, whose sums of products say all."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from ...symbolic.arrays import Floats
from ..learning.training_set import finite_matrix
from .columns import scale_factors
from .compression import Compression


class MomentStream:
    """n and the sum of x x' over records that come in blocks (rows, p); memory is one p x p matrix."""

    def __init__(self) -> None:
        self.size = 0
        self.products: Floats | None = None

    def add(self, block: Floats) -> None:
        """Takes one more block; ValueError for NaN or another number of columns."""
        x = finite_matrix("block", block)
        if self.products is None:
            self.products = np.zeros((x.shape[1],) * 2)
        if x.shape[1] != len(self.products):
            raise ValueError(
                f"block after record {self.size} has {x.shape[1]} columns, the ones before {len(self.products)}"
            )
        self.products += x.T @ x
        self.size += len(x)

    def second_moments(self, normalise: bool = False) -> Floats:
        """X'X/n, after scaling all columns to squared length n if `normalise`."""
        if self.products is None:
            raise ValueError("no block came: there is nothing to compress")
        sigma = self.products / self.size
        if normalise:
            factors = scale_factors(np.diag(self.products), self.size)
            sigma = sigma * factors[:, None] * factors
        return np.asarray(sigma)


def compress_stream(
    blocks: Iterable[Floats],
    compression: Compression,
    rng: np.random.Generator,
    progress: Callable[[int], None] | None = None,
) -> Floats:
    """One accepted output (m, p), drawn from the law of Phi X, after one pass over the blocks.

    A rejected draw needs no second pass, and no Phi of n columns is drawn: given X'X/n the law of the output is known.
    Raises ValueError for blocks of different widths, p > n, m > n, singular second moments or a table outside the protected set.
    """
    moments = MomentStream()
    for block in blocks:
        moments.add(block)
        if progress is not None:
            progress(moments.size)
    sigma = moments.second_moments(compression.normalise)
    compression.require_moments(sigma, moments.size)
    return np.asarray(compression.sample_moments(sigma, moments.size, 1, rng)[0])
