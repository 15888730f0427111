"""What one record adds to a sum: a whole number of steps within declared ends, whatever its value is."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np

from .rows import Places, Rows

MOST = 1 << 24  # steps of one record: sums of 2^38 records fit a 64-bit number


class Amount(Protocol):
    """A function of one record with values in {least, ..., most}; `step` is the unit of the whole numbers."""

    @property
    def least(self) -> int: ...

    @property
    def most(self) -> int: ...

    @property
    def step(self) -> Fraction: ...

    def of(self, rows: Rows) -> tuple[Places, Places]:
        """The whole number of each record, and 1 where it has one (0: its column has no value)."""
        ...


@dataclass(frozen=True)
class One:
    """Each record counts once."""

    least: int = 1
    most: int = 1
    step: Fraction = Fraction(1)

    def of(self, rows: Rows) -> tuple[Places, Places]:
        ones = np.ones(rows.size, dtype=np.int64)
        return ones, ones


@dataclass(frozen=True)
class Steps:
    """A number, clipped to [low, high], as whole steps from `centre`: a record adds round((x - centre) / step).

    `skips`: whether records may have no value, and are left out then.
    """

    column: str
    low: float
    high: float
    centre: Fraction
    step: Fraction
    skips: bool = False

    @property
    def least(self) -> int:
        return round((Fraction(self.low) - self.centre) / self.step)

    @property
    def most(self) -> int:
        return round((Fraction(self.high) - self.centre) / self.step)

    def of(self, rows: Rows) -> tuple[Places, Places]:
        values = rows.numbers[self.column]
        has = ~np.isnan(values)
        clipped = np.clip(np.where(has, values, self.low), self.low, self.high)
        steps = np.rint((clipped - float(self.centre)) / float(self.step))
        # The ends hold for the whole numbers themselves, however the division was rounded.
        return np.clip(steps, self.least, self.most).astype(np.int64), has.astype(np.int64)


@dataclass(frozen=True)
class Product:
    """The product of two of them, in steps of 2^shift products of their steps."""

    first: Steps
    second: Steps
    shift: int

    @property
    def _ends(self) -> tuple[int, int]:
        corners = [
            a * b for a in (self.first.least, self.first.most) for b in (self.second.least, self.second.most)
        ]
        if self.first == self.second and self.first.least <= 0 <= self.first.most:
            return 0, max(corners)
        return min(corners), max(corners)

    @property
    def least(self) -> int:
        return self._ends[0] >> self.shift

    @property
    def most(self) -> int:
        return -(-self._ends[1] >> self.shift)

    @property
    def step(self) -> Fraction:
        return self.first.step * self.second.step * (1 << self.shift)

    def of(self, rows: Rows) -> tuple[Places, Places]:
        (one, has), (two, also) = self.first.of(rows), self.second.of(rows)
        product = one * two  # below 2^48
        half = (1 << self.shift) >> 1
        return np.clip((product + half) >> self.shift, self.least, self.most), has * also


def steps_of(
    column: str, low: float, high: float, *, whole: bool, centred: bool, skips: bool = False
) -> Steps:
    """The steps of a declared column: 1 for whole numbers, else a power of two; at most 2^24 of them for one record."""
    ends = Fraction(low), Fraction(high)
    centre = (ends[0] + ends[1]) / 2 if centred else Fraction(0)
    if whole and centred:
        centre = Fraction(int(centre // 1))
    reach = max(abs(ends[0] - centre), abs(ends[1] - centre))
    exponent = 0 if whole else _log2(reach) - 20
    while reach > MOST * Fraction(2) ** exponent:
        exponent += 1
    return Steps(column, low, high, centre, Fraction(2) ** exponent, skips)


def product_of(first: Steps, second: Steps) -> Product:
    """Their product, in steps so coarse that a record adds at most 2^24."""
    found = Product(first, second, 0)
    while max(abs(found.least), abs(found.most)) > MOST:
        found = Product(first, second, found.shift + 1)
    return found


def _log2(value: Fraction) -> int:
    """The exponent of the largest power of two that is no more than the value."""
    return (
        value.numerator.bit_length()
        - value.denominator.bit_length()
        - (value < Fraction(2) ** (value.numerator.bit_length() - value.denominator.bit_length()))
    )
