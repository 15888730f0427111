"""Certificates made by hand: each verdict without an audit."""

from __future__ import annotations

from typing import Any, Literal

from noiseproof.audit.record.certificate import Certificate, Finding, claim_record
from noiseproof.audit.record.evidence import ClaimKey, Evidence, Measured, Verdict
from noiseproof.audit.record.known_checks import CHECKS, stated
from noiseproof.symbolic.claim import Claim
from noiseproof.symbolic.privacy.guarantees import PureDP

NOTHING = Measured()
# Without a number of what was certified.
COUNTED = Measured(of="an event", samples=[1000, 1000], learnt=250, on=1, count=[750, 750, 10, 750])


def evidence_of(
    check: str, verdict: str, epsilon: float, measured: Measured = NOTHING, reason: str = "", **more: Any
) -> Evidence:
    """Evidence of this check on a claim of epsilon-DP, with the statement and the key that an audit gives it."""
    known, key = CHECKS[check], ClaimKey("PureDP", {"epsilon": epsilon})
    about = (check, known.kind, known.sentence, Verdict[verdict])
    said = stated(check, PureDP(epsilon).sentence(), measured)
    return Evidence(*about, said, reason, claim=key, measured=measured, **more)


def finding(
    number: int,
    verdict: str = "SURVIVED",
    *,
    subject: str = "release",
    title: str = "",
    epsilon: float = 1.0,
    expect: Literal["holds", "falls"] = "holds",
    certified: float = 0.5,
) -> Finding:
    """One claim of epsilon-DP about code, with this verdict."""
    claim = Claim(PureDP(epsilon), expect=expect)
    refuted = verdict == "REFUTED"
    witness: dict[str, Any] | None = None
    if refuted:
        count = {"k": 900, "n": 1000, "l": 10, "m": 1000}
        witness = {
            "kind": "event",
            "predicate": "PureDP",
            "parameters": {"epsilon": epsilon},
            "inputs": [0.0, 1.0],
            "alpha": 0.01,
            "level": 0.0095,
            "p_is_input": 1,
            "count": count,
            "epsilon": epsilon,
            "delta": 0.0,
        }
    row = {"delta": 0.0, "claimed": epsilon, "certified": certified, "attainable": 3.0}
    more = {"error": 0.01, "witness": witness, "bounds": (row,)}
    evidence = evidence_of("likelihood ratio", verdict, epsilon, COUNTED, **more)
    said = title or claim.predicate.sentence()
    return Finding(number, subject, said, claim_record(claim), ("code",), (evidence,))


def certificate(*findings: Finding, title: str = "an audit") -> Certificate:
    """A certificate of these findings."""
    alpha = 0.01 * max(len(findings), 1)
    settings = {"alpha": alpha, "alpha_per_test": 0.01, "samples": 1000, "seed": 0, "bits": False}
    made_by = {"noiseproof": "0.1.0", "python": "3.11", "packages": {"numpy": "2.4"}}
    unknown = dict.fromkeys(("spec_digest", "data_digest", "command"))
    return Certificate(title, (), settings, findings, (), {**made_by, **unknown}, {"total_seconds": 1.0})


def one_of_each() -> Certificate:
    """Passed, failed, open, a control that fell and one that stands; names are hostile."""
    return certificate(
        finding(1, subject="good"),
        finding(
            2,
            "REFUTED",
            subject="bad <script>|*x*",
            title="bro|ken [a](javascript:x) <b>\x07\u202e",
            certified=2.0,
        ),
        finding(3, "UNDECIDED", subject="open"),
        finding(4, "REFUTED", subject="good, weakened", expect="falls", certified=2.0),
        finding(5, "SURVIVED", subject="good, weakened", expect="falls"),
        title="everything & <more>",
    )
