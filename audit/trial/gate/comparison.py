"""What changed between two certificates, claim by claim."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ...record.evidence import Verdict
from .fingerprints import certified_epsilon, claim_fingerprints

Change = Literal["worse", "better", "same", "new", "gone"]


@dataclass(frozen=True)
class Row:
    """One claim in both certificates; a verdict is None where the claim is absent.

    `counts` says whether the change counts against the new certificate: something got worse, a claim that had to hold is
    gone, or a new one did not come out as it should.
    """

    title: str
    old: str | None
    new: str | None
    change: Change
    counts: bool
    epsilon: tuple[float | None, float | None] = (None, None)


def compare_certificates(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Row]:
    """The claims of both, in the order of the new certificate, then those that are gone.

    Claims are the same if they say the same of a subject of the same name; of what is left, if their titles are equal.
    """
    before = dict(zip(claim_fingerprints(old["findings"]), old["findings"], strict=True))
    after = dict(zip(claim_fingerprints(new["findings"]), new["findings"], strict=True))
    pairs = {key: key for key in after if key in before}
    titles: dict[str, list[str]] = {}
    for key, finding in before.items():
        if key not in after:
            titles.setdefault(_label(finding), []).append(key)
    for key, finding in after.items():
        if key not in before and titles.get(_label(finding)):
            pairs[key] = titles[_label(finding)].pop(0)
    rows = [_row(before.get(pairs.get(key, "")), finding) for key, finding in after.items()]
    kept = set(pairs.values())
    return rows + [_row(finding, None) for key, finding in before.items() if key not in kept]


def _label(finding: Mapping[str, Any]) -> str:
    return f"{finding['subject']}: {finding['title']}" + (" [control]" if _control(finding) else "")


def _control(finding: Mapping[str, Any]) -> bool:
    return bool(finding["claim"]["expect"] == "falls")


def _rank(finding: Mapping[str, Any]) -> int:
    """Larger is better: a control that fell, or the verdict of a claim."""
    return int(finding["as_expected"]) if _control(finding) else int(Verdict[finding["verdict"]])


def _row(old: Mapping[str, Any] | None, new: Mapping[str, Any] | None) -> Row:
    if old is None:
        assert new is not None
        return Row(_label(new), None, new["verdict"], "new", not new["as_expected"], (None, _epsilon(new)))
    if new is None:
        return Row(_label(old), old["verdict"], None, "gone", True, (_epsilon(old), None))
    step = _rank(new) - _rank(old)
    change: Change = "worse" if step < 0 else "better" if step > 0 else "same"
    return Row(_label(new), old["verdict"], new["verdict"], change, step < 0, (_epsilon(old), _epsilon(new)))


def _epsilon(finding: Mapping[str, Any]) -> float | None:
    bound = certified_epsilon(finding)
    return None if bound is None else bound[2]
