"""Boxes around the rates of several events: they hold together, and what is read off them is certainly reached."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from noiseproof.audit.trial.attack.bounds_table import attainable, bounds_table
from noiseproof.audit.trial.attack.claimed_curve import ClaimedCurve
from noiseproof.audit.trial.attack.rate_boxes import RateBoxes
from noiseproof.symbolic.privacy.guarantees import ApproxDP, GaussianDP, PureDP

Floats = NDArray[np.float64]
EPSILON = np.array([0.0, 0.2, 0.7, 1.5, 4.0])


def true_delta(p: Floats, q: Floats, epsilon: Floats) -> Floats:
    """The largest excess of these events and their complements, in both orders, shape of epsilon."""
    ratio = np.exp(epsilon)[:, None]
    sides = [p - ratio * q, (1 - p) - ratio * (1 - q), q - ratio * p, (1 - q) - ratio * (1 - p)]
    return np.asarray(np.maximum(0.0, np.max(sides, axis=(0, 2))), dtype=float)


def boxes(k0: Floats, n0: int, k1: Floats, n1: int, error: float = 0.1) -> RateBoxes:
    return RateBoxes.of(np.atleast_1d(k0).astype(float), n0, np.atleast_1d(k1).astype(float), n1, error)


@pytest.mark.parametrize(("n0", "n1"), [(1, 1), (6, 11), (14, 12)])
@pytest.mark.parametrize("error", [0.3, 0.05])
def test_one_box_covers_by_enumeration(n0: int, n1: int, error: float) -> None:
    rates = (0.0, 0.02, 0.3, 0.5, 0.9, 1.0)
    found = {
        (a, b): boxes(np.array(a), n0, np.array(b), n1, error)
        for a, b in itertools.product(range(n0 + 1), range(n1 + 1))
    }
    worst = 0.0
    zero, one = ({r: stats.binom.pmf(np.arange(n + 1), n, r) for r in rates} for n in (n0, n1))
    for q, p in itertools.product(rates, rates):
        truth, epsilon_at = true_delta(np.array([p]), np.array([q]), EPSILON), (0.0, 0.05)
        missed = missed_epsilon = 0.0
        for (a, b), box in found.items():
            mass = float(zero[q][a] * one[p][b])
            if mass == 0:
                continue
            missed += mass * bool(np.any(box.delta(EPSILON) > truth + 1e-12))
            for d in epsilon_at:
                bound = box.epsilon(d)
                missed_epsilon += mass * bool(
                    bound > 0 and true_delta(np.array([p]), np.array([q]), np.array([bound]))[0] < d - 1e-12
                )
        assert missed <= error
        assert missed_epsilon <= 2 * error
        worst = max(worst, missed)
    # The enumeration sees misses: it would see too many of them.
    assert worst > 0 or min(n0, n1) < 6


def test_several_nested_events_hold_together_by_simulation() -> None:
    rng = np.random.default_rng(1)
    n, audits, error = 300, 4000, 0.2
    cells0, cells1 = np.array([0.5, 0.2, 0.15, 0.1, 0.05]), np.array([0.2, 0.2, 0.2, 0.2, 0.2])
    q, p = (1 - np.cumsum(c)[:-1] for c in (cells0, cells1))
    truth = true_delta(p, q, EPSILON) + 1e-12
    missed = 0
    for _ in range(audits):
        k0, k1 = (n - np.cumsum(rng.multinomial(n, c))[:-1] for c in (cells0, cells1))
        missed += bool(np.any(boxes(k0, n, k1, n, error).delta(EPSILON) > truth))
    assert stats.binom.cdf(missed, audits, error) <= 1 - 1e-3
    assert missed <= error * audits


count = st.integers(0, 40)


@given(count, count, st.integers(1, 40), st.integers(1, 40), st.floats(0.001, 0.5))
@settings(max_examples=100, deadline=None, derandomize=True)
def test_complements_and_both_orders_are_read_off_alike(
    a: int, b: int, n0: int, n1: int, error: float
) -> None:
    k0, k1 = min(a, n0), min(b, n1)
    box = boxes(np.array(k0), n0, np.array(k1), n1, error)
    complement = boxes(np.array(n0 - k0), n0, np.array(n1 - k1), n1, error)
    swapped = boxes(np.array(k1), n1, np.array(k0), n0, error)
    for other in (complement, swapped):
        assert other.delta(EPSILON) == pytest.approx(box.delta(EPSILON), abs=1e-12)
        assert other.epsilon(0.01) == pytest.approx(box.epsilon(0.01), abs=1e-9)
    assert np.all(box.q_low <= k0 / n0)
    assert np.all(box.p_high >= k1 / n1)
    p, q = box.corners()
    assert p.shape == q.shape == (4,)
    # Each corner is the worst for the event that it belongs to.
    assert p[0] == box.p_low[0]
    assert q[0] == box.q_high[0]
    assert p[1] == 1 - box.q_high[0]
    assert q[1] == 1 - box.p_low[0]
    assert np.all(box.delta(EPSILON) <= box.seen_delta(EPSILON) + 1e-12)


def test_ends_are_those_of_clopper_and_pearson() -> None:
    k, n, error = np.array([0.0, 3.0, 20.0]), 20, 0.12
    box = boxes(k, n, k[::-1], n, error)
    each = error / (4 * len(k))
    assert box.q_low == pytest.approx([0.0, stats.beta.ppf(each, 3, 18), stats.beta.ppf(each, 20, 1)])
    assert box.q_high == pytest.approx(
        [stats.beta.ppf(1 - each, 1, 20), stats.beta.ppf(1 - each, 4, 17), 1.0]
    )
    assert box.p_low == pytest.approx(box.q_low[::-1])


def test_epsilon_and_delta_are_two_readings_of_one_curve() -> None:
    box = boxes(np.array([20, 300]), 1000, np.array([200, 900]), 1000)
    for delta in (0.0, 1e-3, 0.05):
        epsilon = box.epsilon(delta)
        assert epsilon > 0
        assert float(box.delta(epsilon)[0]) == pytest.approx(delta, abs=1e-9)
    assert boxes(np.array([500]), 1000, np.array([500]), 1000).epsilon(0.0) == 0.0
    assert box.epsilon(0.99) == 0.0


def test_every_row_of_the_table_is_certain() -> None:
    box = boxes(np.array([50, 400]), 1000, np.array([300, 900]), 1000, 0.0025)
    for guarantee in (PureDP(1.0), ApproxDP(0.5, 2e-3), GaussianDP(1.0)):
        claimed = ClaimedCurve.of(guarantee)
        at, certified = 2e-3, 1.5
        rows = bounds_table(claimed, at, certified, box, (1000, 1000), 0.05)
        assert [r["delta"] for r in rows] == sorted(r["delta"] for r in rows)
        assert at in [r["delta"] for r in rows]
        for row in rows:
            curve = guarantee.curve()
            assert row["certified"] == max(
                box.epsilon(row["delta"]), certified if row["delta"] <= at else 0.0
            )
            assert row["certified"] <= row["attainable"] == attainable(row["delta"], (1000, 1000), 0.05)
            # The claim allows no more than delta there, and more just below.
            if np.isfinite(row["claimed"]):
                assert float(curve(row["claimed"])) <= row["delta"] + 1e-12
                assert row["claimed"] == 0 or float(curve(row["claimed"] * 0.98)) > row["delta"]
    assert (
        bounds_table(ClaimedCurve.of(ApproxDP(0.5, 2e-3)), 0.0, 0.0, box, (10, 10), 0.05)[0]["claimed"]
        == np.inf
    )


@pytest.mark.parametrize("delta", [0.0, 0.02, 0.3, 0.9])
@pytest.mark.parametrize(("n", "alpha"), [(2, 0.3), (5, 0.001), (10, 1e-6), (20, 0.05), (400, 0.05)])
def test_attainable_is_the_exact_bound_of_outcomes_that_give_the_input_away(
    n: int, alpha: float, delta: float
) -> None:
    bound = attainable(delta, (n, n), alpha)
    q = np.linspace(0, 1, 20_001)

    def likelihood(epsilon: float) -> float:
        return float(((np.minimum(np.exp(epsilon) * q + delta, 1) * (1 - q)) ** n).max())

    if bound > 0:
        assert likelihood(bound - 1e-3) <= alpha * (1 + 1e-6)
    assert likelihood(bound + 1e-2) > alpha
    assert attainable(1.0, (n, n), alpha) == 0.0
    assert attainable(delta, (n, n + 5), alpha) == bound
