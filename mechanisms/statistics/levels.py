"""Nested partitions of an ordered axis into blocks of equal size, and what sums over blocks tell of differences between them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ...symbolic.arrays import Floats, Ints
from .range_workload import RangeWorkload


@dataclass(frozen=True)
class Levels:
    """Blocks of `sizes` cells, coarse to fine, each size a multiple of the next; the first block is the whole padded axis.

    A vector of cells is a sum of components: component 0 is the same in all cells, component l is even within the blocks of level l and
    adds up to zero in each block of level l - 1.
    """

    n: int
    sizes: tuple[int, ...]

    @property
    def padded(self) -> int:
        """Cells with the empty ones at the end that fill the last block."""
        return self.sizes[0]

    def freedom(self, level: int) -> int:
        """The dimension of a component."""
        before = 0 if level == 0 else self.padded // self.sizes[level - 1]
        return self.padded // self.sizes[level] - before

    def costs(self, workload: RangeWorkload) -> list[Fraction]:
        """For each component the sum over the wanted ranges of its squared length in them: the objective is sum cost / precision."""
        evens = [
            sum(
                (Fraction(workload.overlaps(start, start + size), size) for start in range(0, self.n, size)),
                Fraction(0),
            )
            for size in self.sizes
        ]
        return [e - (evens[i - 1] if i else 0) for i, e in enumerate(evens)]

    def lengths(self, start: int, stop: int) -> list[Fraction]:
        """The squared length of each component of the range start <= cell < stop."""
        evens = []
        for size in self.sizes:
            first, last = start // size, (stop - 1) // size
            blocks = {first, last}
            ends = sum((min(stop, (b + 1) * size) - max(start, b * size)) ** 2 for b in blocks)
            evens.append(Fraction(ends, size) + max(0, last - first - 1) * size)
        return [e - (evens[i - 1] if i else 0) for i, e in enumerate(evens)]

    def sums(self, cells: Ints, level: int) -> Ints:
        """The sums over the blocks of a level, exactly, shape (blocks,)."""
        return np.asarray(self._filled(cells).reshape(-1, self.sizes[level]).sum(axis=1))

    def differences(self, cells: Ints, level: int) -> Ints:
        """In each block of the level above the first half less the second half, exactly; blocks halve from level to level."""
        halves = self.sums(cells, level).reshape(-1, 2)
        return np.asarray(halves[:, 0] - halves[:, 1])

    def _filled(self, cells: Ints) -> Ints:
        return np.concatenate(
            [np.asarray(cells, dtype=np.int64), np.zeros(self.padded - self.n, dtype=np.int64)]
        )

    def spread(self, sums: Floats, level: int) -> Floats:
        """Cells of even size with these sums over the blocks of a level, shape (padded,)."""
        return np.repeat(np.asarray(sums, dtype=float) / self.sizes[level], self.sizes[level])

    def component(self, sums: Floats, measured: int, level: int) -> Floats:
        """What sums over the blocks of a measured level say of a coarser (or the same) component, as cells."""
        joined = np.asarray(sums, dtype=float).reshape(self.padded // self.sizes[level], -1).sum(axis=1)
        even = self.spread(joined, level)
        if level == 0:
            return even
        above = joined.reshape(self.padded // self.sizes[level - 1], -1).sum(axis=1)
        return even - self.spread(above, level - 1)


def branching_levels(n: int, branching: int) -> Levels:
    """Blocks of powers of `branching` cells below the whole axis."""
    sizes = [1]
    while sizes[-1] * branching < n:
        sizes.append(sizes[-1] * branching)
    if n > 1:
        sizes.append(sizes[-1] * -(-n // sizes[-1]))
    return Levels(n, tuple(reversed(sizes)))
