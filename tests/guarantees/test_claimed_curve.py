"""What a claim allows, read off its grid; and the one event that simulated audits choose against a whole curve."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, stats

import noiseproof as npf
from noiseproof.audit.trial.attack import chosen_event
from noiseproof.audit.trial.attack.chosen_event import chosen_event_refutes, looked_up
from noiseproof.audit.trial.attack.claimed_curve import ClaimedCurve


def normal_delta(epsilon: float, mu: float) -> float:
    """The curve of two normal laws mu deviations apart (Balle and Wang 2018, theorem 5)."""
    far = stats.norm.logcdf(-mu / 2 - epsilon / mu) + epsilon
    return float(stats.norm.cdf(mu / 2 - epsilon / mu) - np.exp(far))


@pytest.mark.parametrize(("mu", "end"), [(0.1, 1.0), (0.6, 5.0), (2.0, 20.0), (10.0, 30.0)])
def test_a_grid_ends_where_next_to_nothing_is_allowed_but_not_beyond_thirty(mu: float, end: float) -> None:
    claimed = ClaimedCurve.of(npf.GaussianDP(mu))
    assert claimed.epsilon[-1] == end
    assert (normal_delta(end, mu) < 1e-9) == (mu < 10)


def test_a_point_claim_has_its_own_epsilon_on_the_grid_however_large() -> None:
    for epsilon in (0.123, 37.0):
        claimed = ClaimedCurve.of(npf.ApproxDP(epsilon, 1e-6))
        assert epsilon in claimed.epsilon
        assert claimed.fixed == 1e-6
        assert claimed.allowed_epsilon(1e-6) == pytest.approx(epsilon, abs=1e-3)
    assert ClaimedCurve.of(npf.PureDP(0.5)).fixed == 0.0


@pytest.mark.parametrize("delta", [0.1, 1e-3, 1e-6])
def test_what_a_curve_allows_at_a_delta_is_its_inverse(delta: float) -> None:
    claimed = ClaimedCurve.of(npf.GaussianDP(1.0))
    exact = optimize.brentq(lambda e: normal_delta(e, 1.0) - delta, 0.0, 20.0)
    step = float(np.diff(claimed.epsilon).max())
    # Never less than the claim: an audit may not refute what is allowed.
    assert exact <= claimed.allowed_epsilon(delta) <= exact + step / 900


def test_no_epsilon_keeps_a_whole_curve_at_delta_zero() -> None:
    assert ClaimedCurve.of(npf.GaussianDP(0.1)).allowed_epsilon(0.0) == float("inf")
    assert ClaimedCurve.of(npf.PureDP(1.0)).allowed_epsilon(0.0) == pytest.approx(1.0, abs=1e-3)


def test_what_is_held_at_once_changes_no_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    rng, claimed = np.random.default_rng(0), ClaimedCurve.of(npf.GaussianDP(1.0))
    threshold = np.linspace(-3, 4, 15)
    rates = stats.norm.sf(threshold), stats.norm.sf(threshold - 1.15)
    chosen, counted = (
        (rng.binomial(n, q, (50, 15)), rng.binomial(n, p, (50, 15)))
        for n in (2_000, 5_000)
        for q, p in (rates,)
    )
    choosing, testing = ((np.asarray(p, float), np.asarray(q, float)) for q, p in (chosen, counted))

    def answer() -> tuple[list[bool], list[int]]:
        found, place = chosen_event_refutes(choosing, 2_000, looked_up(testing), 5_000, claimed, 0.05)
        return found.tolist(), place.tolist()

    whole = answer()
    assert 0 < sum(whole[0]) < 50
    assert len(set(whole[1])) > 3
    monkeypatch.setattr(chosen_event, "_NUMBERS", 1)  # a point of the curve at a time
    assert answer() == whole
