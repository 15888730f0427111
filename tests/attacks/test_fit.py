"""Code against law: null probabilities are exact, every kind of departure is found, resolutions are honest."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import special, stats

from noiseproof import Certificate, Claim, Family, FisherInformation, Mutant, PureDP, Verdict, examine
from noiseproof.audit.record.evidence import Evidence
from noiseproof.audit.record.plain import chance
from noiseproof.audit.trial.checks.fit import Fit, p_values
from noiseproof.audit.trial.checks.fit import Test as BinomialTest
from noiseproof.audit.trial.outcomes import Outcomes, canonical
from noiseproof.audit.witnesses import reevaluate
from noiseproof.mechanisms import (
    CosineMechanism,
    GaussianMechanism,
    LaplaceMechanism,
    Mechanism,
    RandomisedResponse,
)

Release = Callable[[Any, int, np.random.Generator], Any]


def judged(
    mechanism: Mechanism, size: int, alpha: float, seed: int, release: Release | None = None, units: int = 1
) -> Evidence:
    check = Fit(Claim(PureDP(1.0), mechanism))
    rng = np.random.default_rng(seed)
    draw = release or mechanism.release
    counts = [
        check.count(
            None, [canonical(draw(x, size // units, rng), size // units) for x in check.inputs()], rng
        )
        for _ in range(units)
    ]
    return check.judge(None, np.sum(counts, axis=0), alpha)


CORRECT: list[Mechanism] = [
    LaplaceMechanism(1.0, 1.0),
    LaplaceMechanism(1.0, 1.0, dimension=4),
    GaussianMechanism(covariance=[[2.0, 1.2], [1.2, 1.0]]),
    CosineMechanism(-1.0, 1.0),
    RandomisedResponse(1.0, 3),
]


@pytest.mark.parametrize("runs", [30, pytest.param(150, marks=pytest.mark.long)])
@pytest.mark.parametrize("mechanism", CORRECT, ids=lambda m: m.name)
def test_false_alarms_stay_below_alpha(mechanism: Mechanism, runs: int) -> None:
    alpha = 0.2
    alarms = sum(judged(mechanism, 400, alpha, seed).verdict is Verdict.REFUTED for seed in range(runs))
    assert stats.binom.sf(alarms - 1, runs, alpha) > 1e-3


@pytest.mark.parametrize("p", [0.001, 0.3, 0.5, 1.0, 0.0])
def test_p_values_are_valid_by_enumeration(p: float) -> None:
    n = 40
    values = p_values([BinomialTest("", k, n, p) for k in range(n + 1)])
    mass = stats.binom.pmf(np.arange(n + 1), n, p)
    for level in (0.001, 0.01, 0.05, 0.2):
        assert mass[values <= level].sum() <= level + 1e-12
    assert p_values([BinomialTest("", 0, 0, 0.5)])[0] == 1.0


def test_independent_rows_and_entries_are_counted_once() -> None:
    # All entries pooled: n d independent trials; consecutive rows: n/2 pairs; the two inputs against each other: n d.
    check = Fit(Claim(PureDP(1.0), LaplaceMechanism(1.0, 1.0, dimension=3)))
    rng = np.random.default_rng(0)
    unit = [canonical(check.claim.subject.release(x, 101, rng), 101) for x in check.inputs()]
    tests = check.tests("the line", check.count("the line", unit, rng))
    trials = {t.what.split(":")[-1].split(" the law")[0]: t.trials for t in tests}
    assert max(t.trials for t in tests) == 303
    assert trials[" consecutive outcomes on the same side of the median"] == 150
    assert tests[-1].trials == 303
    assert all(0 <= t.successes <= t.trials for t in tests)


DEPARTURES: dict[str, tuple[Mechanism, Release]] = {
    "scale": (LaplaceMechanism(1.0, 1.0), lambda x, n, r: x + r.laplace(0, 1.1, (n, 1))),
    "shift": (LaplaceMechanism(1.0, 1.0), lambda x, n, r: x + 0.1 + r.laplace(0, 1.0, (n, 1))),
    "shape": (LaplaceMechanism(1.0, 1.0), lambda x, n, r: x + r.normal(0, np.sqrt(2), (n, 1))),
    "one entry without noise": (
        LaplaceMechanism(1.0, 1.0, dimension=4),
        lambda x, n, r: x + r.laplace(0, 1.0, (n, 4)) * [1, 1, 1, 0],
    ),
    "entries alike": (
        LaplaceMechanism(1.0, 1.0, dimension=2),
        lambda x, n, r: x + r.laplace(0, 1.0, (n, 1)) * [1, 1],
    ),
    "rows alike": (
        LaplaceMechanism(1.0, 1.0),
        lambda x, n, r: x + np.repeat(r.laplace(0, 1.0, (n // 2, 1)), 2, axis=0),
    ),
    "inputs alike": (
        LaplaceMechanism(1.0, 1.0),
        lambda x, n, r: x + np.random.default_rng(5).laplace(0, 1.0, (n, 1)),
    ),
    "category": (
        RandomisedResponse(1.0, 3),
        lambda x, n, r: np.where(r.random(n) < 0.6, x, r.integers(0, 3, n)).astype(float),
    ),
    "outside the categories": (
        RandomisedResponse(1.0, 3),
        lambda x, n, r: np.where(np.arange(n) == 7, 3.0, RandomisedResponse(1.0, 3).release(x, n, r)),
    ),
    "now and then NaN": (
        LaplaceMechanism(1.0, 1.0),
        lambda x, n, r: np.where(r.random((n, 1)) < 0.02, np.nan, x + r.laplace(0, 1.0, (n, 1))),
    ),
    "another width": (LaplaceMechanism(1.0, 1.0, dimension=2), lambda x, n, r: r.laplace(0, 1.0, (n, 3))),
}


@pytest.mark.parametrize("name", DEPARTURES)
def test_departures_are_found(name: str) -> None:
    mechanism, release = DEPARTURES[name]
    evidence = judged(mechanism, 20_000, 1e-4, 3, release)
    assert evidence.verdict is Verdict.REFUTED, evidence.detail
    assert evidence.witness is not None


def test_units_add_up_in_any_grouping_of_rows() -> None:
    check = Fit(Claim(PureDP(1.0), LaplaceMechanism(1.0, 1.0, dimension=2)))
    rng = np.random.default_rng(2)
    both = [canonical(check.claim.subject.release(x, 400, rng), 400) for x in check.inputs()]
    whole = check.count(None, both, rng)
    parts = [
        check.count(None, [Outcomes(s.values[i : i + 100], s.kinds[i : i + 100]) for s in both], rng)
        for i in range(0, 400, 100)
    ]
    assert np.array_equal(whole, np.sum(parts, axis=0))


@pytest.mark.parametrize(
    "mechanism",
    [LaplaceMechanism(1.0, 1.0), GaussianMechanism(1.0), CosineMechanism(-1.0, 1.0)],
    ids=lambda m: m.name,
)
def test_a_stated_resolution_is_found_nineteen_times_in_twenty(mechanism: Mechanism) -> None:
    size, alpha, runs = 20_000, 0.02, 40
    survived = judged(mechanism, size, alpha, 0)
    assert survived.resolution is not None
    assert 1.0 < survived.resolution.value < 1.2
    broken = Mutant.noise_divided_by(mechanism, survived.resolution.value)
    found = sum(judged(broken, size, alpha, seed).verdict is Verdict.REFUTED for seed in range(1, runs + 1))
    # Fewer than 32 of 40 has probability below 2e-4 at a power of 0.95.
    assert found >= 32


def test_what_is_too_unlikely_to_read_is_said_to_be_below_a_bound() -> None:
    faulty = Mutant.noise_divided_by(LaplaceMechanism(1.0, 1.0), 4.0)
    certificate = examine(faulty, PureDP(1.0), samples=20_000)
    (found,) = (e for e in certificate.findings[0].evidence if e.check == "fit")
    assert "p < 1e-12 before" in found.detail
    assert found.witness is not None
    assert "p < 1e-12, shared" in reevaluate(found.witness)[1]
    assert Certificate.from_json(certificate.to_json()) == certificate
    told = [chance(p) for p in (0.01234, math.nan, 1e-12, 9e-13, 0.0, 5e-324)]
    assert told == ["= 0.0123", "= nan", "= 1e-12", *["< 1e-12"] * 3]


@pytest.mark.parametrize("rate", [30.0, 100.0])
def test_a_mass_that_is_smooth_enough_to_be_a_density_is_compared_with_whole_numbers(rate: float) -> None:
    def told(factor: float) -> dict[str, Verdict]:
        family = Family(
            lambda t, n, r: r.poisson(factor * t, n),
            lambda y, t: y * np.log(t) - t - special.gammaln(y + 1),
            rate,
        )
        (finding,) = examine(family, FisherInformation(1 / rate), samples=10_000).findings
        return {e.check: e.verdict for e in finding.evidence}

    assert told(1.0)["fit"] is Verdict.SURVIVED
    assert told(1.05)["fit"] is Verdict.REFUTED
