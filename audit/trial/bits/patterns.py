"""What the bits of a double show: its exponent, the grid on which it lies, how many decimals it has.

The noise of a textbook sampler lies on a finer grid near zero than far from it.  Adding a centre rounds to the grid of
the sum: near zero, numbers on a fine grid come from one centre only.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ....symbolic.arrays import Floats
from ..outcomes import Outcomes

_COLUMNS = 8  # of an outcome that are looked at
_EVERY_GRID = 1100.0  # the granule of zero, which is a multiple of everything
_MOST_DECIMALS, _NO_DECIMALS = 6, 9.0
_DECIMAL_SHARE = 0.01


def exponents(values: Floats) -> Floats:
    """floor(log2 |y|) of each double, -1023 for zero and the subnormal numbers below 2^-1022."""
    return np.asarray(((_bits(values) >> np.uint64(52)) & np.uint64(0x7FF)).astype(float) - 1023)


def granules(values: Floats) -> Floats:
    """The largest k for which y is a multiple of 2^k, for each double; 1100 for zero."""
    bits = _bits(values)
    field = ((bits >> np.uint64(52)) & np.uint64(0x7FF)).astype(np.int64)
    significand = bits & np.uint64((1 << 52) - 1)
    whole = np.where(field > 0, significand | np.uint64(1 << 52), significand)
    lowest = whole & (~whole + np.uint64(1))
    # A power of two is its own double: frexp reads off its place.
    place = np.frexp(lowest.astype(float))[1] - 1
    return np.where(whole == 0, _EVERY_GRID, place + np.maximum(field, 1) - 1075.0)


def decimals(values: Floats) -> Floats:
    """How many digits after the point each number has, up to 6; 9 for more."""
    out = np.full(values.shape, _NO_DECIMALS)
    with np.errstate(over="ignore", invalid="ignore"):
        for digits in range(_MOST_DECIMALS, -1, -1):
            out[np.round(values, digits) == values] = digits
    return out


def exponent_and_power_of_two(sample: Outcomes) -> Outcomes:
    """Exponents, then granules, of the first eight numbers of each outcome, shape (n, 2d)."""
    values = sample.values[:, :_COLUMNS]
    return Outcomes(np.concatenate([exponents(values), granules(values)], axis=1), sample.kinds)


def power_of_two_only(sample: Outcomes) -> Outcomes:
    """The granules of the first eight numbers of each outcome, shape (n, d)."""
    return Outcomes(granules(sample.values[:, :_COLUMNS]), sample.kinds)


def decimals_only(sample: Outcomes) -> Outcomes:
    """The numbers of decimals of the first eight numbers of each outcome, shape (n, d)."""
    return Outcomes(decimals(sample.values[:, :_COLUMNS]), sample.kinds)


def has_decimals(sample: Outcomes) -> bool:
    """Whether short decimals that are no multiples of 2^-20 are more than a rarity among the numbers."""
    values = sample.values[:2000, :_COLUMNS]
    short = (decimals(values) <= _MOST_DECIMALS) & (granules(values) < -20)
    return bool(short.mean() > _DECIMAL_SHARE)


def _bits(values: Floats) -> NDArray[np.uint64]:
    return np.ascontiguousarray(values, dtype=float).view(np.uint64)
