"""The released numbers as a CSV file beside a Parquet one, from the manifest; None where it does not hold all of them."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Any

from ..audit.record.reading.by_path import Record, UnreadableError
from ..audit.release.spreadsheet import guarded
from .statistics_facts import KIND

NAME = "numbers.csv"


def numbers_csv(manifest: Mapping[str, Any]) -> str | None:
    """One line for each number, the columns of the data file; null is an empty cell, and no text is one that a spreadsheet runs."""
    record = Record.of(manifest, "release.json")
    if record.get("mechanism.kind") != KIND or record.get("policy.output.format") == "csv":
        return None
    results = record.records("mechanism.parameters.results")
    total = sum(int(one.number("numbers")) for one in record.records("mechanism.parameters.statistics"))
    if not results or len(results) < total:
        return None
    names = list(results[0].data)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(map(guarded, names))
    for one in results:
        if list(one.data) != names:
            raise UnreadableError(f"{one.place}: expected the columns {', '.join(names)}")
        writer.writerow([_cell(one.data[name]) for name in names])
    return text.getvalue()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else guarded(str(value))
