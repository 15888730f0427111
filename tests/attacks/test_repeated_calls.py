"""Calls that repeat each other fall, in one process and in forks; time is looked at only when asked for."""

from __future__ import annotations

import json
import math
import os
from typing import Any

import numpy as np
import pytest
from scipy import stats

from noiseproof import ApproxDP, BlackBox, GaussianDP, PureDP, examine
from noiseproof.audit.record.evidence import Evidence, Verdict
from noiseproof.audit.trial.attack.claimed_curve import ClaimedCurve
from noiseproof.audit.trial.bits.durations import largest_area, longer_calls, p_value
from noiseproof.audit.trial.bits.repeats import count_repeats
from noiseproof.audit.witnesses import reevaluate

INPUTS = (0.0, 1.0)


def laplace(data: float, size: int, rng: np.random.Generator) -> Any:
    return data + rng.laplace(0.0, 1.0, size)


def found(subject: Any, claim: Any, check: str) -> list[Evidence]:
    """What this check found in an audit of the bytes."""
    return [
        e for e in examine(subject, claim, samples=400, bits=True).findings[0].evidence if e.check == check
    ]


def fixed_seed(data: float, size: int, rng: np.random.Generator) -> Any:
    return data + np.random.default_rng(42).laplace(0.0, 1.0, size)


class Remembers:
    """Noise drawn once, on the first call, and used again."""

    def __init__(self) -> None:
        self.noise: float | None = None

    def __call__(self, data: float, size: int, rng: np.random.Generator) -> Any:
        if self.noise is None:
            self.noise = float(rng.laplace())
        return data + np.full(size, self.noise)


@pytest.mark.parametrize("release", [fixed_seed, Remembers()])
@pytest.mark.parametrize("claim", [PureDP(1.0), GaussianDP(1.0), ApproxDP(0.5, 1e-3)])
def test_randomness_used_again_falls(release: Any, claim: Any) -> None:
    (evidence,) = found(BlackBox(release, INPUTS, name="again"), claim, "repeated calls")
    assert evidence.verdict is Verdict.REFUTED
    assert evidence.sentence == "bytes"
    stands, words = reevaluate(json.loads(json.dumps(evidence.witness)))
    assert stands, words


def seeded_by_the_sum(data: float, size: int, rng: np.random.Generator) -> Any:
    return data + np.random.default_rng(int(data)).laplace(0.0, 1.0, size)


def test_seeds_taken_from_the_data_fall() -> None:
    (evidence,) = found(BlackBox(seeded_by_the_sum, INPUTS), PureDP(1.0), "repeated calls")
    assert evidence.verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    "release",
    [
        laplace,
        lambda d, size, rng: np.zeros(size),
        lambda d, size, rng: rng.integers(0, 2, size),
        lambda d, size, rng: np.where(rng.random(size) < math.e / (1 + math.e), d, 1 - d),
    ],
)
def test_other_releases_stand(release: Any) -> None:
    (evidence,) = found(BlackBox(release, INPUTS, name="sound"), PureDP(1.0), "repeated calls")
    assert evidence.verdict is Verdict.UNDECIDED
    assert "nothing was found" in evidence.detail


def test_a_condition_alone_supports_nothing() -> None:
    words = BlackBox(lambda d, size, rng: [str(d + v) for v in rng.laplace(size=size)], INPUTS)
    assert (
        examine(words, PureDP(1.0), samples=400, bits=True).findings[0].sentences["bytes"]
        is Verdict.UNDECIDED
    )


def test_claims_beyond_reach_are_undecided() -> None:
    (evidence,) = found(BlackBox(fixed_seed, INPUTS), PureDP(12.0), "repeated calls")
    assert evidence.verdict is Verdict.UNDECIDED
    assert "could not refute it" in evidence.detail


def test_answers_at_their_claim_are_rarely_refuted() -> None:
    # Level of the test itself: randomised response repeats an answer with the rates that its claim allows.
    keep = math.e**0.2 / (1 + math.e**0.2)
    rng = np.random.default_rng(5)
    box = BlackBox(lambda d, size, _: np.where(rng.random(size) < keep, d, 1 - d), INPUTS)
    counts = [count_repeats(box, INPUTS, 25) for _ in range(5)]
    assert all(c.n == c.m == 25 for c in counts)
    assert 0 < sum(c.l for c in counts) < 125


