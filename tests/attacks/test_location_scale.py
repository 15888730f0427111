"""Exact bounds on centres and scale of noise of a known shape, and the closed forms they are put into."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from scipy import stats

from noiseproof import PureDP
from noiseproof.audit.trial.attack.additive.location_scale import (
    SHAPES,
    Shape,
    Weights,
    best_weights,
    binomial_bounds,
    explained,
    thresholds,
)
from noiseproof.audit.trial.attack.additive.shifted_noise import excess, profile


def test_two_events_at_different_thresholds_are_no_distance() -> None:
    shape = SHAPES["laplace"]
    w = Weights(np.array([0, 1]), np.array([0.0, 1.0]), np.array([1.0, -1.0]))
    assert not w.valid()
    assert Weights(np.array([0, 1]), np.array([0.5, 0.5]), w.w).valid()
    assert best_weights(shape, [0.0, 1.0], 1.0, np.array([5.0]), 1.0, 0.05) is None


@pytest.mark.parametrize("ratio", [0.2, 1.0, 6.0])
@pytest.mark.parametrize("noise", SHAPES)
def test_the_bound_is_wrong_about_as_often_as_it_may_be(noise: str, ratio: float) -> None:
    shape, centres, n, repeats, alpha = SHAPES[noise], np.array([0.0, ratio]), 2_000, 4_000, 0.2
    w = best_weights(shape, centres, 1.0, thresholds(shape, centres, 1.0), n, alpha)
    assert w is not None
    assert w.valid()
    below = counts_below(shape, centres, [1.0, 1.0], w, n, repeats)
    wrong = int(np.count_nonzero(w.bound(shape, below, [n, n], alpha) > ratio))
    assert stats.binom.sf(wrong - 1, repeats, alpha) > 1e-4
    # One-sided bounds that are added up are cautious, not idle.
    assert wrong > 0.001 * repeats


def counts_below(
    shape: Shape, centres: Any, scales: Sequence[float], w: Weights, n: int, repeats: int
) -> Any:
    rng = np.random.default_rng(5)
    below = np.empty((repeats, len(w.w)))
    for i in (0, 1):
        mine = np.flatnonzero(w.side == i)
        mine = mine[np.argsort(w.threshold[mine])]
        p = np.diff(shape.cdf((w.threshold[mine] - centres[i]) / scales[i]), prepend=0.0, append=1.0)
        below[:, mine] = np.cumsum(rng.multinomial(n, p, size=repeats), axis=1)[:, :-1]
    return below


@pytest.mark.parametrize("noise", SHAPES)
def test_the_test_of_the_shape_has_both_words(noise: str) -> None:
    shape, centres, n = SHAPES[noise], np.array([0.0, 1.0]), 3_000
    at = thresholds(shape, centres, 1.0)
    rng = np.random.default_rng(2)

    def accepted(scales: tuple[float, float], level: float) -> int:
        found = 0
        for _ in range(60):
            cells = [
                np.diff(shape.cdf((at - c) / s), prepend=0.0, append=1.0)
                for c, s in zip(centres, scales, strict=True)
            ]
            below = np.stack([np.cumsum(rng.multinomial(n, p))[:-1] for p in cells]).astype(float)
            found += explained(shape, at, below, np.array([n, n]), level)
        return found

    assert accepted((1.0, 1.0), 0.2) >= 60 - stats.binom.isf(1e-4, 60, 0.2)
    assert accepted((1.0, 1.3), 0.05) <= 6


def test_binomial_bounds_are_those_of_clopper_and_pearson() -> None:
    k, n, alpha = np.array([0.0, 1.0, 17.0, 99.0, 100.0]), 100.0, 0.03
    low, high = binomial_bounds(k, n, alpha)
    assert (low[0], high[-1]) == (0, 1)
    np.testing.assert_allclose(stats.binom.sf(k[1:] - 1, 100, low[1:]), alpha)
    np.testing.assert_allclose(stats.binom.cdf(k[:-1], 100, high[:-1]), alpha)


@pytest.mark.parametrize("noise", SHAPES)
def test_closed_forms_agree_with_the_densities(noise: str) -> None:
    shape, y = SHAPES[noise], np.linspace(-40, 45, 850_001)
    density = lambda z: np.exp(shape.log_density(z))  # noqa: E731
    np.testing.assert_allclose(shape.cdf(shape.quantile(np.array([0.01, 0.4, 0.9]))), [0.01, 0.4, 0.9])
    np.testing.assert_allclose(np.trapezoid(density(y), y), 1, rtol=1e-6)
    np.testing.assert_allclose(np.sqrt(np.trapezoid(density(y) * y**2, y)), shape.deviation, rtol=1e-6)
    for ratio in (0.3, 4.0):
        for epsilon in (0.0, 0.25, 3.5):
            exact = np.trapezoid(np.maximum(0, density(y - ratio) - np.exp(epsilon) * density(y)), y)
            assert float(profile(shape, np.array([ratio]), epsilon)) == pytest.approx(
                exact, rel=1e-5, abs=1e-9
            )


def test_the_profile_of_several_entries_is_a_lower_bound_near_the_truth() -> None:
    shape, ratios = SHAPES["laplace"], np.array([0.7, 0.4])
    y = np.linspace(-18, 18, 1_801)
    p, q = (np.exp(-np.abs(y[:, None] - c[0]) - np.abs(y - c[1])) / 4 for c in (ratios, np.zeros(2)))
    for epsilon in (0.0, 0.5, 1.0):
        exact = np.maximum(0, p - np.exp(epsilon) * q).sum() * (y[1] - y[0]) ** 2
        found = float(profile(shape, ratios, epsilon))
        assert found == pytest.approx(exact, abs=2e-4)
    assert excess(PureDP(1.09), shape, ratios).found
    assert not excess(PureDP(1.11), shape, ratios).found
