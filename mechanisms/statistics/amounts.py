"""What one record adds to a sum: a whole number of steps within declared ends, whatever its value is."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
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

    def of(self, rows: Rows) -> Places:
        """The whole number of each record; anything where its columns have no value."""
        ...

    @property
    def columns(self) -> tuple[str, ...]:
        """The numbers that a record must have."""
        ...


@dataclass(frozen=True)
class One:
    """Each record counts once."""

    least: int = 1
    most: int = 1
    step: Fraction = Fraction(1)

    def of(self, rows: Rows) -> Places:
        return np.ones(rows.size, dtype=np.int64)

    @property
    def columns(self) -> tuple[str, ...]:
        return ()


@dataclass(frozen=True)
class Steps:
    """A number, clipped to [low, high], as whole steps from `centre`: a record adds round((x - centre) / step).

    `skips`: whether records may have no value, and are left out then; `whole`: whether values are whole numbers.
    """

    column: str
    low: float
    high: float
    centre: Fraction
    step: Fraction
    skips: bool = False
    whole: bool = False

    @property
    def rounding(self) -> Fraction:
        """How far a clipped value is from its steps at most."""
        return Fraction(0) if self.whole and self.step == 1 else self.step / 2

    @property
    def least(self) -> int:
        return round((Fraction(self.low) - self.centre) / self.step)

    @property
    def most(self) -> int:
        return round((Fraction(self.high) - self.centre) / self.step)

    def of(self, rows: Rows) -> Places:
        return rows.once(self, lambda: self._steps(rows))

    def _steps(self, rows: Rows) -> Places:
        values, absent = rows.numbers[self.column], rows.absent(self.column)
        if values.dtype.kind != "f" and self._plain:
            whole: Places = np.clip(np.asarray(values, dtype=np.int64), int(self.low), int(self.high))
            return whole - int(self.centre)
        if absent is not None:
            values = np.where(absent, self.low, values)
        clipped = np.clip(values, self.low, self.high)
        steps = np.rint((clipped - float(self.centre)) / float(self.step))
        # The ends hold for the whole numbers themselves, however the division was rounded.
        return np.asarray(np.clip(steps, self.least, self.most), dtype=np.int64)

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column,)

    @cached_property
    def _plain(self) -> bool:
        """Whether whole numbers are whole steps from the centre."""
        return (
            self.step == 1 == self.centre.denominator
            and self.low == int(self.low)
            and self.high == int(self.high)
        )


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

    @property
    def rounding(self) -> Fraction:
        """How far a product of steps is from its own steps at most."""
        return self.step / 2 if self.shift else Fraction(0)

    def of(self, rows: Rows) -> Places:
        product = self.first.of(rows) * self.second.of(rows)  # below 2^48
        half = (1 << self.shift) >> 1
        return np.asarray(np.clip((product + half) >> self.shift, self.least, self.most))

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.first.columns, *self.second.columns)


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
    return Steps(column, low, high, centre, Fraction(2) ** exponent, skips, whole)


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
