"""A certificate: subjects, findings, and everything needed to get them again; JSON in, JSON out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

from .derivation_match import loose_ends
from .evidence import Verdict
from .finding import Finding, claim_record, evidence_from_record, finding_from_record, finding_of
from .follows import InconsistentError, faults
from .plain import json_text, plain, same_data
from .reading.certificate_form import check_form
from .reading.strict_json import read_strict_text
from .shown_text import one_line
from .side_by_side import numbered

__all__ = ["Certificate", "Finding", "claim_record", "evidence_from_record", "finding_of"]

SCHEMA = "noiseproof-certificate-1"


@dataclass(frozen=True)
class Certificate:
    """The outcome of one audit: a verdict, the exit code of the command, and a Finding for each claim.

    `subjects` and `settings` are plain data, `timings` seconds by step. `to_json()` writes it, `Certificate.from_json(text)` reads it
    back and raises ValueError for a text that is no certificate of a known schema.

    >>> law = npf.Claim(npf.PureDP(1.0), about="law")
    >>> certificate = npf.examine(npf.LaplaceMechanism(epsilon=1.0, sensitivity=1.0), law)
    >>> certificate.verdict, certificate.exit_code, npf.Certificate.from_json(certificate.to_json()) == certificate
    (Verdict.PROVED, 0, True)
    """

    title: str
    subjects: tuple[dict[str, Any], ...]
    settings: dict[str, Any]
    findings: tuple[Finding, ...]
    notes: tuple[str, ...] = ()
    provenance: dict[str, Any] = field(default_factory=dict)
    timings: dict[str, float] = field(default_factory=dict, compare=False)

    @property
    def verdict(self) -> Verdict:
        """The worst over the claims that are expected to hold; UNDECIDED if there is none."""
        return min((f.verdict for f in self.findings if not f.is_control), default=Verdict.UNDECIDED)

    @property
    def exit_code(self) -> int:
        """0 all as expected, 1 a claim refuted or a control that stands, 4 something undecided, 5 nothing to check."""
        claims = [f for f in self.findings if not f.is_control]
        if not claims:
            return 5
        if any(f.verdict is Verdict.REFUTED for f in claims) or any(
            not f.as_expected for f in self.findings if f.is_control
        ):
            return 1
        return 4 if any(f.verdict is Verdict.UNDECIDED for f in claims) else 0

    def __repr__(self) -> str:
        """The title, the verdict and a line for each finding; `to_json()` has all of it."""
        return "\n".join([one_line(f"{self.title}: {self.verdict}"), *(f.line() for f in self.findings)])

    def _repr_html_(self) -> str:
        """The same as a table, for notebooks, and what is claimed beside what was certified."""
        rows = "".join(
            f"<tr><td>{f.id}</td><td>{f.verdict}</td><td>{escape(one_line(f.title))}</td><td>{f.remark}</td></tr>"
            for f in self.findings
        )
        title = escape(one_line(f"{self.title}: {self.verdict}"))
        both = "".join(
            f"<tr><td>{number}</td><td>{row.claimed}</td><td>{row.found}</td><td>{escape(row.of)}</td></tr>"
            for number, row in numbered(f.record() for f in self.findings)
        )
        head = "<tr><th>finding</th><th>claimed</th><th>certified</th><th>of</th></tr>"
        foot = f"<tfoot>{head}{both}</tfoot>" if both else ""
        return f"<table><caption>{title}</caption><tbody>{rows}</tbody>{foot}</table>"

    def to_dict(self) -> dict[str, Any]:
        """The certificate as plain data, in the order of the published schema."""
        return {
            "schema": SCHEMA,
            "title": self.title,
            "verdict": self.verdict.name,
            "exit_code": self.exit_code,
            "subjects": [plain(s) for s in self.subjects],
            "settings": plain(self.settings),
            "notes": list(self.notes),
            "findings": [f.record() for f in self.findings],
            "provenance": plain(self.provenance),
            "timings": plain(self.timings),
        }

    def to_json(self) -> str:
        """The certificate as text; apart from `timings` the same run gives the same bytes."""
        return json_text(self.to_dict())

    @classmethod
    def from_json(cls, text: str) -> Certificate:
        """The certificate that `to_json` wrote; ValueError if it says anything that its evidence does not."""
        if not isinstance(text, str):
            raise ValueError(f"expected the text of a certificate, got {type(text).__name__}")
        return cls.from_data(read_strict_text(text))

    @classmethod
    def from_data(cls, data: Any) -> Certificate:
        """The same of the text's data."""
        if not isinstance(data, Mapping) or data.get("schema") != SCHEMA:
            raise ValueError(f'expected a certificate with "schema": "{SCHEMA}"')
        check_form(data)
        try:
            certificate = cls(
                data["title"],
                tuple(data["subjects"]),
                data["settings"],
                tuple(finding_from_record(f) for f in data["findings"]),
                tuple(data["notes"]),
                data["provenance"],
                data["timings"],
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"the certificate is incomplete or damaged: {error!r}") from error
        if (certificate.verdict.name, certificate.exit_code) != (data["verdict"], data["exit_code"]):
            raise ValueError("the verdict written in the certificate does not follow from its evidence")
        again = certificate.to_dict()
        changed = [
            f"{key!r} is not as an audit writes it" for key in again if not same_data(again[key], data[key])
        ]
        ties = [fault for finding in data["findings"] for fault in loose_ends(finding)]
        found = (*faults(certificate.findings, certificate.settings, certificate.subjects), *ties, *changed)
        if found:
            raise InconsistentError(found)
        return certificate
