"""Whether a certificate says what its evidence says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .certificate import Certificate, is_of
from .checked import Checked
from .claim_match import other_claims
from .evidence import Verdict
from .unstamped import names_its_claim

CERTIFICATE = "certificate.json"
# What reading data of another form raises.
DAMAGED = (ValueError, KeyError, TypeError, AttributeError, ArithmeticError, IndexError, RecursionError)


def check_certificate(data: Mapping[str, Any]) -> list[Checked]:
    """Verdicts computed again from the evidence; refutations with witnesses; proofs without a broken step."""
    try:
        certificate = Certificate.from_data(data)
        again = certificate.to_dict()
        faults = [
            f"{key!r} is not as an audit writes it"
            for key in {**again, **data}
            if again.get(key) != data.get(key)
        ]
        found = [e for f in certificate.findings for e in f.evidence]
        stamped = any(e.claim is not None for e in found)
        naming = stamped or any(names_its_claim(e.witness) for e in found if isinstance(e.witness, Mapping))
        for finding in certificate.findings:
            for evidence in finding.evidence:
                for fault in _faults(evidence, certificate.settings):
                    faults.append(f"finding {finding.id}, {evidence.check}: {fault}")
            faults += [f"finding {finding.id}, {fault}" for fault in other_claims(finding, stamped, naming)]
        held = [f.subject for f in certificate.findings if not f.is_control]
        faults += [
            f"finding {f.id}: a control about another mechanism, {f.subject!r}"
            for f in certificate.findings
            if f.is_control and held and not is_of(f.subject, held)
        ]
        numbers = [finding.id for finding in certificate.findings]
        if len(set(numbers)) < len(numbers):
            faults.append("two findings have the same number")
    except DAMAGED as error:
        said = str(error) if type(error) is ValueError else f"incomplete or damaged: {error!r}"
        return [Checked("verdicts", "fails", said, CERTIFICATE)]
    if faults:
        return [Checked("evidence", "fails", fault, CERTIFICATE) for fault in faults]
    said = f"{len(numbers)} findings, verdict {certificate.verdict.name}: each follows from its evidence"
    return [Checked("verdicts", "holds", said, CERTIFICATE)]


def _faults(evidence: Any, settings: Mapping[str, Any]) -> Iterator[str]:
    if evidence.verdict is Verdict.REFUTED and not evidence.witness:
        yield "refuted without a witness"
    if evidence.verdict is Verdict.PROVED:
        if evidence.kind != "proof":
            yield f"proved by a {evidence.kind}, which proves nothing"
        broken = [step for step in evidence.derivation if step["truth"] not in ("holds", "cited")]
        if broken or not evidence.derivation:
            yield (
                f"proved, but a step does not hold: {broken[0]['reason']}"
                if broken
                else "proved without a derivation"
            )
    if not 0 <= evidence.error <= float(settings.get("alpha", 1)):
        yield f"an error probability of {evidence.error:g}, beyond the alpha of the audit"
