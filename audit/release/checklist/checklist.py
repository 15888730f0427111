"""The checklist of a release: what evidence answers is answered by evidence, the rest is asked of the signer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ...record.certificate import Certificate
from ...record.reading.by_path import Record, UnreadableError
from . import (
    algorithm,
    data_collection_and_trust,
    drawn_parts,
    implementation,
    parameters,
    privacy_unit,
    side_channels,
)
from .item import Answer, Item, SignerAnswer, asked, not_met, unsettled
from .question import Case, Question
from .signer import read_answers

# The topics are those of NIST SP 800-226; the questions are this project's own.
QUESTIONS: tuple[Question, ...] = (
    *parameters.QUESTIONS,
    *privacy_unit.QUESTIONS,
    *algorithm.QUESTIONS,
    *implementation.QUESTIONS,
    *side_channels.QUESTIONS,
    *data_collection_and_trust.QUESTIONS,
)


def checklist(
    manifest: Mapping[str, Any],
    certificate: Mapping[str, Any],
    signer_answers: Mapping[str, Any] | None = None,
) -> tuple[Item, ...]:
    """Every item with its answer; `signer_answers` maps keys of items to texts such as "yes: why".

    Without `signer_answers` those of the manifest are taken. A signer's word never overrides evidence, and a signer's
    yes never turns an item "met". SpecError for an answer to no item, or of another form.
    """
    record = Record.of(manifest, "release.json")
    given = signer_answers if signer_answers is not None else record.get("answers") or {}
    answers = answers_by_item(given)
    try:
        case: Case | str = Case(record, Certificate.from_data(certificate))
    except ValueError as error:
        case = str(error)
    kind = record.get("mechanism.kind")
    return tuple(Item(q.key, q.topic, q.text, _answer(q, case, kind, answers.get(q.key))) for q in QUESTIONS)


# What is stated would not follow from what was found: no release may leave this not met.
_BINDING = ("parameters-carried",)


def contradictions(manifest: Mapping[str, Any], certificate: Certificate) -> tuple[str, ...]:
    """One sentence for each statement of a manifest that contradicts the audit before it: empty for what may be charged and drawn."""
    record = Record.of(manifest, "release.json")
    case, kind = Case(record, certificate), record.get("mechanism.kind")
    found = ((q, _by_evidence(q, case, kind)) for q in QUESTIONS if q.key in _BINDING)
    return tuple(f"{q.text} No: {answer.why}" for q, answer in found if answer.state == "not met")


def answers_by_item(given: object) -> dict[str, SignerAnswer]:
    """The signer's answers, read before any work; SpecError for an answer to no item, or of another form."""
    return read_answers(given, [q.key for q in QUESTIONS])


def _answer(question: Question, case: Case | str, kind: object, said: SignerAnswer | None) -> Answer:
    answer = _by_evidence(question, case, kind)
    if said is not None and answer.state == "asked of the signer" and said.answer == "no":
        return replace(answer, state="not met", why="", signer=said)
    return answer if said is None else replace(answer, signer=said)


def _by_evidence(question: Question, case: Case | str, kind: object) -> Answer:
    checks, hints = drawn_parts.of(kind)
    check = checks.get(question.key, question.check)
    if check is None:
        return asked(hints.get(question.key, question.hint))
    if isinstance(case, str):
        return not_met(f"the certificate cannot be relied on: {case}", "certificate.json")
    try:
        return check(case)
    except UnreadableError as missing:
        return unsettled(f"the check found nothing to look at: {missing}")
