"""Every planted fault falls, no correct mechanism does: a few seeds here, fifty in the long tier."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pytest

import noiseproof as npf
from noiseproof.mechanisms.broken import PlantedFault


def _box(d: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    return np.zeros(d), np.ones(d)


def _sum_of_two(data: float, size: int, rng: np.random.Generator) -> Any:
    return data + rng.laplace(size=size)


@dataclass(frozen=True)
class Correct:
    """A subject with claims that are exactly tight, so that the slightest false alarm would show."""

    name: str
    build: Callable[[], tuple[Any, list[Any]]]


CORRECT = (
    Correct("laplace", lambda: (npf.LaplaceMechanism(1, 1), [npf.PureDP(1), npf.ErrorBound(1.0)])),
    Correct("laplace vector", lambda: (npf.LaplaceMechanism(0.5, 2, 3), [npf.PureDP(0.5)])),
    Correct("gaussian", lambda: (npf.GaussianMechanism(2, 1), [npf.GaussianDP(0.5), npf.ErrorBound(4.0)])),
    Correct(
        "gaussian covariance",
        lambda: (
            npf.GaussianMechanism(covariance=[[2, 1], [1, 3]]),
            [npf.GaussianDP(1 / np.sqrt((5 - 5**0.5) / 2) * (1 + 1e-12))],
        ),
    ),
    Correct(
        "optimal gaussian",
        lambda: (npf.OptimalGaussian(1.0, _box(5)), [npf.ErrorBound(5.0), npf.GaussianDP(5**0.5)]),
    ),
    Correct(
        "cosine",
        lambda: (npf.CosineMechanism(-1, 1), [npf.ErrorBound(1 / np.pi**2), npf.FisherInformation(np.pi**2)]),
    ),
    Correct("randomised response", lambda: (npf.RandomisedResponse(1, 4), [npf.PureDP(1)])),
    Correct("mean", lambda: (npf.BoundedMean(0, 1, 50, epsilon=1), [npf.PureDP(1)])),
    Correct("sum", lambda: (npf.BoundedSum(-1, 2, sigma=2.0), [npf.GaussianDP(1)])),
    Correct("linear query", lambda: (npf.LinearQuery([1, -2], 0, 1, epsilon=1), [npf.PureDP(1)])),
    Correct(
        "laplace, other guarantees",
        lambda: (
            npf.LaplaceMechanism(1, 1),
            [npf.ApproxDP(0.5, 0.22119921693), npf.ZeroConcentratedDP(0.5), npf.FisherInformation(1.0)],
        ),
    ),
    Correct(
        "gaussian, other guarantees",
        lambda: (
            npf.GaussianMechanism(1, 1),
            [npf.RenyiDP(4.0, 2.0), npf.ZeroConcentratedDP(0.5), npf.FisherInformation(1.0)],
        ),
    ),
    Correct("cosine, delta", lambda: (npf.CosineMechanism(-4, 4), [npf.ApproxDP(1.0, 0.0602)])),
    Correct("warner", lambda: (npf.RandomisedResponse(1), [npf.PureDP(1), npf.ApproxDP(0.4, 0.32986)])),
    Correct("black box", lambda: (npf.BlackBox(_sum_of_two, (0.0, 1.0)), [npf.PureDP(1)])),
)


def _small_laplace(data: float, size: int, rng: np.random.Generator, epsilon: float = 1.0) -> Any:
    return data + rng.laplace(0.0, 0.95 / epsilon, size=size)


def _small_gaussian(data: float, size: int, rng: np.random.Generator, mu: float = 1.0) -> Any:
    return data + rng.normal(0.0, 0.9 / mu, size=size)


def _small_faults() -> dict[str, tuple[Any, Any]]:
    """Laplace noise 5 % and Gaussian noise 10 % smaller than claimed, the law declared and as a black box."""
    out: dict[str, tuple[Any, Any]] = {}
    for epsilon in (1.0, 1.7, 3.0):
        declared = npf.LaplaceMechanism(epsilon, 1.0)
        claim: Any = npf.PureDP(epsilon)
        out[f"laplace scale 5 % small, epsilon {epsilon:g}"] = (
            npf.Mutant.noise_divided_by(declared, 1 / 0.95),
            claim,
        )
        box = npf.BlackBox(partial(_small_laplace, epsilon=epsilon), (0.0, 1.0), name="small laplace")
        out[f"laplace scale 5 % small, epsilon {epsilon:g}, black box"] = box, claim
    for mu in (0.5, 1.0, 2.0, 4.0):
        claim = npf.GaussianDP(mu)
        mutant = npf.Mutant.noise_divided_by(npf.GaussianMechanism(1 / mu, 1.0), 1 / 0.9)
        out[f"gaussian deviation 10 % small, mu {mu:g}"] = mutant, claim
        box = npf.BlackBox(partial(_small_gaussian, mu=mu), (0.0, 1.0), name="small gaussian")
        out[f"gaussian deviation 10 % small, mu {mu:g}, black box"] = box, claim
    return out


SMALL = _small_faults()


@pytest.mark.parametrize("name", SMALL)
def test_a_small_fault_falls_at_the_default_budget(name: str) -> None:
    assert npf.examine(*SMALL[name], seed=1).verdict is npf.Verdict.REFUTED


@pytest.mark.long
@pytest.mark.parametrize("name", SMALL)
def test_a_hundred_seeds_of_a_small_fault_at_the_default_budget(name: str) -> None:
    fallen = sum(npf.examine(*SMALL[name], seed=s).verdict is npf.Verdict.REFUTED for s in range(100))
    print(f"{name}: refuted in {fallen} of 100 seeds")
    assert fallen >= 95


@pytest.mark.parametrize("fault", npf.BROKEN_MECHANISMS, ids=lambda f: f.name)
def test_a_planted_fault_falls_to_an_attack_on_its_code(fault: PlantedFault) -> None:
    for seed in range(2):
        certificate = npf.examine(fault.subject, fault.claim, samples=20_000, seed=seed)
        assert certificate.verdict is npf.Verdict.REFUTED
        assert certificate.exit_code == 1
        attacks = [e for e in certificate.findings[0].evidence if e.kind == "attack"]
        assert any(e.verdict is npf.Verdict.REFUTED and e.witness for e in attacks)


def test_there_are_at_least_eight_faults_with_names_of_their_own() -> None:
    assert len({f.name for f in npf.BROKEN_MECHANISMS}) == len(npf.BROKEN_MECHANISMS) >= 8


@pytest.mark.parametrize("case", CORRECT, ids=lambda c: c.name)
def test_a_correct_mechanism_stands(case: Correct) -> None:
    subject, claims = case.build()
    certificate = npf.examine(subject, claims, samples=20_000, alpha=1e-4)
    assert certificate.verdict is npf.Verdict.SURVIVED, [f.sentences for f in certificate.findings]


@pytest.mark.long
@pytest.mark.parametrize("fault", npf.BROKEN_MECHANISMS, ids=lambda f: f.name)
def test_fifty_seeds_of_a_planted_fault_at_the_default_budget(fault: PlantedFault) -> None:
    fallen = sum(
        npf.examine(fault.subject, fault.claim, seed=s).verdict is npf.Verdict.REFUTED for s in range(50)
    )
    print(f"{fault.name}: refuted in {fallen} of 50 seeds")
    assert fallen == 50


@pytest.mark.long
@pytest.mark.parametrize("case", CORRECT, ids=lambda c: c.name)
def test_fifty_seeds_of_a_correct_mechanism(case: Correct) -> None:
    subject, claims = case.build()
    verdicts = [npf.examine(subject, claims, seed=s, alpha=1e-4).verdict.name for s in range(50)]
    print(f"{case.name}: refuted in {verdicts.count('REFUTED')} of 50 seeds at alpha = 1e-4")
    assert verdicts.count("REFUTED") == 0
