"""What would make a refuted guarantee true is proved before it is said, and 0.2 % less would not do."""

from __future__ import annotations

import re
from typing import Any

import pytest

import noiseproof as npf
from noiseproof.audit.trial.checks.remedy import remedy
from noiseproof.mechanisms import (
    BoundedMean,
    GaussianMechanism,
    LaplaceMechanism,
    Mechanism,
    RandomisedResponse,
)

CASES: dict[str, tuple[Mechanism, Any, tuple[str, ...]]] = {
    "laplace": (
        LaplaceMechanism(1.5, 1.0),
        npf.PureDP(1.0),
        ("as it is, 1.5-diff", "with 1.5 times the noise, epsilon = 1", "a sensitivity of 0.6666 at most"),
    ),
    "gaussian": (
        GaussianMechanism(1.0, 1.0),
        npf.ApproxDP(1.0, 1e-5),
        ("as it is, (4.378, 1e-05)-diff", "with 3.731 times the noise, sigma = 3.731", "of 0.268 at most"),
    ),
    "curve": (GaussianMechanism(1.0, 1.0), npf.GaussianDP(0.5), ("as it is, 1-Gaussian", "sigma = 2")),
    "concentrated": (LaplaceMechanism(2.0, 1.0), npf.ZeroConcentratedDP(0.5), ("with ", "epsilon = 1")),
    "response": (RandomisedResponse(2.0), npf.PureDP(1.0), ("as it is, 2-diff", "epsilon = 1")),
    "mean": (BoundedMean(0, 1, 10, epsilon=2.0), npf.PureDP(1.0), ("as it is, 2-diff", "epsilon = 1")),
    "nothing": (GaussianMechanism(1.0, 1.0), npf.PureDP(1.0), ()),
}


@pytest.mark.parametrize("name", CASES)
def test_a_remedy_is_said_where_one_is_known(name: str) -> None:
    mechanism, claim, ways = CASES[name]
    words = remedy(mechanism, claim)
    assert all(way in words for way in ways)
    assert bool(words) == bool(ways)


def test_the_noise_that_is_named_is_enough_and_hardly_less_is_not() -> None:
    mechanism, claim, _ = CASES["gaussian"]
    (factor,) = map(float, re.findall(r"with (\S+) times", remedy(mechanism, claim)))
    told = [
        npf.examine(mechanism.with_noise_divided_by(c / factor), npf.Claim(claim, about="law"), samples=100)
        for c in (1.0, 1.002)
    ]
    assert [c.verdict.name for c in told] == ["PROVED", "REFUTED"]


def test_a_refuted_claim_says_what_would_be_true_and_a_control_does_not() -> None:
    mechanism, claim, _ = CASES["laplace"]
    found = npf.examine(mechanism, [claim, npf.Claim(claim, expect="falls")], samples=500)
    said = ["true would be" in f.evidence[0].detail for f in found.findings]
    assert said == [True, False]
    assert npf.Certificate.from_json(found.to_json()) == found
