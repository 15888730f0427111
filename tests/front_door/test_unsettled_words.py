"""What a check says when it settles nothing is not read as a survival, and what an audit wrote is."""

from __future__ import annotations

from typing import Any

import pytest

import noiseproof as npf
from noiseproof.audit.record.certificate import Certificate, finding_of
from noiseproof.audit.record.evidence import Evidence, Measured, Verdict
from noiseproof.audit.record.follows import faults
from noiseproof.audit.record.known_checks import CHECKS

ATTACKED = {"samples": [1000, 1000], "learnt": 150, "of": "an event", "on": 1, "count": [9, 850, 8, 850]}
CODE = {"samples": [1000, 1000], "cells": 12}
BETS = {"samples": [92, 92], "pairs": 76, "epochs": 3, "stopped": "samples", "capital": 1.9, "needed": 1.8}
ERROR = {"name": "unbiased", "value": 0.1, "half": 0.01}
FIT = {"tests": 73, "p": 1e-6, "of": "input 0", "successes": 8, "trials": 850, "probability": 0.5}
MOVED = {"samples": [9, 9], "learnt": 9, "found": 1.0, "claimed": 1.0}
RARE = {"samples": [9], "tried": 2, "epsilon": 1.0, "found": 0.2, "claimed": 0.1, "largest": 3.0}
# What a check measures when it settles nothing, or refutes, told as a survival; a reason beside it, or what was claimed.
UNSETTLED: list[tuple[str, str, dict[str, Any], npf.Predicate | None]] = [
    ("likelihood ratio", "half of the noise would have been missed", ATTACKED, None),
    ("bit patterns", "the claim allows so much", ATTACKED, None),
    ("sequential likelihood ratio", "nothing to bet on was found", BETS | {"capital": 0.0}, None),
    ("sequential likelihood ratio", "", BETS, None),
    ("information", "", {**CODE, "entry": 1, "found": 1.5, "claimed": 1.0}, npf.FisherInformation(1.0)),
    ("information", "less than half", {**CODE, "entry": 1, "found": 0.1, "claimed": 1.0}, None),
    ("information", "", {**CODE, "found": 1.0, "claimed": 5.0}, npf.ErrorBound(5.0)),
    ("estimators", "", {"claimed": 1.0, "rows": [ERROR]}, npf.ErrorBound(1.0)),
    ("fit", "", FIT, None),
    ("components", "even less noise would not have been found", MOVED, None),
    ("quadrature", "", {"found": 0.3, "claimed": 5.0}, npf.ErrorBound(5.0)),
    ("quadrature", "", {"found": 1.0, "gap": 0.842}, None),
    ("quadrature", "", {"tried": 12, "excess": 0.2212, "epsilon": 0.5, "high": 1.0}, None),
    ("rare events of the law", "", RARE, npf.ApproxDP(1.0, 0.1)),
]


@pytest.mark.parametrize(("check", "reason", "measured", "claimed"), UNSETTLED)
def test_numbers_that_settle_nothing_are_no_survival(
    check: str, reason: str, measured: dict[str, Any], claimed: npf.Predicate | None
) -> None:
    known = CHECKS[check]
    about = (check, known.kind, known.sentence, Verdict.SURVIVED, "s", reason)
    found = Measured.model_validate(measured)
    evidence = Evidence(*about, error=0.01 * known.statistical, measured=found)
    claim = npf.Claim(claimed or npf.PureDP(1.0), npf.LaplaceMechanism(1.0, 1.0))
    finding = finding_of(1, claim, (known.sentence,), (evidence,))
    said = "\n".join(faults([finding], {"alpha": 0.01, "samples": 1000, "bits": True}, []))
    assert "do not say what was tried" in said or "what it measured breaks the claim" in said


@pytest.mark.parametrize(
    "subject", [npf.LaplaceMechanism(1.0, 1.0), npf.BlackBox(lambda x, n, r: r.laplace(x, 1, n), (0.0, 1.0))]
)
def test_a_vacuous_claim_is_read_as_it_was_written(subject: Any) -> None:
    text = npf.examine(subject, npf.PureDP(1e300), samples=100).to_json()
    assert Certificate.from_json(text).verdict is Verdict.UNDECIDED
