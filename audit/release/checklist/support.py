"""Which findings of a certificate speak for a stated guarantee, and whether they carry it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...record.certificate import Certificate, Finding
from ...record.evidence import Sentence, Verdict
from ...record.reading.by_path import Record, UnreadableError, as_number

_READING = 1 + 1e-9


@dataclass(frozen=True)
class Guarantee:
    """A guarantee of the manifest; `numbers` are its parameters by name, all finite."""

    kind: str
    numbers: dict[str, float]
    place: str


PARAMETERS: dict[str, tuple[str, ...]] = {
    "pure": ("epsilon",),
    "approximate": ("epsilon", "delta"),
    "gaussian": ("mu",),
    "zcdp": ("rho",),
    "renyi": ("order", "epsilon"),
}


# Kinds that promise nothing about telling neighbours apart.
OTHER_KINDS = ("information", "none")


def stated(manifest: Record) -> tuple[Guarantee, ...]:
    """The guarantees of differential privacy; UnreadableError for an unknown kind, or where a parameter is missing."""
    found = []
    for one in manifest.records("guarantees"):
        kind = one.text("kind")
        if kind not in PARAMETERS and kind not in OTHER_KINDS:
            raise UnreadableError(f"{one.where('kind')}: no guarantee of the kind {kind!r} is known")
        if kind in PARAMETERS:
            numbers = {name: one.number(name) for name in PARAMETERS[kind]}
            found.append(Guarantee(kind, numbers, one.place))
    return tuple(found)


def findings_for(guarantee: Guarantee, certificate: Certificate) -> tuple[Finding, ...]:
    """The findings, controls apart, whose claim implies the guarantee."""
    return tuple(f for f in certificate.findings if not f.is_control and implies(f.claim, guarantee))


def audited_claims(manifest: Record, certificate: Certificate) -> tuple[tuple[str, tuple[Finding, ...]], ...]:
    """What was put on trial, each with its findings: the stated guarantees or, where none is stated, all claims about code."""
    guarantees = tuple((one.kind, findings_for(one, certificate)) for one in stated(manifest))
    if guarantees:
        return guarantees
    others = tuple(f for f in certificate.findings if not f.is_control and f.claim["about"] == "code")
    return (("what was audited in place of a guarantee", others),) if others else ()


def implies(claim: dict[str, Any], guarantee: Guarantee) -> bool:
    """Whether what the claim says is at least as strict, by exact implications only."""
    said = {name: as_number(value) for name, value in claim["parameters"].items()}
    epsilon, delta, mu, rho = (said.get(name) for name in ("epsilon", "delta", "mu", "rho"))
    asked = guarantee.numbers
    pure = claim["predicate"] == "PureDP"
    if guarantee.kind == "pure":
        return pure and _below(epsilon, asked["epsilon"])
    if guarantee.kind == "approximate":
        approximate = claim["predicate"] == "ApproxDP" and _below(delta, asked["delta"])
        return (pure or approximate) and _below(epsilon, asked["epsilon"])
    gaussian = claim["predicate"] == "GaussianDP"
    if guarantee.kind == "gaussian":
        return gaussian and _below(mu, asked["mu"])
    if guarantee.kind == "zcdp":
        square = epsilon if pure else mu if gaussian else None
        halved = None if square is None else square**2 / 2
        return _below(halved, asked["rho"]) or (
            claim["predicate"] == "ZeroConcentratedDP" and _below(rho, asked["rho"])
        )
    order = said.get("order")
    renyi = claim["predicate"] == "RenyiDP" and order is not None and order >= asked["order"]
    return (renyi or pure) and _below(epsilon, asked["epsilon"])


def _below(value: float | None, limit: float) -> bool:
    return value is not None and value <= limit * _READING


def sentence_verdict(findings: tuple[Finding, ...], sentence: Sentence) -> Verdict | None:
    """The best verdict on one sentence, a refutation first; None if no finding is about it."""
    verdicts = [v for f in findings if (v := f.sentences[sentence]) is not None]
    if Verdict.REFUTED in verdicts:
        return Verdict.REFUTED
    return max(verdicts, default=None)


def pointers(findings: tuple[Finding, ...]) -> tuple[str, ...]:
    """Where the findings stand, in the form that `noiseproof replay` takes."""
    return tuple(f"certificate.json#{f.id}" for f in findings)
