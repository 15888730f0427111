"""What a finding means for a build: passed, failed, open or waived, in one line and in detail."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ..audit.record.caveats import alarms
from ..audit.record.finding import evidence_from_record
from ..audit.record.shown_text import one_line
from ..audit.record.weakest import weakest_survival
from ..audit.trial.gate.fingerprints import certified_epsilon, digest, witness_of
from .words import detail


@dataclass(frozen=True)
class Outcome:
    """`word` is REFUTED, UNDECIDED, "CONTROL STANDS", or the verdict of what passed."""

    kind: Literal["passed", "failure", "error", "waived"]
    word: str
    message: str
    details: tuple[str, ...] = ()


def outcome_of(finding: dict[str, Any], waived: Mapping[int, str]) -> Outcome:
    """The outcome of a finding; `waived` maps numbers of findings to who waived them and why."""
    claim, verdict = finding["claim"], finding["verdict"]
    said = one_line(f"{finding['subject']} is {claim['sentence']}")
    shown = [
        f"{e['check']}: {detail(e)}"
        for e in finding["evidence"]
        if e["verdict"] == verdict or claim["expect"] == "falls"
    ]
    evidence = tuple(evidence_from_record(e, claim["sentence"]) for e in finding["evidence"])
    shown += alarms(claim["expect"], evidence)
    details = tuple(map(one_line, shown))
    if finding["as_expected"]:
        return Outcome("passed", verdict, f"{verdict}: {said}")
    if claim["expect"] == "falls":
        message = f"a control was not refuted: {said}; the audit has too little power, or the control is true"
        return Outcome("failure", "CONTROL STANDS", message, details)
    word = "not true" if verdict == "REFUTED" else "not settled: no violation was found, and none excluded"
    message = f"{verdict}: {said}: {word}"
    if finding["id"] in waived:
        return Outcome("waived", verdict, f"WAIVED: {message}; {one_line(waived[finding['id']])}", details)
    return Outcome("failure" if verdict == "REFUTED" else "error", verdict, message, details)


def facts(finding: dict[str, Any]) -> list[tuple[str, str]]:
    """Verdict, power, certified epsilon and digest of the witness, as far as there are any."""
    rows = [("verdict", finding["verdict"])]
    rows += [("power", words) for words in weakest_survival([finding])[:1]]
    bound = certified_epsilon(finding)
    if bound is not None:
        delta, claimed, certified = bound
        rows.append(
            ("epsilon", f"certified at least {certified:.6g}, claimed {claimed:.6g}, at delta {delta:g}")
        )
    witness = witness_of(finding)
    if witness is not None:
        rows.append(("witness", f"{witness['kind']}, {digest(witness)}"))
    return rows
