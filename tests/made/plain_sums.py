"""What the page on statistics says of their sums, computed from record to record in plain Python."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any

from random_statistics import Case, Entries, Formula, Row, missing


def refused(case: Case) -> bool:
    """Whether the policy refuses a record of the table."""
    return any(
        place is None
        for row in case.rows
        for column in case.columns
        if column["role"] == "private"
        for place in [_read(column, row[column["name"]])]
    )


def _read(column: Entries, value: Any) -> tuple[Any] | None:
    """(value,) as it counts, (None,) where the record is left out of what needs it, None where it is refused."""
    rule = "kept"
    if missing(value):
        rule = column["missing"]
    elif column["kind"] == "category" and str(value) not in map(str, column["categories"]):
        rule = column["undeclared"]
    if rule == "refuse":
        return None
    if rule == "skip":
        return (None,)
    if isinstance(rule, Mapping):
        value = rule["value"]
    return (str(value) if column["kind"] == "category" else value,)


def _records(case: Case) -> list[Row]:
    kept = [c for c in case.columns if c["role"] == "private"]
    out = []
    for row in case.rows:
        read = {c["name"]: (_read(c, row[c["name"]]) or (None,))[0] for c in kept}
        # Of persons the key is read as well.
        read |= {case.person: row[case.person]} if case.person else {}
        out.append(read | {name: _made(formula, read) for name, formula in case.formulas.items()})
    return out


def _made(formula: Formula, row: Row) -> float | None:
    try:
        value = formula(row)
    except (ZeroDivisionError, ValueError, OverflowError):
        return None
    return value if math.isfinite(value) else None


def exact(case: Case, one: Entries) -> dict[tuple[Any, ...], Any]:
    """The numbers of a statistic by its groups: counts, or the clipped values that are summed."""
    columns = {c["name"]: c for c in (*case.columns, *({**d, "kind": "number"} for d in case.derived))}
    records = [r for r in _records(case) if _meets(r, one.get("where", {}))]
    if one["measure"] == "marginals":
        chosen = one["columns"]
        tables = combinations(chosen, one.get("ways", len(chosen)))
        whole = [r for r in records if all(r[n] is not None for n in chosen)]
        return {
            (names, key): value
            for names in tables
            for key, value in _counted(whole, [columns[n] for n in names]).items()
        }
    axes = [columns[n] for n in one.get("by", [])]
    if one["measure"] == "undeclared":
        records = [r for r in records if r[one["column"]] is None]
    if one["measure"] == "persons":
        kept = {(r[case.person], *(r[c["name"]] for c in axes)): r for r in records}
        records = list(kept.values())
    if one["measure"] in ("count", "persons", "undeclared"):
        return _counted(records, axes)
    if one["measure"] in ("distinct", "top"):
        counts = _counted(records, [*axes, columns[one["column"]]])
        if one["measure"] == "top":
            return counts
        inner = _labels(columns[one["column"]])
        return {
            key: sum(counts[(*key, label)] > 0 for label in inner) for key in product(*map(_labels, axes))
        }
    out: dict[tuple[Any, ...], Any] = {key: [] for key in product(*map(_labels, axes))}
    column = columns[one["column"]]
    for record in records:
        key = tuple(record[c["name"]] for c in axes)
        if None not in key and record[column["name"]] is not None:
            out[key].append(min(max(record[column["name"]], column["low"]), column["high"]))
    return out


def _labels(column: Entries) -> list[str]:
    return [str(c) for c in column["categories"]]


def _counted(records: list[Row], axes: list[Entries]) -> dict[tuple[Any, ...], Any]:
    out = dict.fromkeys(product(*map(_labels, axes)), 0)
    for record in records:
        key = tuple(record[c["name"]] for c in axes)
        if None not in key:
            out[key] += 1
    return out


def _meets(record: Row, where: Entries) -> bool:
    for name, wanted in where.items():
        value = record[name]
        if value is None:
            return False
        if isinstance(wanted, Mapping):
            if not wanted.get("low", -math.inf) <= value <= wanted.get("high", math.inf):
                return False
        elif str(value) not in map(str, wanted):
            return False
    return True


def in_edges(values: list[float], edges: Sequence[float]) -> list[int]:
    """How many values are in [e0, e1), [e1, e2), ...; the first and the last one take what lies beyond."""
    out = [0] * (len(edges) - 1)
    for value in values:
        out[sum(value >= edge for edge in edges[1:-1])] += 1
    return out


def edges_of(low: float, high: float, bins: int) -> list[float]:
    """Equal intervals between declared ends, each end the double nearest to the exact one."""
    width = (Fraction(high) - Fraction(low)) / bins
    return [*(float(Fraction(low) + k * width) for k in range(bins)), float(high)]
