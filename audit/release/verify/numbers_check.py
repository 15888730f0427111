"""Whether the data file of a release of statistics holds the numbers that its manifest and its pages show."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ....symbolic.errors import SpecError, counted
from ...record.checked import Checked
from ..numbers_frame import numbers_table

_ENOUGH = 5_000


def check_numbers(directory: Path, manifest: Mapping[str, Any], name: str) -> list[Checked]:
    """The first numbers row by row, as many as a manifest holds; nothing for other kinds of release."""
    if manifest["mechanism"]["kind"] != "statistics":
        return []
    shown = manifest["mechanism"]["parameters"].get("results")
    if not isinstance(shown, list):
        return [Checked("numbers", "fails", "mechanism.parameters.results: expected a list", name)]
    try:
        table = numbers_table(directory / name)
    except SpecError as error:
        return [Checked("numbers", "fails", error.message, name)]
    written = table.slice(0, _ENOUGH).to_pylist()
    if len(written) != len(shown):
        said = f"{counted(len(written), 'number')} stand here, {len(shown)} in the manifest"
        return [Checked("numbers", "fails", said, name)]
    for i, (one, other) in enumerate(zip(written, shown, strict=True)):
        if one != other:
            return [Checked("numbers", "fails", f"number {i + 1} is not that of the manifest", name)]
    more = len(table) - len(shown)
    left = f"; {counted(more, 'number')} more stand in no manifest, and were not looked at" if more else ""
    return [Checked("numbers", "holds", f"{len(shown)} are those of manifest and page{left}", name)]
