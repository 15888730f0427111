"""Exact figures of noise on a grid: its moments, and the error that no adversary gets below."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from ...mechanisms.grid_noise import GridNoise
from ...symbolic.information.error_bounds import LowerBound
from ...symbolic.information.grid_error import weiss_weinstein


@lru_cache(maxsize=512)
def error_bound(noise: GridNoise, span: int) -> LowerBound:
    """The least mean squared error of any adversary in squared units, for records of span + 1 steps, with its derivation."""
    return weiss_weinstein(noise, domain=(0, span))


def standard_deviation(noise: GridNoise) -> float:
    """The exact root of the mean square of the noise, tails included, in the unit of the column."""
    return math.sqrt(float(_moment(noise, 2))) * noise.step


def mean_absolute(noise: GridNoise) -> float:
    """The mean of the absolute noise in the unit of the column."""
    return float(_moment(noise, 1)) * noise.step


@lru_cache(maxsize=512)
def _moment(noise: GridNoise, order: int) -> Fraction:
    """E|k|^order in steps, order 1 or 2, exactly: the sum over the weights and the two geometric tails."""
    total = Fraction(sum(abs(noise.first + i) ** order * w for i, w in enumerate(noise.weights)), 1 << 128)
    if noise.tail:
        r, start = Fraction(noise.ratio, 1 << 64), noise.last + 1
        mean = r / (1 - r)
        square = r * (1 + r) / (1 - r) ** 2
        beyond = start + mean if order == 1 else start**2 + 2 * start * mean + square
        total += 2 * Fraction(noise.tail, 1 << 128) * beyond
    return total
