"""One-time RAPPOR: permanent randomised response on a Bloom filter (Erlingsson, Pihur, Korolova 2014)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from noiseproof.mechanisms.black_box import BlackBox
from noiseproof.symbolic.arrays import Floats
from noiseproof.symbolic.privacy.guarantees import PureDP

from .entry import EPSILON, ZooEntry, largest_loss, rates_of

_BITS, _HASHES = 20, 4
_SHARE = EPSILON / (2 * _HASHES)  # two values differ in at most 2 x 4 bits
TRUTH = float(np.exp(_SHARE) / (1 + np.exp(_SHARE)))
_OFFSET = {"A": 0, "B": 2}  # the hash functions send A to bits 0, 5, 10, 15 and B to bits 2, 7, 12, 17


def bloom_filter(value: str) -> NDArray[np.bool_]:
    """The bits (20,) that the hash functions set for a value."""
    bits = np.zeros(_BITS, dtype=bool)
    bits[_OFFSET[value] + np.arange(_HASHES) * (_BITS // _HASHES)] = True
    return bits


def _release(data: str, size: int, rng: np.random.Generator) -> NDArray[np.int8]:
    lies = rng.random((size, _BITS)) >= TRUTH
    return (bloom_filter(data) ^ lies).astype(np.int8)


def _log_density(y: Floats, data: str) -> Floats:
    true = (np.asarray(y) == bloom_filter(data)).sum(axis=1)
    return np.asarray(true * np.log(TRUTH) + (_BITS - true) * np.log(1 - TRUTH))


def _log_ratio(y: Floats) -> Floats:
    for_b, for_a = ((np.asarray(y) == bloom_filter(v)).sum(axis=1) for v in "BA")
    return np.asarray((for_b.astype(float) - for_a) * _SHARE)


# The number of the 8 differing bits that speak for B decides the loss.
_COUNT = np.arange(2 * _HASHES + 1)
_LOSS: Floats = ((2 * _COUNT - 2 * _HASHES) * _SHARE).astype(np.float64)
_ZERO, _ONE = (np.asarray(stats.binom.pmf(_COUNT, 2 * _HASHES, p)) for p in (1 - TRUTH, TRUTH))

ONE_TIME_RAPPOR = ZooEntry(
    "one_time_rappor",
    BlackBox(_release, ("A", "B"), _log_density, name="one_time_rappor"),
    PureDP(EPSILON),
    0.0,
    largest_loss(_ZERO, _ONE),
    _log_ratio,
    lambda: rates_of(_LOSS, _ZERO, _ONE),
)
