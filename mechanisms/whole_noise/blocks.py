"""Exact draws from P(k) proportional to exp(-rate |k|^power), for any rate, by comparing random words with enclosures.

The half-line is cut into blocks of t = 2^shift numbers, a 64th to a 128th of the deviation (or scale) or 1.  A proposal:

1. block v with probability f(t v) / sum over w of f(t w), f(y) = exp(-rate y^power): by the inverse of its distribution;
2. an offset u of `shift` random bits, and a sign; minus zero is refused, so that zero counts once;
3. y = t v + u is kept with probability f(y) / f(t v), which is at most 1 as f falls, and 0.98 and more on average.

What is kept has a probability proportional to f(|y|), and each comparison is one of a uniform number, whose bits are
drawn as they are needed, with a number that is enclosed as finely as they need: first 64 bits against a table, or
against whole numbers that bound exp(-x) to about 2^-24; where those leave it open, balls of ever more bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from math import isqrt

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from ...symbolic.arrays import Ints
from ...symbolic.proof.exact_numbers import ball
from ..grid_noise.secure_bits import Bits, Words
from .comparison import Uniform, decided

Mask = NDArray[np.bool_]

_CHUNK = 1 << 14  # proposals at a time: their buffers stay in the cache
_FINE = 7  # blocks per deviation: 2^6 to 2^7
_TABLE_BITS = 192
_PLACES = 24  # binary places of u / t in the quick bounds of exp(-x)
_RATE_PLACES = 40  # of rate t^power, which is at most 2^-6
_ONE = np.uint64(31)  # binary places of the quick bounds
_LARGEST = 1 << 62


class Blocks:
    """The proposals for one rate and power: the table of blocks, and whether a number is kept."""

    def __init__(self, rate: Fraction, power: int) -> None:
        self.rate, self.power = rate, power
        # The deviation of a normal law of that rate, or the scale, rounded down.
        size = int(1 / rate) if power == 1 else isqrt(int(1 / (2 * rate)))
        self.shift = max(0, size.bit_length() - _FINE)
        self.block_rate = rate * (1 << (self.shift * power))
        self.edges = self._table()

    # --- blocks -----------------------------------------------------------------------------------------------------

    def _weights(self) -> Iterator[tuple[arb, arb]]:
        """f(t v) and f(t (v + 1)) / f(t v) for v = 0, 1, ..., in the precision that is set."""
        weight, ratio = arb(1), (-ball(self.block_rate)).exp()
        shrink = ratio**2 if self.power == 2 else arb(1)
        while True:
            yield weight, ratio
            weight, ratio = weight * ratio, ratio * shrink

    def _total(self) -> arb:
        """The sum of f(t v) over v >= 0, in the precision that is set."""
        value = arb(0)
        for weight, ratio in self._weights():
            value += weight
            # f is log-concave: no later ratio is larger.
            rest = weight * ratio / (1 - ratio)
            if rest < arb(2) ** -(ctx.prec + 8):
                break
        return value + arb(0).union(rest)

    def _table(self) -> Words:
        """floor(2^64 P(block < i)) for i = 1, 2, ... up to 2^64 - 1."""
        edges: list[int] = []
        with ctx.workprec(_TABLE_BITS):
            total, below = self._total(), arb(0)
            for weight, _ in self._weights():
                below += weight
                edge = (arb(2) ** 64 * (below / total)).floor().unique_fmpz()
                if edge is None:
                    raise ArithmeticError("the table of the blocks needs more than 192 bits")
                edges.append(int(edge))
                if edges[-1] == (1 << 64) - 1:
                    break
        return np.array(edges, dtype=np.uint64)

    def blocks_of(self, words: Words) -> tuple[Ints, Mask]:
        """The block that each word names (n,), and where its 64 bits leave it open: they are those of an edge."""
        v = np.searchsorted(self.edges, words, side="left")
        return v, self.edges[np.minimum(v, len(self.edges) - 1)] == words

    def block_exactly(self, uniform: Uniform) -> int:
        """The block in which a uniform number lies, with as many of its bits as that takes."""
        return decided(uniform, self._block)

    def _block(self, known: int, places: int) -> int | None:
        """The block of all numbers in [known, known + 1) / 2^places, None if there are several or it is not certain."""
        total, below = self._total(), arb(0)
        for v, (weight, _) in enumerate(self._weights()):
            below += weight
            edge = arb(2) ** places * (below / total)
            if known + 1 <= edge:
                return v
            if not edge <= known:
                break
        return None

    # --- what is kept -----------------------------------------------------------------------------------------------

    def kept(self, v: Ints, u: Words, words: Words) -> tuple[Mask, Mask]:
        """Whether each proposal t v + u is kept by its word, and where the bounds of exp(-x) leave that open."""
        low, high, known = self._bounds(v.astype(np.uint64), u)
        first = words >> (np.uint64(64) - _ONE)
        return known & (first < low), ~known | ((first >= low) & (first < high))

    def _bounds(self, v: Words, u: Words) -> tuple[Words, Words, Mask]:
        """Whole numbers low <= 2^31 exp(-x) <= high for x = rate ((t v + u)^power - (t v)^power), where they are known.

        With w = u / t, x = block_rate * w or block_rate * (2 v w + w^2): products below 2^64, each step rounded outwards.
        """
        places = np.uint64(_PLACES)
        cut = np.uint64(max(self.shift - _PLACES, 0))
        least = (u >> cut) << np.uint64(max(_PLACES - self.shift, 0))
        most = least + np.uint64(1)
        if self.power == 2:
            least = 2 * v * least + ((least * least) >> places)
            most = 2 * v * most + ((most * most) >> places) + np.uint64(1)
        rate = int(self.block_rate * (1 << _RATE_PLACES))
        down = np.uint64(_PLACES + _RATE_PLACES) - _ONE
        known = (v < np.uint64(1 << 30)) & (most < np.uint64((1 << 64) // (rate + 1)))
        x_least = (least * np.uint64(rate)) >> down
        x_most = ((most * np.uint64(rate + 1)) >> down) + np.uint64(1)
        known &= x_most < np.uint64(1 << 29)  # x < 1/4
        x_least, x_most = np.where(known, x_least, 0), np.where(known, x_most, 0)
        return _exponential(x_most) - np.uint64(3), _exponential(x_least) + np.uint64(3), known

    def kept_exactly(self, v: int, u: int, uniform: Uniform) -> bool:
        """Whether a uniform number lies below f(t v + u) / f(t v)."""
        start = v << self.shift
        x = self.rate * ((start + u) ** self.power - start**self.power)

        def answer(known: int, places: int) -> bool | None:
            edge = arb(2) ** places * (-ball(x)).exp()
            return True if known + 1 <= edge else False if edge <= known else None

        return decided(uniform, answer)

    # --- draws ------------------------------------------------------------------------------------------------------

    def draw(self, size: int, bits: Bits) -> Ints:
        """`size` independent draws (size,)."""
        out = np.empty(size, dtype=np.int64)
        done = 0
        while done < size:
            found = self._proposals(min(size - done, _CHUNK), bits)
            out[done : done + len(found)] = found
            done += len(found)
        return out

    def _proposals(self, size: int, bits: Bits) -> Ints:
        """What is kept of `size` proposals, in their order; which are kept does not depend on the order."""
        words, offsets = bits(size), bits(size)
        v, is_open = self.blocks_of(words)
        for i in np.flatnonzero(is_open):
            v[i] = self._fitting(self.block_exactly(Uniform(int(words[i]), bits)))
        negative = offsets >> np.uint64(63) == 1
        u = offsets & np.uint64((1 << self.shift) - 1)
        if self.shift:
            keep, is_open = self.kept(v, u, words := bits(size))
            for i in np.flatnonzero(is_open):
                keep[i] = self.kept_exactly(int(v[i]), int(u[i]), Uniform(int(words[i]), bits))
        else:
            keep = np.ones(size, dtype=np.bool_)
        y = (v << self.shift) + u.astype(np.int64)
        keep &= ~(negative & (y == 0))
        return np.where(negative, -y, y)[keep]

    def _fitting(self, v: int) -> int:
        if (v + 1) << self.shift > _LARGEST:
            raise OverflowError("a draw of the noise left the whole numbers of 64 bits; nothing was released")
        return v


@lru_cache(maxsize=64)
def blocks(rate: Fraction, power: int) -> Blocks:
    """The proposals for one law, made once."""
    return Blocks(rate, power)


def _exponential(x: Words) -> Words:
    """2^31 exp(-x / 2^31) for whole x <= 2^29, to less than 3: Taylor's polynomial of degree 8 by Horner's rule.

    Each of the eight floors is off by less than 1, and what it is off by shrinks by x / k <= 1/4 from step to step: less
    than 4/3 in all, and what is cut off is below 2^31 / (4^9 9!) < 1.
    """
    one = np.uint64(1) << _ONE
    value = np.full_like(x, one)
    for k in range(8, 0, -1):
        value = one - ((x * value) >> _ONE) // np.uint64(k)
    return value
