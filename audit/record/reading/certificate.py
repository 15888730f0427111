"""A certificate of others, as one that the checks and the pages can take for granted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from ..certificate import Certificate
from ..evidence import SENTENCES, Kind
from .by_path import Record, UnreadableError


def read_certificate(data: Mapping[str, Any]) -> Certificate:
    """The certificate of this JSON; ValueError if it is damaged or its verdicts do not follow from its evidence."""
    try:
        certificate = Certificate.from_data(data)
    except (KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise ValueError(f"the certificate is incomplete or damaged: {error!r}") from error
    _check_form(certificate)
    return certificate


def _check_form(certificate: Certificate) -> None:
    """What the checks and the page take for granted, beyond that verdicts follow; UnreadableError names the place."""
    whole = Record.of(vars(certificate), "certificate.json")
    whole.text("title")
    for name in ("settings", "provenance"):
        whole.record(name)
    whole.texts("notes")
    for subject in whole.records("subjects"):
        subject.text("name")
    ids = [finding.id for finding in certificate.findings]
    if any(isinstance(one, bool) or not isinstance(one, int) for one in ids) or len(set(ids)) < len(ids):
        raise UnreadableError(
            f"certificate.json: findings: expected numbers that tell them apart, got {ids!r:.80}"
        )
    for finding in certificate.findings:
        form = Record.of(vars(finding), f"certificate.json#{finding.id}")
        for name in ("subject", "title", "claim.predicate", "claim.sentence"):
            form.text(name)
        form.texts("caveats")
        form.record("claim.parameters")
        form.record("claim.scope")
        form.one_of("claim.about", ("law", "code"))
        form.one_of("claim.expect", ("holds", "falls"))
        for evidence in finding.evidence:
            inner = Record.of(vars(evidence), f"certificate.json#{finding.id}: evidence")
            inner.text("check")
            inner.text("statement")
            inner.one_of("kind", get_args(Kind))
            inner.one_of("sentence", tuple(SENTENCES))
