"""Bets against privacy claims: fair under a true claim whenever one looks, quick against a false one."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from bound_trials.betting import pairs_needed
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, special, stats
from zoo import ZOO

import noiseproof as npf
from noiseproof.audit.record.evidence import Verdict
from noiseproof.audit.record.plain import plain
from noiseproof.audit.trial.attack.betting import (
    best_fraction,
    graded_stakes,
    log_capital,
    pair_counts,
    payoffs,
)
from noiseproof.audit.trial.checks import sequential
from noiseproof.audit.trial.checks.sequential import Sequential, _epochs
from noiseproof.audit.trial.sampling import draw
from noiseproof.audit.trial.schedule import steps, trial
from noiseproof.audit.witnesses import reevaluate
from noiseproof.symbolic.privacy.guarantees import Guarantee


def laplace(data: float, size: int, rng: np.random.Generator) -> Any:
    return data + rng.laplace(size=size)


def gaussian(data: float, size: int, rng: np.random.Generator) -> Any:
    return data + rng.normal(size=size)


def response(data: int, size: int, rng: np.random.Generator) -> Any:
    lie = rng.random(size) < 1 / (1 + np.e)
    return np.where(lie, 1 - data, data)


def run(subject: npf.BlackBox, claim: Guarantee, samples: int, seed: int, alpha: float = 0.05) -> Any:
    check = Sequential(npf.Claim(claim, subject), subject.inputs)
    return check.run(lambda x, n, stream: draw(subject, x, n, stream, seed), samples, alpha)


@pytest.mark.parametrize(("epsilon", "delta"), [(0.0, 0.0), (1.0, 0.0), (1.0, 0.1), (5.0, 1e-6)])
def test_a_bet_is_worth_nothing_exactly_at_the_claim(epsilon: float, delta: float) -> None:
    for q in (1e-4, 0.02, 0.1):
        p = min(np.exp(epsilon) * q + delta, 1.0)
        one, zero = np.array([1 - p, p]), np.array([1 - q, q])
        stake = 0.98 / (np.exp(epsilon) + delta)
        pay = payoffs([0.0, stake], [0.0, 0.0], epsilon, delta)
        assert one @ pay @ zero == pytest.approx(0.0, abs=1e-12) or p == 1.0
        assert pay.min() > -1
        # The other direction, on the complement of an event that the same claim bounds.
        mirrored = payoffs([0.0, 0.0], [0.0, stake], epsilon, delta)
        assert zero @ mirrored @ one <= 1e-12


def laws_at_the_claim(
    epsilon: float, delta: float, rng: np.random.Generator, levels: int = 9
) -> tuple[Any, Any]:
    """Two laws on a few levels that a claim just allows, in both orders."""
    one, zero = rng.dirichlet(np.full(levels, 0.4)), rng.dirichlet(np.full(levels, 0.4))
    ratio = np.exp(epsilon)

    def excess(t: float) -> float:
        a, b = (1 - t) * zero + t * one, zero
        return float(max(np.maximum(a - ratio * b, 0).sum(), np.maximum(b - ratio * a, 0).sum())) - delta

    t = float(optimize.brentq(excess, 0.0, 1.0)) if excess(1.0) > 0 else 1.0
    return (1 - t) * zero + t * one, zero


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.3, 1.0, 3.0]), st.sampled_from([0.0, 1e-4, 0.1]))
def test_no_stakes_gain_against_a_claim_that_holds(seed: int, epsilon: float, delta: float) -> None:
    rng = np.random.default_rng(seed)
    one, zero = laws_at_the_claim(epsilon, delta, rng)
    plus, minus = rng.uniform(0, 1, (2, 9)) * rng.choice([0, 1], (2, 9))
    pay = payoffs(plus, minus, epsilon, delta)
    assert one @ pay @ zero <= 1e-9
    wrong, share = rng.normal(0, 2, 9), rng.dirichlet(np.ones(9))
    against = np.array([0.0, epsilon, 2.0])
    up, down, _ = graded_stakes(wrong, share, against, delta)
    graded = payoffs(up, down, against, delta)
    assert graded.min() >= -0.98 - 1e-12
    assert one @ graded[1] @ zero <= 1e-9


def test_capital_is_that_of_betting_pair_by_pair() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 3, 50), rng.integers(0, 3, 50)
    plus, minus = np.array([0.0, 0.05, 0.2]), np.array([0.1, 0.0, 0.0])
    one_by_one = 0.0
    for a, b in zip(x, y, strict=True):
        one_by_one += np.log1p(
            plus[a] - np.e * plus[b] - 0.01 * 0.2 + minus[b] - np.e * minus[a] - 0.01 * 0.1
        )
    counts = pair_counts(x, y, 3)
    assert counts.sum() == 50
    assert float(log_capital(counts, payoffs(plus, minus, 1.0, 0.01))) == pytest.approx(one_by_one)


def test_the_best_fraction_is_best_and_nothing_is_staked_on_a_true_claim() -> None:
    _, growth = best_fraction(0.5, 0.05, 1.0, 0.0)
    cells = np.outer([0.5, 0.5], [0.95, 0.05])
    around = [
        float(log_capital(cells, payoffs([0.0, f / np.e], [0.0, 0.0], 1.0, 0.0)))
        for f in np.linspace(0.02, 0.98, 400)
    ]
    assert float(growth) == pytest.approx(max(around), rel=1e-3)
    assert best_fraction(0.25, 0.1, 1.0, 0.0) == (0.0, 0.0)
    assert pairs_needed(0.25, 0.1, 1.0, 0.0, 0.05) == float("inf")
    assert pairs_needed(0.5, 0.05, 1.0, 0.0, 0.05) == pytest.approx(np.log(20) / float(growth))


@pytest.mark.parametrize("delta", [0.0, 0.02])
def test_graded_stakes_grow_nearly_as_fast_as_any(delta: float) -> None:
    ratio, share = (
        np.array([-1.6, -1.0, -0.3, 0.0, 0.3, 1.2, 2.0]),
        np.array([0.02, 0.1, 0.2, 0.36, 0.2, 0.1, 0.02]),
    )
    p, q = share * special.expit(ratio), share * special.expit(-ratio)
    p, q = p / p.sum(), q / q.sum()

    def growth(stakes: Any) -> float:
        pay = payoffs(stakes[:7], stakes[7:], 0.5, delta)
        return float(log_capital(np.outer(p, q), pay)) if pay.min() > -1 else -1.0

    plus, minus, promised = graded_stakes(ratio, share, 0.5, delta)
    mine = growth(np.concatenate([plus[0], minus[0]]))
    assert promised[0] == pytest.approx(mine)
    start = np.concatenate([plus[0], minus[0]])
    best = optimize.minimize(
        lambda s: -growth(np.abs(s)),
        start,
        method="Nelder-Mead",
        options={"maxiter": 20_000, "maxfev": 20_000},
    )
    assert mine >= 0.93 * -best.fun
    # Both directions together beat the best event.
    events = [best_fraction(p[k:].sum(), q[k:].sum(), 0.5, delta)[1] for k in range(1, 7)]
    assert mine > 1.3 * max(events)


def test_epochs_double_and_use_the_whole_sample() -> None:
    for samples in (1, 16, 17, 100, 12_345, 1_000_000):
        epochs = list(_epochs(samples))
        assert sum(map(sum, epochs)) == samples
        assert max(map(max, epochs)) <= 10_000
        totals = [sum(e) for e in epochs]
        assert all(b == 2 * a for a, b in pairwise(totals[1:-1]))


@pytest.mark.parametrize("audits", [5, pytest.param(15, marks=pytest.mark.long)])
@pytest.mark.parametrize(
    "name", ["laplace_inverted", pytest.param("svt4", marks=pytest.mark.long), "svt5", "svt6"]
)
def test_a_violation_falls_early(name: str, audits: int) -> None:
    (entry,) = (e for e in ZOO if e.name == name)
    q, p = entry.rates()
    _, growth = best_fraction(np.append(p, 1 - q), np.append(q, 1 - p), entry.claim.epsilon, entry.delta)
    needed = np.log(20) / growth.max()
    used = []
    for seed in range(15 if name == "svt4" else audits):  # the median of svt4 needs them
        found = run(entry.black_box(), entry.claim, 20_000, seed)
        assert found.verdict is Verdict.REFUTED
        used.append(found.measured.samples[0])
        stands, _ = reevaluate(found.witness)
        assert stands
    assert np.median(used) <= 3 * needed


def test_a_forged_witness_does_not_stand() -> None:
    (entry,) = (e for e in ZOO if e.name == "svt5")
    witness = run(entry.black_box(), entry.claim, 5_000, 0).witness
    last = witness["epochs"][-1]
    for change in (
        {"epochs": witness["epochs"][:1]},
        {"alpha": 1e-30},
        {"epochs": [{**last, "epsilon": 0.1}]},
        {"epochs": [{**last, "weights": [2.0] * len(last["weights"])}]},
        {"epochs": [{**last, "weights": last["weights"][1:]}]},
        {
            "epochs": [
                {**last, "bets": [{**bet, "plus": [9.0 * s for s in bet["plus"]]} for bet in last["bets"]]}
            ]
        },
        {
            "epochs": [
                {**last, "bets": [{**bet, "minus": [-1.0 for _ in bet["minus"]]} for bet in last["bets"]]}
            ]
        },
        {"epochs": [{**last, "bets": [{**bet, "pairs": bet["pairs"][:1]} for bet in last["bets"]]}]},
    ):
        stands, _ = reevaluate({**witness, **change})
        assert not stands


def test_what_cannot_be_refuted_or_bet_on_is_undecided() -> None:
    wide = run(npf.BlackBox(laplace, (0.0, 1.0)), npf.PureDP(30.0), 2_000, 0)
    assert wide.verdict is Verdict.UNDECIDED
    coded = npf.BlackBox(
        lambda d, n, rng: ["".join(map(chr, 0x4E00 + rng.integers(2_000, size=200))) for _ in range(n)],
        (0, 1),
    )
    assert run(coded, npf.PureDP(1.0), 500, 0).verdict is Verdict.UNDECIDED


def test_noise_shared_within_a_call_is_said_and_refutes_nothing() -> None:
    def shared(data: float, size: int, rng: np.random.Generator) -> Any:
        return data + rng.laplace() + 1e-3 * rng.laplace(size=size)

    # True of each outcome: one of a hundred seeds refutes it, before calls are enough to say how much they vary.
    for seed in range(1, 6):
        found = run(npf.BlackBox(shared, (0.0, 1.0)), npf.PureDP(1.1), 6_000, seed)
        assert found.verdict is Verdict.UNDECIDED
        assert "depend on each other" in found.detail


def test_the_same_seed_gives_the_same_evidence() -> None:
    subject = npf.BlackBox(response, (0, 1))
    one, two = (run(subject, npf.PureDP(0.8), 3_000, 5) for _ in range(2))
    assert one == two


def test_examine_stops_early() -> None:
    subject = npf.BlackBox(laplace, (0.0, 4.0))
    certificate = npf.examine(subject, npf.PureDP(1.0), samples=10_000_000, sequential=True)
    assert certificate.verdict is Verdict.REFUTED


def test_examine_keeps_to_a_budget_of_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]  # moved by the release, so that the load of the machine is no part of it

    def release(data: float, size: int, rng: np.random.Generator) -> Any:
        clock[0] += 1e-4 * size
        return laplace(data, size, rng)

    for module in (sequential, steps, trial):
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    certificate = npf.examine(
        npf.BlackBox(release, (0.0, 1.0)), npf.PureDP(1.0), samples=10_000_000, seconds=1.0
    )
    assert 0.9 < clock[0] < 1.1  # no other check draws
    assert certificate.verdict is Verdict.SURVIVED
    assert "the time was used up" in certificate.findings[0].evidence[0].detail
    assert certificate.settings["sequential"] is True
    assert certificate.settings["seconds"] == 1.0


def test_a_sample_that_ends_before_the_time_says_so() -> None:
    found = npf.examine(npf.BlackBox(laplace, (0.0, 1.0)), npf.PureDP(1.0), samples=2_000, seconds=60.0)
    detail = found.findings[0].evidence[0].detail
    assert "all 2,000 samples were used up before the time; more samples would use it" in detail


@pytest.mark.parametrize("bad", [0, -1.0, True, "fast"])
def test_budgets_of_time_must_be_positive(bad: Any) -> None:
    with pytest.raises(ValueError, match="seconds must be a number > 0"):
        npf.examine(npf.BlackBox(laplace, (0.0, 1.0)), npf.PureDP(1.0), seconds=bad)


AT_THE_CLAIM: dict[str, tuple[Callable[..., Any], tuple[Any, Any], Guarantee]] = {
    "laplace": (laplace, (0.0, 1.0), npf.PureDP(1.0)),
    "gaussian": (gaussian, (0.0, 1.0), npf.GaussianDP(1.0)),
    "response": (response, (0, 1), npf.PureDP(1.0)),
}


def false_alarms(name: str, audits: int, samples: int) -> int:
    release, inputs, claim = AT_THE_CLAIM[name]
    subject = npf.BlackBox(release, inputs)
    return sum(run(subject, claim, samples, seed).verdict is Verdict.REFUTED for seed in range(audits))


@pytest.mark.parametrize("audits", [6, pytest.param(25, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", AT_THE_CLAIM)
def test_true_claims_are_rarely_refuted(name: str, audits: int) -> None:
    # Beyond the 99.9 % quantile of Binomial(audits, 0.05) is an alarm of its own.
    assert false_alarms(name, audits, 600) <= stats.binom.ppf(0.999, audits, 0.05)


@pytest.mark.long
@pytest.mark.parametrize("name", AT_THE_CLAIM)
def test_two_thousand_sequential_audits_at_the_claim(name: str) -> None:
    wrong = false_alarms(name, 2_000, 4_000)
    low = stats.beta.ppf(0.01, wrong, 2_000 - wrong + 1) if wrong else 0.0
    print(
        f"\nsequential, {name}: {wrong} false alarms in 2,000 audits at alpha = 0.05, lower 99 % bound {low:.4f}"
    )
    assert low <= 0.05


def seldom(secret: str, size: int, rng: np.random.Generator) -> list[str]:
    named = rng.random(size) < 0.03
    return [f"user={secret if n else 'carol'} t={rng.random():.5f}" for n in named]


def test_what_was_bet_on_is_said_as_a_sentence() -> None:
    evidence = run(npf.BlackBox(seldom, ("carol", "alice")), npf.PureDP(1.0), 8_000, 0)
    told = evidence.witness["told"]
    assert told.startswith("most was to be won on the event (")
    assert "the outcome contains 'alice' after 'user='" in told
    assert told in evidence.detail
    assert reevaluate(plain(evidence.witness))[1].endswith(told)
