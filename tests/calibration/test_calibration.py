"""False alarms of whole audits of mechanisms that are exactly at their claim."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from calibration_trials.laws import LAWS, fit_alarms
from statsmodels.stats.proportion import proportion_confint

import noiseproof as npf

ALPHA = 0.05


def _noisy_sum(data: float, size: int, rng: np.random.Generator) -> Any:
    return data + rng.laplace(size=size)


def _response(data: int, size: int, rng: np.random.Generator) -> Any:
    return np.where(rng.random(size) < np.e / (1 + np.e), data, 1 - data)


def _leaky(data: int, size: int, rng: np.random.Generator) -> Any:
    """Exactly (1, 0.1): an answer that names its input with probability 0.1, randomised response otherwise."""
    return np.where(rng.random(size) < 0.1, 2 + data, _response(data, size, rng)).astype(float)


def _location(theta: float, size: int, rng: np.random.Generator) -> Any:
    return theta + rng.normal(size=size)


AT_THEIR_CLAIM: dict[str, Callable[[], tuple[Any, Any]]] = {
    "laplace, black box": lambda: (npf.BlackBox(_noisy_sum, (0.0, 1.0)), npf.PureDP(1)),
    "response, black box": lambda: (npf.BlackBox(_response, (0, 1)), npf.PureDP(1)),
    "laplace, law known": lambda: (npf.LaplaceMechanism(1.0, 1.0), npf.PureDP(1)),
    "response, law known": lambda: (npf.RandomisedResponse(1.0), npf.PureDP(1)),
    "delta, black box": lambda: (npf.BlackBox(_leaky, (0, 1)), npf.ApproxDP(1, 0.1)),
    "nearly equal inputs": lambda: (npf.BlackBox(_noisy_sum, (0.0, 1e-9)), npf.PureDP(1e-9)),
    "information, sampler": lambda: (
        npf.Family(_location, None, 0.0, location=True),
        npf.FisherInformation(1),
    ),
    "gaussian, law known": lambda: (npf.GaussianMechanism(1.0, 1.0), npf.GaussianDP(1)),
    "error bound, law known": lambda: (npf.GaussianMechanism(1.0, 1.0), npf.ErrorBound(1.0)),
}


def false_alarms(name: str, audits: int, samples: int) -> int:
    """How many of the audits, one seed each, refute the true claim."""
    subject, claim = AT_THEIR_CLAIM[name]()
    verdicts = [
        npf.examine(subject, claim, samples=samples, seed=seed, alpha=ALPHA).verdict for seed in range(audits)
    ]
    return verdicts.count(npf.Verdict.REFUTED)


@pytest.mark.parametrize("name", AT_THEIR_CLAIM)
def test_false_alarms_stay_below_alpha(name: str) -> None:
    # 10 audits: more than 4 alarms have probability below 1e-4 at a rate of 5 %.
    assert false_alarms(name, audits=10, samples=1_000) <= 4


_QUICK = (
    "whole Laplace",
    "whole Gaussian",
    "three",
    "grid",
    "median at epsilon 50",
    "median at epsilon 100",
    "2 cand",
)


@pytest.mark.parametrize("name", [n for n in LAWS if n.startswith(_QUICK)])
def test_code_that_follows_its_law_is_not_refuted(name: str) -> None:
    # From a sixteenth of a step to a hundred: nothing random in the test follows from the outcomes that it is about.
    assert fit_alarms(name, trials=5, samples=600, alpha=0.001) == 0


@pytest.mark.parametrize("scale", [8, 12, 16])
def test_noise_far_below_the_lattice_is_not_refuted(scale: int) -> None:
    found = npf.examine(*LAWS[f"whole Laplace 1/{scale}"](), samples=2_000, seed=scale)
    assert found.verdict is not npf.Verdict.REFUTED


@pytest.mark.long
@pytest.mark.parametrize("name", LAWS)
def test_the_fit_of_a_law_raises_no_more_alarms_than_alpha(name: str) -> None:
    alarms = fit_alarms(name, trials=400, samples=600, alpha=ALPHA)
    print(f"{name}: {alarms} of 400")
    assert proportion_confint(alarms, 400, alpha=0.002, method="beta")[0] <= ALPHA


@pytest.mark.long
@pytest.mark.parametrize("name", AT_THEIR_CLAIM)
def test_false_alarm_rate_of_two_thousand_audits(name: str) -> None:
    alarms = false_alarms(name, audits=2_000, samples=1_000)
    lower = proportion_confint(alarms, 2_000, alpha=0.02, method="beta")[0]
    print(
        f"{name}: {alarms} false alarms in 2,000 audits at alpha = {ALPHA}, "
        f"observed rate {alarms / 2_000:.4f}, lower 99 % bound {lower:.4f}"
    )
    assert lower <= ALPHA
