"""Where counts vary more between calls than between independent outcomes, no check refutes by single outcomes alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import noiseproof as npf
from noiseproof.audit.record.evidence import Evidence, Verdict
from noiseproof.audit.trial.attack.dependence import (
    BY_CALLS,
    CallCounts,
    borne,
    call_bounds,
    call_boxes,
    calls_exceed,
)
from noiseproof.audit.trial.attack.event_bound import EventTest
from noiseproof.audit.trial.checks.learnt_information import LearntInformation
from noiseproof.audit.trial.checks.likelihood_ratio import LikelihoodRatio
from noiseproof.audit.trial.checks.sequential import Sequential
from noiseproof.audit.trial.outcomes import canonical

CALLS, EACH = 64, 100
EXCESS = 2.0  # of the variance between calls; from about 3 on a test of its own says that outcomes depend


def counted(rate: float, excess: float) -> NDArray[np.int64]:
    """Ones in each call, half of the calls that much above and half that much below the mean."""
    apart = np.sqrt(excess * rate * (1 - rate) * EACH * (CALLS - 1) / CALLS)
    return np.rint(rate * EACH + apart * np.tile([1, -1], CALLS // 2)).astype(int)


def judged(check: Any, rates: tuple[float, float], excess: float) -> Evidence:
    """What a check says that learnt from independent outcomes and counted such calls."""
    rng = np.random.default_rng(0)
    plan = check.learn([canonical(rng.random(2_000) < rate, 2_000) for rate in rates])
    units = zip(*(counted(rate, excess) for rate in rates), strict=True)
    counts = [
        check.count(plan, [canonical(np.arange(EACH) < ones, EACH) for ones in unit], rng) for unit in units
    ]
    found: Evidence = check.judge(plan, sum(counts), 0.05)
    return found


def betting(check: Any, rates: tuple[float, float], excess: float) -> Evidence:
    """The same for bets, whose calls have many sizes."""

    def drawn(d: int, size: int, stream: tuple[int, ...]) -> Any:
        rate, sign = rates[d], 1 if stream[-1] else -1
        rate += sign * np.sqrt(max(excess - 1, 0.0) * rate * (1 - rate) / size)
        return canonical(np.random.default_rng(stream).random(size) < rate, size)

    found: Evidence = check.run(drawn, 3_000, 0.05)
    return found


SUBJECT = npf.BlackBox(lambda d, size, rng: rng.random(size) < d, (0, 1))
CHECKS: dict[str, tuple[Callable[[], Any], tuple[float, float]]] = {
    "events": (lambda: LikelihoodRatio(npf.Claim(npf.PureDP(1.0), SUBJECT), (0, 1)), (0.2, 0.575)),
    "information": (lambda: LearntInformation(npf.Claim(npf.ErrorBound(4.0), SUBJECT)), (0.45, 0.7225)),
    "bets": (lambda: Sequential(npf.Claim(npf.PureDP(1.0), SUBJECT), (0, 1)), (0.2, 0.6)),
}


@pytest.mark.parametrize("name", CHECKS)
def test_calls_must_bear_what_single_outcomes_say(name: str) -> None:
    make, rates = CHECKS[name]
    tried = betting if name == "bets" else judged
    assert tried(make(), rates, 1.0).verdict is Verdict.REFUTED
    doubted = tried(make(), rates, EXCESS)
    assert doubted.verdict is Verdict.UNDECIDED
    assert BY_CALLS in doubted.detail


@pytest.mark.parametrize("shared", [0.0, 0.3])
def test_bounds_keep_their_level_where_an_event_hardly_ever_happens(shared: float) -> None:
    rng, rates, fell, never = np.random.default_rng(4), np.array([[2e-4], [0.01]]), 0, 0
    claimed = float(np.log(0.01 / 2e-4))
    for _ in range(500):
        apart = np.exp(shared * rng.normal(size=(2, 128)) - shared**2 / 2)
        counts = rng.binomial(100, np.minimum(rates * apart, 1.0))
        zero, one = (CallCounts.of(np.array([k.sum(), (k**2 / 100).sum(), 12_800, 128.0])) for k in counts)
        never += not zero.k[0]
        fell += EventTest(borne(False, zero, one, 0, 0.05), 0.0, 0.05).refutes(claimed, 0.0)
    assert never > 30
    assert fell <= 40


# A rate on input 1 against 0.1 on input 0, how much both vary between calls, and how often epsilon = 1 may fall.
AT_E = [(0.2718, 0.0, 0, 0.08), (0.2718, 0.3, 0, 0.08), (0.33, 0, 0.95, 1)]


@pytest.mark.parametrize(("rate", "shared", "low", "high"), AT_E)
def test_bounds_and_boxes_keep_their_level(rate: float, shared: float, low: float, high: float) -> None:
    rng, fell = np.random.default_rng(3), np.zeros(3)
    for _ in range(500):
        counts = rng.binomial(100, np.array([[0.1], [rate]]) * np.exp(shared * rng.normal(size=(2, 128))))
        zero, one = (CallCounts.of(np.array([k.sum(), (k**2 / 100).sum(), 12_800, 128.0])) for k in counts)
        fell += [
            call_bounds(zero, one, (1.0, 0.0), 0.05)[0, 0] > 1.0,
            call_boxes(zero, one, 0.05).epsilon(0.0) > 1.0,
            calls_exceed(zero, one, (1.0, 0.0), 0.05),
        ]
    assert np.all((low <= fell / 500) & (fell / 500 <= high))


def test_boxes_are_as_wide_as_a_quarter_of_the_outcomes_makes_them() -> None:
    few, many = (CallCounts(np.array([100.0 * n]), 1_000.0 * n, np.array([n]), 1e6) for n in (1.0, 4.0))
    for end in ("q_low", "q_high", "p_low", "p_high"):
        ends = [getattr(call_boxes(counts, counts, 0.05), end)[0] for counts in (few, many)]
        assert ends[0] == pytest.approx(ends[1], rel=1e-6)
