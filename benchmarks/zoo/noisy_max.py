"""Report noisy max: the index of the largest of five counts with Laplace(2/epsilon) noise."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from noiseproof.mechanisms.black_box import BlackBox
from noiseproof.symbolic.arrays import Floats
from noiseproof.symbolic.privacy.guarantees import PureDP

from .entry import EPSILON, ZooEntry, largest_loss, rates_of
from .laplace_integral import cdf, nodes

_SCALE = 2 / EPSILON
_INPUTS = ((1, 1, 1, 1, 1), (2, 0, 0, 0, 0))


def masses(counts: tuple[int, ...]) -> Floats:
    """P(index = i): the integral over the noise of count i of the probability that all others stay below."""
    z, w = nodes(_SCALE)
    values = np.asarray(counts)
    return np.array(
        [
            w @ np.prod([cdf(z + values[i] - other, _SCALE) for other in np.delete(values, i)], axis=0)
            for i in range(len(values))
        ]
    )


def _release(data: tuple[int, ...], size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    return np.asarray(np.argmax(np.asarray(data) + rng.laplace(0.0, _SCALE, size=(size, len(data))), axis=1))


def _log_density(y: Floats, data: tuple[int, ...]) -> Floats:
    return np.asarray(np.log(masses(data))[np.ravel(y).astype(int)])


_ZERO, _ONE = (masses(counts) for counts in _INPUTS)
_LOSS = np.log(_ONE) - np.log(_ZERO)

REPORT_NOISY_MAX = ZooEntry(
    "report_noisy_max",
    BlackBox(_release, _INPUTS, _log_density, name="report_noisy_max"),
    PureDP(EPSILON),
    0.0,
    largest_loss(_ZERO, _ONE),
    lambda y: np.round(_LOSS, 12)[np.ravel(y).astype(int)],
    lambda: rates_of(_LOSS, _ZERO, _ONE),
)
