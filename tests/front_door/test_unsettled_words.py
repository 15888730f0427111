"""What a check says when it settles nothing is not read as a survival, and what an audit wrote is."""

from __future__ import annotations

from typing import Any

import pytest

import noiseproof as npf
from noiseproof.audit.record.certificate import Certificate, finding_of
from noiseproof.audit.record.evidence import Evidence, Verdict
from noiseproof.audit.record.follows import faults
from noiseproof.audit.record.known_checks import CHECKS

ATTACKED = (
    "1,000 outcomes on input 0 and 1,000 on input 1, of which 150 each chose the events; the event happened"
)
MEASURED = "1,000 outcomes at each of two parameters, 12 cells per entry; "
# What a check says when it settles nothing, or refutes, told as a survival.
UNSETTLED: list[tuple[str, str]] = [
    (
        "likelihood ratio",
        f"even the clearest release with half of the noise would have been missed; {ATTACKED}",
    ),
    ("bit patterns", f"the claim allows so much that even outcomes which give the input away; {ATTACKED}"),
    (
        "sequential likelihood ratio",
        "nothing to bet on was found; 100 outcomes on either input, 84 pairs bet on in 3",
    ),
    (
        "sequential likelihood ratio",
        "92 outcomes on either input, 76 pairs bet on in 3 epochs of doubling length; the claim is refuted; "
        "capital multiplied by 10^1.9 at its highest, refuted from 10^1.8",
    ),
    ("information", f"{MEASURED}information of entry 1 at least 1.5, claimed 1"),
    (
        "information",
        f"{MEASURED}information of entry 1 at least 0.1, claimed 1; less than half of the claimed",
    ),
    (
        "information",
        f"{MEASURED}from the outcomes, the Cramer-Rao bound of the code is at most 1; the claim is at least 5",
    ),
    (
        "estimators",
        'the error of "unbiased" is significantly below the bound. Mean squared errors: unbiased: 0.1 ± 0.01',
    ),
    ("fit", "73 exact binomial tests; the most unlikely: input 0: 8 of 850, p = 1e-06 before sharing alpha"),
    (
        "components",
        "assuming additive Laplace noise of one scale: at least 1 scales (9 and 9 outcomes after 9 that chose "
        "the events); even noise 64 times smaller than the claim needs would not have been found",
    ),
    ("quadrature", "Cramer-Rao bound by numerical integration 0.316227766, claimed 5"),
    (
        "quadrature",
        "information by integrating the distance: trace 1, relative difference from the claim 8.42e-01",
    ),
    (
        "quadrature",
        "delta by integrating p; largest excess over the claimed curve 2.212e-01 at epsilon = 0.5",
    ),
    (
        "rare events of the law",
        "9 outcomes for each of 2 orders; delta(1) has the lower confidence bound 0.2, claimed 0.1; largest loss seen 3",
    ),
]


@pytest.mark.parametrize(("check", "detail"), UNSETTLED)
def test_words_that_settle_nothing_are_no_survival(check: str, detail: str) -> None:
    known = CHECKS[check]
    evidence = Evidence(
        check, known.kind, known.sentence, Verdict.SURVIVED, "s", detail, error=0.01 * known.statistical
    )
    claim = npf.Claim(npf.PureDP(1.0), npf.LaplaceMechanism(1.0, 1.0))
    finding = finding_of(1, claim, (known.sentence,), (evidence,))
    said = "\n".join(faults([finding], {"alpha": 0.01, "samples": 1000, "bits": True}, []))
    assert "does not say what was tried" in said or "the numbers in its detail break the claim" in said


@pytest.mark.parametrize(
    "subject", [npf.LaplaceMechanism(1.0, 1.0), npf.BlackBox(lambda x, n, r: r.laplace(x, 1, n), (0.0, 1.0))]
)
def test_a_vacuous_claim_is_read_as_it_was_written(subject: Any) -> None:
    text = npf.examine(subject, npf.PureDP(1e300), samples=100).to_json()
    assert Certificate.from_json(text).verdict is Verdict.UNDECIDED
