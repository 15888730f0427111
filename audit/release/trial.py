"""The configuration of a release under audit: the same verb as for any other subject, and what was settled by computation."""

from __future__ import annotations

from dataclasses import replace

from ..record.certificate import Certificate, finding_of
from ..record.evidence import Verdict
from ..trial.examine import Progress, described, examine
from .plan import ReleasePlan


def audited(plan: ReleasePlan, progress: Progress | None = None, workers: int = 1) -> Certificate:
    """The certificate of this configuration at declared worst-case neighbours; no record of the table is looked at.

    PolicyNotMetError where what releases is known not to be what would be tried.
    """
    audit, policy = plan.policy.model.audit, plan.policy
    plan.kind.require_own_code()
    certificate = examine(
        None,
        plan.kind.trials(),
        alpha=audit.alpha,
        samples=audit.samples,
        seed=audit.seed,
        bits=audit.bits,
        title=policy.title,
        notes=(*policy.model.notes, *plan.kind.notes),
        progress=progress,
        workers=workers,
        provenance={"spec_digest": policy.digest},
    )
    known = [d.settled for d in plan.kind.decisions if d.settled is not None]
    first = len(certificate.findings) + 1
    more = tuple(finding_of(first + i, s.claim, ("law",), s.evidence) for i, s in enumerate(known))
    tried = {subject["name"] for subject in certificate.subjects}
    # A law that is settled may be that of a subject whose code no claim ran.
    others = {s.claim.subject.name: s.claim.subject for s in known if s.claim.subject is not None}
    subjects = tuple(described(subject) for name, subject in others.items() if name not in tried)
    return replace(
        certificate, subjects=(*certificate.subjects, *subjects), findings=(*certificate.findings, *more)
    )


def failed(certificate: Certificate) -> tuple[str, ...]:
    """One sentence for each finding that does not come out as expected; empty for a certificate that allows a release."""
    out = []
    for finding in certificate.findings:
        if finding.is_control and not finding.as_expected:
            out.append(
                f"the control {finding.title!r} is not refuted: the attack lacks power at this sample size"
            )
        elif not finding.is_control and finding.verdict < Verdict.SURVIVED:
            weakest = {s for s, verdict in finding.sentences.items() if verdict is finding.verdict}
            among = (e for e in finding.evidence if e.sentence in weakest)
            worst = next((e for e in among if e.verdict is finding.verdict), None)
            why = f" ({worst.check}: {worst.detail})" if worst else ""
            out.append(f"{finding.title}: {finding.verdict.name}{why}")
    if not out and certificate.exit_code != 0:
        out.append("the audit checked nothing: set a limit that this mechanism can be held to")
    return tuple(out)
