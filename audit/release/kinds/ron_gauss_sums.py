"""The private part of RON-Gauss in whole numbers: sums of records on a grid, Laplace noise on a grid.

Records are rounded to multiples of 2^-18, their sums are exact, and the sums are rounded to the grid of the noise: the
bytes that are written then have the guarantee, not only the numbers that they stand for.  With step s and L1 sensitivity S
of a sum of k entries, neighbours differ by at most S/s + k steps after rounding, which the scale of the noise allows for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ....mechanisms.grid_noise import Bits, GridNoise, grid_laplace, seeded_bits
from ....mechanisms.ron_gauss import RonGaussRelease, RonGaussSupervisedRelease
from ....mechanisms.ron_gauss.normalisation import renormalised
from ....symbolic.arrays import Floats

Whole = NDArray[np.int64]

FINE = 18  # records are read to 2^-18: products of two of them, summed over 2^16 records, are exact doubles
ROWS = 1 << 16
_MOST = 2040  # steps per scale of a grid


def radius(entries: int) -> Fraction:
    """The length that a vector of the unit ball has at most once its entries are rounded, those of floating point included."""
    return 1 + Fraction(math.isqrt(entries) + 1, 1 << FINE)


def sum_of_records(unit: Floats) -> Whole:
    """The sum (m,) of records (n, m) in units of 2^-18, exactly."""
    return np.asarray(np.rint(np.ldexp(unit, FINE)).astype(np.int64).sum(axis=0))


def sum_of_products(rows: Floats) -> Whole:
    """The sum (q, q) of x x' over at most 2^16 records (n, q) with entries in [-1, 1], in units of 2^-36, exactly."""
    if len(rows) > ROWS:
        raise ValueError(
            f"at most {ROWS} records at a time, got {len(rows)}: larger sums are not exact doubles"
        )
    whole = _whole(rows)
    return np.asarray((whole.T @ whole).astype(np.int64))


def _whole(rows: Floats) -> Floats:
    return np.clip(np.rint(np.ldexp(rows, FINE)), -(2.0**FINE), 2.0**FINE)


def sums_of_products(tables: Floats) -> Whole:
    """The same for many small tables (k, n, q) at once: (k, q, q)."""
    whole = _whole(tables)
    return np.asarray((np.swapaxes(whole, 1, 2) @ whole).astype(np.int64))


def seen_by_mean(unit: Floats, means: Floats) -> Floats:
    """The records (n, m) of one table centred by each of `means` (k, m) and divided by their lengths, (k, n, m)."""
    moved = unit[None] - means[:, None]
    return renormalised(moved.reshape(-1, unit.shape[1]), np.zeros(unit.shape[1])).reshape(moved.shape)


@dataclass(frozen=True, eq=False)
class NoisySum:
    """Laplace noise on sums of `entries` numbers whose L1 sensitivity is `sensitivity`, at the budget `epsilon`.

    `unit` says that sums come in multiples of 2^-unit.
    """

    noise: GridNoise
    unit: int

    @classmethod
    def of(cls, sensitivity: Fraction, entries: int, epsilon: float, unit: int) -> Self:
        """The finest grid that a table takes.  ValueError if the budget is too small for that many entries."""
        budget = Fraction(repr(epsilon))
        room = _MOST - float(entries / budget)
        if room < _MOST / 4:
            raise ValueError(
                f"a budget of {epsilon:g} is too small for {entries} entries: take fewer components or a larger budget"
            )
        exponent = max(math.ceil(math.log2(float(sensitivity / budget) / room)), -unit)
        scale = (sensitivity + entries * Fraction(2) ** exponent) / budget
        return cls(grid_laplace(_above(scale), exponent), unit)

    def weakened(self, factor: float) -> NoisySum:
        """The same grid with the noise divided by `factor`."""
        return NoisySum(grid_laplace(self.noise.parameter / factor, self.noise.exponent), self.unit)

    def release(self, sums: Whole, bits: Bits) -> Floats:
        """The sums on the grid of the noise, plus noise: exact doubles, shape of `sums`."""
        shift = self.noise.exponent + self.unit
        steps = sums if shift == 0 else (sums + (1 << (shift - 1))) >> shift
        noisy = steps + self.noise.draw(steps.size, bits).reshape(steps.shape)
        return np.asarray(np.ldexp(noisy.astype(float), self.noise.exponent), dtype=float)


def _above(value: Fraction) -> float:
    number = float(value)
    return number if Fraction(repr(number)) >= value else math.nextafter(number, math.inf)


def mirrored(triangle: Floats, q: int) -> Floats:
    """The symmetric matrix (q, q) with this upper triangle, row by row."""
    out = np.zeros((q, q))
    out[np.triu_indices(q)] = triangle
    return np.asarray(out + np.triu(out, 1).T, dtype=float)


class _OnGrid:
    """The code of a RON-Gauss release in whole numbers; the law beside it is that of continuous Laplace noise."""

    sums: tuple[NoisySum, NoisySum]

    def release(self, data: Any, size: int, rng: np.random.Generator) -> Floats:
        """`size` outcomes (mean, upper triangle) as the release computes them, from seeded words."""
        me: Any = self
        unit, labels = me._read(data)
        bits = seeded_bits(rng)
        total = np.broadcast_to(sum_of_records(unit), (size, me.m))
        means = self.sums[0].release(total, bits) / me.n
        i, j = me._entries()
        rows = seen_by_mean(unit, means) @ me.W
        if labels is not None:
            rows = np.concatenate([rows, np.broadcast_to(labels[:, None], (*rows.shape[:2], 1))], axis=2)
        return np.hstack([means, self.sums[1].release(sums_of_products(rows)[:, i, j], bits) / me.n])

    def with_noise_divided_by(self, factor: float) -> Any:
        """Law and code with their noise divided by `factor`, on the same grids."""
        me: Any = self
        again = super().with_noise_divided_by(factor)  # type: ignore[misc]
        again.sums = tuple(s.weakened(factor) for s in me.sums)
        return again


class GridRonGauss(_OnGrid, RonGaussRelease):
    """RON-Gauss without labels, its code in whole numbers."""

    name = "ron-gauss on a grid"
    summary = "noisy sums of whole numbers, from which a Gaussian model is made"


class GridRonGaussSupervised(_OnGrid, RonGaussSupervisedRelease):
    """RON-Gauss with a label, its code in whole numbers."""

    name = "ron-gauss with labels on a grid"
    summary = "noisy sums of whole numbers of records and labels, from which a Gaussian model is made"
