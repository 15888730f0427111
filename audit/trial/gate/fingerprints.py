"""What stays the same of a claim from one run to the next, as a short text; and digests of witnesses."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from ...record.claim_match import predicate_of
from ...record.side_by_side import certified


def digest(value: Any) -> str:
    """sha256 of plain data, whatever the order of its keys."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def claim_fingerprints(findings: Iterable[Mapping[str, Any]]) -> list[str]:
    """One for each finding of a certificate: 16 hexadecimal digits, with "-2", "-3", ... where claims repeat.

    They follow from what is said of which subject, not from titles, seeds, samples, verdicts or the order of others.
    """
    seen: Counter[str] = Counter()
    found = []
    for finding in findings:
        claim = finding["claim"]
        said = {key: claim[key] for key in ("predicate", "parameters", "about", "scope", "expect")}
        short = digest({"subject": finding["subject"], **said}).removeprefix("sha256:")[:16]
        seen[short] += 1
        found.append(short if seen[short] == 1 else f"{short}-{seen[short]}")
    return found


def witness_of(finding: Mapping[str, Any]) -> dict[str, Any] | None:
    """The witness that carries a refutation: the first there is."""
    return next((dict(e["witness"]) for e in finding["evidence"] if e["witness"]), None)


def certified_epsilon(finding: Mapping[str, Any]) -> tuple[float, float, float] | None:
    """(delta, claimed, certified) where the certified epsilon says most about the claim; None if none was bounded."""
    try:
        predicate = predicate_of(finding["claim"])
    except ValueError:
        predicate = None
    rows = (certified(one, predicate) for one in finding["evidence"])
    return max(filter(None, rows), key=lambda row: (row[2] - row[1], -row[0]), default=None)
