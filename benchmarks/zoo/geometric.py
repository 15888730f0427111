"""A count from 0 to 5 with two-sided geometric noise, clamped back to 0 to 5."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from noiseproof.mechanisms.black_box import BlackBox
from noiseproof.symbolic.arrays import Floats
from noiseproof.symbolic.privacy.guarantees import PureDP

from .entry import EPSILON, ZooEntry, largest_loss, rates_of

_TOP = 5
_RATIO = float(np.exp(-EPSILON))


def masses(count: int) -> Floats:
    """P(y = 0), ..., P(y = 5): ratio^|y - count| (1 - ratio)/(1 + ratio) inside, ratio^distance/(1 + ratio) at the ends."""
    y = np.arange(_TOP + 1)
    inside = _RATIO ** np.abs(y - count) * (1 - _RATIO) / (1 + _RATIO)
    return np.where((y == 0) | (y == _TOP), _RATIO ** np.abs(y - count) / (1 + _RATIO), inside)


def _release(data: int, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    # The difference of two geometric variables is two-sided geometric.
    up, down = (rng.geometric(1 - _RATIO, size=size) for _ in range(2))
    return np.asarray(np.clip(data + up - down, 0, _TOP))


def _log_density(y: Floats, data: int) -> Floats:
    return np.asarray(np.log(masses(data))[np.ravel(y).astype(int)])


_ZERO, _ONE = masses(2), masses(3)
_LOSS = np.log(_ONE) - np.log(_ZERO)

TRUNC_GEOMETRIC = ZooEntry(
    "trunc_geometric",
    BlackBox(_release, (2, 3), _log_density, name="trunc_geometric"),
    PureDP(EPSILON),
    0.0,
    largest_loss(_ZERO, _ONE),
    lambda y: np.round(_LOSS, 12)[np.ravel(y).astype(int)],
    lambda: rates_of(_LOSS, _ZERO, _ONE),
)
