"""What would make a refuted guarantee true is proved before it is said, and 0.2 % less would not do."""

from __future__ import annotations

import re
from typing import Any

import pytest

import noiseproof as npf
from noiseproof.audit.record.caveats import alarms, caveats
from noiseproof.audit.record.evidence import Evidence
from noiseproof.audit.trial.checks.remedy import remedy
from noiseproof.console import print_summary
from noiseproof.mechanisms import (
    BoundedMean,
    GaussianMechanism,
    LaplaceMechanism,
    Mechanism,
    RandomisedResponse,
)
from noiseproof.reports.findings import outcome_of
from noiseproof.reports.page import render_certificate
from noiseproof.symbolic.proof.derivation import Step
from noiseproof.symbolic.proof.truth import Truth

CASES: dict[str, tuple[Mechanism, Any, tuple[str, ...]]] = {
    "laplace": (
        LaplaceMechanism(1.5, 1.0),
        npf.PureDP(1.0),
        ("as declared, 1.5-diff", "with 1.5 times the noise, epsilon = 1", "a sensitivity of 0.6666 at most"),
    ),
    "gaussian": (
        GaussianMechanism(1.0, 1.0),
        npf.ApproxDP(1.0, 1e-5),
        ("as declared, (4.378, 1e-05)-diff", "with 3.731 times the noise, sigma = 3.731", "of 0.268 at most"),
    ),
    "curve": (GaussianMechanism(1.0, 1.0), npf.GaussianDP(0.5), ("as declared, 1-Gaussian", "sigma = 2")),
    "concentrated": (LaplaceMechanism(2.0, 1.0), npf.ZeroConcentratedDP(0.5), ("with ", "epsilon = 1")),
    "response": (RandomisedResponse(2.0), npf.PureDP(1.0), ("as declared, 2-diff", "epsilon = 1")),
    "mean": (BoundedMean(0, 1, 10, epsilon=2.0), npf.PureDP(1.0), ("as declared, 2-diff", "epsilon = 1")),
    "nothing": (GaussianMechanism(1.0, 1.0), npf.PureDP(1.0), ()),
}


@pytest.mark.parametrize("name", CASES)
def test_a_remedy_is_said_where_one_is_known(name: str) -> None:
    mechanism, claim, ways = CASES[name]
    words = remedy(mechanism, claim)
    assert all(way in words for way in ways)
    assert bool(words) == bool(ways)


def test_what_is_not_proved_is_no_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Step, "check", lambda self: Truth.UNKNOWN)
    assert remedy(LaplaceMechanism(1.5, 1.0), npf.PureDP(1.0)) == ""


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


SIGMA_2 = GaussianMechanism(2.0, 1.0)
BOUNDS: dict[str, tuple[Mechanism, Any, tuple[str, ...]]] = {
    "error": (
        SIGMA_2,
        npf.ErrorBound(5.0),
        (
            "as declared, no unbiased adversary has a mean squared error below 4",
            "1.119 times the noise, sigma = 2.238",
        ),
    ),
    "minimax": (
        SIGMA_2,
        npf.ErrorBound(3.9, adversary="minimax", domain=(0.0, 20.0)),
        (
            "as declared, no adversary, in the worst case over the domain, has a mean squared error below 2.867",
            "with 1.26 times",
        ),
    ),
    "beyond any noise": (
        SIGMA_2,
        npf.ErrorBound(200.0, adversary="minimax", domain=(0.0, 20.0)),
        ("as declared, no adversary",),
    ),
    "information": (
        SIGMA_2,
        npf.FisherInformation(1.0),
        ("as declared, the Fisher information at theta is 0.25;", "with 0.5 times the noise, sigma = 1"),
    ),
    "matrix": (
        GaussianMechanism(2.0, 1.0, dimension=3),
        npf.FisherInformation(1.0),
        ("as declared, the Fisher information at theta is 0.25 times the 3 x 3 identity",),
    ),
    "irregular": (npf.BROKEN_MECHANISMS[7].subject, npf.FisherInformation(3.0), ("no number makes it true",)),
}


