"""A release made by hand, after the description of its folder: manifest, certificate, answers of a signer."""

from __future__ import annotations

import copy
import json
import math
from typing import Any

from made_certificates import evidence_of

from noiseproof.audit.record.certificate import Certificate, Finding, claim_record, evidence_from_record
from noiseproof.audit.record.evidence import Evidence, Line, Measured, Resolution, Series
from noiseproof.symbolic.claim import Claim, Scope
from noiseproof.symbolic.privacy.guarantees import PureDP

ADJACENCY = "replace one record by another within the declared bounds"
COLUMNS = (
    ("age", "years", 17.0, 90.0, -8),
    ("hours per week", "h", 1.0, 99.0, -8),
    ("capital gain", "USD", 0.0, 100000.0, 1),
)
EPSILON = 1.5
COUNTED = Measured(
    of="an event", samples=[100_000, 100_000], learnt=25_000, on=1, count=[40_000, 75_000, 20_000, 75_000]
)


def _curve() -> Series:
    epsilons = tuple(round(0.1 * k, 1) for k in range(21))
    exact = tuple(max(-math.expm1((e - EPSILON) / 2), 0.0) for e in epsilons)
    measured = tuple(0.9 * v for v in exact)
    return Series(
        "privacy curve",
        "What the noise allows, and what the attack measured",
        "epsilon",
        "delta",
        (
            Line("claimed", "claimed", (EPSILON, EPSILON), (0.0, 0.6)),
            Line("law, exact", "law", epsilons, exact),
            Line(
                "attack",
                "measured",
                epsilons[::4],
                measured[::4],
                tuple(0.8 * v for v in measured[::4]),
                exact[::4],
            ),
        ),
    )


def _evidence() -> tuple[Evidence, ...]:
    step = {
        "left": "Integral(exp(-Abs(w)/b)/(2*b), (w, -oo, oo))",
        "relation": "=",
        "right": "1",
        "reason": "the density has mass one",
        "truth": "holds",
    }
    loss = {
        "left": "3/2",
        "relation": "<=",
        "right": "3/2",
        "reason": "the largest privacy loss is at most epsilon",
        "truth": "holds",
    }
    tried = Resolution("the noise scaled by 1/c", 1.07)
    unlikely = Measured(tests=12, of="heads", successes=50, trials=100, probability=0.5, p=0.9)
    row = {"delta": 0.0, "claimed": EPSILON, "certified": 1.2, "attainable": 9.0}
    drawn: dict[str, Any] = {"resolution": tried, "series": (_curve(),), "bounds": (row,)}
    return (
        evidence_of("derivation", "PROVED", EPSILON, reason="2 steps", derivation=(step, loss)),
        evidence_of("fit", "SURVIVED", EPSILON, unlikely, error=0.01),
        evidence_of("likelihood ratio", "SURVIVED", EPSILON, COUNTED, error=0.01, **drawn),
        evidence_of("bit patterns", "SURVIVED", EPSILON, COUNTED, error=0.01, bounds=(row,)),
        evidence_of("repeated calls", "UNDECIDED", EPSILON, reason="no call repeats", error=0.01),
    )


def certificate() -> dict[str, Any]:
    """One claim that survives, and one control that fell."""
    scope = Scope(ADJACENCY, "the declared bounds", "record")
    claim, control = (
        Claim(PureDP(EPSILON), scope=scope),
        Claim(PureDP(EPSILON / 1.1), scope=scope, expect="falls"),
    )
    witness = {
        "kind": "event",
        "predicate": "PureDP",
        "parameters": {"epsilon": EPSILON / 1.1},
        "inputs": [[17.0, 1.0, 0.0], [90.0, 99.0, 100000.0]],
    }
    fallen = evidence_of("likelihood ratio", "REFUTED", EPSILON / 1.1, COUNTED, witness=witness, error=0.01)
    asked = ("law", "fit", "code", "bytes")
    findings = (
        Finding(
            1,
            "grid-noise",
            claim.predicate.sentence(),
            claim_record(claim),
            asked,
            _evidence(),
            ("covers the neighbours tried",),
        ),
        Finding(
            2,
            "grid-noise, noise divided by 1.1",
            control.predicate.sentence(),
            claim_record(control),
            ("code",),
            (fallen,),
        ),
    )
    columns = [
        {
            "noise": "laplace",
            "parameter": (high - low) * 3 / EPSILON,
            "exponent": exponent,
            "low": low,
            "high": high,
        }
        for _, _, low, high, exponent in COLUMNS
    ]
    subject = {
        "name": "grid-noise",
        "summary": "adds noise to one record",
        "parameters": {"columns": columns},
        "deterministic": True,
    }
    mutant = {**subject, "name": "grid-noise, noise divided by 1.1"}
    made = Certificate(
        "Adult, three columns",
        (subject, mutant),
        {"alpha": 0.05, "samples": 100_000, "seed": 0, "bits": True},
        findings,
        ("Labels are released in clear.",),
        {
            "noiseproof": "0.1.0",
            "python": "3.11",
            "packages": {"numpy": "2.4"},
            "spec_digest": None,
            "data_digest": None,
            "command": None,
        },
        {"total_seconds": 12.3},
    )
    data: dict[str, Any] = json.loads(made.to_json())
    return data


