"""Rare events of a law: what no plain sample shows is certified by weighted ones, held against the exact profile."""

from __future__ import annotations

import copy
import json
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy as sp
from scipy import stats
from zoo import ZOO

import noiseproof as npf
from noiseproof import ApproxDP, Claim, GaussianDP, PureDP, Verdict, examine
from noiseproof.audit.record.evidence import Evidence
from noiseproof.audit.trial.attack.rare.bounded_mean import lower_bound
from noiseproof.audit.trial.attack.rare.proposals import Mixture, Shifted, Tempered, defensive_mixture
from noiseproof.audit.trial.checks.rare_events import RareEvents, Sample, draw
from noiseproof.audit.witnesses import reevaluate
from noiseproof.mechanisms.covariance import LaplaceCovariance
from noiseproof.mechanisms.mechanism import Mechanism
from noiseproof.symbolic import laws
from noiseproof.symbolic.laws.vector import IndependentNoise, OutcomeLaw
from noiseproof.symbolic.privacy.guarantees import Guarantee
from noiseproof.symbolic.privacy.pair import ProductLaplacePair
from noiseproof.symbolic.proof.enclosure import enclose, rational
from noiseproof.symbolic.proof.truth import Truth

ALPHA = 0.05
EPSILON = 1.0


class Unsolved(LaplaceCovariance):
    """The same release by somebody who has not worked out its worst pair."""

    def worst_case(self) -> Any:
        return None


class Contaminated(OutcomeLaw):
    """Normal noise in three entries, every fifth draw three times as wide: no closed form, no independent entries."""

    dimension = 3

    def __init__(self, centre: Any) -> None:
        self.centre = np.asarray(centre, dtype=float)

    def sample(self, size: int, rng: np.random.Generator) -> Any:
        wide = np.where(rng.random((size, 1)) < 0.2, 3.0, 1.0)
        return self.centre + rng.normal(size=(size, 3)) * wide

    def log_density(self, y: Any) -> Any:
        square = ((y - self.centre) ** 2).sum(axis=1)
        narrow, wide = np.log(0.8) - square / 2, np.log(0.2 / 27) - square / 18
        return np.logaddexp(narrow, wide) - 1.5 * np.log(2 * np.pi)

    def uniforms(self, y: Any, rng: Any) -> Any:
        raise TypeError

    def uniforms_if_scaled(self, levels: Any, factor: float) -> Any:
        raise TypeError


class ContaminatedRelease(Mechanism):
    name = "contaminated"
    summary = "adds normal noise that is sometimes wide"

    def law(self, data: Any) -> OutcomeLaw:
        return Contaminated(data)

    def release(self, data: Any, size: int, rng: np.random.Generator) -> Any:
        return self.law(data).sample(size, rng)

    def neighbours(self) -> tuple[tuple[Any, Any], ...]:
        return ((np.zeros(3), np.array([1.0, 0.0, 0.0])),)

    def worst_case(self) -> None:
        return None

    @staticmethod
    @cache
    def exact(epsilon: float) -> float:
        """delta by an integral over the plane of (along, across)."""
        x, r = np.linspace(-30, 30, 2_001)[:, None], np.linspace(0, 30, 1_001)[None, :]

        def density(c: float) -> Any:
            square = (x - c) ** 2 + r**2
            return (0.8 * np.exp(-square / 2) + 0.2 / 27 * np.exp(-square / 18)) / (2 * np.pi) ** 1.5

        cell = 2 * np.pi * r * 0.03 * 0.03
        return float((np.maximum(density(1.0) - np.exp(epsilon) * density(0.0), 0) * cell).sum())


def exact_bounds(p: int, epsilon: float = EPSILON) -> tuple[float, float]:
    low, high = LaplaceCovariance.printed(p, 100, 1.0).worst_case().pair.bounds(epsilon)  # type: ignore[attr-defined]
    return float(low), float(high)


def laws_of(mechanism: Mechanism) -> tuple[Any, Any]:
    ((zero, one),) = mechanism.neighbours()
    return mechanism.law(one), mechanism.law(zero)


@cache
def weighted(p: int) -> Sample:
    size = {8: 8_000, 20: 3_000, 50: 1_200}[p]
    mechanism = LaplaceCovariance.printed(p, 100, 1.0)
    return draw(*laws_of(mechanism), np.array([EPSILON]), np.random.default_rng(p), size)


def judged(mechanism: Mechanism, guarantee: Guarantee, alpha: float = ALPHA) -> Evidence:
    check = RareEvents.bind(Claim(guarantee, mechanism, about="law"))
    assert check is not None
    return check.judge(None, None, alpha)


# The p x p covariance at the printed scale: claimed (1, 0), really sqrt(p/2).


