"""What a certificate says around a witness: the claim, who found it, and the share of alpha that was there to spend."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .certificate import Certificate, Finding, evidence_from_record
from .claim_match import predicate_of, witness_faults
from .evidence import Evidence


@dataclass(frozen=True)
class Terms:
    """A finding, one piece of its evidence, and the alpha of one statistical check (None in certificates without it)."""

    claim: dict[str, Any]
    subject: str
    evidence: Evidence
    share: float | None

    @classmethod
    def all_of(cls, certificate: Certificate) -> Iterator[tuple[Finding, Terms]]:
        """The terms of every witness in a certificate, in its order."""
        found = [(f, e) for f in certificate.findings for e in f.evidence]
        share = certificate.settings.get("alpha_per_test")
        for finding, evidence in found:
            if evidence.witness:
                yield finding, cls(finding.claim, finding.subject, evidence, share)

    @property
    def witness(self) -> dict[str, Any]:
        """The witness that these are the terms of."""
        return self.evidence.witness or {}

    @property
    def alpha(self) -> float:
        """What a statistical witness may spend: the error that is stated, and no more than a check had."""
        return min(self.evidence.error, self.evidence.error if self.share is None else float(self.share))

    def faults(self) -> Iterator[str]:
        """Why the witness is not about this claim."""
        yield from witness_faults(self.evidence, self.claim, predicate_of(self.claim))

    def record(self) -> dict[str, Any]:
        """The terms as plain data, for another process."""
        return {**vars(self), "evidence": self.evidence.record()}

    @classmethod
    def from_record(cls, data: Mapping[str, Any]) -> Terms:
        """The terms that `record` wrote."""
        return cls(**{**data, "evidence": evidence_from_record(data["evidence"], data["claim"]["sentence"])})
