"""Privacy parameters: stated as numbers, carried by the certificate, within the policy, fit for the table."""

from __future__ import annotations

import math

from ...record.evidence import Verdict
from ...record.reading.by_path import as_number
from .item import Answer, asked, met, not_applicable, not_met, unsettled
from .limits import within_limits
from .question import Case, about
from .support import findings_for, pointers, stated

TOPIC = "Privacy parameters"
# The expected number of records whose loss delta leaves without a bound: harmless below, plainly too many above.
FEW, _MANY = 0.01, 1.0


def stated_as_numbers(case: Case) -> Answer:
    guarantees = stated(case.manifest)
    kinds = sorted({one.text("kind") for one in case.manifest.records("guarantees")})
    if not guarantees:
        said = ", ".join(kinds) or "nothing"
        return not_met(
            f"no parameter bounds how well two neighbours can be distinguished (stated: {said}): this release is not "
            "differentially private",
            case.manifest.where("guarantees"),
        )
    for one in guarantees:
        if (
            not all(math.isfinite(v) and v >= 0 for v in one.numbers.values())
            or one.numbers.get("delta", 0) >= 1
        ):
            return not_met(f"these numbers promise nothing: {_numbers(one.numbers)}", one.place)
    said = "; ".join(f"{one.kind}: {_numbers(one.numbers)}" for one in guarantees)
    return met(f"stated with all their parameters: {said}", *(one.place for one in guarantees))


def carried_by_findings(case: Case) -> Answer:
    guarantees = stated(case.manifest)
    if not guarantees:
        return unsettled(
            "no guarantee of differential privacy is stated that a finding could carry",
            case.manifest.where("guarantees"),
        )
    places: list[str] = []
    for one in guarantees:
        found, said = findings_for(one, case.certificate), f"{one.kind} with {_numbers(one.numbers)}"
        places += pointers(found)
        refuted = tuple(f for f in found if f.verdict is Verdict.REFUTED)
        if refuted:
            return not_met(f"refuted: {said}", *pointers(refuted))
        if not any(f.as_expected for f in found):
            return unsettled(f"no finding proves or survives {said}", *pointers(found))
    return met(
        "each is the claim, or follows from the claim, of a finding that is proved or survived", *places
    )


def delta_is_small(case: Case) -> Answer:
    delta, place = _smallest_delta(case)
    if delta is None:
        return unsettled("no guarantee of differential privacy is stated", place)
    if delta == 0:
        if any(one.numbers.get("delta") for one in stated(case.manifest)):
            return met("what is stated at a delta follows from a guarantee without one", place)
        return not_applicable("no guarantee needs a delta", place)
    if case.manifest.get("table.rows") is None:
        return asked(
            f"The number of records is withheld. Is {delta:g} times their number far below 1?", place
        )
    expected = delta * case.manifest.number("table.rows")
    said = f"delta times the number of records is {expected:.2g}"
    places = place, case.manifest.where("table.rows")
    if expected <= FEW:
        return met(said, *places)
    if expected >= _MANY:
        return not_met(f"{said}: the loss of a record or more may be without any bound", *places)
    return unsettled(f"{said}, between {FEW:g} and {_MANY:g}", *places)


def _smallest_delta(case: Case) -> tuple[float | None, str]:
    """The delta of the guarantee that needs least, and its place; a distance to the law that was drawn from counts."""
    guarantees = stated(case.manifest)
    if not guarantees:
        return None, case.manifest.where("guarantees")
    smallest = min(guarantees, key=lambda one: one.numbers.get("delta", 0.0))
    slack = as_number(case.manifest.get("costs.delta_slack"))
    pure = "epsilon" in smallest.guarantee.cost()
    if not pure and slack is not None and slack > smallest.numbers.get("delta", 0.0):
        return slack, case.manifest.where("costs.delta_slack")
    return smallest.numbers.get("delta", 0.0), smallest.place


def _numbers(numbers: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.6g}" for name, value in numbers.items())


QUESTIONS = about(
    TOPIC,
    ("parameters-stated", "Is the guarantee stated with all its parameters as numbers?", stated_as_numbers),
    (
        "parameters-carried",
        "Is every stated guarantee carried by a finding of the certificate?",
        carried_by_findings,
    ),
    ("parameters-limits", "Do the parameters respect the limits of the policy?", within_limits),
    ("parameters-delta", "Is delta small against the number of records?", delta_is_small),
    (
        "parameters-acceptable",
        "Has someone with the authority accepted this privacy loss for these people and this use?",
        "No number is right for every use. Say who decided, and on what grounds.",
    ),
)