# Forks.

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


def in_processes(release: Any) -> BlackBox:
    box = BlackBox.single(release, INPUTS)
    box.processes = True
    return box


@needs_fork
def test_a_state_shared_by_forks_falls_and_fresh_entropy_stands() -> None:
    shared = np.random.default_rng()
    here, forked = found(in_processes(lambda d: d + shared.laplace()), PureDP(1.0), "repeated calls")
    assert here.verdict is Verdict.UNDECIDED
    assert forked.verdict is Verdict.REFUTED
    assert "fork" in forked.detail
    fresh = in_processes(lambda d: d + np.random.default_rng().laplace())
    count = count_repeats(fresh, INPUTS, 5, forks=True)
    assert (count.k, count.n, count.l, count.m) == (0, 5, 0, 5)


@needs_fork
def test_a_fork_that_dies_is_undecided() -> None:
    parent = os.getpid()

    def dies(data: float) -> float:
        if os.getpid() != parent:
            os._exit(3)
        return data

    _, forked = found(in_processes(dies), PureDP(1.0), "repeated calls")
    assert forked.verdict is Verdict.UNDECIDED
    assert "did not answer" in forked.detail


def test_forks_are_asked_for() -> None:
    assert len(found(BlackBox(laplace, INPUTS), PureDP(1.0), "repeated calls")) == 1


# Time.


def slower_on_one(data: float, size: int, rng: np.random.Generator) -> Any:
    sum(range(2_000 if data else 10))
    return laplace(data, size, rng)


def timed(release: Any) -> BlackBox:
    box = BlackBox(release, INPUTS, name="timed")
    box.timing = True
    return box


def test_time_that_tells_the_inputs_apart_falls() -> None:
    (evidence,) = found(timed(slower_on_one), PureDP(1.0), "timing")
    assert evidence.verdict is Verdict.REFUTED
    stands, words = reevaluate(json.loads(json.dumps(evidence.witness)))
    assert stands, words


def test_time_that_does_not_stands() -> None:
    (evidence,) = found(timed(laplace), PureDP(0.5), "timing")
    assert evidence.verdict is Verdict.UNDECIDED
    assert "nothing was found" in evidence.detail


def test_time_is_off_unless_asked_for() -> None:
    assert found(BlackBox(slower_on_one, INPUTS), PureDP(1.0), "timing") == []


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_largest_area_of_a_pure_claim(epsilon: float) -> None:
    exact = 1 / (1 + math.exp(-epsilon))
    assert exact <= largest_area(ClaimedCurve.of(PureDP(epsilon))) < exact + 1e-3


@pytest.mark.parametrize("mu", [0.5, 1.0])
def test_largest_area_of_a_gaussian_claim(mu: float) -> None:
    exact = float(stats.norm.cdf(mu / math.sqrt(2)))
    assert exact <= largest_area(ClaimedCurve.of(GaussianDP(mu))) < exact + 5e-3


def test_the_p_value_of_an_order_is_exact() -> None:
    rounds, allowed, alpha = 60, 0.6, 0.05
    for rate in (0.4, 0.5, 0.6):
        k = np.arange(rounds + 1)
        rejected = np.array([p_value(int(v), rounds, allowed) <= alpha for v in k])
        assert float(stats.binom.pmf(k, rounds, rate)[rejected].sum()) <= alpha


def test_a_timed_call_asks_for_one_outcome() -> None:
    sizes = []

    class Asked:
        """Remembers how many outcomes each call asks for."""

        def sample(self, index: Any, size: int, rng: np.random.Generator) -> None:
            sizes.append(size)

    longer_calls(Asked(), INPUTS, 3, np.random.default_rng(0))
    assert set(sizes) == {1}


def test_a_drift_of_the_machine_favours_neither_input() -> None:
    class Drifts:
        """Every call takes longer than the one before."""

        calls = 0

        def sample(self, index: Any, size: int, rng: np.random.Generator) -> None:
            self.calls += 1
            sum(range(40 * self.calls))

    longer = longer_calls(Drifts(), INPUTS, 200, np.random.default_rng(0))
    assert p_value(longer, 200, 0.5) > 1e-4
