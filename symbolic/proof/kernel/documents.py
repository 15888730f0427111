"""A derivation in a file as one proof: which claim it is of, by a digest of what the file says of that, its steps, and which of them conclude."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import takewhile
from typing import Any

from .language import Rejected
from .proof import SCHEMA

Data = Mapping[str, Any]
_DEEPEST = 40
# What a certificate or a dossier says of a claim; verdicts and numbers of findings follow from it, and are no part.
_CLAIM = ("id", "subject", "title", "claim", "statement", "condition", "correction")
_RELATION = re.compile(" (<=|>=|=|<|>) ")
_MOST_PARTS = 50  # of a statement: formulas that hold together


def digest(data: Any) -> str:
    """SHA-256 of data of JSON, in hexadecimal: keys in order, no spaces, ASCII; ValueError for what is no data of JSON."""
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return sha256(text.encode()).hexdigest()


def claim_of(finding: Data, evidence: Data) -> dict[str, Any]:
    """What the evidence is about, in the words and quantities of its file."""
    twin = finding.get("twin")
    return {
        **{key: finding[key] for key in _CLAIM if key in finding},
        "twin": twin.get("statement") if isinstance(twin, Mapping) else None,
        "check": evidence.get("check"),
        "says": evidence.get("statement"),
    }


def tie(finding: Data, evidence: Data) -> dict[str, Any]:
    """What ties a derivation to its claim: both digests, and the numbers of the steps that conclude."""
    rows = _rows(evidence)
    return {
        "claim": digest(claim_of(finding, evidence)),
        "steps": digest(rows),
        "conclusion": concluding(rows, str(evidence.get("statement"))),
    }


def tied(finding: Data) -> dict[str, Any]:
    """The finding, each derivation in it that proves with its tie to the claim."""
    return {
        **finding,
        "evidence": [{**e, "proof": tie(finding, e)} if _proves(e) else e for e in finding["evidence"]],
    }


def untied(finding: Data, evidence: Data) -> str:
    """Why the derivation is not known to be of the claim beside it; empty if it is, or of a file from before there were proofs."""
    known = evidence.get("proof")
    if known is None:
        written = _proves(evidence) and any(row.get("proof") for row in _rows(evidence))
        return "its proof does not say of which claim it is" if written else ""
    try:
        made = tie(finding, evidence)
    except (ValueError, RecursionError):
        return "its claim or its steps are no data of JSON"
    if not isinstance(known, Mapping) or known.get("claim") != made["claim"]:
        return "its proof is of another claim"
    if known != made:
        return "the steps of its proof are not those that were tied to the claim"
    return ""


def document(finding: Data, evidence: Data) -> dict[str, Any]:
    """The derivation as a proof of the schema, of the digest of its claim."""
    made = tie(finding, evidence)
    return written(_rows(evidence), made["claim"], made["conclusion"])


def written(rows: Sequence[Data], claim: str, conclusion: list[int]) -> dict[str, Any]:
    """Rows of a derivation as a proof: the steps, numbered as on a page, then the lemmas that are cited."""
    checked = [_step(row) for row in rows if row.get("truth") != "cited"]
    cited = [{"by": "cited", "reason": str(row.get("reason"))} for row in rows if row.get("truth") == "cited"]
    return {"schema": SCHEMA, "claim": claim, "conclusion": conclusion or None, "steps": checked + cited}


def concluding(rows: Sequence[Data], statement: str) -> list[int]:
    """The numbers of the steps that print the statement, part by part, or a side of it; where none does, of the last that holds.

    Those right before the last that are given for its very reason conclude with it: the entries of a matrix.
    """
    steps = [row for row in rows if row.get("truth") != "cited"]
    holding = [(k, row) for k, row in enumerate(steps, 1) if row.get("truth") == "holds"]
    found: set[int] = set()
    for part in statement.split("; ", _MOST_PARTS)[:_MOST_PARTS]:
        left, *rest = _RELATION.split(part, 1)
        if rest:
            found |= _printing(holding, left, *rest)
    if not found and holding:
        last = holding[-1][1].get("reason")
        found = {k for k, _ in takewhile(lambda one: one[1].get("reason") == last, reversed(holding))}
    return sorted(found)


def _printing(holding: list[tuple[int, Data]], left: str, relation: str, right: str) -> set[int]:
    """The last step that says so; without one, the last that has the left side, and the last that has the right one."""
    has_left, has_right, whole = set(), set(), set()
    for k, row in holding:
        sides = [row.get("left"), row.get("right")]
        first, second = sides[0] == left, _begins(right, sides[1])
        if left in sides:
            has_left = {k}
        if any(_begins(right, side) for side in sides):
            has_right = {k}
        if first and second and row.get("relation") == relation:
            whole = {k}
    return whole or has_left | has_right


def _begins(right: str, side: Any) -> bool:
    """Whether the right side of a statement, behind which its conditions may stand, is this one."""
    return right == side or (right.startswith(f"{side}, ") and right.endswith(" > 0"))


def documents(data: Any, where: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Where it stands, and each proof in what a file holds; Rejected instead of one that is not of the claim beside it."""
    if depth > _DEEPEST:
        return
    if isinstance(data, dict):
        if data.get("schema") == SCHEMA:
            yield where, data
            return
        known = isinstance(data.get("evidence"), list)
        for evidence in data["evidence"] if known else ():
            if isinstance(evidence, dict):
                yield from _of_evidence(data, evidence)
        if known:
            return
        steps = [row["proof"] for row in _rows(data) if row.get("proof")]
        if steps:
            yield where, {"schema": SCHEMA, "steps": steps}
        data = [value for key, value in data.items() if key != "derivation"]
    if isinstance(data, list):
        for value in data:
            yield from documents(value, where, depth + 1)


def _of_evidence(finding: Data, evidence: Data) -> Iterator[tuple[str, Any]]:
    where = f"{finding.get('id')}, {evidence.get('check')}"
    wrong = untied(finding, evidence)
    if wrong:
        yield where, Rejected(wrong)
    elif "proof" in evidence:
        yield where, document(finding, evidence)
    else:
        # Of what is not proved, or not by steps, the steps that hold are checked, and nothing is concluded.
        steps = [row["proof"] for row in _rows(evidence) if row.get("proof")]
        if steps:
            yield where, {"schema": SCHEMA, "steps": steps}


def _proves(evidence: Data) -> bool:
    return evidence.get("verdict") == "PROVED" and bool(_rows(evidence))


def _rows(evidence: Data) -> list[Data]:
    rows = evidence.get("derivation")
    return [row for row in rows if isinstance(row, Mapping)] if isinstance(rows, list | tuple) else []


def _step(row: Data) -> Any:
    """The step for the kernel: one that holds without a proof rests on what found it, and one that does not hold is rejected."""
    if row.get("truth") != "holds":
        return {"by": "no rule"}
    return row.get("proof") or {"by": "trusted: sympy", "reason": str(row.get("reason"))}
