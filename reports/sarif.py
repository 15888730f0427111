"""A certificate as SARIF 2.1.0: one result per claim that did not come out as it should, for code scanning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from ..audit.record.plain import json_text
from ..audit.record.shown_text import one_line
from ..audit.trial.gate.fingerprints import claim_fingerprints, digest, witness_of
from .findings import facts, outcome_of
from .text import content_digest

SCHEMA_URI = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
# Identifiers never change their meaning; a new rule takes the next number.
RULES = {
    "REFUTED": ("NP001", "ClaimRefuted", "A privacy claim was refuted; the result names a witness.", "error"),
    "CONTROL STANDS": (
        "NP002",
        "ControlStands",
        "A control, a claim that is false on purpose, was not refuted: the audit shows no power.",
        "error",
    ),
    "UNDECIDED": (
        "NP003",
        "ClaimUndecided",
        "A privacy claim could not be settled; no violation was found.",
        "warning",
    ),
}
_FINGERPRINT = "noiseproofClaim/v1"


def render_sarif(
    certificate: dict[str, Any],
    waived: Mapping[int, str] | None = None,
    artifact: str | None = None,
    lines: Sequence[int] = (),
) -> str:
    """The log; `artifact` is the file in which the claims stand, relative to the root of the repository,
    and `lines` where in it, one a claim.

    Results are matched from run to run by a fingerprint of what is claimed of which subject.  A waived one is suppressed,
    with its reason.
    """
    waived = waived or {}
    order = list(RULES)
    prints = claim_fingerprints(certificate["findings"])
    results = []
    for place, (finding, fingerprint) in enumerate(zip(certificate["findings"], prints, strict=True)):
        outcome = outcome_of(finding, waived)
        if outcome.kind == "passed":
            continue
        rule, _, _, level = RULES[outcome.word]
        # A result that is open, not a failure, has no level in this format.
        kind = (
            {"kind": "open", "level": "none"}
            if outcome.word == "UNDECIDED"
            else {"kind": "fail", "level": level}
        )
        text = "\n".join([outcome.message, *outcome.details])
        result: dict[str, Any] = {
            "ruleId": rule,
            "ruleIndex": order.index(outcome.word),
            **kind,
            "message": {"text": text},
            "locations": [_location(one_line(finding["subject"]), artifact, lines[place] if lines else 1)],
            "partialFingerprints": {_FINGERPRINT: fingerprint},
            "properties": _properties(certificate, finding),
        }
        if finding["id"] in waived and outcome.kind == "waived":
            justification = one_line(waived[finding["id"]])
            result["suppressions"] = [
                {"kind": "external", "status": "accepted", "justification": justification}
            ]
        results.append(result)
    run = {
        "tool": {"driver": _driver(certificate)},
        "automationDetails": {"id": f"noiseproof/{one_line(certificate['title'])}"},
        "invocations": [{"executionSuccessful": True, "exitCode": certificate["exit_code"]}],
        "results": results,
        "properties": {"certificate": content_digest(certificate)},
    }
    log = {"$schema": SCHEMA_URI, "version": "2.1.0", "runs": [run]}
    return json_text(log)


def _driver(certificate: dict[str, Any]) -> dict[str, Any]:
    rules = [
        {
            "id": key,
            "name": name,
            "shortDescription": {"text": text},
            "defaultConfiguration": {"level": level},
        }
        for key, name, text, level in RULES.values()
    ]
    return {
        "name": "noiseproof",
        "version": str(certificate["provenance"].get("noiseproof", "")),
        "rules": rules,
    }


def _location(subject: str, artifact: str | None, line: int) -> dict[str, Any]:
    location: dict[str, Any] = {"logicalLocations": [{"name": subject, "kind": "function"}]}
    if artifact is not None:
        uri = quote(PurePath(artifact).as_posix())
        location["physicalLocation"] = {"artifactLocation": {"uri": uri}, "region": {"startLine": line}}
    return location


def _properties(certificate: dict[str, Any], finding: dict[str, Any]) -> dict[str, Any]:
    settings = {key: certificate["settings"].get(key) for key in ("alpha", "samples", "seed")}
    witness = witness_of(finding)
    found = {key: one_line(value) for key, value in facts(finding)}
    return {**found, **settings, **({} if witness is None else {"witnessDigest": digest(witness)})}
