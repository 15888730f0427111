"""Information about one number in code of which nothing is known: faults are found at 20,000 samples, their sound twins never."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from noiseproof import BlackBox, ErrorBound, Family, FisherInformation, RenyiDP, Verdict, examine
from noiseproof.audit.record.evidence import Evidence

Release = Callable[[float, int, np.random.Generator], Any]
SAMPLES = 20_000


def leaking(share: float) -> Release:
    """Normal noise, but for a share of outcomes that are the parameter itself."""
    return lambda t, n, r: np.where(r.random(n) < share, t, t + r.normal(size=n))


def written(scale: float) -> Release:
    return lambda t, n, r: [f"value {v:.4f} logged" for v in t + scale * r.laplace(size=n)]


def apart(scale: float) -> Release:
    """Two numbers whose mean says nothing."""
    return lambda t, n, r: np.array([t, -t]) + scale * r.normal(size=(n, 2))


# A fault, its sound twin, and the information that is right for the twin.
CASES: dict[str, tuple[Release, Release, float]] = {
    "laplace": (lambda t, n, r: t + r.laplace(size=n) / 1.3, lambda t, n, r: t + r.laplace(size=n), 1.0),
    "in clear": (leaking(0.03), leaking(0.0), 1.0),
    "cauchy": (lambda t, n, r: t + r.standard_cauchy(n) / 1.3, lambda t, n, r: t + r.standard_cauchy(n), 0.5),
    "written": (written(1 / 2), written(1.0), 1.0),
    "apart": (apart(1 / 1.3), apart(1.0), 2.0),
}


def heard(subject: Any, claim: Any, samples: int = SAMPLES) -> Evidence:
    (evidence,) = examine(subject, claim, samples=samples).findings[0].evidence
    return evidence


@pytest.mark.parametrize("name", CASES)
def test_a_fault_is_found_and_its_twin_is_not(name: str) -> None:
    fault, twin, information = CASES[name]
    claim = ErrorBound(1 / information) if name == "cauchy" else FisherInformation(information)
    samples = 3_000 if name == "written" else SAMPLES
    assert heard(Family(fault, None, 0.0, location=True), claim, samples).verdict is Verdict.REFUTED
    spared = (Verdict.SURVIVED,) if samples == SAMPLES else (Verdict.SURVIVED, Verdict.UNDECIDED)
    assert heard(Family(twin, None, 0.0, location=True), claim, samples).verdict in spared


def test_a_black_box_is_asked_between_its_two_numbers() -> None:
    fault, twin, _ = CASES["laplace"]
    assert heard(BlackBox(fault, (0.0, 1.0)), FisherInformation(1.0), 100_000).verdict is Verdict.REFUTED
    assert heard(BlackBox(twin, (0.0, 1.0)), FisherInformation(1.0)).verdict is Verdict.SURVIVED
    assert examine(BlackBox(twin, ("a", "b")), FisherInformation(1.0)).findings[0].evidence == ()


def test_a_stated_resolution_of_a_learnt_bound_is_reached() -> None:
    _, twin, _ = CASES["laplace"]
    stated = heard(BlackBox(twin, (0.0, 1.0)), FisherInformation(1.0)).resolution
    assert stated is not None
    stricter = FisherInformation(1 / stated.value**2)  # what noise smaller by that factor has
    found = [
        examine(BlackBox(twin, (0.0, 1.0)), stricter, samples=SAMPLES, seed=seed).verdict for seed in range(8)
    ]
    assert found.count(Verdict.REFUTED) >= 6  # below 6e-3 at a power of 0.95


@pytest.mark.parametrize(
    ("claim", "samples", "said"),
    [
        (FisherInformation(1.0), 300, "too few to say how many samples per input would decide it"),
        (FisherInformation(1.0), 600, "00 samples per input would decide it"),
        (ErrorBound(1.0), 100, "samples per input would decide it"),
        (FisherInformation(50.0), SAMPLES, "no number of samples that can be drawn would decide it"),
        (RenyiDP(50.0, 25.0), SAMPLES, "no number of samples that can be drawn would decide it"),
        (RenyiDP(50.0, 1.0), SAMPLES, "samples per input would decide it"),
        (RenyiDP(2.0, 50.0), SAMPLES, "no number of samples that can be drawn would decide it"),
    ],
)
def test_what_is_left_open_says_what_would_decide_it(claim: Any, samples: int, said: str) -> None:
    evidence = heard(BlackBox(CASES["laplace"][1], (0.0, 1.0)), claim, samples)
    assert evidence.verdict is Verdict.UNDECIDED
    assert said in evidence.detail
