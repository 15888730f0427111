"""The exact test of one event: never below the worst nuisance rate, hardly above it, and bounds that cover."""

from __future__ import annotations

import time
from functools import lru_cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import special, stats

from noiseproof import BlackBox, PureDP, Verdict, examine
from noiseproof.audit.trial.attack.bounds_table import attainable
from noiseproof.audit.trial.attack.event_bound import (
    LEAST_LEVEL,
    EventCount,
    EventTest,
    clopper_pearson,
    nominal_bound,
)

Floats = NDArray[np.float64]
SIZES = ((1, 1), (2, 7), (7, 2), (12, 12), (40, 15), (15, 40), (40, 40))


def masses(n: int, rates: Floats) -> Floats:
    """Probabilities (rates, n + 1) of all counts."""
    return _masses(n, rates.tobytes())


@lru_cache(256)  # tests at another alpha ask for the same
def _masses(n: int, rates: bytes) -> Floats:
    given = np.frombuffer(rates)[:, None]
    return np.asarray(stats.binom.pmf(np.arange(n + 1), n, given), dtype=float)


def rejection(rejected: Floats, n: int, p: Floats, m: int, q: Floats) -> Floats:
    """The probability, for each pair of rates, of the counts (n + 1, m + 1) that are marked."""
    return np.einsum("rk,kl,rl->r", masses(n, p), rejected.astype(float), masses(m, q))


def nominal(n: int, m: int, delta: float, z: float) -> Floats:
    """The statistic by which counts are ordered, for all of them, shape (n + 1, m + 1)."""
    k, low = np.meshgrid(np.arange(n + 1.0), np.arange(m + 1.0), indexing="ij")
    return nominal_bound(k, n, low, m, delta, z)


def brute_force(count: EventCount, delta: float, alpha: float, epsilon: float) -> float:
    """The largest probability of counts ordered at or above those seen, over a fine grid in the rates' confidence box."""
    order = nominal(count.n, count.m, delta, float(-special.ndtri(alpha)))
    share = 1e-3 * alpha
    p_low, p_high = clopper_pearson(count.k, count.n, share / 2)
    q_low, q_high = clopper_pearson(count.l, count.m, share / 2)
    q = np.unique(np.concatenate([np.linspace(0, 1, 2001), np.geomspace(1e-9, 1, 500)]))
    p = np.minimum(np.exp(epsilon) * q + delta, p_high)
    inside = (q >= q_low) & (q <= q_high) & (p >= p_low)
    extreme = order >= order[count.k, count.l] - 1e-9
    found = rejection(extreme, count.n, p[inside], count.m, q[inside])
    return float(found.max(initial=0.0)) + share


