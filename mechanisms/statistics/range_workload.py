"""Which sums of neighbouring cells of one ordered axis are wanted: all cells, all prefixes, all ranges, or a list of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...symbolic.arrays import Ints
from ...symbolic.errors import SpecError, nearest_name

NAMED = ("cells", "prefixes", "ranges")


@dataclass(frozen=True)
class RangeWorkload:
    """Ranges start <= cell < stop of `n` cells, each of the same weight; `pairs` is empty where all of a kind are wanted."""

    n: int
    kind: str
    pairs: tuple[tuple[int, int], ...] = ()

    @property
    def count(self) -> int:
        """How many ranges are wanted."""
        n = self.n
        return {"cells": n, "prefixes": n, "ranges": n * (n + 1) // 2}.get(self.kind, len(self.pairs))

    def overlaps(self, start: int, stop: int) -> int:
        """The sum over the wanted ranges of the square of how many cells they share with start <= cell < stop: exact."""
        stop = min(stop, self.n)
        size = stop - start
        if size <= 0:
            return 0
        if self.kind == "cells":
            return size
        squares = size * (size - 1) * (2 * size - 1) // 6  # of 1, ..., size - 1
        if self.kind == "prefixes":
            return squares + (self.n - stop + 1) * size**2
        if self.kind == "ranges":
            left, right = start + 1, self.n - stop + 1
            inner = size - 2
            within = (inner + 1) * inner * (inner + 1) * (2 * inner + 1) // 6 - (
                inner * (inner + 1) // 2
            ) ** 2
            return left * right * size**2 + (left + right) * squares + max(within, 0)
        return sum(max(0, min(b, stop) - max(a, start)) ** 2 for a, b in self.pairs)

    def gram(self) -> Ints:
        """How many of the wanted ranges contain both of two cells, shape (n, n)."""
        i = np.arange(self.n)
        low, high = np.minimum.outer(i, i), np.maximum.outer(i, i)
        if self.kind == "cells":
            return np.eye(self.n, dtype=np.int64)
        if self.kind == "prefixes":
            return np.asarray(self.n - high, dtype=np.int64)
        if self.kind == "ranges":
            return np.asarray((low + 1) * (self.n - high), dtype=np.int64)
        starts, stops = (np.array(side)[:, None] for side in zip(*self.pairs, strict=True))
        inside = ((starts <= i) & (i < stops)).astype(np.int64)
        return np.asarray(inside.T @ inside, dtype=np.int64)

    def said(self) -> str:
        """In words."""
        if self.kind in NAMED:
            return f"all {self.count:,} {self.kind} of {self.n:,} cells"
        return f"{self.count:,} ranges of {self.n:,} cells"


def range_workload(n: int, wanted: Any) -> RangeWorkload:
    """The workload "cells", "prefixes", "ranges", or pairs (start, stop); SpecError for what is none."""
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise SpecError(f"n must be the whole number of cells, at least 1, got {n!r}")
    if isinstance(wanted, RangeWorkload):
        return wanted
    if isinstance(wanted, str):
        if wanted not in NAMED:
            raise SpecError(f"workload: {nearest_name(wanted, NAMED)}, or pairs (start, stop)")
        return RangeWorkload(n, wanted)
    if not isinstance(wanted, Iterable):
        raise SpecError(f"workload must be one of {', '.join(NAMED)}, or pairs (start, stop), got {wanted!r}")
    pairs = tuple(_pair(pair, n) for pair in wanted)
    if not pairs:
        raise SpecError("workload is empty: list the ranges that are wanted, such as [(0, 10), (10, 20)]")
    return RangeWorkload(n, "pairs", pairs)


def _pair(pair: Any, n: int) -> tuple[int, int]:
    if not isinstance(pair, Sequence) or len(pair) != 2 or not all(isinstance(x, int) for x in pair):
        raise SpecError(f"workload: a range is a pair (start, stop) of whole numbers, got {pair!r}")
    start, stop = pair
    if not 0 <= start < stop <= n:
        raise SpecError(f"workload: a range has 0 <= start < stop <= {n}, got {pair!r}")
    return start, stop
