"""Exact tests from counts: expectations at most one under every true claim, and confidence bounds that cover."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import special, stats

from noiseproof.audit.angle import angle_lower_bounds
from noiseproof.audit.evalue import (
    EventCounts,
    delta_lower_bounds,
    epsilon_lower_bound,
    log_e_curve,
    log_e_points,
    log_sup_half_plane,
)

Floats = NDArray[np.float64]
PRIORS = ((0.0, 0.0, 0.0, 0.0), (30.0, 40.0, 2.0, 40.0), (0.0, 40.0, 40.0, 40.0))


def counts(k1: Floats, n1: float, k0: Floats, n0: float, prior: tuple[float, ...] = PRIORS[0]) -> EventCounts:
    """Counts k1 of n1 under P and k0 of n0 under Q, each row with all of the weight shared equally."""
    full = [np.full(k1.shape, v) for v in (prior[0], prior[2])]
    return EventCounts(k0, n0, k1, n1, full[1], prior[3], full[0], prior[1], np.full(k1.shape, 1 / len(k1)))


def table(n: int, m: int) -> tuple[Floats, Floats]:
    k, low = np.meshgrid(np.arange(n + 1.0), np.arange(m + 1.0), indexing="ij")
    return k.ravel(), low.ravel()


def expectation(
    n: int, m: int, p: float, q: float, epsilon: float, delta: float, prior: tuple[float, ...]
) -> float:
    """The sum of P(k, l) e(k, l) over all outcomes."""
    k, low = table(n, m)
    log_e = log_e_points(counts(k, n, low, m, prior), [epsilon], [delta]).max(axis=1)
    return float((stats.binom.pmf(k, n, p) * stats.binom.pmf(low, m, q) * np.exp(log_e)).sum())


@pytest.mark.parametrize(("n", "m"), [(1, 1), (2, 3), (10, 10), (40, 25)])
@pytest.mark.parametrize(
    ("epsilon", "delta"),
    [(0.0, 0.1), (1.0, 0.0), (1.0, 1e-3), (5.0, 0.0), (0.1, 0.5), (30.0, 0.0), (0.5, 0.999)],
)
def test_the_expectation_under_a_boundary_claim_is_at_most_one(
    n: int, m: int, epsilon: float, delta: float
) -> None:
    for q in (0.0, 1e-6, 1e-3, 0.05, 0.2, 0.5, 0.9):
        p = min(1.0, np.exp(epsilon) * q + delta)
        if 1 - q > np.exp(epsilon) * (1 - p) + delta + 1e-12:
            continue
        for prior in PRIORS:
            assert expectation(n, m, p, q, epsilon, delta, prior) <= 1 + 1e-8
            assert expectation(m, n, q, p, epsilon, delta, prior) <= 1 + 1e-8


def test_the_expectation_can_exceed_one_where_the_claim_is_false() -> None:
    assert expectation(40, 40, 0.6, 0.1, 1.0, 0.0, PRIORS[1]) > 10


@given(
    st.integers(1, 10**6), st.integers(1, 10**6), st.floats(0, 1), st.floats(0, 1),
    st.sampled_from([0.0, 1e-9, 0.1, 1.0, 5.0, 30.0, 299.0, 400.0, 1000.0]), st.sampled_from([0.0, 1e-12, 1e-5, 0.3, 0.999, 1 - 1e-12]),
)  # fmt: skip
@settings(max_examples=150, deadline=None, derandomize=True)
def test_the_supremum_is_an_upper_bound(
    n: int, m: int, a: float, b: float, epsilon: float, delta: float
) -> None:
    q = np.unique(
        np.concatenate(
            [np.linspace(0, 1, 2001), np.geomspace(1e-300, 1, 2001), 1 - np.geomspace(1e-16, 1, 501)]
        )
    )
    for k, low in itertools.product({0, n, round(a * n)}, {0, m, round(b * m)}):
        bound = float(log_sup_half_plane(k, n, low, m, epsilon, delta))
        p = np.minimum(k / n, np.minimum(np.exp(min(epsilon, 700.0)) * q + delta, 1.0))
        value = (
            special.xlogy(k, p)
            + special.xlog1py(n - k, -p)
            + special.xlogy(low, q)
            + special.xlog1py(m - low, -q)
        )
        # Larger than the guard only by what 48 bisections leave of a likelihood of so many outcomes.
        assert np.nanmax(value) <= bound + 1e-14 * (n + m)
        free = (
            special.xlogy(k, k / n)
            + special.xlog1py(n - k, -k / n)
            + special.xlogy(low, low / m)
            + special.xlog1py(m - low, -low / m)
        )
        assert bound <= free + 1e-8


def test_a_whole_curve_keeps_the_error_by_simulation() -> None:
    # Randomised response at epsilon = 1 is exactly at its claim; the event is its first answer.
    rng = np.random.default_rng(4)
    keep, alpha, n = np.e / (1 + np.e), 0.1, 400
    epsilon = np.linspace(0, 3, 40)
    delta = np.where(epsilon < 1, -np.expm1(np.minimum(epsilon - 1, 0)) / (1 + np.exp(-1)), 0.0)
    rejected = 0
    for _ in range(2000):
        k1, k0 = (np.array([float(rng.binomial(n, p))]) for p in (keep, 1 - keep))
        prior = (float(rng.binomial(100, keep)), 100.0, float(rng.binomial(100, 1 - keep)), 100.0)
        rejected += log_e_curve(counts(k1, n, k0, n, prior), epsilon, delta)[0] >= -np.log(alpha)
    assert stats.binom.sf(rejected - 1, 2000, alpha) > 1e-3


@pytest.mark.parametrize(("p", "q"), [(0.5, 0.2), (0.9, 0.9), (0.3, 0.0), (0.02, 0.01)])
def test_lower_bounds_cover_the_truth_by_enumeration(p: float, q: float) -> None:
    n, m, alpha = 5, 5, 0.2
    epsilon = np.array([0.0, 0.2, 0.7, 1.5])
    # Of this one event: the larger of the four one-sided excesses.
    ratio = np.exp(epsilon)
    truth = np.maximum.reduce(
        [p - ratio * q, q - ratio * p, (1 - p) - ratio * (1 - q), (1 - q) - ratio * (1 - p)]
    )
    k, low = table(n, m)
    missed = 0.0
    for a, b in zip(k, low, strict=True):
        one = counts(np.array([a]), n, np.array([b]), m, (3.0, 6.0, 2.0, 6.0))
        wrong = bool(np.any(delta_lower_bounds(one, epsilon, alpha) > np.maximum(truth, 0) + 1e-9))
        missed += wrong * stats.binom.pmf(a, n, p) * stats.binom.pmf(b, m, q)
    assert missed <= alpha


def test_the_epsilon_bound_covers_by_simulation_and_is_tight_at_the_rate_of_the_sample() -> None:
    rng = np.random.default_rng(6)
    keep, alpha, n = np.e / (1 + np.e), 0.1, 20_000
    found = []
    for _ in range(30):
        k1, k0 = (np.array([float(rng.binomial(n, p))]) for p in (keep, 1 - keep))
        found.append(
            epsilon_lower_bound(
                counts(k1, n, k0, n, (keep * 5000, 5000, (1 - keep) * 5000, 5000)), 0.0, alpha
            )
        )
    missed = int(np.sum(np.array(found) > 1.0))
    assert stats.binom.sf(missed - 1, 30, alpha) > 1e-3
    assert np.median(found) > 0.95
    assert epsilon_lower_bound(counts(np.array([50.0]), 100, np.array([50.0]), 100), 0.0, alpha) == 0.0


def test_zero_counts_and_full_counts_give_numbers() -> None:
    edge = np.array([0.0, 0.0, 50.0, 50.0])
    other = np.array([0.0, 50.0, 0.0, 50.0])
    with np.errstate(all="raise", under="ignore"):
        values = log_e_points(counts(edge, 50, other, 50), [0.0, 1.0, 700.0], [0.5, 0.0, 0.0])
    assert np.all(np.isfinite(values))
    assert values[1].max() > np.log(100)
    assert values[0].max() <= 0


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


@given(
    st.lists(st.integers(0, 10**6), min_size=4, max_size=4),
    st.lists(st.integers(0, 10**6), min_size=4, max_size=4),
)
@settings(max_examples=80, deadline=None, derandomize=True)
def test_angle_bounds_never_exceed_the_angle_of_the_histograms(a: list[int], b: list[int]) -> None:
    if sum(a) == 0 or sum(b) == 0:
        return
    k, low = np.array([a], dtype=float), np.array([b], dtype=float)
    zero = np.zeros_like(k)
    bound = float(angle_lower_bounds(k, low, zero, zero, 0.05)[0])
    seen = np.arccos(min(1.0, float(np.sqrt(k / k.sum() * low / low.sum()).sum())))
    assert 0 <= bound <= seen + 1e-6
