"""Algorithm: the guarantee of the noise is proved, bounds are declared, costs add up, and what the noise does to the use is looked at."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from ...record.evidence import Verdict
from ...record.reading.by_path import Record, as_number
from .figures_from_noise import information_follows, utility_is_no_leak
from .item import Answer, asked, met, not_applicable, not_met, unsettled
from .question import Case, about
from .support import findings_for, pointers, sentence_verdict, stated

TOPIC, USE = "Algorithm", "Utility and bias"


def law_is_proved(case: Case) -> Answer:
    guarantees = stated(case.manifest)
    if not guarantees:
        return unsettled(
            "there is no guarantee of differential privacy to prove", case.manifest.where("guarantees")
        )
    places: list[str] = []
    for one in guarantees:
        found = findings_for(one, case.certificate)
        places += pointers(found)
        verdict = sentence_verdict(found, "law")
        if verdict is Verdict.REFUTED:
            return not_met(f"the distribution does not have it: {one.kind}", *pointers(found))
        if verdict is not Verdict.PROVED:
            said = "no finding is about it" if verdict is None else f"{verdict.name}, not PROVED"
            return unsettled(f"{one.kind}: {said}", *pointers(found))
    return met("derived for the distribution of the noise, from checked steps and cited lemmas", *places)


def bounds_are_declared(case: Case) -> Answer:
    columns, place = case.manifest.records("mechanism.columns"), case.manifest.where("policy.columns")
    if not columns:
        return unsettled("the manifest lists no private column", case.manifest.where("mechanism.columns"))
    declared = _declared(case.manifest)
    for column in columns:
        name, bounds = column.text("name"), (column.number("low"), column.number("high"))
        if not (math.isfinite(bounds[0]) and math.isfinite(bounds[1]) and bounds[0] < bounds[1]):
            return not_met(
                f"the bounds of {name!r} are no interval: {bounds[0]:g} to {bounds[1]:g}", column.place
            )
        if name not in declared:
            return not_met(f"the policy declares no private column {name!r}", column.place, place)
        if declared[name] != bounds:
            return not_met(f"the policy declares other bounds for {name!r}", column.place, place)
    return met(f"the bounds of all {len(columns)} private numbers follow from the policy", place)


def _declared(manifest: Record) -> dict[str, tuple[float, float]]:
    """The interval of each private number: declared, or that of the codes of declared categories."""
    found = {}
    for column in manifest.records("policy.columns"):
        if column.get("role") != "private":
            continue
        name, categories = column.text("name"), column.get("categories")
        if isinstance(categories, list) and column.get("encode") == "one-hot":
            found.update({f"{name}={category}": (0.0, 1.0) for category in categories})
        elif isinstance(categories, list):
            found[name] = (0.0, len(categories) - 1.0)
        else:
            found[name] = (column.number("low"), column.number("high"))
    return found


def cost_is_booked(case: Case) -> Answer:
    place = case.manifest.where("ledger")
    if case.manifest.get("ledger") is None:
        return asked(
            "No ledger was kept. Answer yes if the costs of all releases from this table were added up and accepted, and state the sum, or that "
            "this is the only release.",
            place,
        )
    ledger = case.manifest.record("ledger")
    for name in ("table_id", "entry", "head"):
        ledger.text(name)
    if any(number < 0 for number in _numbers(ledger.value("remaining"))):
        return not_met("the budget of the table is overspent", ledger.where("remaining"))
    for name in ("epsilon", "rho"):
        cost, spent = (
            as_number(one) for one in (case.manifest.get(f"costs.{name}"), ledger.get(f"spent.{name}"))
        )
        if cost is not None and spent is not None and spent < cost * (1 - 1e-9):
            return not_met(
                f"the ledger has spent {name} {spent:g} in all, this release alone costs {cost:g}", place
            )
    return met(
        f"entry {ledger.text('entry')} of the ledger of {ledger.text('table_id')!r}. Releases that are not entered in this ledger are not "
        "counted: see the question about other publications",
        place,
    )


def _numbers(value: Any) -> Iterator[float]:
    number = as_number(value)
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if number is not None:
        yield number
    for one in inner:
        yield from _numbers(one)


def public_columns_are_known(case: Case) -> Answer:
    columns = case.manifest.records("policy.columns")
    public = [c.text("name") for c in columns if c.get("role") == "public"]
    place = case.manifest.where("policy.columns")
    if not public:
        return not_applicable("no column is released as it is", place)
    names = ", ".join(repr(name) for name in public[:20]) + (" and others" if len(public) > 20 else "")
    return asked(f"Released as they are, outside of every guarantee: {names}. May they be?", place)


QUESTIONS = about(
    TOPIC,
    ("algorithm-law", "Is it derived that the distribution of the noise has the guarantee?", law_is_proved),
    (
        "algorithm-bounds",
        "Are the bounds that were used those that the policy declares?",
        bounds_are_declared,
    ),
    (
        "algorithm-bounds-origin",
        "Were bounds and categories chosen without a look at the table?",
        "A bound that was read from the table reveals its most extreme record, whatever the noise.",
    ),
    (
        "algorithm-information",
        "Does the stated Fisher information follow from the declared noise?",
        information_follows,
    ),
    (
        "algorithm-composition",
        "Is the cost entered in a ledger of this table, or added up elsewhere?",
        cost_is_booked,
    ),
    (
        "algorithm-public-columns",
        "Is every column that is released as it is fit to be public?",
        public_columns_are_known,
    ),
) + about(
    USE,
    ("utility-leak", "Are utility figures withheld, or their cost counted?", utility_is_no_leak),
    (
        "utility-bias",
        "Was it considered which groups the noise and the clipping affect most?",
        "Noise of equal scale affects small groups most; values outside the declared bounds are clipped to them.",
    ),
)
