"""Which findings of a certificate speak for a stated guarantee, and whether they carry it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ....symbolic.privacy.guarantees import GUARANTEES, Guarantee, by_key
from ....symbolic.proof.truth import Truth
from ...record.certificate import Certificate, Finding
from ...record.evidence import Sentence, Verdict
from ...record.reading.by_path import Record, UnreadableError, as_number

_READING = 1e-9
# Kinds that promise nothing about telling neighbours apart.
OTHER_KINDS = ("information", "none")


@dataclass(frozen=True)
class Stated:
    """A guarantee of the manifest, in numbers that may promise nothing, and its place there."""

    guarantee: Guarantee
    place: str

    @property
    def kind(self) -> str:
        return self.guarantee.key

    @property
    def numbers(self) -> dict[str, float]:
        return self.guarantee.parameters()


def stated(manifest: Record) -> tuple[Stated, ...]:
    """The guarantees of differential privacy; UnreadableError for an unknown kind, or where a parameter is missing."""
    found, known = [], by_key()
    for one in manifest.records("guarantees"):
        kind = one.text("kind")
        if kind not in known and kind not in OTHER_KINDS:
            raise UnreadableError(f"{one.where('kind')}: no guarantee of the kind {kind!r} is known")
        if kind in known:
            numbers = {name: one.number(name) for name in known[kind].stated_numbers()}
            found.append(Stated(known[kind].stating(numbers), one.place))
    return tuple(found)


def findings_for(one: Stated, certificate: Certificate) -> tuple[Finding, ...]:
    """The findings, controls apart, whose claim implies the guarantee."""
    return tuple(f for f in certificate.findings if not f.is_control and implies(f.claim, one.guarantee))


def audited_claims(manifest: Record, certificate: Certificate) -> tuple[tuple[str, tuple[Finding, ...]], ...]:
    """What was audited, each with its findings: the stated guarantees or, where none is stated, all claims about code."""
    if manifest.get("mechanism.kind") == "statistics":
        names = [one.text("part") for one in manifest.records("mechanism.parameters.parts")]
        return tuple((name, findings_of_part(name, certificate)) for name in names)
    guarantees = tuple((one.kind, findings_for(one, certificate)) for one in stated(manifest))
    if guarantees:
        return guarantees
    others = tuple(f for f in certificate.findings if not f.is_control and f.claim["about"] == "code")
    return (("what was audited in place of a guarantee", others),) if others else ()


def findings_of_part(name: str, certificate: Certificate) -> tuple[Finding, ...]:
    """The findings, controls apart, on how far one unit moves what a part of a release of statistics is drawn from."""
    return tuple(
        f
        for f in certificate.findings
        if not f.is_control and f.subject == name and f.claim["predicate"] == "SensitivityBound"
    )


def implies(claim: dict[str, Any], guarantee: Guarantee) -> bool:
    """Whether what the claim says is at least as strict, by exact implications only."""
    kind = GUARANTEES.get(claim["predicate"])
    if kind is None:
        return False
    said = {name: as_number(claim["parameters"].get(name)) for name in kind.stated_numbers()}
    known = {name: value for name, value in said.items() if value is not None}
    return len(known) == len(said) and kind.stating(known).implies(guarantee.relaxed(_READING)) is Truth.HOLDS


def sentence_verdict(findings: tuple[Finding, ...], sentence: Sentence) -> Verdict | None:
    """The best verdict on one sentence, a refutation first; None if no finding is about it."""
    verdicts = [v for f in findings if (v := f.sentences[sentence]) is not None]
    if Verdict.REFUTED in verdicts:
        return Verdict.REFUTED
    return max(verdicts, default=None)


def pointers(findings: tuple[Finding, ...]) -> tuple[str, ...]:
    """Where the findings stand, in the form that `noiseproof replay` takes."""
    return tuple(f"certificate.json#{f.id}" for f in findings)
