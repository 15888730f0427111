"""An alias table with exact masses: one 64-bit word per draw, and another one in 2^-48 of the draws or fewer.

Column c of 2^k keeps its own atom with probability (threshold of c) / 2^(128-k) and gives another one otherwise
(Walker 1977).  Threshold and alias are packed so that the smaller of word and entry bears the answer in its last k bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .secure_bits import Bits, Words

TOTAL_BITS = 128
MOST_COLUMNS = 1 << 16


@dataclass(frozen=True, eq=False)
class AliasTable:
    """`entries[c]` is (upper 64-k bits of the threshold, alias); `rest[c]` the lower 64 bits of the threshold."""

    columns_log2: int
    entries: Words
    rest: Words

    def draw(self, words: Words, bits: Bits) -> NDArray[np.int64]:
        """An atom's number for each word (n,), which are overwritten; `bits` gives more words where one does not decide."""
        mask = np.uint64((1 << self.columns_log2) - 1)
        columns = words & mask
        entry = self.entries.take(columns.view(np.int64), mode="clip")
        np.minimum(words, entry, out=columns)
        np.bitwise_xor(words, entry, out=words)
        undecided = words.min(initial=np.uint64(2**64 - 1)) <= mask
        if undecided:  # word and threshold agree in their upper bits: the lower 64 decide
            rows = np.flatnonzero(words <= mask)
            alias = entry[rows] & mask
            own = (words[rows] ^ entry[rows]) & mask
            keeps = bits(len(rows)) < self.rest[own.view(np.int64)]
            columns[rows] = np.where(keeps, own, alias)
        np.bitwise_and(columns, mask, out=columns)
        return columns.view(np.int64)

    def masses(self) -> list[int]:
        """The exact probability of each atom times 2^128, read off the table."""
        k = self.columns_log2
        capacity, mask = 1 << (TOTAL_BITS - k), (1 << k) - 1
        out = [0] * len(self.entries)
        for column, (entry, rest) in enumerate(zip(self.entries.tolist(), self.rest.tolist(), strict=True)):
            threshold = ((entry >> k) << 64) | rest
            out[column] += threshold
            out[entry & mask] += capacity - threshold
        return out


def alias_table(weights: Sequence[int]) -> AliasTable:
    """The table of atoms 0, 1, ... with probabilities weights[i] / 2^128; ValueError unless they sum to 2^128."""
    if not 1 <= len(weights) <= MOST_COLUMNS:
        raise ValueError(
            f"an alias table has 1 to {MOST_COLUMNS} atoms, got {len(weights)}: take a coarser grid"
        )
    if min(weights) < 0 or sum(weights) != 1 << TOTAL_BITS:
        raise ValueError("the weights of an alias table are whole numbers >= 0 that sum to 2^128")
    k = (len(weights) - 1).bit_length()
    capacity = 1 << (TOTAL_BITS - k)
    left = [*weights, *([0] * ((1 << k) - len(weights)))]
    # A full column keeps its atom whatever the threshold: it is its own alias.
    threshold, alias = [0] * len(left), list(range(len(left)))
    small = [i for i, w in enumerate(left) if w < capacity]
    large = [i for i, w in enumerate(left) if w > capacity]
    while small:
        poor, rich = small.pop(), large[-1]
        threshold[poor], alias[poor] = left[poor], rich
        left[rich] -= capacity - left[poor]
        if left[rich] <= capacity:
            large.pop()
            if left[rich] < capacity:
                small.append(rich)
    entries = np.array([((t >> 64) << k) | a for t, a in zip(threshold, alias, strict=True)], dtype=np.uint64)
    rest = np.array([t & (2**64 - 1) for t in threshold], dtype=np.uint64)
    return AliasTable(k, entries, rest)
