"""A dossier is a paper as a test suite: every check also runs on a twin that must come out otherwise."""

from __future__ import annotations

import math
import platform
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict
from importlib import metadata
from typing import Any, TypeVar
from zlib import crc32

import numpy as np

from ...symbolic.proof.kernel.documents import tied
from ..record.evidence import Evidence, Verdict, combine
from .paper_claim import Dossier, PaperClaim, Statement
from .paper_verdict import (
    FALLS,
    MEANT,
    ON_BARE,
    ON_TWIN,
    STANDS,
    flipped,
    paper_verdict,
    required_of_twin,
    required_words,
)

__all__ = ["Dossier", "PaperClaim", "Statement", "examine_claim", "faults", "run"]

SCHEMA = "noiseproof-dossier-1"
PACKAGES = ("numpy", "scipy", "sympy", "python-flint", "clarabel")

T = TypeVar("T")
# Called with the claim at hand, the number of claims done and the number of all.
Progress = Callable[[str, int, int], None]


def run(dossier: Dossier, seed: int = 0, progress: Progress | None = None) -> dict[str, Any]:
    """One dossier as JSON data, the same on every run with this seed but for `timings`."""
    report, total = progress or (lambda *_: None), len(dossier.claims)
    found = []
    for done, name in enumerate(dossier.claims):
        report(name, done, total)
        found.append(timed(dossier, name, seed))
    report(dossier.key, total, total)
    return record(dossier, seed, found)


def timed(dossier: Dossier, name: str, seed: int) -> tuple[dict[str, Any], float]:
    """The finding on one claim, and its seconds."""
    started = time.perf_counter()
    claim = dossier.claims[name]()
    if not isinstance(claim, PaperClaim):
        raise TypeError(f"expected a PaperClaim, got {type(claim).__name__}")
    return examine_claim(name, claim, seed), time.perf_counter() - started


def record(dossier: Dossier, seed: int, found: Sequence[tuple[dict[str, Any], float]]) -> dict[str, Any]:
    """The findings on a dossier and their seconds, as JSON data."""
    findings = [finding for finding, _ in found]
    return {
        "schema": SCHEMA,
        "key": dossier.key,
        "title": dossier.title,
        "verdicts": dict(sorted(Counter(finding["verdict"] for finding in findings).items())),
        "findings": findings,
        "provenance": {
            "noiseproof": metadata.version("noiseproof"),
            "python": platform.python_version(),
            "packages": {name: metadata.version(name) for name in PACKAGES},
            "seed": seed,
        },
        "timings": {"total_seconds": round(sum(seconds for _, seconds in found), 3)},
    }


def examine_claim(identifier: str, claim: PaperClaim[T], seed: int = 0) -> dict[str, Any]:
    """The finding on one claim: all checks on the printed statement, its twin, and without the condition."""
    printed = _examine(identifier, claim, claim.printed, seed)
    if claim.undecided:
        printed = [Evidence("scope", "proof", "law", Verdict.UNDECIDED, claim.printed.text, claim.undecided)]
    found = combine(printed) if printed else None
    conditional = found in STANDS and bool(claim.condition)
    opposite = claim.without_condition if conditional else claim.twin
    other = _examine(identifier, claim, opposite, seed)
    verdict = paper_verdict(
        found, combine(other), reading=bool(claim.reading), condition=bool(claim.condition)
    )
    bare = [] if conditional else _examine(identifier, claim, claim.without_condition, seed)
    correction = None
    if verdict in ("refuted", "misprint") and claim.twin is not None:
        correction = claim.twin.text + (f"{MEANT}{claim.reading}." if claim.reading else "")
    required = required_of_twin(verdict)
    twin = {
        "statement": opposite.text if opposite is not None else "none is given: the dossier owes one",
        "verdict": combine(other).name.lower(),
        "required": required_words(verdict),
    }
    record = {
        "id": identifier,
        "title": claim.title,
        "verdict": verdict,
        "statement": claim.printed.text,
        "condition": claim.condition or None,
        "correction": correction,
        "witness": next((_plain(e.witness) for e in printed if e.witness is not None), None),
        "evidence": [
            *(_row(e) for e in printed),
            *(_row(e, ON_TWIN) for e in other if required),
            *(_row(e, ON_BARE) for e in bare),
        ],
        "twin": twin if required or opposite is not None else None,
        "series": [_plain(asdict(s)) for e in printed for s in e.series],
    }
    return tied(record)


def faults(dossiers: Sequence[dict[str, Any]]) -> list[str]:
    """What makes the exit status non-zero: twins that did not flip, vacuous checks, idle conditions.

    Computed from the JSON data alone: a check that says the same of a statement and of its twin is vacuous.
    """
    return [
        f"{f['id']}: {fault}" for dossier in dossiers for f in dossier["findings"] for fault in _faults(f)
    ]


def _faults(finding: dict[str, Any]) -> list[str]:
    twin, found = finding["twin"], []
    if (
        twin is not None
        and twin["required"]
        and not flipped(finding["verdict"], Verdict[twin["verdict"].upper()])
    ):
        found.append(
            f"the twin came out {twin['verdict']}, it had to come out {' or '.join(twin['required'])}"
        )
    said = {row["check"]: Verdict[row["verdict"]] for row in finding["evidence"]}
    for check, verdict in said.items():
        if said.get(check + ON_TWIN) == verdict:
            found.append(f"the check {check!r} says {verdict.name} of the statement and of its twin")
    without = [verdict for check, verdict in said.items() if check.endswith(ON_BARE)]
    if without and not FALLS & set(without):
        found.append("no check refutes the statement without its condition")
    return found


def _examine(
    identifier: str, claim: PaperClaim[T], statement: Statement[T] | None, seed: int
) -> list[Evidence]:
    """Every check on one statement; the same seed for printed statement and twin."""
    if statement is None:
        return []
    found = []
    for number, check in enumerate(claim.checks):
        rng = np.random.default_rng([seed, crc32(identifier.encode()), number])
        found.append(check(statement.data, rng))
        if not isinstance(found[-1], Evidence):
            name = getattr(check, "__name__", type(check).__name__)
            raise TypeError(f"a check gives Evidence, {name!r} gave {type(found[-1]).__name__}")
    names = [e.check for e in found]
    if len(set(names)) < len(names):
        raise ValueError(f"{identifier}: two checks have one name in {names}: give each its own")
    return found


def _row(evidence: Evidence, mark: str = "") -> dict[str, Any]:
    row = _plain(asdict(evidence) | {"measured": evidence.measured.model_dump(exclude_defaults=True)})
    row["verdict"] = evidence.verdict.name
    row["check"] += mark
    # The finding shows the series of the printed statement; a twin's would repeat them.
    del row["series"], row["claim"]
    return dict(row)


def _plain(value: Any) -> Any:
    """JSON data: tuples as lists, infinities and NaN as strings."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    return value
