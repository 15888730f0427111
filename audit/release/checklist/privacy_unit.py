"""Unit of privacy and adjacency: whose data the guarantee hides, and which tables count as neighbours."""

from __future__ import annotations

from ..policy.mechanism_models import ROW_WISE
from .item import Answer, asked, met, not_met, unsettled
from .question import Case, about
from .support import audited_claims, pointers

UNIT, ADJACENCY = "Unit of privacy", "Adjacency"


def unit_agrees(case: Case) -> Answer:
    unit = case.manifest.text("unit_of_privacy")
    said = {
        "unit_of_privacy": unit,
        "policy.table.unit_of_privacy": case.manifest.get("policy.table.unit_of_privacy"),
        "costs.unit": case.manifest.get("costs.unit"),
    }
    others = {path: other for path, other in said.items() if other is not None and other != unit}
    if others:
        different = ", ".join(f"{path} says {other!r}" for path, other in others.items())
        return not_met(f"unit_of_privacy says {unit!r}, but {different}", *map(case.manifest.where, others))
    agreeing = [path for path, other in said.items() if other == unit]
    if len(agreeing) == 1:
        return unsettled(
            f"{unit!r} is stated once, and nothing else repeats it", case.manifest.where("unit_of_privacy")
        )
    return met(
        f"{unit}, in the manifest, the policy and the costs alike", *map(case.manifest.where, agreeing)
    )


def rows_are_bounded(case: Case) -> Answer:
    unit = case.manifest.text("unit_of_privacy")
    if unit == "record":
        return asked(
            'The guarantee hides one row. Does each person have at most one row? A "no" fails the verification: then release under the unit '
            '"person", with a bound on the rows of each. If rows are not about persons, answer "not applicable".',
            case.manifest.where("unit_of_privacy"),
        )
    key, most = (case.manifest.get(f"policy.table.{name}") for name in ("person_key", "rows_per_person"))
    place = case.manifest.where("policy.table")
    if not key or isinstance(most, bool) or not isinstance(most, int) or most < 1:
        return not_met("the policy names no key of a person with a bound on the rows of each", place)
    said = f"at most {most} row{'s' if most > 1 else ''} for each {key}, enforced when the table was read"
    if case.manifest.text("mechanism.kind") == "statistics":
        said += (
            ": a secret choice leaves the others out, so that every number is of records that count (at most "
            f"{most} a person) and not of all in the table; how many are left out is not published, and no interval covers it"
        )
    return met(said, place)


def adjacency_agrees(case: Case) -> Answer:
    adjacency = _plain(case.manifest.text("adjacency"))
    place = case.manifest.where("adjacency")
    findings = tuple(
        {f.id: f for _, found in audited_claims(case.manifest, case.certificate) for f in found}.values()
    )
    if not findings:
        return unsettled("no finding quantifies over neighbours that could be compared", place)
    others = tuple(f for f in findings if _plain(str(f.claim["scope"].get("adjacency", ""))) != adjacency)
    if others:
        return not_met("the manifest and the audit name different neighbours", place, *pointers(others))
    return met(
        "the manifest and every finding behind it name the same neighbours", place, *pointers(findings)
    )


def size_is_settled(case: Case) -> Answer:
    rows, public = case.manifest.get("table.rows"), case.manifest.get("policy.table.rows_public")
    kind = case.manifest.text("mechanism.kind")
    place = case.manifest.where("policy.table.rows_public")
    if public is True:
        return met("the policy declares the number of records public", place)
    if rows is not None:
        return not_met("the number of records is printed, but the policy does not declare it public", place)
    if kind in ROW_WISE:
        return not_met(
            "the released file has one row for each record, so its length tells a number that the policy does not declare public",
            place,
            case.manifest.where("mechanism.kind"),
        )
    return asked(
        "The policy keeps the number of records private. Is it kept out of everything else that is published?",
        place,
    )


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


QUESTIONS = about(
    UNIT,
    ("unit-agrees", "Is the unit of privacy stated, and the same wherever it is used?", unit_agrees),
    ("unit-rows", "Does the unit cover all the rows of a person?", rows_are_bounded),
) + about(
    ADJACENCY,
    (
        "adjacency-agrees",
        "Are the neighbours that were audited the ones that are promised?",
        adjacency_agrees,
    ),
    ("adjacency-size", "Is the number of records either public or protected?", size_is_settled),
)