def cases(n: int, m: int) -> list[tuple[int, int]]:
    rng = np.random.default_rng(n + 100 * m)
    more = [(int(rng.integers(n + 1)), int(rng.integers(m + 1))) for _ in range(4)]
    return sorted({(n, 0), (n, m), (n, m // 4), (n // 2, 0), (n // 2 + 1, 1), (n - 1, 0), *more})


@pytest.mark.parametrize("alpha", [0.05, 1e-3])
@pytest.mark.parametrize(("n", "m"), SIZES[2:])
def test_p_values_are_those_of_the_worst_rates(n: int, m: int, alpha: float) -> None:
    near = 0
    for k, low in cases(n, m):
        count = EventCount(k, n, low, m)
        for delta in (0.0, 0.05, 0.3):
            test = EventTest(count, delta, alpha)
            if not np.isfinite(test.nominal):
                assert test.p_value(0.0) == 1.0
                continue
            for epsilon in (0.0, 0.7, max(test.lower_bound(), 0.1), 3.0):
                value, worst = test.p_value(epsilon), brute_force(count, delta, alpha, epsilon)
                assert value >= min(worst, 1.0) - 1e-12
                # Tight where it decides; elsewhere a little loose, never enough to change the answer.
                assert value <= 1.06 * worst or not 0.2 * alpha <= worst <= 5 * alpha
                assert value <= 1.35 * worst or worst < 0.1 * alpha or value > 5 * alpha
                near += 0.2 * alpha <= worst <= 5 * alpha
    assert near >= 3 or min(n, m) < 10


@pytest.mark.parametrize("alpha", [pytest.param(0.7, marks=pytest.mark.long), 0.3, 0.05, 1e-3])
@pytest.mark.parametrize("delta", [0.0, 0.1])
@pytest.mark.parametrize(("n", "m"), SIZES[:5])
def test_bounds_cover_by_enumeration(n: int, m: int, delta: float, alpha: float) -> None:
    bound = np.array(
        [
            [EventTest(EventCount(k, n, low, m), delta, alpha).lower_bound() for low in range(m + 1)]
            for k in range(n + 1)
        ]
    )
    missed = 0.0
    for epsilon in (0.0, 0.3, 1.0, 2.0, 4.0):
        q = np.unique(np.concatenate([np.linspace(0, 1, 200), np.geomspace(1e-5, 1, 60)]))
        p = np.exp(epsilon) * q + delta
        q, p = q[p <= 1], p[p <= 1]
        missed = max(missed, float(rejection(bound > epsilon, n, p, m, q).max()))
    assert missed <= alpha
    # Not idle: where counts are fine enough, next to nothing of alpha is left unused.
    assert min(n, m) < 12 or missed >= 0.5 * alpha


def test_an_asymptotic_bound_would_not_cover() -> None:
    # The same enumeration finds the bound that merely orders the counts wrong: it has power.
    order = nominal(40, 15, 0.0, float(-special.ndtri(0.05)))
    q = np.linspace(0, 1, 400)
    p = np.exp(0.3) * q
    assert rejection(order > 0.3, 40, p[p <= 1], 15, q[p <= 1]).max() > 0.05


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 2.0])
def test_p_values_are_valid_at_every_level_by_enumeration(epsilon: float) -> None:
    n, m, delta = 15, 12, 0.05
    values = np.array(
        [
            [EventTest(EventCount(k, n, low, m), delta, 0.05).p_value(epsilon) for low in range(m + 1)]
            for k in range(n + 1)
        ]
    )
    q = np.linspace(0, 1, 300)
    # Both on the edge of the claim and inside of it.
    for p in (np.exp(epsilon) * q + delta, 0.9 * (np.exp(epsilon) * q + delta)):
        for level in (0.2, 0.05, 0.01):
            assert rejection(values <= level, n, p[p <= 1], m, q[p <= 1]).max() <= level


counted = st.tuples(st.integers(1, 60), st.integers(1, 60), st.floats(0, 1), st.floats(0, 1))


@given(counted, st.sampled_from([0.0, 1e-6, 0.1, 0.6]), st.sampled_from([0.3, 0.05, 1e-4, 1e-9]))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_p_values_rise_with_epsilon_and_the_bound_is_where_they_cross(
    counted: tuple[int, int, float, float], delta: float, alpha: float
) -> None:
    n, m, a, b = counted
    test = EventTest(EventCount(round(a * n), n, round(b * m), m), delta, alpha)
    values = [test.p_value(e) for e in (0.0, 0.1, 0.5, 1.0, 2.0, 5.0, 20.0, 700.0)]
    assert all(0 < v <= 1 for v in values)
    # What the search between its nodes may add.
    assert all(one <= 1.1 * two for one, two in pairwise(values))
    bound = test.lower_bound()
    assert bound >= 0
    if bound > 0:
        assert test.p_value(bound) <= alpha
    width = 0.1 * test.standard_deviation() + 1e-4
    assert test.p_value(bound + width) > alpha


@given(
    counted,
    st.sampled_from([0.0, 0.1]),
    st.sampled_from([0.0, 0.1, 0.5, 1.0, 3.0]),
    st.sampled_from([0.6, 0.05, 1e-4]),
)
@settings(max_examples=150, deadline=None, derandomize=True)
def test_a_claim_is_refuted_exactly_where_its_p_value_is_small(
    counted: tuple[int, int, float, float], delta: float, epsilon: float, alpha: float
) -> None:
    n, m, a, b = counted
    test = EventTest(EventCount(round(a * n), n, round(b * m), m), delta, alpha)
    value = test.p_value(epsilon)
    refuted = test.refutes(epsilon, test.lower_bound())
    assert refuted == (value <= alpha) or 0.9 * alpha < value < 1.3 * alpha


@pytest.mark.parametrize("alpha", [0.3, 0.05])
def test_claims_of_no_difference_at_all_are_refuted_no_more_often_than_alpha(alpha: float) -> None:
    # At epsilon = 0 "no bound" and "a bound of zero" must not be taken for one another.
    n, m = 14, 9
    for delta in (0.0, 0.2):
        refuted = np.zeros((n + 1, m + 1))
        for k in range(n + 1):
            for low in range(m + 1):
                test = EventTest(EventCount(k, n, low, m), delta, alpha)
                refuted[k, low] = test.refutes(0.0, test.lower_bound())
        q = np.linspace(0, 1 - delta, 300)
        assert rejection(refuted, n, q + delta, m, q).max() <= alpha
        assert refuted.any()


@pytest.mark.parametrize("delta", [0.0, 1e-3])
@pytest.mark.parametrize(("p", "q"), [(0.6, 0.2), (0.02, 0.005), (0.99, 0.4), (0.5, 0.49)])
def test_large_samples_agree_with_the_normal_approximation(p: float, q: float, delta: float) -> None:
    n, m = 400_000, 300_000
    count = EventCount(round(p * n), n, round(q * m), m)
    error = np.sqrt(p * (1 - p) / (n * (p - delta) ** 2) + (1 - q) / (m * q))
    expected = np.log((p - delta) / q) - 1.645 * error
    assert EventTest(count, delta, 0.05).lower_bound() == pytest.approx(expected, abs=0.1 * error)


@pytest.mark.parametrize("size", [10, 1000, 100_000])
@pytest.mark.parametrize("delta", [0.0, 0.01])
def test_outcomes_that_give_their_input_away_get_what_was_attainable(size: int, delta: float) -> None:
    bound = EventTest(EventCount(size, size, 0, size), delta, 0.05).lower_bound()
    assert bound <= attainable(delta, (size, size), 0.05) + 1e-9
    assert bound >= attainable(delta, (size, size), 0.05) - 0.03


def test_events_that_show_nothing_bound_nothing() -> None:
    for count in (
        EventCount(0, 50, 0, 50),
        EventCount(0, 50, 50, 50),
        EventCount(25, 50, 25, 50),
        EventCount(1, 1, 0, 1),
    ):
        assert EventTest(count, 0.0, 0.05).lower_bound() == 0.0
        assert EventTest(count, 0.0, 0.05).p_value(0.0) > 0.05
    assert EventTest(EventCount(50, 50, 0, 50), 0.999, 0.05).lower_bound() == 0.0


def test_a_large_delta_is_paid_for() -> None:
    bounds = [
        EventTest(EventCount(700, 1000, 100, 1000), d, 0.05).lower_bound()
        for d in (0.0, 0.01, 0.1, 0.5, 0.65, 0.7)
    ]
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[-1] == 0.0


@pytest.mark.parametrize("count", [(600_000, 200_000), (1_000_000, 0), (300, 20), (999_990, 400_000)])
def test_one_bound_of_a_million_outcomes_takes_well_under_a_second(count: tuple[int, int]) -> None:
    n = 1_000_000
    start = time.process_time()
    bound = EventTest(EventCount(count[0], n, count[1], n), 1e-6, 0.0475).lower_bound()
    assert time.process_time() - start < 0.6
    assert bound > 0


@pytest.mark.parametrize(("k", "n", "error"), [(0, 10, 0.1), (10, 10, 0.1), (3, 10, 0.01), (500, 1000, 1e-6)])
def test_the_interval_of_a_rate_is_exact(k: int, n: int, error: float) -> None:
    low, high = clopper_pearson(k, n, error)
    assert low <= k / n <= high
    assert stats.binom.sf(k - 1, n, low) == pytest.approx(error / 2) or k == low == 0
    assert stats.binom.cdf(k, n, high) == pytest.approx(error / 2) or (k == n and high == 1)


@pytest.mark.parametrize("level", [1e-30, LEAST_LEVEL / 2])
def test_no_counts_refute_at_a_level_below_what_rounding_may_add(level: float) -> None:
    clear = EventCount(40_000, 40_000, 0, 40_000)
    assert EventTest(clear, 0.0, level).lower_bound() == 0.0
    assert not EventTest(clear, 0.0, level).refutes(1.0, 0.0)
    assert EventTest(clear, 0.0, 1.5 * LEAST_LEVEL).refutes(1.0, 0.0)


def test_an_audit_at_such_an_alpha_says_so_at_once() -> None:
    box = BlackBox(lambda data, size, rng: data + rng.laplace(size=size), inputs=(0.0, 1.0))
    (finding,) = examine(box, PureDP(1.0), samples=2_000, alpha=1e-12).findings
    assert finding.verdict is Verdict.UNDECIDED
    assert "give more alpha" in finding.evidence[0].detail
