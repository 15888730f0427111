"""Items of the checklist for statistics: every draw has a sensitivity that was derived and tried, and a law that costs what is stated."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ....symbolic.privacy.guarantees import GUARANTEES, PureDP, ZeroConcentratedDP
from ...record.certificate import Finding
from ...record.evidence import Verdict
from ...record.reading.by_path import Record, UnreadableError, as_number
from . import algorithm
from .item import Answer, met, not_applicable, not_met, unsettled
from .question import Case
from .support import Stated, findings_of_part, pointers, stated

_READING = 1e-9
_FRACTION = re.compile(r"(\d{1,400})(?:/([1-9]\d{0,399}))?")
_TABLES = ", of marginals"  # several tables of the same records, each with noise of its own
_NORMS = {"gaussian": "l2", "laplace": "l1", f"gaussian{_TABLES}": "l2", f"laplace{_TABLES}": "l1"}
_CHOICE = "exponential mechanism"


@dataclass(frozen=True)
class _Part:
    """One draw of the manifest, and the findings about what it is drawn from."""

    record: Record
    name: str
    law: str
    findings: tuple[Finding, ...]

    @property
    def good(self) -> Finding | None:
        """A finding that bounds how far one unit moves it."""
        norm = _NORMS.get(self.law, "l1")
        right = (f for f in self.findings if f.claim["parameters"].get("norm") == norm)
        return next((f for f in right if f.as_expected and f.verdict >= Verdict.SURVIVED), None)


def _parts(case: Case) -> tuple[_Part, ...]:
    found = []
    for one in case.manifest.records("mechanism.parameters.parts"):
        name = one.text("part")
        found.append(_Part(one, name, one.text("law"), findings_of_part(name, case.certificate)))
    if not found:
        raise UnreadableError("release.json: mechanism.parameters.parts: expected what is drawn")
    return tuple(found)


def _places(parts: tuple[_Part, ...]) -> tuple[str, ...]:
    return tuple(place for part in parts for place in pointers(part.findings))


def carried_by_draws(case: Case) -> Answer:
    guarantees, parts = stated(case.manifest), _parts(case)
    if not guarantees:
        return unsettled("no guarantee of differential privacy is stated", case.manifest.where("guarantees"))
    gaussian = case.manifest.text("mechanism.parameters.noise") == "gaussian"
    costs = []
    for part in parts:
        refuted = tuple(f for f in part.findings if f.verdict is Verdict.REFUTED)
        if refuted:
            return not_met(f"refuted: how far one unit moves {part.name!r}", *pointers(refuted))
        if part.good is None:
            return unsettled(
                f"no finding bounds how far one unit moves {part.name!r}", *pointers(part.findings)
            )
        costs.append(_cost(part, part.good, gaussian))
    spent = math.fsum(costs)
    name = "rho" if gaussian else "epsilon"
    for one in guarantees:
        if not _follows(spent, one, gaussian):
            said = f"the draws cost {name} {spent:.6g} together, from which {one.kind} as it is stated does not follow"
            return not_met(said, one.place, *_places(parts))
    said = f"{len(parts)} draws, each with the sensitivity of a finding and the noise of the manifest, cost {name} {spent:.6g} together"
    return met(f"{said}; what is stated follows from that", *_places(parts))


def _cost(part: _Part, finding: Finding, gaussian: bool) -> float:
    """The rho ("gaussian") or epsilon of one draw, from the sensitivity of the finding and the law of the manifest."""
    moved = _value(finding)
    if part.law == "gaussian" and gaussian:
        return moved**2 / (2 * _fraction(part.record, "variance"))
    if part.law == "laplace" and not gaussian:
        return moved / _fraction(part.record, "scale")
    if part.law.endswith(_TABLES):
        tables = part.record.record("marginals")
        laws = [Record.of(law, tables.place) for law in tables.data.values()]
        if gaussian:
            return math.fsum(moved**2 / (2 * _fraction(law, "variance")) for law in laws)
        return math.fsum(moved / _fraction(law, "scale") for law in laws)
    if part.law == _CHOICE:
        # Scores are weighed by epsilon / (2 reach): one unit moves them by the sensitivity.
        epsilon = _fraction(part.record, "epsilon") * moved / part.record.number("reach")
        return epsilon**2 / 8 if gaussian else epsilon
    raise UnreadableError(f"{part.record.where('law')}: no cost is known of {part.law!r:.60}")


def _value(finding: Finding) -> float:
    """The sensitivity that was claimed."""
    from ....symbolic.proof.expressions import parse

    value = finding.claim["parameters"].get("value")
    number = as_number(value)
    found = float(parse(value, {})) if number is None and isinstance(value, str) else number
    if found is None or not math.isfinite(found) or found < 0:
        raise UnreadableError(f"certificate.json#{finding.id}: expected a sensitivity, got {value!r:.60}")
    return found


def _fraction(record: Record, name: str) -> float:
    """A positive number that is written as a fraction of whole numbers."""
    match = _FRACTION.fullmatch(record.text(name))
    value = 0.0 if match is None else int(match[1]) / int(match[2] or 1)
    if not value > 0:
        raise UnreadableError(f"{record.where(name)}: expected a fraction above 0, such as 5/2")
    return value


def _follows(spent: float, one: Stated, gaussian: bool) -> bool:
    guarantee = ZeroConcentratedDP(spent) if gaussian else PureDP(spent)
    if type(one.guarantee) is type(guarantee):
        number = one.numbers["rho" if gaussian else "epsilon"]
        return spent <= number * (1 + _READING)
    point = one.guarantee.point()
    return point is not None and float(guarantee.curve()(point[0])) <= point[1] * (1 + _READING)


def law_is_proved(case: Case) -> Answer:
    parts = _parts(case)
    for part in parts:
        verdict = None if part.good is None else part.good.sentences["law"]
        if verdict is not Verdict.PROVED:
            said = "not derived" if verdict is None else f"{verdict.name}, not PROVED"
            return unsettled(
                f"{part.name!r}: how far one unit moves what noise is added to is {said}",
                *pointers(part.findings),
            )
    return met(
        "how far one unit moves what noise is added to is derived for every draw, from checked steps and cited lemmas; what the noise "
        "then costs is that of the Gaussian or Laplace distribution on the whole numbers (Canonne, Kamath, Steinke 2020), or of the exponential "
        "mechanism, and costs add up",
        *_places(parts),
    )


def same_sums_and_laws(case: Case) -> Answer:
    """What was audited are the sums of the manifest: same query, cells, groups and records, for every draw."""
    subjects = {s.get("name"): s.get("parameters") for s in case.certificate.subjects}
    parts = _parts(case)
    for part in parts:
        tried = subjects.get(part.name)
        if not isinstance(tried, dict):
            return unsettled(f"nothing named {part.name!r} was audited", part.record.place)
        for name in ("query", "cells", "groups", "records"):
            if tried.get(name) != part.record.get(name):
                return not_met(
                    f"{part.name!r}: the audit was of {name} {tried.get(name)!r:.80}, the manifest says "
                    f"{part.record.get(name)!r:.80}",
                    part.record.where(name),
                    *pointers(part.findings),
                )
    return met("what was audited for every draw are the sums of the manifest", *_places(parts))


def bounds_are_declared(case: Case) -> Answer:
    if case.manifest.records("mechanism.columns"):
        return algorithm.bounds_are_declared(case)
    return not_applicable(
        "no number is summed or clipped: records are counted by declared categories alone",
        case.manifest.where("policy.columns"),
    )


def code_survived(case: Case) -> Answer:
    parts = _parts(case)
    for part in parts:
        if any(f.sentences["code"] is Verdict.REFUTED for f in part.findings):
            return not_met(f"the code moves {part.name!r} further than is stated", *pointers(part.findings))
        if part.good is None or part.good.sentences["code"] is not Verdict.SURVIVED:
            return unsettled(
                f"{part.name!r}: the code that sums was not attacked, or the attack settled nothing",
                *pointers(part.findings),
            )
        if _value(part.good) == 0:
            continue  # one unit moves nothing: there is nothing smaller to refute, and nothing that noise hides
        controls = [f for f in case.certificate.findings if f.is_control and f.subject == part.name]
        if not any(f.as_expected for f in controls):
            return unsettled(
                f"{part.name!r}: no smaller sensitivity was refuted, so nothing shows what the attack would have found",
                *pointers(tuple(controls)),
            )
    drawn = tuple(f for f in case.certificate.findings if _of_noise(f))
    for part in parts:
        if part.good is not None and _value(part.good) == 0:
            continue
        if not any(f.title.startswith(f"{part.name}: ") for f in drawn):
            return unsettled(
                f"{part.name!r}: the code that sums survived; that its noise follows its distribution was not tried in this run",
                *pointers(part.findings),
            )
    return met(
        "the code that sums was run on neighbours, hostile ones among them, and moved no further than is stated, while half of it was refuted "
        "for every draw; the code that draws was tried against its distribution",
        *_places(parts),
        *pointers(drawn),
    )


def _of_noise(finding: Finding) -> bool:
    """Whether it is about the code that draws."""
    tried = finding.sentences["code"] is Verdict.SURVIVED or finding.sentences["fit"] is Verdict.SURVIVED
    return not finding.is_control and tried and finding.claim["predicate"] in GUARANTEES


def grid(case: Case) -> Answer:
    parts = _parts(case)
    strange = [p for p in parts if p.law not in (*_NORMS, _CHOICE)]
    if strange:
        return unsettled(
            f"{strange[0].law!r:.60} is no distribution on the whole numbers that is known here",
            strange[0].record.place,
        )
    return met(
        "sums are whole numbers of steps and so is the noise, drawn by whole-number arithmetic; every published number follows from them",
        case.manifest.where("mechanism.parameters.parts"),
    )


def bytes_follow(case: Case) -> Answer:
    answer = grid(case)
    if answer.state != "met":
        return answer
    return met(
        "what is written is computed from noisy whole numbers and declared facts alone: there are no digits of a floating-point sum or noise "
        "that could tell more",
        *answer.evidence,
    )


def utility_is_no_leak(case: Case) -> Answer:
    """Deviations of counts are those of the laws of the manifest; of quotients and sums no more than their names is known here."""
    utility, place = case.manifest.value("utility"), case.manifest.where("utility")
    if utility == "withheld":
        return met("utility figures are withheld", place)
    record = case.manifest.record("utility")
    strange = [name for name in record.data if name not in ("basis", "statistics")]
    names = {one.text("name"): one for one in case.manifest.records("mechanism.parameters.statistics")}
    deviations = {p.name: as_number(p.record.get("deviation")) for p in _parts(case)}
    for name in record.record("statistics").data:
        one, said = names.get(name), record.record("statistics").data[name]
        unknown = [k for k in said if k not in _FIGURES] if isinstance(said, dict) else [name]
        if one is None or unknown:
            strange.append(str(name if one is None else unknown[0]))
        elif one.text("measure") == "count":
            drawn = deviations.get(one.texts("parts")[0])
            if drawn is None or not math.isclose(
                as_number(said.get("deviation")) or 0.0, drawn, rel_tol=_READING
            ):
                return not_met(f"the deviation of {name!r} is not that of its noise", place)
    if strange:
        return unsettled(f"{strange[0]!r:.60} may have been computed from the table", place)
    return met(
        "figures of usefulness follow from the distributions of the noise and declared sizes: `noiseproof verify` computes them again from the policy",
        place,
    )


_FIGURES = (
    "numbers",
    "share",
    "size",
    "deviation",
    "interval_half_width",
    "probability",
    "within_ranks",
    "least_count_told_from_zero",
    "useless_at_declared_size",
)
CHECKS: dict[str, Callable[[Case], Answer]] = {
    "parameters-carried": carried_by_draws,
    "algorithm-law": law_is_proved,
    "algorithm-bounds": bounds_are_declared,
    "utility-leak": utility_is_no_leak,
    "implementation-configuration": same_sums_and_laws,
    "implementation-code": code_survived,
    "side-bytes": bytes_follow,
    "side-grid": grid,
}
HINTS: dict[str, str] = {
    "utility-bias": "Noise of equal scale affects small groups most; values outside the declared bounds are clipped to them, and records "
    "without a declared value are left out or refused.",
    "trust-recipients": "The data card, the data dictionary and this page are written for them.",
}


def of(kind: object) -> tuple[Mapping[str, Callable[[Case], Answer]], Mapping[str, str]]:
    """Checks and hints, by the key of their item, that take the place of the general ones for this kind of release."""
    return (CHECKS, HINTS) if kind == "statistics" else ({}, {})
