"""What changed between two certificates, claim by claim."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal

from ...record.evidence import SENTENCES, Resolution, Verdict
from ...record.weakest import half_noise
from .fingerprints import certified_epsilon, claim_fingerprints

Change = Literal["worse", "better", "same", "new", "gone", "changed", "weaker"]

_MUCH_COARSER = 2.0  # times the departure from 1 that was found before: half as many samples stay below it


@dataclass(frozen=True)
class Row:
    """One claim in both certificates; a verdict is None where the claim is absent.

    `counts` says whether the change counts against the new certificate: something got worse, a claim that had to hold is
    gone or says something else, a new one did not come out as it should, or a pass comes from a weaker audit.
    """

    title: str
    old: str | None
    new: str | None
    change: Change
    counts: bool
    epsilon: tuple[float | None, float | None] = (None, None)
    why: str = ""


@dataclass(frozen=True)
class _Found:
    """A finding with the settings of its audit, and its subject as it stands there."""

    finding: Mapping[str, Any]
    settings: Mapping[str, Any]
    subject: Mapping[str, Any]

    @property
    def label(self) -> str:
        said = f"{self.finding['subject']}: {self.finding['title']}"
        return said + (" [control]" if self.is_control else "")

    @property
    def is_control(self) -> bool:
        return bool(self.finding["claim"]["expect"] == "falls")

    @property
    def rank(self) -> int:
        """Larger is better: a control that fell, or the verdict of a claim."""
        if self.is_control:
            return int(self.finding["as_expected"])
        return int(Verdict[self.finding["verdict"]])

    @property
    def epsilon(self) -> float | None:
        bound = certified_epsilon(self.finding)
        return None if bound is None else bound[2]

    def resolutions(self) -> dict[str, Resolution]:
        """By check and ray, what each survival would have found."""
        found = [e for e in self.finding["evidence"] if e["verdict"] == "SURVIVED" and e["resolution"]]
        return {f"{e['check']}: {e['resolution']['ray']}": Resolution(**e["resolution"]) for e in found}


def compare_certificates(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Row]:
    """The claims of both, in the order of the new certificate, then those that are gone.

    Claims are the same if they say the same of a subject of the same name, under the same assumptions.  What is left and
    has one title in both says something else now: it has changed, whatever its verdict.
    """
    before, after = _by_claim(old), _by_claim(new)
    titles: dict[str, list[str]] = {}
    for key, found in before.items():
        if key not in after:
            titles.setdefault(found.label, []).append(key)
    rows, kept = [], set()
    for key, found in after.items():
        if key in before:
            rows.append(_row(before[key], found))
        elif titles.get(found.label):
            other = titles[found.label].pop(0)
            kept.add(other)
            rows.append(_changed(before[other], found))
        else:
            verdict, counts = found.finding["verdict"], not found.finding["as_expected"]
            rows.append(Row(found.label, None, verdict, "new", counts, (None, found.epsilon)))
    gone = [found for key, found in before.items() if key not in after and key not in kept]
    return rows + [Row(f.label, f.finding["verdict"], None, "gone", True, (f.epsilon, None)) for f in gone]


def _by_claim(certificate: Mapping[str, Any]) -> dict[str, _Found]:
    findings = certificate["findings"]
    keys = [
        "\n".join((key, *finding["claim"]["assumptions"]))
        for key, finding in zip(claim_fingerprints(findings), findings, strict=True)
    ]
    subjects = {one["name"]: one for one in certificate["subjects"]}
    return {
        key: _Found(f, certificate["settings"], subjects.get(f["subject"], {}))
        for key, f in zip(keys, findings, strict=True)
    }


def _changed(old: _Found, new: _Found) -> Row:
    one, two = (found.finding["claim"] for found in (old, new))
    parts = [key for key in two if one[key] != two[key]]
    said = "sentence" in parts
    why = f"{one['sentence']} -> {two['sentence']}" if said else f"other {', '.join(parts)}"
    verdicts = old.finding["verdict"], new.finding["verdict"]
    return Row(new.label, *verdicts, "changed", True, (old.epsilon, new.epsilon), why)


def _row(old: _Found, new: _Found) -> Row:
    step = new.rank - old.rank
    change: Change = "worse" if step < 0 else "better" if step > 0 else "same"
    why = other = _other_subject(old.subject, new.subject)
    if step >= 0 and other:
        change = "changed"
    elif step >= 0 and not new.is_control and (why := _weaker(old, new, step > 0)):
        change = "weaker"
    verdicts = old.finding["verdict"], new.finding["verdict"]
    counts = change in ("worse", "weaker", "changed")
    return Row(new.label, *verdicts, change, counts, (old.epsilon, new.epsilon), why)


def _other_subject(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """What was tested there and is not here: a verdict about other inputs or another mechanism is another verdict."""
    one, two = (found.get("parameters", {}) for found in (old, new))
    said = [
        f"{key} {_short(one.get(key))} -> {_short(two.get(key))}"
        for key in {**one, **two}
        if one.get(key) != two.get(key)
    ]
    # Certificates of earlier versions do not tell inputs apart.
    if "inputs" in old and "inputs" in new and old["inputs"] != new["inputs"]:
        said.append("other inputs")
    if old.get("deterministic") != new.get("deterministic"):
        said.append(
            "with randomness of its own" if old.get("deterministic") else "without randomness of its own"
        )
    return ", ".join(said)


def _short(value: Any) -> str:
    text = "none" if value is None else str(value)
    return text if len(text) <= 40 else f"{text[:40]}..."


def _weaker(old: _Found, new: _Found, better: bool) -> str:
    """Why a verdict that is no worse comes from an audit that sees less; empty if it does not.

    A better verdict needs an audit that is no weaker; the same one may be found with somewhat fewer samples.
    """
    if Verdict[new.finding["verdict"]] is not Verdict.SURVIVED:
        return ""
    if better:
        for name in ("samples", "alpha", "bits"):
            if new.settings[name] < old.settings[name]:
                return f"{name} {old.settings[name]} -> {new.settings[name]}"
    asked, left = (found.finding["sentences"] for found in (old, new))
    silent = [name for name in asked if asked[name] is not None and left[name] is None]
    if silent:
        return f"no longer asked: {', '.join(SENTENCES[name] for name in silent)}"
    now = new.resolutions()
    for name, before in old.resolutions().items():
        check = name.partition(": ")[0]
        if name not in now:
            others = (half_noise(r) for n, r in now.items() if n.startswith(f"{check}: "))
            return f"{check}: {half_noise(before)}; now {next(others, 'it says nothing of it')}"
        if now[name].departure > _MUCH_COARSER * max(before.departure, 0.01) and isfinite(before.departure):
            return f"{check}: {half_noise(before)} -> {half_noise(now[name])}"
        if (now[name].in_clear or 1.0) > _MUCH_COARSER * (before.in_clear or 1.0):
            return f"{check} would have found a record in clear in {before.in_clear:g} of the outcomes, now in {now[name].in_clear:g}"
    return ""