@pytest.mark.parametrize("name", BOUNDS)
def test_a_refuted_bound_says_what_would_be_true(name: str) -> None:
    subject, claim, ways = BOUNDS[name]
    told, control = (
        npf.examine(subject, npf.Claim(claim, about="law", expect=expect), samples=100).findings[0]
        for expect in ("holds", "falls")
    )
    assert told.verdict.name == "REFUTED"
    (detail,) = (e.detail for e in told.evidence if e.check == "derivation")
    assert all(way in detail for way in ways), detail
    assert ("times the noise" in detail) == any("times" in way and "identity" not in way for way in ways)
    assert not any(way in control.evidence[0].detail for way in ways)


def test_what_is_said_of_information_and_errors_is_true_and_hardly_more_is_not() -> None:
    tried = [
        (SIGMA_2, npf.ErrorBound(4.0)),
        (SIGMA_2.with_noise_divided_by(1 / 1.119), npf.ErrorBound(5.0)),
        (SIGMA_2.with_noise_divided_by(1 / 1.118), npf.ErrorBound(5.0)),
        (SIGMA_2, npf.FisherInformation(0.25)),
    ]
    claims = [npf.Claim(claim, subject=subject, about="law") for subject, claim in tried]
    found = npf.examine(None, claims, samples=100).findings
    assert [f.verdict.name for f in found] == ["PROVED", "PROVED", "REFUTED", "PROVED"]


DIFFERS = {
    "half-noise": "its noise is about 0.5 times that of the law",
    "variance-for-deviation": "its noise is about 0.5 times that of the law",
    "inverted-laplace-scale": "its noise is about 0.25 times that of the law",
    "noise-reused": "its entries do not draw their noise one by one",
    "error-bound-half-noise": "its noise is about 0.5 times that of the law",
    "response-too-honest": "its categories have other probabilities",
}


@pytest.mark.parametrize(
    "fault", [f for f in npf.BROKEN_MECHANISMS if f.name in DIFFERS], ids=lambda f: f.name
)
def test_code_that_strays_from_a_proved_law_is_told_what_differs(
    fault: Any, capsys: Any, tmp_path: Any
) -> None:
    made = npf.examine(fault.subject, fault.claim, samples=5_000)
    (found,) = made.findings
    (fit,) = (e for e in found.evidence if e.check == "fit")
    assert DIFFERS[fault.name] in fit.detail
    (advice,) = alarms("holds", found.evidence)
    assert "see fit" in advice
    assert not any("true would be" in e.detail for e in found.evidence)
    print_summary(made, tmp_path)
    assert advice in capsys.readouterr().out
    assert advice in render_certificate(made.to_dict())
    assert any(advice in line for line in outcome_of(found.record(), {}).details)


@pytest.mark.parametrize(
    ("fallen", "said"),
    [("code", "see the event of the attack"), ("bytes", "in the bytes only, see the attack")],
)
def test_where_fit_sees_nothing_the_check_that_did_is_named(fallen: Any, said: str) -> None:
    proof = Evidence("derivation", "proof", "law", npf.Verdict.PROVED, "s", "")
    fit = Evidence("fit", "attack", "fit", npf.Verdict.SURVIVED, "s", "")
    attack = Evidence("the attack", "attack", fallen, npf.Verdict.REFUTED, "s", "", witness={"kind": "event"})
    (advice,) = caveats(npf.Claim(npf.PureDP(1.0)), (proof, fit, attack))
    assert [advice] == alarms("holds", (proof, fit, attack))
    assert said in advice
    assert caveats(npf.Claim(npf.PureDP(1.0)), (fit, attack)) == ()


def test_a_law_that_is_refuted_or_a_control_has_no_such_advice() -> None:
    half = npf.BROKEN_MECHANISMS[0]
    found = npf.examine(
        half.subject, [npf.Claim(half.claim, expect="falls"), npf.GaussianDP(0.2)], samples=2_000
    )
    assert [alarms(f.claim["expect"], f.evidence) for f in found.findings] == [[], []]
