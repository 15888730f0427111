"""What can be derived of a query: how far the answers of neighbours may be apart, and the pair that shows it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from typing import Any

import sympy as sp

from ....symbolic.sensitivity.answer import Sensitivity
from ....symbolic.sensitivity.query_over import DatasetQuery
from ...trial.spec.query_file import QueryFile
from .pair_picture import pair_pictures
from .sections import checked, proved, record_of, row, section, text

_NAMES = ("D_1", "D_2")
_SHOWN, _KEPT = 8, 1_000  # records of a data set on a page, and in the record


def derive_query(
    file: QueryFile, *, effort: float | None = None, command: str | None = None
) -> dict[str, Any]:
    """The record of a derivation; `effort` replaces what the file asks for. SpecError for what is unusable."""
    start = time.monotonic()
    effort = file.derive.effort if effort is None else effort
    found = file.query.sensitivity(file.norm, file.adjacency, tolerance=file.derive.tolerance, effort=effort)
    parts = [_answer_part(found)]
    pair = found.attained_at or found.ray
    if pair is not None:
        parts.append(_pair_part(file.query, found))
    outcome = _outcome(found, parts, file.derive.tolerance)
    return record_of(
        "query",
        file.title,
        outcome,
        found.sentence(),
        statement=_statement(file, found),
        answer=_answer(found),
        sections=parts,
        series=pair_pictures(file.query, found.attained_at),
        digest=file.digest,
        command=command,
        effort=effort,
        start=start,
    )


def _outcome(found: Sensitivity, parts: list[dict[str, Any]], tolerance: float) -> str:
    if not all(map(checked, parts)) or not proved(parts[0]):
        return "unknown"
    if found.infinite:
        return "infinite"
    if found.exact is not None:
        return "derived"
    if found.upper is None:
        return "unknown"
    return "enclosed" if found.gap <= tolerance else "bounded"


def _statement(file: QueryFile, found: Sensitivity) -> list[dict[str, str]]:
    query, stated = file.query, file.query.stated
    rows = []
    if stated is not None:
        vector = stated.vector
        value: Any = vector.entries[0] if len(vector.entries) == 1 else sp.Matrix(list(vector.entries))
        if vector.shape is not None:
            value = sp.Matrix(*vector.shape, list(vector.entries))
        note = (
            ""
            if query.each is None
            else f"of one record; the {query.each} over {query.n or 'n'} records is released"
        )
        symbols = [s for group in stated.records for s in group]
        rows.append(row(sp.Function("f")(*symbols), "=", value, note))
    else:
        rows.append({"left": "", "relation": "", "right": "", "note": query.describe()})
    said = {"left": "", "relation": "", "right": ""}
    rows.append({**said, "note": f"records: {found.domain}"})
    rows.append({**said, "note": f"neighbours: {found.adjacency}"})
    rows.append({**said, "note": f"distance of answers: {found.norm} norm"})
    return rows


def _answer_part(found: Sensitivity) -> dict[str, Any]:
    rows = []
    if found.infinite:
        rows.append(row("Delta", "=", sp.oo))
    elif found.exact is not None:
        rows.append(row("Delta", "=", found.exact))
    else:
        if found.lower is not None:
            rows.append(row("Delta", ">=", f"{float(found.at_least()):.9g}", "reached by the pair below"))
        if found.upper is not None:
            rows.append(row("Delta", "<=", f"{float(found.at_most()):.9g}", "proved"))
    words = f"by {found.method}" + (f"; {found.reason}" if found.reason else "")
    return section("The sensitivity", words, rows=rows, derivation=found.derivation)


def _pair_part(query: DatasetQuery, found: Sensitivity) -> dict[str, Any]:
    if found.attained_at is None:
        assert found.ray is not None
        rows = [row(name, "=", _dataset(side)[0]) for name, side in zip(_NAMES, found.ray, strict=True)]
        return section("A ray without end", "along it the answers come apart without bound", rows=rows)
    rows = []
    for name, side in zip(_NAMES, found.attained_at, strict=True):
        rows.append(row(name, "=", *_dataset(side)))
    for name, side in zip(_NAMES, found.attained_at, strict=True):
        entries = query(side)
        shown = entries[0] if len(entries) == 1 else sp.Matrix(list(entries))
        rows.append(row(f"f({name})", "=", shown))
    words = (
        "two neighbours whose answers are this far apart"
        if found.exact is None
        else "two neighbours that reach it"
    )
    return section("The pair", words, rows=rows)


def _dataset(side: Any) -> tuple[str, str]:
    """The records as a list, and a note; of many records those that differ, with how many there are of each."""
    records = [_record(record) for record in side]
    if len(records) <= _SHOWN:
        return f"[{', '.join(records)}]", ""
    counts = Counter(records)
    shown = list(counts)[:_SHOWN]
    times = {r: "once" if counts[r] == 1 else f"{counts[r]:,} times" for r in shown}
    many = ", ".join(f"{r} ({times[r]})" for r in shown)
    rest = f" and {len(counts) - _SHOWN:,} others" if len(counts) > _SHOWN else ""
    return f"[{', '.join(shown)}]", f"{len(records):,} records: {many}{rest}"


def _record(record: Any) -> str:
    if isinstance(record, Mapping):
        return f"({', '.join(_record(v) for v in record.values())})"
    if isinstance(record, tuple | list):
        return f"({', '.join(map(_record, record))})"
    return text(record) if isinstance(record, sp.Basic) else str(record)


def _answer(found: Sensitivity) -> dict[str, Any]:
    def dataset(side: Any) -> list[str]:
        return [_record(record) for record in side[:_KEPT]]

    pair, ray = found.attained_at, found.ray
    return {
        "exact": None if found.exact is None else text(found.exact),
        "lower": None if found.lower is None else str(found.at_least()),
        "upper": None if found.upper is None else str(found.at_most()),
        "infinite": found.infinite,
        "norm": found.norm,
        "adjacency": found.adjacency,
        "domain": found.domain,
        "method": found.method,
        "pair": None if pair is None else [dataset(side) for side in pair],
        "ray": None if ray is None else [dataset(side) for side in ray],
    }