def without_bytes() -> dict[str, Any]:
    """The certificate of an audit that did not look at bits."""
    data = certificate()
    finding = data["findings"][0]
    finding["evidence"] = [e for e in finding["evidence"] if e["sentence"] != "bytes"]
    finding["sentences"]["bytes"] = None
    return data


def without_evidence(check: str) -> dict[str, Any]:
    """The certificate without what one check found, its verdicts computed again."""
    data = certificate()
    findings = [
        Finding(
            f["id"],
            f["subject"],
            f["title"],
            f["claim"],
            tuple(s for s, v in f["sentences"].items() if v is not None),
            tuple(
                evidence_from_record(e, f["claim"]["sentence"]) for e in f["evidence"] if e["check"] != check
            ),
            tuple(f["caveats"]),
        )
        for f in data["findings"]
    ]
    made = Certificate(
        data["title"],
        tuple(data["subjects"]),
        data["settings"],
        tuple(findings),
        (),
        data["provenance"],
        data["timings"],
    )
    again: dict[str, Any] = json.loads(made.to_json())
    return again


def manifest() -> dict[str, Any]:
    """The manifest that goes with `certificate`."""
    columns = [
        {
            "name": name,
            "unit": unit,
            "low": low,
            "high": high,
            "exponent": exponent,
            "noise": {
                "law": "laplace",
                "scale": (high - low) * 3 / EPSILON,
                "standard_deviation": 2**0.5 * (high - low) * 3 / EPSILON,
            },
        }
        for name, unit, low, high, exponent in COLUMNS
    ]
    declared = [
        {"name": name, "kind": "number", "role": "private", "unit": unit, "low": low, "high": high}
        for name, unit, low, high, _ in COLUMNS
    ]
    declared.append({"name": "sex", "kind": "category", "role": "public", "categories": ["Female", "Male"]})
    return {
        "schema": "noiseproof-release-1",
        "title": "Adult, three columns",
        "created": "2026-03-31",
        "policy": {
            "title": "Adult, three columns",
            "table": {"path": "adult.csv", "unit_of_privacy": "record", "rows_public": True},
            "columns": declared,
            "mechanism": {"kind": "laplace", "calibrate": True},
            "limits": {"epsilon": 1.5, "delta": 0.0, "error": {"age": 10.0}},
        },
        "mechanism": {
            "kind": "laplace",
            "parameters": {
                "scale": {c["name"]: c["noise"]["scale"] for c in columns},
                "random_source": "ChaCha20, keyed by the operating system",
            },
            "columns": columns,
        },
        "guarantees": [
            {"kind": "pure", "epsilon": EPSILON, "sentence": "1.5-differentially private for each record"},
            {"kind": "approximate", "epsilon": EPSILON, "delta": 0.0, "sentence": "the same with delta 0"},
        ],
        "adjacency": ADJACENCY,
        "unit_of_privacy": "record",
        "costs": {
            "unit": "record",
            "adjacency": "replace-one",
            "epsilon": EPSILON,
            "fisher_information": [
                {"about": c["name"], "value": c["noise"]["scale"] ** -2, "unit": c["unit"]} for c in columns
            ],
        },
        "ledger": {
            "table_id": "adult-1994",
            "entry": "3",
            "head": "ab" * 32,
            "spent": {"unit": "record", "epsilon": 2.0},
            "remaining": {"unit": "record", "epsilon": 1.0},
            "history": [],
        },
        "error_bounds": [
            {
                "column": "age",
                "bound": 10658.0,
                "unit": "(years)^2",
                "against": "every adversary, averaged over the bounds",
            },
            {"column": None, "bound": 2.2e10, "unit": "", "against": "unbiased adversaries"},
        ],
        "utility": {
            "basis": "the distribution of the noise alone",
            "mean-squared-error": math.fsum(c["noise"]["standard_deviation"] ** 2 for c in columns),
            "relative-error": max(c["noise"]["standard_deviation"] / (c["high"] - c["low"]) for c in columns),
            "root_mean_squared_noise": {c["name"]: c["noise"]["standard_deviation"] for c in columns},
        },
        "does_not_mean": [
            "Nothing is said about the column sex.",
            "A person with several rows is protected for one of them.",
        ],
        "table": {"rows": 48842, "salted_digest": "hmac-sha256:" + "0f" * 32},
        "files": [
            {"name": "data.parquet", "sha256": "1d" * 32, "bytes": 1234567},
            {"name": "certificate.json", "sha256": "2e" * 32, "bytes": 45678},
        ],
        "verdict": "SURVIVED",
        "answers": answers(),
        "versions": {"noiseproof": "0.1.0", "python": "3.11"},
    }


def answers() -> dict[str, Any]:
    """Two answers of a signer: the rest is still asked."""
    return {
        "parameters-acceptable": "yes: Decided in the meeting of 3 March.",
        "collection-grounds": "yes: Public census extract.",
    }


def changed(data: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """A copy with one value replaced; `path` is dotted, numbers are places of lists."""
    whole = copy.deepcopy(data)
    here: Any = whole
    *steps, last = path.split(".")
    for step in steps:
        here = here[int(step)] if isinstance(here, list) else here[step]
    here[int(last) if isinstance(here, list) else last] = value
    return whole


def places(data: Any, prefix: str = "") -> list[str]:
    """The dotted paths of all values, inner ones too."""
    entries = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    found = []
    for step, value in entries:
        if "." not in str(step):
            path = f"{prefix}{step}"
            found += [path, *places(value, f"{path}.")]
    return found
