"""Bounds of means by betting: coverage against distributions made to break them, sharpness, and bad input."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from bound_trials.betting import upper_bound
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from noiseproof.audit.trial.attack.rare.bounded_mean import log_capital, lower_bound
from noiseproof.symbolic.errors import SpecError

ALPHA = 0.2
RUNS = 200
Draw = Callable[[np.random.Generator], np.ndarray]

# Name -> (a small sample, its mean, its largest possible value).
ADVERSARIES: dict[str, tuple[Draw, float, float]] = {
    "rare large values": (lambda r: np.where(r.random(30) < 0.01, 100.0, 0.01), 1.0099, 100.0),
    "rare zeros": (lambda r: np.where(r.random(30) < 0.02, 0.0, 1.0), 0.98, 1.0),
    "one in ten": (lambda r: (r.random(30) < 0.1).astype(float), 0.1, 1.0),
    "fair coins": (lambda r: (r.random(30) < 0.5).astype(float), 0.5, 1.0),
    "uniform": (lambda r: r.random(40), 0.5, 1.0),
    "nearly constant": (lambda r: 0.5 + 0.01 * r.random(30), 0.505, 0.51),
    "two scales": (lambda r: np.where(r.random(50) < 0.05, r.random(50), 1e-6), 0.05 / 2 + 0.95e-6, 1.0),
}
LIMIT = int(stats.binom.ppf(1 - 1e-6, RUNS, ALPHA))


def misses(wrong: Callable[[np.ndarray], bool], draw: Draw) -> int:
    rng = np.random.default_rng(7)
    return sum(wrong(draw(rng)) for _ in range(RUNS))


def above(v: np.ndarray, mean: float) -> bool:
    """Whether the lower bound exceeds the mean: the capital falls as the mean grows, so one look decides."""
    return log_capital(v, mean) > -np.log(ALPHA)


@pytest.mark.parametrize("name", ADVERSARIES)
def test_bounds_miss_the_mean_no_more_often_than_alpha(name: str) -> None:
    draw, mean, top = ADVERSARIES[name]
    assert misses(lambda v: above(v, mean), draw) <= LIMIT
    assert misses(lambda v: above(top - v, top - mean), draw) <= LIMIT
    for seed in range(5):
        v = draw(np.random.default_rng(seed))
        assert (lower_bound(v, ALPHA) > mean) == above(v, mean)
        assert (upper_bound(v, top, ALPHA) < mean) == above(top - v, top - mean)


def test_the_adversaries_break_a_bound_by_the_normal_law() -> None:
    """The test above can fail: the interval that most people would write does."""
    draw, mean, _ = ADVERSARIES["rare zeros"]

    def normal(v: np.ndarray) -> bool:
        return bool(v.mean() - stats.norm.ppf(1 - ALPHA) * v.std(ddof=1) / np.sqrt(len(v)) > mean)

    assert misses(normal, draw) > LIMIT


def test_the_capital_has_mean_one_under_the_claim() -> None:
    """Two values, every sample of three: the exact expectation, not a simulation."""
    p, low, high = 0.3, 0.2, 2.0
    mean = p * high + (1 - p) * low
    total = 0.0
    for bits in np.ndindex(2, 2, 2):
        values = np.where(np.array(bits) == 1, high, low)
        weight = float(np.prod(np.where(np.array(bits) == 1, p, 1 - p)))
        total += weight * np.exp(log_capital(values, mean))
    assert total == pytest.approx(1.0, abs=1e-8)
    assert total <= 1


def test_bounds_are_sharp_for_large_samples_and_for_tiny_means() -> None:
    rng = np.random.default_rng(1)
    values = rng.random(20_000)
    assert 0.485 < lower_bound(values, 0.05) < 0.5 < upper_bound(values, 1.0, 0.05) < 0.515
    # Importance weights: a mean of 1e-80 in values that could be as large as ten.
    tiny = 1e-80 * np.exp(rng.normal(size=20_000))
    assert 0.93 < lower_bound(tiny, 0.05) / (1e-80 * np.exp(0.5)) < 1


def test_one_success_rules_out_very_small_means_only() -> None:
    values = np.zeros(100)
    assert lower_bound(values, 0.05) == 0.0
    values[3] = 1.0
    # The exact binomial bound is 5.1e-4: no valid bound can lie above it.
    assert 2e-5 < lower_bound(values, 0.05) < 1 - 0.95 ** (1 / 100)


@given(st.lists(st.floats(0, 10), min_size=1, max_size=30), st.floats(1e-6, 1e6), st.floats(0.01, 0.5))
@settings(max_examples=25, deadline=None, derandomize=True)
def test_bounds_follow_the_unit_the_order_and_the_grouping(
    values: list[float], unit: float, alpha: float
) -> None:
    v = np.array(values)
    low = lower_bound(v, alpha)
    assert low <= v.mean() * (1 + 1e-12)
    assert lower_bound(v[::-1], alpha) == pytest.approx(low, rel=1e-9)
    assert lower_bound(unit * v, alpha) == pytest.approx(unit * low, rel=1e-6, abs=1e-290)
    distinct, counts = np.unique(v, return_counts=True)
    assert lower_bound(distinct, alpha, counts) == pytest.approx(low, rel=1e-9)
    assert lower_bound(v, alpha / 2) <= low
    if low > 0:
        assert log_capital(v, low * (1 - 1e-8)) >= -np.log(alpha) > log_capital(v, low * (1 + 1e-7))


def test_larger_values_never_lower_the_bound() -> None:
    rng = np.random.default_rng(3)
    v = rng.exponential(size=200)
    assert lower_bound(v, 0.05) < lower_bound(v + 0.01, 0.05)
    assert lower_bound(0.99 * v, 0.05) < lower_bound(v, 0.05)


@pytest.mark.parametrize(
    "build",
    [
        lambda: lower_bound([-1.0, 1.0], 0.05),
        lambda: lower_bound([np.nan], 0.05),
        lambda: lower_bound([np.inf], 0.05),
        lambda: lower_bound([1.0], 0.0),
        lambda: lower_bound([1.0], 1.0),
        lambda: lower_bound([1.0], 0.05, [1.0, 2.0]),
        lambda: lower_bound([1.0], 0.05, [-1.0]),
        lambda: upper_bound([2.0], 1.0, 0.05),
        lambda: log_capital([1.0], 0.0),
        lambda: lower_bound([[1.0]], 0.05),
    ],
)
def test_bad_numbers_are_refused(build: Callable[[], float]) -> None:
    with pytest.raises(SpecError, match=r"must|expected"):
        build()
