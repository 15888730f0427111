"""A manifest read once, strictly: page, data card and registry print these facts and compute nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..audit.record.reading.by_path import Record, UnreadableError, as_number
from ..audit.release.checklist.support import stated
from ..audit.release.manifest import ErrorFigure, typical_noise
from ..audit.release.statistics.membership_risk import membership_risk, right_at_most
from ..symbolic.privacy.guarantees import ZeroConcentratedDP
from .text import number, value_text

_LISTED = 12

SCHEMA = "noiseproof-release-1"
# Of statistics: said in places of their own.
_ELSEWHERE = ("attack_risk", "split_verdict")
_BY_COLUMN = ("mean-squared-error", "relative-error", "root_mean_squared_noise", "mean_absolute_noise")
_READABLE = 30.0  # beyond, e^epsilon says no more than the epsilon


@dataclass(frozen=True)
class Column:
    """A private column: its declared interval, and the noise on it as pairs of name and value."""

    name: str
    unit: str
    low: float
    high: float
    noise: tuple[tuple[str, str], ...]
    exponent: int | None


@dataclass(frozen=True)
class ReleaseFacts:
    """What a manifest says, of known types."""

    title: str
    created: str
    corrects: str
    mechanism: str
    parameters: tuple[tuple[str, str], ...]
    columns: tuple[Column, ...]
    public: tuple[str, ...]
    guarantees: tuple[tuple[str, str], ...]
    adjacency: str
    unit_of_privacy: str
    private: tuple[str, ...]
    most_rows: float | None
    resizes: bool
    point: tuple[float, float] | None
    risk: str
    costs: tuple[tuple[str, str], ...]
    ledger: tuple[tuple[str, str], ...] | None
    bounds: tuple[ErrorFigure, ...]
    information: tuple[tuple[str, float, str], ...]
    utility: str | tuple[tuple[str, str], ...]
    does_not_mean: tuple[str, ...]
    rows: int | None
    salted_digest: str | None
    files: tuple[tuple[str, str, int], ...]
    versions: tuple[tuple[str, str], ...]


def release_facts(manifest: Mapping[str, Any]) -> ReleaseFacts:
    """The facts of release.json; ValueError names the place that holds something else than expected."""
    record = Record.of(manifest, "release.json")
    if record.get("schema") != SCHEMA:
        raise UnreadableError(
            f'expected a manifest with "schema": "{SCHEMA}", got {record.get("schema")!r}; '
            "write one with `noiseproof release POLICY`"
        )
    digest = record.value("table.salted_digest")
    point, risk = _loss(record, record.text("unit_of_privacy"))
    return ReleaseFacts(
        title=record.text("title"),
        created=record.text("created"),
        corrects="" if record.get("policy.corrects") is None else record.text("policy.corrects"),
        mechanism=record.text("mechanism.kind"),
        parameters=_parameters(record),
        columns=tuple(_column(one) for one in record.records("mechanism.columns")),
        public=_with_role(record, "public"),
        guarantees=tuple((one.text("kind"), one.text("sentence")) for one in record.records("guarantees")),
        adjacency=record.text("adjacency"),
        unit_of_privacy=record.text("unit_of_privacy"),
        private=_with_role(record, "private"),
        most_rows=as_number(record.get("policy.table.rows_per_person")),
        resizes=_resizes(record),
        point=point,
        risk=risk,
        costs=_costs(record),
        ledger=None if record.value("ledger") is None else _pairs(record, "ledger", without=("history",)),
        bounds=tuple(_bound(one) for one in record.records("error_bounds")),
        information=tuple(
            (one.text("about"), one.number("value"), (unit := _unit(one)) and f"({unit})^-2")
            for one in _listed(record, "costs.fisher_information")
        ),
        utility=_utility(record),
        does_not_mean=record.texts("does_not_mean"),
        rows=_whole(record, "table.rows"),
        salted_digest=None if digest is None else record.text("table.salted_digest"),
        files=tuple(
            (one.text("name"), one.text("sha256"), _whole(one, "bytes") or 0)
            for one in record.records("files")
        ),
        versions=_pairs(record, "versions"),
    )


def _with_role(record: Record, role: str) -> tuple[str, ...]:
    return tuple(one.text("name") for one in record.records("policy.columns") if one.get("role") == role)


def _loss(record: Record, unit: str) -> tuple[tuple[float, float] | None, str]:
    """The first epsilon that is stated, with its delta, and how often an attacker is right at most by all that is stated."""
    kind, resizes = record.get("mechanism.kind"), _resizes(record)
    within = " within the protected set" if kind == "compression" else ""
    try:
        known = [one.guarantee for one in stated(record)]
        point = next((p for one in known if (p := one.point()) is not None and p[0] < _READABLE), None)
        rho, slack = (as_number(record.get(f"costs.{name}")) for name in ("rho", "delta_slack"))
        known += [] if rho is None else [ZeroConcentratedDP(rho)]
        if not known or kind == "statistics":  # which states its own
            return point, ""
        right = min(right_at_most(one, slack or 0.0) for one in known)
        return point, membership_risk(right, unit, resizes=resizes, within=within)
    except (ValueError, OverflowError):
        return None, ""


def _resizes(record: Record) -> bool:
    return record.text("adjacency").startswith("add-or-remove")


def _utility(record: Record) -> str | tuple[tuple[str, str], ...]:
    """The measures of usefulness, those of columns in their units, none summed over columns."""
    given = record.value("utility")
    units = {one.text("name"): _unit(one) for one in record.records("mechanism.columns")}
    try:
        return (
            given
            if isinstance(given, str)
            else (*_pairs(record, "utility", without=_BY_COLUMN), *typical_noise(given, units).items())
        )
    except (AttributeError, KeyError, TypeError, ValueError):
        return _pairs(record, "utility")


def _pairs(
    record: Record, path: str, *, brief: bool = False, without: tuple[str, ...] = ()
) -> tuple[tuple[str, str], ...]:
    """The entries of an object, values as text; what is empty is left out, and with `brief` objects and long lists."""
    entries = {name: value for name, value in record.record(path).data.items() if value is not None}
    return tuple(
        (str(name).replace("_", " "), readable(value))
        for name, value in entries.items()
        if name not in without and not (brief and _is_long(value))
    )


def _parameters(record: Record) -> tuple[tuple[str, str], ...]:
    """The parameters of the mechanism, a budget that is stated as a fraction as a decimal."""
    pairs = _pairs(record, "mechanism.parameters", brief=True, without=_ELSEWHERE)
    return tuple((name, _decimal(said) if name == "budget" else said) for name, said in pairs)


def _decimal(said: str) -> str:
    found = re.fullmatch(r"(\d{1,30})/([1-9]\d{0,29})", said, re.ASCII)
    return number(int(found[1]) / int(found[2])) if found else said


def _costs(record: Record) -> tuple[tuple[str, str], ...]:
    """What one unit pays, whose pair of epsilon and delta is called so."""
    pairs = _pairs(record, "costs", without=("fisher_information", "approximate"))
    both = record.get("costs.approximate")
    if both is None:
        return pairs
    numbers = both if isinstance(both, list) else [both]
    return (*pairs, ("(epsilon, delta)", f"({', '.join(map(readable, numbers))})"))


def _is_long(value: Any) -> bool:
    return isinstance(value, dict) or (
        isinstance(value, list) and (len(value) > 3 or any(isinstance(one, dict | list) for one in value))
    )


def _listed(record: Record, path: str) -> tuple[Record, ...]:
    return record.records(path) if record.get(path) is not None else ()


def readable(value: Any) -> str:
    """A value of the manifest in words: entries and lists in a row, long lists cut."""
    if isinstance(value, dict):
        entries = [f"{name} {readable(one)}" for name, one in value.items() if one is not None]
        return ", ".join(entries) or "none"
    if isinstance(value, list):
        cut = f"; {len(value) - _LISTED} more in release.json" if len(value) > _LISTED else ""
        return "; ".join(readable(one) for one in value[:_LISTED]) + cut or "none"
    if isinstance(value, int) and as_number(value) is None and not isinstance(value, bool):
        return "a number beyond all doubles"
    return value_text(value)


def _column(one: Record) -> Column:
    name, low, high = one.text("name"), one.number("low"), one.number("high")
    noise = tuple(("distribution" if key == "law" else key, said) for key, said in _pairs(one, "noise"))
    return Column(name, _unit(one), low, high, noise, _whole(one, "exponent"))


def _bound(one: Record) -> ErrorFigure:
    column = one.value("column")
    return ErrorFigure(
        None if column is None else one.text("column"), one.number("bound"), _unit(one), one.text("against")
    )


def _unit(one: Record) -> str:
    unit = one.get("unit")
    return "" if unit in (None, "unit of the column") else str(unit)


def _whole(record: Record, path: str) -> int | None:
    value = record.value(path)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) >= 2**63:
        raise UnreadableError(f"{record.where(path)}: expected a whole number below 2^63, got {value!r:.80}")
    return value
