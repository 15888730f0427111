"""What the manifest of a release of statistics holds beyond that of other releases: numbers, split of the budget, ledger."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..audit.record.reading.by_path import Record, as_number
from .ledger_history import LedgerHistory, ledger_histories
from .released_numbers import ALL_ROWS, ROWS, NumberRow, drawn_rows, finite_ends, read_numbers
from .text import number

KIND = "statistics"
_SENTENCES, _LINES = 12, 60
_MEASURES = {
    "count": "number of records",
    "persons": "number",
    "distinct": "number of values that occur",
    "top": "values with the largest counts",
    "sum": "sum",
    "mean": "mean",
    "variance": "variance",
    "quantile": "quantiles",
    "ends": "ends of clipping, drawn first",
    "ranges": "number of records in ranges",
    "marginals": "number of records in tables that cross columns",
    "regression": "coefficients of least squares",
}


@dataclass(frozen=True)
class StatisticFacts:
    """One statistic: what it is, its rows on the page, and how many more there are."""

    name: str
    measure: str
    unit: str
    groups: tuple[str, ...]
    records: str
    numbers: int
    interval: str
    probability: float
    suppressed: str
    noise: str
    useless: int
    figures: tuple[tuple[str, str], ...]
    rows: tuple[NumberRow, ...]
    more: int
    quantities: bool
    scale: str

    @property
    def marked(self) -> int:
        """The rows on the page that are marked."""
        return sum(row.suppressed for row in self.rows)


@dataclass(frozen=True)
class ShareFacts:
    """What one draw costs, of the whole budget, and what it buys."""

    part: str
    percent: float
    cost: str
    noise: str
    adds: str
    multiplier: float


@dataclass(frozen=True)
class Purse:
    """One amount of the ledger, in parts of 100: spent before, by this release, and left."""

    name: str
    before: float
    here: float
    left: float
    sentence: str


@dataclass(frozen=True)
class ReleasedStatistics:
    """All of it."""

    statistics: tuple[StatisticFacts, ...]
    shares: tuple[ShareFacts, ...]
    currency: str
    sentences: tuple[str, ...]
    more_sentences: int
    verdict: str
    conditions: tuple[str, ...]
    more_conditions: int
    risk: str
    purses: tuple[Purse, ...]
    histories: tuple[LedgerHistory, ...]
    numbers: int
    held: int


def statistics_facts(manifest: Mapping[str, Any]) -> ReleasedStatistics | None:
    """The facts, None for another kind of release; ValueError names the place that holds something else than expected."""
    record = Record.of(manifest, "release.json")
    if record.get("mechanism.kind") != KIND:
        return None
    inner = record.record("mechanism.parameters")
    shares = _shares(inner)
    results = inner.records("results") if inner.get("results") is not None else ()
    left, found = ALL_ROWS, []
    noise = {share.part: share.noise for share in shares}
    for one in inner.records("statistics"):
        utility = _utility(record, one.text("name"))
        found.append(_statistic(one, results, utility, noise, min(left, ROWS), _counting(record)))
        left -= len(found[-1].rows)
    sentences = inner.texts("split_sentences")
    said = {*sentences, inner.text("split_verdict")}
    lines = tuple(line for line in inner.texts("split") if line not in said)
    return ReleasedStatistics(
        statistics=tuple(found),
        shares=shares,
        currency="rho" if inner.text("noise") == "gaussian" else "epsilon",
        sentences=sentences[:_SENTENCES],
        more_sentences=max(0, len(sentences) - _SENTENCES),
        verdict=inner.text("split_verdict"),
        conditions=lines[:_LINES],
        more_conditions=max(0, len(lines) - _LINES),
        risk=inner.text("attack_risk"),
        purses=_purses(record),
        histories=_histories(record),
        numbers=sum(one.numbers for one in found),
        held=len(results),
    )


def _utility(record: Record, name: str) -> dict[str, Any]:
    """The figures of usefulness of one statistic; names may hold points, so that no path leads there."""
    given = record.get("utility.statistics")
    found = given.get(name) if isinstance(given, dict) else None
    return found if isinstance(found, dict) else {}


def _counting(record: Record) -> str:
    """The records that are counted, in words: of a person those beyond the declared number are left out."""
    most = record.get("policy.table.rows_per_person")
    return "records" if most is None else f"records that count (at most {most} a person)"


def _of_those(said: str, counting: str) -> str:
    return said if counting == "records" else f"{said}, of the {counting}"


def _statistic(
    one: Record,
    results: tuple[Record, ...],
    utility: dict[str, Any],
    noise: dict[str, str],
    most: int,
    counting: str,
) -> StatisticFacts:
    measure, groups = one.text("measure"), one.texts("groups")
    if one.value("unit") == "records":
        counting = "records"
    numbers = read_numbers(results, one.text("name"), groups)
    rows, scale = drawn_rows(numbers[:most], measure, finite_ends(one))
    records = one.value("records")
    only = ", ".join(map(str, records)) if isinstance(records, list) else ""
    useless = as_number(utility.get("useless_at_declared_size")) or 0
    total = one.number("numbers")
    return StatisticFacts(
        name=one.text("name"),
        measure=_MEASURES.get(measure, measure).replace("records", counting),
        unit=one.text("unit") if one.value("unit") else "",
        groups=groups,
        records=_of_those(f"those with {only}" if only else "all", counting),
        numbers=int(total) if math.isfinite(total) else 0,
        interval=one.text("interval"),
        probability=one.number("probability"),
        suppressed=one.text("suppressed"),
        noise=_noise_of(one.text("name"), one.texts("parts"), noise),
        useless=int(useless) if math.isfinite(useless) else 0,
        figures=tuple((str(k).replace("_", " "), _said(v)) for k, v in utility.items()),
        rows=rows,
        more=max(len(numbers), int(total) if math.isfinite(total) else 0) - len(rows),
        quantities=measure in ("quantile", "ends", "top", "marginals", "regression"),
        scale=scale,
    )


def _noise_of(name: str, parts: tuple[str, ...], noise: dict[str, str]) -> str:
    """The noise of what a statistic is computed from; of several draws each with what it is of it."""
    if len(parts) == 1:
        return noise.get(parts[0], "")
    said: dict[str, list[str]] = {}
    for part in parts:
        said.setdefault(noise.get(part, ""), []).append(part.rpartition(", ")[2] or name)
    return "; ".join(f"{' and '.join(what)}: {law}" for law, what in said.items())


def _said(value: Any) -> str:
    return number(value) if as_number(value) is not None else str(value)


def _shares(inner: Record) -> tuple[ShareFacts, ...]:
    budget = _fraction(inner.text("budget"))
    out = []
    for one in inner.records("parts"):
        cost, deviation = _fraction(one.text("share")), as_number(one.get("deviation"))
        law = one.text("law")
        step = 1.0 if one.get("step") is None else _fraction(one.text("step"))
        fine = "" if step == 1 else f", in steps of {number(step)}"
        of_step = f" ({one.text('step_is')})" if one.get("step_is") is not None else ""
        spread = "" if deviation is None else f", deviation {number(deviation * step)}{fine}{of_step}"
        percent = 100 * cost / budget if budget else 0.0
        out.append(
            ShareFacts(
                one.text("part"),
                min(max(percent, 0.0), 100.0),
                number(cost),
                f"{law}{spread}",
                one.text("query"),
                one.number("multiplier"),
            )
        )
    return tuple(out)


def _fraction(text: str) -> float:
    """A fraction of whole numbers; 0 for anything else."""
    top, _, bottom = text.partition("/")
    if not (top.isdecimal() and (bottom or "1").isdecimal()) or len(text) > 800 or int(bottom or 1) == 0:
        return 0.0
    try:
        return int(top) / int(bottom or 1)
    except OverflowError:
        return 0.0


def _histories(record: Record) -> tuple[LedgerHistory, ...]:
    """The charges of the ledger until this release, amount by amount; none in manifests of earlier versions."""
    if record.get("ledger.history") is None:
        return ()
    spent, left = record.record("ledger.spent").data, record.record("ledger.remaining").data
    known = {name: (as_number(spent[name]), as_number(left.get(name))) for name in spent}
    limits = {name: a + max(b, 0.0) for name, (a, b) in known.items() if a is not None and b is not None}
    return ledger_histories(limits, record.records("ledger.history"))


def _purses(record: Record) -> tuple[Purse, ...]:
    """What the ledger's entry says, amount by amount; what this release costs in it is its stated cost."""
    if record.value("ledger") is None:
        return ()
    spent, left = record.record("ledger.spent").data, record.record("ledger.remaining").data
    own = {name: as_number(record.get(f"costs.{name}")) for name in ("epsilon", "rho")}
    pair = record.get("costs.approximate")
    if isinstance(pair, list) and len(pair) == 2:
        stated = dict(zip(("epsilon", "delta"), map(as_number, pair), strict=True))
        own = {**stated, **{k: v for k, v in own.items() if v is not None}}
    out = []
    for name in spent:
        used, rest = as_number(spent[name]), as_number(left.get(name))
        if used is None or rest is None or not 0 < used + max(rest, 0.0) < math.inf or own.get(name) is None:
            continue
        total, mine = used + max(rest, 0.0), min(own[name] or 0.0, used)
        before = used - mine if used - mine > 1e-9 * used else 0.0
        said = (
            f"{name}: {number(before)} spent by earlier releases, {number(mine)} by this one, {number(float(rest))} left of "
            f"{number(total)}"
        )
        out.append(Purse(name, 100 * before / total, 100 * mine / total, 100 * max(rest, 0.0) / total, said))
    return tuple(out)
