"""The planner: its sizes really give the power that it states, both directions agree, and it says what it cannot plan."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from counted_refutations import as_black_box, refuted
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

import noiseproof as npf
from noiseproof.audit.trial.attack.chosen_event import chosen_event_refutes, directed, looked_up
from noiseproof.audit.trial.attack.claimed_curve import ClaimedCurve
from noiseproof.audit.trial.attack.event_bound import nominal_bound
from noiseproof.audit.trial.attack.events import Candidates
from noiseproof.audit.trial.planning.cells import Cells
from noiseproof.audit.trial.planning.departures import MOST, Departure
from noiseproof.audit.trial.planning.plan import plan_all
from noiseproof.audit.trial.planning.simulated_audits import MAIN_SHARE, fewest_samples, refuted_share
from noiseproof.symbolic.laws.vector import IndependentNoise
from noiseproof.symbolic.privacy.pair import ProductLaplacePair

LAPLACE, GAUSSIAN = 1 / 0.95, 1 / 0.9  # scale 5 % small, deviation 10 % small
DEPARTURES = [
    *((npf.LaplaceMechanism(e, 1.0), npf.PureDP(e), LAPLACE) for e in (1.0, 1.5, 2.0, 3.0)),
    *((npf.GaussianMechanism(1 / m, 1.0), npf.GaussianDP(m), GAUSSIAN) for m in (0.5, 1.0, 2.0, 4.0)),
]
DEFAULT_BUDGET = 100_000


def _noisy(data: float, size: int, rng: np.random.Generator) -> Any:
    return data + rng.laplace(size=size)


def _response(data: int, size: int, rng: np.random.Generator) -> Any:
    """Randomised response, exactly 1-differentially private."""
    return np.where(rng.random(size) < np.e / (1 + np.e), data, 1 - data)


# --- the sizes are right -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("audits", "found"), [(6, 4), pytest.param(20, 16, marks=pytest.mark.long)])
def test_an_audit_of_the_planned_size_finds_the_departure(audits: int, found: int) -> None:
    mechanism, claim, factor = DEPARTURES[6]
    needed = npf.sample_size(mechanism, claim, factor).samples
    assert needed is not None
    # Fewer than 4 of 6 audits, or 16 of 20, have probability below 0.3 % at a power of 0.95.
    assert refuted(npf.Mutant.noise_divided_by(mechanism, factor), claim, needed, audits) >= found


@pytest.mark.parametrize(("audits", "least"), [(20, 16), pytest.param(40, 34, marks=pytest.mark.long)])
def test_an_audit_of_a_quarter_of_the_planned_size_often_does_not(audits: int, least: int) -> None:
    mechanism, claim = npf.RandomisedResponse(1.0), npf.PureDP(1.0)
    mutant = npf.Mutant.noise_divided_by(mechanism, 1.2)
    needed = npf.sample_size(mechanism, claim, 1.2).samples
    assert needed is not None
    # Fewer than 16 of 20, or 34 of 40: 0.3 % too.
    assert refuted(mutant, claim, needed, audits) >= least
    assert refuted(mutant, claim, needed // 4, audits) <= 0.75 * audits


def test_code_exactly_at_its_claim_falls_to_the_stricter_claim_at_the_planned_size() -> None:
    box = npf.BlackBox(_response, (0, 1))
    needed = npf.sample_size(box, npf.PureDP(1.0), 1.2).samples
    assert needed is not None
    assert refuted(box, npf.PureDP(1 / 1.2), needed, 40) >= 34
    assert refuted(box, npf.PureDP(1 / 1.2), max(100, needed // 4), 40) <= 30


@pytest.mark.parametrize(
    ("subject", "claim"),
    [
        (npf.LaplaceMechanism(1.0, 1.0), npf.PureDP(1.0)),
        (None, npf.GaussianDP(1.0)),
        (None, npf.ApproxDP(1.0, 1e-5)),
        (npf.RandomisedResponse(1.0, 4), npf.PureDP(1.0)),
    ],
    ids=["laplace", "gaussian claim", "approximate claim", "response"],
)
def test_both_directions_agree(subject: Any, claim: Any) -> None:
    reached = npf.resolution_at(subject, claim, 30_000)
    assert reached.resolution is not None
    needed = npf.sample_size(subject, claim, reached.resolution)
    assert needed.samples == pytest.approx(30_000, rel=0.25)
    assert needed.ray == reached.ray


def test_more_samples_power_or_certainty() -> None:
    subject, claim = npf.LaplaceMechanism(1.0, 1.0), npf.PureDP(1.0)
    cs = [npf.resolution_at(None, claim, n).resolution or 0.0 for n in (300, 1_000, 10_000, 10**6, 10**8)]
    assert cs == sorted(cs, reverse=True)
    assert len(set(cs)) == len(cs)
    usual = npf.sample_size(subject, claim, 1.2).samples or 0
    assert (npf.sample_size(subject, claim, 1.2, alpha=1e-3).samples or 0) > 1.2 * usual
    assert (npf.sample_size(subject, claim, 1.2, power=0.8).samples or 0) < 0.9 * usual
    assert (npf.sample_size(subject, claim, 1.4).samples or 0) < 0.5 * usual


def test_more_samples_never_hurt() -> None:
    for mechanism, claim, factor in (DEPARTURES[0], DEPARTURES[5]):
        (departure,) = Departure.all_of(mechanism, claim)
        powers = [departure.found(n, factor, 0.025, 400) for n in np.geomspace(1_000, 400_000, 9)]
        assert powers[0] < 0.5
        assert powers[-1] > 0.98
        assert min(np.diff(powers)) > -0.05, powers


@pytest.mark.long
@pytest.mark.parametrize(("mechanism", "claim", "factor"), DEPARTURES, ids=lambda v: getattr(v, "name", None))
def test_power_over_many_seeds(mechanism: npf.Mechanism, claim: npf.Guarantee, factor: float) -> None:
    mutant = npf.Mutant.noise_divided_by(mechanism, factor)
    needed = npf.sample_size(mechanism, claim, factor).samples
    assert needed is not None
    budget = max(DEFAULT_BUDGET, needed)
    runs = [
        ("law known, planned", mutant, needed, 200),
        ("law known, default", mutant, budget, 60),
        ("black box, default", as_black_box(mutant), budget, 60),
    ]
    for name, subject, samples, seeds in runs:
        found = refuted(subject, claim, samples, seeds)
        upper = proportion_confint(found, seeds, alpha=0.02, method="beta")[1]
        print(
            f"{claim.sentence()}, noise divided by {factor:.4f}, {name} size {samples:,}: refuted in {found} of {seeds} seeds"
        )
        assert upper >= 0.95
        assert found >= 0.9 * seeds


# --- what the simulation rests on ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("guarantee", "error"),
    [
        (npf.PureDP(0.7), 1e-12),
        (npf.ApproxDP(1.0, 0.01), 1e-12),
        (npf.ApproxDP(0.0, 0.2), 1e-12),
        (npf.GaussianDP(1.5), 2e-3),
    ],
    ids=lambda v: getattr(v, "sentence", lambda: "")(),
)
def test_cells_at_a_claim_attain_its_curve_and_no_more(guarantee: npf.Guarantee, error: float) -> None:
    cells = Cells.at(guarantee)
    assert cells is not None
    epsilon = np.linspace(0, 3, 31)
    attained = np.maximum(0, cells.p - np.exp(epsilon)[:, None] * cells.q).sum(axis=1)
    claimed = guarantee.curve()(epsilon)
    assert np.all(attained <= claimed + 1e-12)
    assert attained == pytest.approx(claimed, abs=error)


class _Diagonal(npf.LaplaceMechanism):
    """Neighbours that differ in both entries: no line to look along."""

    def neighbours(self) -> tuple[tuple[Any, Any], ...]:
        return ((np.zeros(2), np.array([0.3, -0.7])),)


class _Backwards(npf.LaplaceMechanism):
    def neighbours(self) -> tuple[tuple[Any, Any], ...]:
        return ((np.array([1.0]), np.array([0.0])),)


def test_cells_of_a_vector_have_the_profile_of_the_law() -> None:
    mechanism = _Diagonal(1.5, 1.0, 2)
    law = mechanism.law(np.zeros(2))
    assert isinstance(law, IndependentNoise)
    cells = Cells.of(mechanism, mechanism, mechanism.neighbours()[0])
    assert cells.p.sum() == pytest.approx(1)
    assert np.all(cells.p <= np.exp(1.5) * cells.q * (1 + 1e-9))
    epsilon = np.linspace(0, 1.4, 8)
    attained = np.maximum(0, cells.p - np.exp(epsilon)[:, None] * cells.q).sum(axis=1)
    assert attained == pytest.approx(ProductLaplacePair((1.5 * 0.3, 1.5 * 0.7)).delta(epsilon), abs=0.01)


def test_the_order_of_the_inputs_does_not_matter() -> None:
    forwards, backwards = npf.LaplaceMechanism(1.0, 1.0), _Backwards(1.0, 1.0)
    one, two = (Cells.of(m, m.with_noise_divided_by(1.2), m.neighbours()[0]) for m in (forwards, backwards))
    claimed = ClaimedCurve.of(npf.PureDP(1.0))
    assert fewest_samples(one, claimed, 0.05, 0.95) == pytest.approx(
        fewest_samples(two, claimed, 0.05, 0.95), rel=0.01
    )
    shares = [refuted_share(cells, claimed, 500, 1500, 0.05, 500) for cells in (one, two)]
    assert shares[0] == pytest.approx(shares[1], abs=0.1)


def test_simulated_audits_of_a_true_claim_are_seldom_refuted() -> None:
    for guarantee in (npf.PureDP(1.0), npf.GaussianDP(1.0)):
        cells = Cells.at(guarantee)
        assert cells is not None
        assert refuted_share(cells, ClaimedCurve.of(guarantee), 2_000, 8_000, 0.05, 1_000) <= 0.075
        assert fewest_samples(cells, ClaimedCurve.of(guarantee), 0.05, 0.95) == np.inf


def test_the_simulation_splits_alpha_as_the_check_does() -> None:
    """A rare event promises the larger bound, a frequent one speaks more against epsilon = 0.1: both test both, at equal levels."""
    n, alpha, claim = 2_000, 0.05, npf.PureDP(0.1)
    k0, k1 = np.array([40.0, 600.0]), np.array([200.0, 1_200.0])
    none = np.zeros(2)
    candidates = Candidates(none.astype(np.intp), np.array([1.0, 0.0]), k0, k1, n, n, none)
    first, second = candidates.to_test(0.1, 0.0, 6_000, alpha)
    assert (first.threshold, second.threshold) == (1.0, 0.0)

    def refutes(level: float, count: int) -> bool:
        return bool(nominal_bound(count, 6_000, 600, 6_000, 0.0, stats.norm.isf(level)) > 0.1)

    for at, event in enumerate((first, second)):
        least = next(c for c in range(600, 6_000) if refutes(event.share * alpha, c))
        for count in (least - 1, least):
            tested = np.full((2, 1, 4), 600.0)
            tested[0, 0, at] = count  # the other event says nothing
            found, _ = chosen_event_refutes(
                directed(k0[None], k1[None], n),
                n,
                looked_up((tested[0], tested[1])),
                6_000,
                ClaimedCurve.of(claim),
                MAIN_SHARE * alpha,
            )
            assert found.tolist() == [count == least]


@pytest.mark.parametrize(
    ("subject", "claim"),
    [
        (npf.LaplaceMechanism(1.0, 1.0), npf.PureDP(1.0)),
        (npf.BlackBox(_noisy, (0.0, 1.0)), npf.PureDP(1.0)),
        (npf.BlackBox(_noisy, (0.0, 1.0), noise="laplace"), npf.PureDP(1.0)),
    ],
    ids=["mechanism", "black box", "declared noise"],
)
def test_the_planner_counts_the_tests_that_share_alpha_as_the_audit_does(subject: Any, claim: Any) -> None:
    tests = npf.resolution_at(subject, claim, 1_000, alpha=0.06).tests
    certificate = npf.examine(subject, claim, samples=200, alpha=0.06)
    assert certificate.settings["alpha_per_test"] == pytest.approx(0.06 / tests)


# --- what cannot be had ----------------------------------------------------------------------------------------------


def test_a_departure_that_needs_too_many_samples_is_out_of_reach() -> None:
    plan = npf.sample_size(None, npf.PureDP(1.0), 1.0001)
    assert (plan.samples, plan.pairs[0].samples) == (None, None)
    assert plan.reason.startswith("out of reach")
    assert f"{MOST:,}" in plan.reason
    assert 1.0001 < float(plan.reason.split("below about ")[1].split()[0]) < 1.001


def test_a_departure_within_what_the_claim_allows_is_nothing_to_find() -> None:
    plan = npf.sample_size(npf.LaplaceMechanism(1.0, 1.0), npf.PureDP(1.5), 1.2)
    assert plan.samples is None
    assert plan.reason.startswith("nothing to find")
    assert float(plan.reason.split("below about ")[1].split()[0]) == pytest.approx(1.5, abs=0.01)
    found = npf.resolution_at(npf.LaplaceMechanism(1.0, 1.0), npf.PureDP(1.5), 10**6).resolution
    assert 1.5 < (found or 0) < 1.53


def test_an_empty_claim_is_out_of_reach() -> None:
    plan = npf.resolution_at(None, npf.ApproxDP(0.0, 0.999), 1_000)
    assert plan.resolution is None
    assert plan.reason == "no factor up to 1000 is found with so many samples"


class _Other(npf.Guarantee):
    def sentence(self) -> str:
        return "private in its own way"

    def curve(self) -> Any:
        return npf.PureDP(1.0).curve()

    def inequality(self, pair: Any) -> Any:
        raise NotImplementedError

    def tightened(self, factor: float) -> Any:
        return self


BAD: list[tuple[str, Any, Any, dict[str, Any], str]] = [
    ("resolution 1", None, npf.PureDP(1), {"resolution": 1.0}, "resolution must be a finite number > 1"),
    (
        "resolution nan",
        None,
        npf.PureDP(1),
        {"resolution": float("nan")},
        "resolution must be a finite number > 1",
    ),
    ("resolution text", None, npf.PureDP(1), {"resolution": "2"}, "resolution must be a finite number > 1"),
    ("few samples", None, npf.PureDP(1), {"samples": 99}, "samples must be a whole number from 100"),
    ("half a sample", None, npf.PureDP(1), {"samples": 1e4}, "samples must be a whole number from 100"),
    (
        "too many samples",
        None,
        npf.PureDP(1),
        {"samples": 10**10},
        "to 1,000,000,000 per input, got 10000000000",
    ),
    ("alpha", None, npf.PureDP(1), {"alpha": 0}, "alpha must lie strictly between 0 and 1"),
    ("power", None, npf.PureDP(1), {"power": 1.0}, "power must lie in"),
    ("tests", None, npf.PureDP(1), {"tests": 0}, "tests must be a whole number >= 1"),
    ("no claim", None, 1.0, {}, "claim must be a guarantee such as PureDP"),
    (
        "error bound",
        npf.LaplaceMechanism(1, 1),
        npf.ErrorBound(1),
        {},
        "not planned: .* no privacy guarantee",
    ),
    (
        "about the law",
        npf.LaplaceMechanism(1, 1),
        npf.Claim(npf.PureDP(1), about="law"),
        {},
        "about the law alone",
    ),
    ("release", None, npf.PureDP(1), {"release": "cauchy"}, "release must be one of 'worst case', 'Gaussian"),
    (
        "no such noise",
        None,
        npf.PureDP(1),
        {"release": "Gaussian noise"},
        "Gaussian noise satisfies epsilon-DP for no finite",
    ),
    ("unknown guarantee", None, _Other(), {}, "no release is known that sits exactly at this claim"),
]


@pytest.mark.parametrize(
    ("subject", "claim", "given", "message"), [b[1:] for b in BAD], ids=[b[0] for b in BAD]
)
def test_bad_input_is_refused_with_a_message(
    subject: Any, claim: Any, given: dict[str, Any], message: str
) -> None:
    asked = npf.resolution_at if "samples" in given else npf.sample_size
    options = {"resolution": 1.1, **given} if asked is npf.sample_size else given
    with pytest.raises(npf.SpecError, match=message):
        asked(subject, claim, **options)


def test_a_guarantee_of_ones_own_is_planned_for_a_mechanism() -> None:
    assert npf.sample_size(npf.LaplaceMechanism(1.0, 1.0), _Other(), 1.3).samples


def test_a_plan_of_several_claims_shares_alpha_among_them() -> None:
    mechanism = npf.LaplaceMechanism(1.0, 1.0)
    claims = [
        npf.Claim(npf.PureDP(1.0), mechanism),
        npf.Claim(npf.PureDP(0.8), mechanism, expect="falls"),
        npf.Claim(npf.ErrorBound(1.0), mechanism),
    ]
    plans, skipped = plan_all(claims, resolution=1.2)
    assert len(plans) == 1
    assert plans[0].tests > 3
    assert (plans[0].samples or 0) > (npf.sample_size(mechanism, npf.PureDP(1.0), 1.2).samples or 0)
    assert [line.split(": ")[-1][:9] for line in skipped] == ["a control", "other che"]
    with pytest.raises(npf.SpecError, match="either a resolution or a number of samples"):
        plan_all(claims)


def test_an_answer_comes_within_about_a_second() -> None:
    npf.sample_size(npf.LaplaceMechanism(1.0, 1.0), npf.PureDP(1.0), 1.1)
    start = time.process_time()
    npf.sample_size(npf.LaplaceMechanism(2.0, 1.0), npf.PureDP(2.0), 1.05)
    npf.resolution_at(None, npf.GaussianDP(1.0), 50_000)
    assert time.process_time() - start < 4
