"""The limits of the policy against what the manifest states, one by one; the worst answer is that of the item."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ...record.reading.by_path import Record, as_number
from .item import Answer, met, not_met, unsettled
from .question import Case
from .support import Stated, stated

_SLACK = 1 + 1e-9
_EVERYBODY = "every adversary"
_ORDER = ("not met", "open", "met")


def within_limits(case: Case) -> Answer:
    """Every limit that is set is looked at; a limit that no check knows leaves the item open."""
    place = case.manifest.where("policy.limits")
    set_limits = {k: v for k, v in case.manifest.record("policy.limits").data.items() if v is not None}
    if not set_limits:
        return unsettled("the policy sets no limit", place)
    answers = [answer for name in set_limits if name != "delta" for answer in _answers(name, case)]
    if not answers:
        return unsettled("the policy limits delta, but no epsilon that it would belong to", place)
    worst = min(answers, key=lambda answer: _ORDER.index(answer.state))
    said = worst.why if worst.state != "met" else "; ".join(answer.why for answer in answers)
    return Answer(worst.state, said, (*worst.evidence, place))


def _answers(name: str, case: Case) -> Iterator[Answer]:
    limits = case.manifest.record("policy.limits")
    if name == "epsilon":
        yield _epsilon(limits, stated(case.manifest))
    elif name == "rho":
        yield _rho(limits, stated(case.manifest))
    elif name in ("information", "error"):
        for column, limit in _by_column(limits, name, case.manifest):
            yield (_information if name == "information" else _error)(case.manifest, column, limit)
    elif name == "unbiased_error":
        yield unsettled(
            "limits.unbiased_error was held against the table when it was released: it bounds unbiased adversaries who see the release "
            "alone, and no others",
            limits.where(name),
        )
    elif name == "utility":
        yield _utility(limits.record("utility"), case.manifest)
    else:
        yield unsettled(f"no check knows the limit {name!r}", limits.where(name))


def _epsilon(limits: Record, guarantees: tuple[Stated, ...]) -> Answer:
    most = limits.number("epsilon")
    slack = 0.0 if limits.get("delta") is None else limits.number("delta")
    bounded = [(one.place, point) for one in guarantees if (point := one.guarantee.point()) is not None]
    allowed = f"epsilon {most:g} at delta {slack:g}"
    for place, (epsilon, delta) in bounded:
        if 0 <= epsilon <= most * _SLACK and 0 <= delta <= slack * _SLACK:
            return met(f"epsilon {epsilon:.6g} at delta {delta:g}, at most {allowed} is allowed", place)
    return not_met(f"no guarantee stays within {allowed}", *(place for place, _ in bounded))


def _rho(limits: Record, guarantees: tuple[Stated, ...]) -> Answer:
    most = limits.number("rho")
    for one in guarantees:
        # What is epsilon-private is epsilon^2/2-zero-concentrated (Bun and Steinke 2016, proposition 1.4).
        epsilon = one.guarantee.cost().get("epsilon")
        rho = one.numbers.get("rho", -1.0) if epsilon is None else epsilon**2 / 2
        if 0 <= rho <= most * _SLACK:
            return met(f"rho {rho:.6g}, at most {most:g} is allowed", one.place)
    return not_met(f"no guarantee implies a rho of at most {most:g}")


def _by_column(limits: Record, name: str, manifest: Record) -> list[tuple[str | None, float]]:
    """The limit of each column; None stands for the whole record, that is the sum of errors."""
    given = limits.value(name)
    if isinstance(given, dict):
        inner = limits.record(name)
        return [(column, inner.number(column)) for column in given]
    number = limits.number(name)
    if name == "error":
        return [(None, number)]
    return [(one.text("name"), number) for one in manifest.records("mechanism.columns")]


def _information(manifest: Record, column: str | None, limit: float) -> Answer:
    place = manifest.where("costs.fisher_information")
    about = {one.text("about"): one.number("value") for one in manifest.records("costs.fisher_information")}
    values = [value for name, value in about.items() if column in (name, name.partition("=")[0])]
    if not values:
        return not_met(f"no Fisher information about {column!r} is stated, the limit is {limit:g}", place)
    if max(values) <= limit * _SLACK:
        return met(f"information about {column!r} {max(values):.6g}, at most {limit:g} is allowed", place)
    return not_met(
        f"the information about {column!r} is {max(values):.6g}, at most {limit:g} is allowed", place
    )


def _error(manifest: Record, column: str | None, limit: float) -> Answer:
    """The sum over the numbers of a column, or of the record; of bounds on one number the smallest counts."""
    place = manifest.where("error_bounds")
    bounds: dict[str | None, float] = {}
    for one in manifest.records("error_bounds"):
        # A limit on the error is about everybody: what holds the unbiased alone does not meet it.
        if not one.text("against").startswith(_EVERYBODY):
            continue
        name = None if one.value("column") is None else one.text("column")
        bounds[name] = min(one.number("bound"), bounds.get(name, math.inf))
    parts = [
        b
        for name, b in bounds.items()
        if name is not None and (column is None or name.partition("=")[0] == column or name == column)
    ]
    whole = bounds.get(None) if column is None else None
    if whole is None and not parts:
        return not_met(
            f"no error bound against every adversary for {column or 'the record'} is stated, the limit is {limit:g}",
            place,
        )
    total = math.fsum(parts) if whole is None else whole
    said = f"error bound for {column or 'the record'} {total:.6g}, at least {limit:g} is asked for"
    return met(said, place) if total * _SLACK >= limit else not_met(said, place)


def _utility(limit: Record, manifest: Record) -> Answer:
    place, measure, most = manifest.where("utility"), limit.text("measure"), limit.number("at_most")
    utility = manifest.value("utility")
    value = as_number(utility.get(measure)) if isinstance(utility, dict) else None
    if value is None:
        return unsettled(f"the manifest gives no {measure} to hold against the limit {most:g}", place)
    said = f"{measure} {value:.6g}, at most {most:g} is allowed"
    return met(said, place) if value <= most * _SLACK else not_met(said, place)