@pytest.mark.parametrize(("p", "order"), [(8, 1e-6), (20, 1e-12), (50, 1e-26)])
def test_weighted_outcomes_certify_what_the_exact_profile_says(p: int, order: float) -> None:
    low, high = exact_bounds(p)
    assert order < low <= high < 10 * order
    assert high < 1.001 * low
    certified = weighted(p).lower(EPSILON, ALPHA)
    assert 0.4 * low < certified < high
    # All the weighted outcomes together estimate the exact value.
    gains = weighted(p).gains(EPSILON)
    spread = 4.5 * gains.std() / np.sqrt(len(gains))
    assert gains.mean() - spread <= low <= high <= gains.mean() + spread
    assert spread < 0.5 * low


@pytest.mark.parametrize(("p", "size"), [(8, 100_000), (20, 30_000)])
def test_plain_outcomes_certify_almost_nothing(p: int, size: int) -> None:
    """The same bound on outcomes of the law itself: the loss is all but normal, and epsilon 4 or 6 deviations away."""
    one, zero = laws_of(LaplaceCovariance.printed(p, 100, 1.0))
    rng = np.random.default_rng(1)
    losses = np.concatenate(
        [
            one.log_density(y) - zero.log_density(y)
            for y in (one.sample(5_000, rng) for _ in range(size // 5_000))
        ]
    )
    plain = np.maximum(0.0, -np.expm1(EPSILON - losses))
    low, _ = exact_bounds(p)
    assert lower_bound(plain, ALPHA) < 0.05 * low
    assert losses.mean() < 0.1
    assert losses.std() < 0.3
    # The epsilon that such a sample can certify at delta = 0 is far from the exact one.
    assert float(np.max(losses)) < 0.65 * np.sqrt(p / 2)


def test_the_exact_epsilon_of_the_zoo_row_needs_no_sampling() -> None:
    entry = next(e for e in ZOO if e.name == "ron_gauss_cov")
    zero, one = (np.asarray(x) for x in entry.subject.inputs)
    scale = 2 * sp.sqrt(8) / 100
    moved = [
        sp.Abs(rational(float(a)) - rational(float(b)))
        for a, b in zip(zero.ravel(), one.ravel(), strict=True)
    ]
    pair = ProductLaplacePair(tuple(m / scale for m in moved))
    assert pair.groups == ((sp.sqrt(2) / 32, 32),)
    assert pair.max_loss() == sp.sqrt(2)
    assert float(pair.max_loss()) == pytest.approx(entry.true_epsilon, rel=1e-12)
    assert float(sp.Rational(8, 100) / scale) == pytest.approx(1.4142135623730951, abs=1e-15)
    assert PureDP(1.4142).holds(pair) is Truth.FAILS
    assert PureDP(1.4143).holds(pair) is Truth.HOLDS
    # The profile of the row, from its own table of the Neyman-Pearson events.
    p0, p1 = entry.rates()
    gain = max(float(np.max(a - np.e**0.5 * b)) for a, b in ((p0, p1), (p1, p0)))
    assert gain == pytest.approx(float(pair.delta(0.5)), rel=1e-3)


def test_the_printed_scale_is_refuted_by_proof() -> None:
    certificate = examine(LaplaceCovariance.printed(8, 100, 1.0), Claim(PureDP(1.0), about="law"))
    evidence = {e.check: e for e in certificate.findings[0].evidence}
    proof = evidence["derivation"]
    assert certificate.verdict is proof.verdict is Verdict.REFUTED
    assert (proof.kind, proof.error) == ("proof", 0.0)
    assert proof.witness is not None
    assert (proof.witness["kind"], proof.witness["left"]) == ("inequality", "2")
    assert reevaluate(json.loads(json.dumps(proof.witness)))[0] is True
    # Settled in closed form: nothing is left to sample.
    assert RareEvents.bind(Claim(PureDP(1.0), LaplaceCovariance.printed(8, 100, 1.0))) is None


# The check.


def test_where_the_worst_pair_is_unknown_the_printed_scale_falls_to_one_outcome() -> None:
    mechanism = Unsolved.printed(8, 100, 1.0)
    evidence = judged(mechanism, PureDP(1.0))
    assert (evidence.verdict, evidence.sentence, evidence.error) == (Verdict.REFUTED, "law", 0.0)
    assert evidence.witness is not None
    witness = json.loads(json.dumps(evidence.witness))
    assert witness["kind"] == "privacy loss at a point"
    assert reevaluate(witness)[0] is True
    changes: list[tuple[str, Any]] = [
        ("point", ["0"] * 64),
        ("epsilon", "2"),
        ("epsilon", "0.5"),
        ("centres", [witness["centres"][0]] * 2),
        ("support", ["-oo", "-1"]),
        ("predicate", "GaussianDP"),
        ("point", witness["point"][:10]),
    ]
    for key, value in changes:
        edited = copy.deepcopy(witness) | {key: value}
        if key == "predicate":
            edited["parameters"] = {"mu": 1.0}
        assert reevaluate(edited)[0] is False, key


def test_true_claims_survive_and_slightly_false_ones_fall() -> None:
    exact = exact_bounds(8)[0]
    printed, needed = Unsolved.printed(8, 100, 1.0), Unsolved.needed(8, 100, 1.0)
    survivors = [(needed, PureDP(1.0)), (printed, ApproxDP(1.0, exact * 1.001))]
    for mechanism, guarantee in survivors:
        evidence = judged(mechanism, guarantee)
        assert evidence.verdict is Verdict.SURVIVED
        assert evidence.resolution is not None
        assert evidence.resolution.value < 1.05
        fallen = judged(mechanism, guarantee.tightened(1.06))
        assert fallen.verdict is Verdict.REFUTED
    evidence = judged(printed, ApproxDP(1.0, exact * 0.8))
    assert (evidence.verdict, evidence.error) == (Verdict.REFUTED, ALPHA)
    assert evidence.witness is not None
    witness = json.loads(json.dumps(evidence.witness))
    assert witness["kind"] == "importance sample"
    assert reevaluate(witness)[0] is True
    levels, counts = witness["levels"]
    changes: list[tuple[str, Any]] = [
        ("claimed", exact),
        ("claimed", 0.0),
        ("alpha", 1e-80),
        ("levels", [[0.8 * v for v in levels], counts]),
        ("levels", [levels, [counts[0] * 2, *counts[1:]]]),
    ]
    for key, value in changes:
        assert reevaluate(witness | {key: value})[0] is False, key


def test_the_triangle_is_checked_alike() -> None:
    assert judged(Unsolved.needed(3, 10, 1.0, symmetric=True), PureDP(1.0)).verdict is Verdict.SURVIVED
    # Attained there: sqrt(33)/6 of the proved bound.
    assert judged(Unsolved.needed(3, 10, 1.0, symmetric=True), PureDP(0.95)).verdict is Verdict.REFUTED


def test_a_law_without_closed_form_or_independent_entries() -> None:
    release = ContaminatedRelease()
    exact = release.exact(1.0)
    assert judged(release, ApproxDP(1.0, exact * 1.01)).verdict is Verdict.SURVIVED
    assert judged(release, ApproxDP(1.0, exact * 0.9)).verdict is Verdict.REFUTED
    far = draw(*laws_of(release), np.array([2.25, 3.0]), np.random.default_rng(0), 10_000)
    for epsilon in (2.25, 3.0):
        assert release.exact(epsilon) < 1e-12
        assert 0.3 * release.exact(epsilon) < far.lower(epsilon, ALPHA) < 1.01 * release.exact(epsilon)
    whole = judged(release, GaussianDP(1.3))
    assert whole.verdict is Verdict.SURVIVED
    assert [line.role for line in whole.series[0].lines] == ["claimed", "attack"]
    assert judged(release, GaussianDP(0.8)).verdict is Verdict.REFUTED


def test_the_same_seed_gives_the_same_evidence() -> None:
    one, two = (judged(Unsolved.needed(3, 5, 1.0), ApproxDP(0.5, 0.001)) for _ in range(2))
    assert one == two


@pytest.mark.parametrize(
    ("subject", "guarantee", "bound"),
    [
        (LaplaceCovariance.printed(8, 10, 1.0), ApproxDP(1.0, 1e-9), False),  # refuted by the exact profile
        (LaplaceCovariance.printed(8, 10, 1.0), GaussianDP(0.4), False),  # proved by the normal bound
        (LaplaceCovariance.printed(8, 10, 1.0), GaussianDP(0.28), True),  # neither
        (Unsolved.needed(3, 10, 1.0), PureDP(1.0), True),
        (npf.GaussianMechanism(1.0, 1.0), ApproxDP(1.0, 0.1), False),
        (npf.LaplaceMechanism(1.0, 1.0, 3), GaussianDP(3.0), False),  # undecided, but one integral has it all
        (npf.RandomisedResponse(1.0), PureDP(1.0), False),
        (ContaminatedRelease(), npf.ErrorBound(1.0), False),
        (npf.BlackBox(lambda d, n, r: r.normal(d, 1, n), (0.0, 1.0)), PureDP(1.0), False),
    ],
)
def test_it_binds_only_where_nothing_else_settles_the_law(subject: Any, guarantee: Any, bound: bool) -> None:
    check = RareEvents.bind(Claim(guarantee, subject))
    assert (check is not None) == bound
    if check is not None:
        assert (check.inputs(), check.statistical) == ((), True)


@pytest.mark.parametrize("runs", [15, pytest.param(60, marks=pytest.mark.long)])
def test_claims_that_are_exactly_tight_are_hardly_ever_exceeded(runs: int) -> None:
    """Coverage of the whole chain: proposals, weights, rounding to levels and bound, at small sizes."""
    mechanism = LaplaceCovariance.printed(3, 10, 1.0)
    exact = float(enclose(mechanism.worst_case().pair.profile(sp.Rational(1, 2))).mid())
    alpha = 0.2
    over, above = 0, 0
    for seed in range(runs):
        sample = draw(*laws_of(mechanism), np.array([0.5, 0.9]), np.random.default_rng(seed), 60)
        over += sample.lower(0.5, alpha) > exact
        above += sample.gains(0.5).mean() > exact
    assert over <= stats.binom.ppf(1 - 1e-5, runs, alpha)
    # The estimate itself lies above every other time: without a confidence bound the line above would fail.
    assert stats.binom.ppf(1e-3, runs, 0.5) <= above <= stats.binom.ppf(1 - 1e-3, runs, 0.5)


# The proposals.


def test_proposals_have_the_density_that_they_say() -> None:
    """Two routes to the weights: r/p averages to one under p, and p/r under r."""
    noise = laws.laplace(0, 1)
    p, q = IndependentNoise(noise, (0.3, 0.0, -0.5)), IndependentNoise(noise, (0.0, 0.0, 0.7))
    rng = np.random.default_rng(0)
    for proposals in (
        defensive_mixture(p, q, [0.5, 1.2], rng).proposals,
        (Shifted(p, np.array([0.4, 0.0, -1.0])),),
    ):
        (proposal,) = proposals
        y, z = p.sample(40_000, rng), proposal.sample(40_000, rng)
        forth = np.exp(proposal.log_ratio(y, p.log_density(y)))
        back = np.exp(-proposal.log_ratio(z, p.log_density(z)))
        for ratio in (forth, back):
            assert abs(ratio.mean() - 1) < 5 * ratio.std() / 200
            assert ratio.std() > 0.1
        # The proposal is drawn as it is weighted: any function has the same mean by both.
        seen, expected = (z[:, 2] < -0.5), (y[:, 2] < -0.5) * forth
        assert abs(seen.mean() - expected.mean()) < 5 * np.hypot(seen.std(), expected.std()) / 200


def test_the_mixture_keeps_the_weights_bounded_and_reaches_every_epsilon() -> None:
    one, zero = laws_of(LaplaceCovariance.printed(8, 100, 1.0))
    mixture = defensive_mixture(one, zero, [0.5, 1.0, 1.8], np.random.default_rng(0))
    (tempered,) = mixture.proposals
    assert isinstance(tempered, Tempered)
    assert len(tempered.steepness) == 3
    assert mixture.weights.sum() == pytest.approx(1.0)
    y = mixture.sample(3_000, np.random.default_rng(1))
    loss, weight = mixture.loss_and_weight(y)
    assert weight.max() <= 1 / mixture.weights[0] * (1 + 1e-9)
    for epsilon in (0.5, 1.0, 1.8):
        assert np.mean(loss > epsilon) > 0.05
    # Losses beyond the largest one call for no proposal.
    assert defensive_mixture(one, zero, [2.5], np.random.default_rng(0)).proposals == ()
    plain = Mixture(one, zero, ())
    assert plain.weights.tolist() == [0.5, 0.5]
    assert np.all(plain.loss_and_weight(one.sample(100, np.random.default_rng(2)))[1] <= 2)


def test_outcomes_that_one_input_cannot_produce_count_in_full() -> None:
    noise = laws.uniform(-1, 1)
    p, q = IndependentNoise(noise, (0.0, 0.0)), IndependentNoise(noise, (0.1, 0.3))
    sample = draw(p, q, np.array([3.0]), np.random.default_rng(0), 4_000)
    exact = 1 - 0.95 * 0.85
    assert np.isinf(sample.losses).any()
    assert 0.8 * exact < sample.lower(3.0, ALPHA) < exact
    # A law that moves what it cannot produce: the weights vanish where p does.
    assert np.all(sample.weights[np.isneginf(sample.losses)] == 0)


@pytest.mark.long
def test_an_audit_of_the_code_at_the_default_budget_certifies_almost_nothing() -> None:
    """p = 20: 100,000 outcomes per input against a claim that is false by a factor of sqrt(10)."""
    certificate = examine(LaplaceCovariance.printed(20, 100, 1.0), PureDP(1.0), samples=100_000)
    evidence = {e.check: e for e in certificate.findings[0].evidence}
    attack = evidence["likelihood ratio"]
    print(attack.detail)
    assert attack.verdict is Verdict.SURVIVED
    assert evidence["derivation"].verdict is Verdict.REFUTED
