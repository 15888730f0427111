"""Noise of whole steps 2^exponent whose probabilities are known exactly, drawn from random words."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from .alias import MOST_COLUMNS, TOTAL_BITS, AliasTable, alias_table
from .secure_bits import Bits

Steps = NDArray[np.int64]

_CHUNK = 1 << 14  # draws at a time: their buffers stay in the cache
_GROUP = 1 << 14  # words looked at together for the steps of a tail, at most


@dataclass(frozen=True, eq=False)
class GridNoise:
    """P(k steps) = weights[k - first] / 2^128; beyond both ends a geometric tail, if `tail` > 0.

    Each tail has the mass tail / 2^128, its j-th step (j = 0, 1, ...) the share (1 - r) r^j of it with r = ratio / 2^64.
    The law is symmetric and log-concave, which is checked with whole numbers (ValueError otherwise): the likelihood
    ratio of two shifts is then monotone, so that of all pairs of records the one farthest apart is easiest to tell.
    `kind` and `parameter` name the law that is approximated, within `total_variation` (a rigorous bound).
    """

    kind: str
    parameter: float
    exponent: int
    first: int
    weights: tuple[int, ...] = field(repr=False)
    tail: int = field(default=0, repr=False)
    ratio: int = field(default=0, repr=False)
    total_variation: float = 0.0

    def __post_init__(self) -> None:
        w = self.weights
        if not w or len(w) + 2 > MOST_COLUMNS or min(w) < 1 or sum(w) + 2 * self.tail != 1 << TOTAL_BITS:
            raise ValueError(
                f"grid noise needs 1 to {MOST_COLUMNS - 2} whole weights above 0 that sum with both tails to 2^128"
            )
        if w != w[::-1] or 2 * self.first != 1 - len(w):
            raise ValueError("grid noise is symmetric around 0: weights must read the same from both ends")
        if (self.tail > 0) != (0 < self.ratio < 1 << 64):
            raise ValueError("a tail needs a mass and a ratio above 0, both or none")
        if not self.log_concave():
            raise ValueError(
                "the weights of grid noise must be log-concave: w[k]^2 >= w[k-1] w[k+1] for every k"
            )

    def log_concave(self) -> bool:
        """Whether p(k)^2 >= p(k-1) p(k+1) for every k, tails included, decided with whole numbers."""
        w = self.weights
        if any(b * b < a * c for a, b, c in zip(w, w[1:], w[2:], strict=False)):
            return False
        if not self.tail:
            return True
        # Over 2^192: the first step of the tail is tail (2^64 - ratio), each later one ratio / 2^64 times that.
        beyond = self.tail * ((1 << 64) - self.ratio)
        last, before = w[-1] << 64, w[-2] << 64 if len(w) > 1 else beyond
        return last * last >= before * beyond and beyond << 64 >= last * self.ratio

    @property
    def last(self) -> int:
        """The last step before the tail, -first."""
        return -self.first

    @property
    def step(self) -> float:
        """2^exponent, in the unit of the data."""
        return float(2.0**self.exponent)

    @cached_property
    def table(self) -> AliasTable:
        """The alias table: left tail, steps first..last, right tail."""
        return alias_table([self.tail, *self.weights, self.tail])

    @cached_property
    def cumulative(self) -> tuple[int, ...]:
        """2^128 P(noise < first + i) for i = 0, ..., number of weights."""
        return tuple(accumulate(self.weights, initial=self.tail))

    def mass(self, k: int) -> Fraction:
        """The exact probability of k steps."""
        beyond = abs(k) - self.last
        if beyond <= 0:
            return Fraction(self.weights[k - self.first], 1 << TOTAL_BITS)
        if not self.tail:
            return Fraction(0)
        r = Fraction(self.ratio, 1 << 64)
        return Fraction(self.tail, 1 << TOTAL_BITS) * (1 - r) * r ** (beyond - 1)

    def draw(self, size: int, bits: Bits) -> Steps:
        """`size` independent steps (size,), from one word each and a few more for the tails."""
        out = np.empty(size, dtype=np.int64)
        for start in range(0, size, _CHUNK):
            part = out[start : start + _CHUNK]
            atoms = self.table.draw(bits(len(part)), bits)
            np.add(atoms, self.first - 1, out=part)
            if self.tail:
                self._into_tails(part, bits)
        return out

    def _into_tails(self, steps: Steps, bits: Bits) -> None:
        beyond = self.last + 1
        if steps.min() > -beyond and steps.max() < beyond:
            return
        for sign in (-1, 1):
            rows = np.flatnonzero(steps == sign * beyond)
            steps[rows] += sign * self._geometric(len(rows), bits)

    def _geometric(self, size: int, bits: Bits) -> Steps:
        """How many words fall below `ratio` before the first that does not: P(j) = (1 - r) r^j exactly."""
        # About as many words together as one step of the tail needs, in pieces that stay in the cache.
        group = 8
        while group < _GROUP and group * ((1 << 64) - self.ratio) < 4 << 64:
            group *= 2
        out, rows = np.zeros(size, dtype=np.int64), np.arange(size)
        while len(rows):
            again = []
            for start in range(0, len(rows), _GROUP // group):
                part = rows[start : start + _GROUP // group]
                stops = bits(len(part) * group).reshape(len(part), group) >= np.uint64(self.ratio)
                place = stops.argmax(axis=1)
                ended = stops[np.arange(len(part)), place]
                out[part] += np.where(ended, place, group)
                again.append(part[~ended])
            rows = np.concatenate(again)
        return out
