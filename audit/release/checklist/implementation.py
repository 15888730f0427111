"""Implementation: the code that releases was attacked, the attack has power, and the noise comes from a secure source."""

from __future__ import annotations

from ...record.certificate import Finding
from ...record.evidence import Verdict
from .configuration import configuration_agrees
from .item import Answer, asked, met, not_met, unsettled
from .question import Case, about
from .support import audited_claims, pointers, sentence_verdict

TOPIC = "Implementation"
SECURE_SOURCES = ("chacha20", "getrandom")


def code_survived(case: Case) -> Answer:
    claims = audited_claims(case.manifest, case.certificate)
    if not claims:
        return unsettled("no claim about the code was audited", "certificate.json")
    places: list[str] = []
    for what, findings in claims:
        found = tuple(f for f in findings if f.claim["about"] == "code")
        places += pointers(found)
        verdict = sentence_verdict(found, "code")
        if verdict is Verdict.REFUTED:
            return not_met(f"the code does not have the stated property: {what}", *pointers(found))
        if verdict is None or verdict is Verdict.UNDECIDED:
            return unsettled(
                f"{what}: the code was not attacked, or the attack settled nothing", *pointers(found)
            )
        resolved = [
            e
            for f in found
            for e in f.evidence
            if e.sentence == "code" and e.kind == "attack" and e.resolution
        ]
        if not resolved:
            return unsettled(f"{what}: no attack states the violation it would have found", *pointers(found))
    return met("attacked on declared neighbours, down to the resolution stated with the finding", *places)


def controls_fell(case: Case) -> Answer:
    controls = tuple(f for f in case.certificate.findings if f.is_control)
    if not controls:
        return unsettled(
            "the audit has no control: nothing shows the power of its attack", "certificate.json"
        )
    standing = tuple(f for f in controls if not f.as_expected)
    if standing:
        return not_met("a control, false on purpose, was not refuted", *pointers(standing))
    return met(
        f"{len(controls)} claim{'s' if len(controls) > 1 else ''}, false on purpose, refuted as expected",
        *pointers(controls),
    )


def verdict_stands(case: Case) -> Answer:
    if case.certificate.exit_code == 1:
        bad = tuple(f for f in case.certificate.findings if not f.as_expected)
        return not_met("a claim is refuted, or a control is not", *pointers(bad))
    if case.certificate.exit_code != 0:
        return unsettled("a claim is undecided, or there is none", "certificate.json")
    return met(f"computed again from the evidence: {case.certificate.verdict.name}", "certificate.json")


def noise_is_secure(case: Case) -> Answer:
    place = case.manifest.where("mechanism.parameters.random_source")
    source = case.manifest.text("mechanism.parameters.random_source")
    if not any(name in source.casefold() for name in SECURE_SOURCES):
        return not_met(f"{source!r} is no source that is known to be secure", place)
    repeats = [f for f in case.certificate.findings if not f.is_control and _repeats(f)]
    if repeats:
        return not_met("calls of the release repeat one another", place, *pointers(tuple(repeats)))
    return asked(
        f"The program names {source}, and no audit of outcomes can see that. Ask the operator: did this program run unchanged, on a machine whose source of randomness is trusted?",
        place,
        case.manifest.where("versions"),
    )


def _repeats(finding: Finding) -> bool:
    return any(e.check == "repeated calls" and e.verdict is Verdict.REFUTED for e in finding.evidence)


QUESTIONS = about(
    TOPIC,
    (
        "implementation-verdict",
        "Does the verdict follow from the evidence, with no claim refuted or undecided?",
        verdict_stands,
    ),
    (
        "implementation-configuration",
        "Are the audited parameters the released ones, number by number?",
        configuration_agrees,
    ),
    (
        "implementation-code",
        "Did the code that releases survive an attack of stated resolution?",
        code_survived,
    ),
    ("implementation-controls", "Did the audit refute every control?", controls_fell),
    (
        "implementation-randomness",
        "Does the noise come from a cryptographically secure source?",
        noise_is_secure,
    ),
)
