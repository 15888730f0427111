"""In which of many intervals each of many numbers lies: exactly, and without a search where that can be helped."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import ceil

import numpy as np
from numpy.typing import NDArray

from ...symbolic.arrays import Floats

Places = NDArray[np.int64]
_TABLE = 1 << 16  # whole numbers whose intervals are kept
_EXACT = 1 << 53
_FEW = 8  # edges that a search goes through as fast


@dataclass(frozen=True, eq=False)
class Intervals:
    """[e0, e1), [e1, e2), ..., between ascending `edges`; what lies beyond them belongs to the first and the last one."""

    edges: Floats

    def of(self, values: Floats | Places) -> Places:
        """The interval of each value, shape (n,); of NaN any one."""
        if len(self.edges) == 2:
            return np.zeros(len(values), dtype=np.int64)
        if values.dtype.kind == "f":
            found = np.asarray(values, dtype=float)
            return self._searched(found) if len(self._inner) <= _FEW else self._guessed(found)
        first, table = self._whole
        if not len(table):
            return self._searched(values)
        return np.asarray(table[np.clip(values, first, first + len(table) - 1) - first])

    @property
    def _inner(self) -> Floats:
        return self.edges[1:-1]

    def _searched(self, values: Floats | Places) -> Places:
        return np.searchsorted(self._inner, values, side="right").astype(np.int64)

    def _guessed(self, values: Floats) -> Places:
        """The interval that it would be if all were equally wide; where that is wrong, a search."""
        edges, last = self.edges, len(self.edges) - 2
        width = (edges[-1] - edges[0]) / (last + 1)
        known = np.nan_to_num(values, nan=edges[0])
        guess = np.clip((np.clip(known, edges[0], edges[-1]) - edges[0]) / width, 0, last).astype(np.int64)
        wrong = ((known < edges[guess]) & (guess > 0)) | ((known >= edges[guess + 1]) & (guess < last))
        if wrong.any():
            guess[wrong] = self._searched(known[wrong])
        return np.asarray(guess)

    @cached_property
    def _whole(self) -> tuple[int, Places]:
        """The intervals of the whole numbers first, first + 1, ... where they change; no table where that is long.

        None beyond 2^53 either: there a batch with a missing value has doubles, and no record may count by what others hold.
        """
        # A whole number is no less than an edge if it is no less than the next whole number.
        first, last = ceil(self._inner[0]) - 1, ceil(self._inner[-1])
        if last - first >= _TABLE or max(abs(first), abs(last)) >= _EXACT:
            return first, np.empty(0, dtype=np.int64)
        return first, self._searched(np.arange(first, last + 1, dtype=np.int64))


def edge_labels(edges: tuple[float, ...]) -> tuple[str, ...]:
    """Each edge in so few digits as tell them apart."""
    said = [f"{v:.12g}" for v in edges]
    return tuple(said) if len(set(said)) == len(said) else tuple(map(repr, edges))


def interval_labels(edges: tuple[float, ...]) -> tuple[str, ...]:
    """The intervals between edges in words; the last one is closed."""
    said, last = edge_labels(edges), len(edges) - 2
    return tuple(f"[{a}, {b}{']' if i == last else ')'}" for i, (a, b) in enumerate(pairwise(said)))
