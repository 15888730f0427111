"""Lower confidence bounds on the angle between the outcomes at two parameters: they cover, and they come close."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from noiseproof.audit.trial.attack.angle import angle_lower_bounds

Floats = NDArray[np.float64]


def histograms(n: int, cells: int) -> Floats:
    return np.array([c for c in itertools.product(range(n + 1), repeat=cells) if sum(c) == n], dtype=float)


@pytest.mark.parametrize(
    ("n", "p", "q"),
    [
        (3, (0.5, 0.5), (0.5, 0.5)),
        (4, (0.2, 0.3, 0.5), (0.3, 0.3, 0.4)),
        (6, (1.0, 0.0, 0.0), (0.9, 0.1, 0.0)),
        (8, (0.999, 0.001), (0.99, 0.01)),
        (8, (1.0, 0.0), (1.0, 0.0)),
    ],
)
@pytest.mark.parametrize("alpha", [0.2, 0.05])
def test_angle_bounds_cover_by_enumeration(
    n: int, p: tuple[float, ...], q: tuple[float, ...], alpha: float
) -> None:
    rows = histograms(n, len(p))
    k, low = np.repeat(rows, len(rows), axis=0), np.tile(rows, (len(rows), 1))
    weight = np.multiply.outer(*(np.asarray(stats.multinomial.pmf(rows, n, r)) for r in (p, q))).ravel()
    k, low, weight = k[weight > 0], low[weight > 0], weight[weight > 0]
    angle = np.arccos(min(1.0, float(np.sqrt(np.array(p) * np.array(q)).sum())))
    far = np.zeros(len(p))
    far[0] = 20
    for prior_k, prior_l in ((0 * far, 0 * far), (far, far[::-1])):
        bound = angle_lower_bounds(
            k, low, np.tile(prior_k, (len(k), 1)), np.tile(prior_l, (len(k), 1)), alpha
        )
        assert weight[bound > angle + 1e-9].sum() <= alpha


def test_angle_bounds_cover_by_simulation_and_come_close() -> None:
    rng = np.random.default_rng(3)
    edges = stats.norm.ppf(np.arange(1, 12) / 12)
    p, q = (np.diff([0.0, *stats.norm.cdf(edges - s), 1.0]) for s in (-0.5, 0.5))
    angle = np.arccos(np.sqrt(p * q).sum())
    k, low = (rng.multinomial(5000, r, size=400).astype(float) for r in (p, q))
    prior_k, prior_l = (rng.multinomial(1000, r, size=400).astype(float) for r in (p, q))
    bound = angle_lower_bounds(k, low, prior_k, prior_l, 0.1)
    assert stats.binom.sf(int((bound > angle).sum()) - 1, 400, 0.1) > 1e-3
    assert np.median(bound) > 0.8 * angle


COUNTS = st.lists(st.integers(0, 10**6), min_size=4, max_size=4).filter(any)


@given(st.lists(st.tuples(COUNTS, COUNTS), min_size=8, max_size=8))
@settings(max_examples=10, deadline=None, derandomize=True)
def test_angle_bounds_never_exceed_the_angle_of_the_histograms(pairs: list[Any]) -> None:
    k, low = np.array(pairs, dtype=float).swapaxes(0, 1)
    zero = np.zeros_like(k)
    bound = angle_lower_bounds(k, low, zero, zero, 0.05)
    shares = (k / k.sum(axis=1, keepdims=True)) * (low / low.sum(axis=1, keepdims=True))
    seen = np.arccos(np.minimum(1.0, np.sqrt(shares).sum(axis=1)))
    assert np.all((bound >= 0) & (bound <= seen + 1e-6))
