"""Side channels: the bytes that are written, what the certificate itself tells, time, logs and leftovers."""

from __future__ import annotations

from typing import Any

from ...record.evidence import Verdict
from .item import Answer, asked, met, not_met, unsettled
from .question import Case, about
from .support import audited_claims, pointers, sentence_verdict

TOPIC = "Side channels"
# The grids of the two noisy sums behind synthetic records.
ON_SUMS = ("exponent_of_sum", "exponent_of_products")


def bytes_survived(case: Case) -> Answer:
    claims = audited_claims(case.manifest, case.certificate)
    if case.certificate.settings.get("bits") is not True:
        return not_met(
            "the audit did not look at the bytes that are written (bits)", "certificate.json: settings.bits"
        )
    if not claims:
        return unsettled("no claim about the code was audited", "certificate.json")
    places: list[str] = []
    for what, found in claims:
        places += pointers(found)
        verdict = sentence_verdict(found, "bytes")
        if verdict is Verdict.REFUTED:
            return not_met(f"the bytes tell neighbours apart better than is stated: {what}", *pointers(found))
        if verdict is None or verdict is Verdict.UNDECIDED:
            return unsettled(f"{what}: nothing is settled about the bytes", *pointers(found))
    return met(
        "events of bits were tried on the numbers as they are written, and none revealed more than is stated",
        *places,
    )


def noise_is_on_a_grid(case: Case) -> Answer:
    columns, place = case.manifest.records("mechanism.columns"), case.manifest.where("mechanism.columns")
    if columns and all(_is_whole(c.get("exponent")) for c in columns):
        return met("every value is a whole number of steps of a declared power of two", place)
    parameters = case.manifest.where("mechanism.parameters")
    if case.manifest.get("mechanism.kind") == "ron-gauss" and all(
        _is_whole(case.manifest.get(f"mechanism.parameters.{name}")) for name in ON_SUMS
    ):
        return met(
            "the noisy sums, from which all that is released follows, are whole steps of powers of two",
            parameters,
        )
    without = [c.place for c in columns if not _is_whole(c.get("exponent"))]
    return unsettled(
        "the released values lie on no declared grid, so what floating point does to them is bounded by no proof",
        *(without[:3] or [place]),
    )


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def certificate_tells_nothing(case: Case) -> Answer:
    digest = case.certificate.provenance.get("data_digest")
    if digest is not None:
        return not_met(
            "the certificate holds a digest of the table without salt",
            "certificate.json: provenance.data_digest",
        )
    salted = case.manifest.value("table.salted_digest")
    if salted is not None and not isinstance(salted, str):
        return not_met(
            "the digest of the table is of an unknown form", case.manifest.where("table.salted_digest")
        )
    if (
        case.manifest.get("table.rows") is not None
        and case.manifest.get("policy.table.rows_public") is not True
    ):
        return not_met(
            "the number of records is printed without being public", case.manifest.where("table.rows")
        )
    return met(
        "no digest without salt, no number of records that is not public; the neighbours are made from declared bounds",
        case.manifest.where("table"),
    )


def time_was_looked_at(case: Case) -> Answer:
    timed = tuple(
        (f, e)
        for f in case.certificate.findings
        if not f.is_control
        for e in f.evidence
        if e.check == "timing"
    )
    places = pointers(tuple(f for f, _ in timed))
    if any(e.verdict is Verdict.REFUTED for _, e in timed):
        return not_met("the time of a call distinguishes the neighbours", *places)
    return asked(
        'No shared host and no public times of jobs. Ask the operator, and answer "not known" if nobody can say.',
        *places,
    )


QUESTIONS = about(
    TOPIC,
    ("side-bytes", "Do the written bytes reveal no more than the numbers?", bytes_survived),
    (
        "side-grid",
        "Is the noise drawn on a grid, so that rounding cannot give values away?",
        noise_is_on_a_grid,
    ),
    (
        "side-certificate",
        "Do certificate and page reveal nothing about the table?",
        certificate_tells_nothing,
    ),
    ("side-time", "Did the release run on a machine that outsiders cannot observe?", time_was_looked_at),
    (
        "side-leftovers",
        "Are logs, temporary files, caches and backups protected as strictly as the table?",
        "The release writes no log of values; what the machine around it keeps is not known here.",
    ),
)
