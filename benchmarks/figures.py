"""Writes docs/figures.md from benchmarks/results/*.json and from what benchmarks/figures.toml chooses of them.

usage: python benchmarks/figures.py
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

from result import RESULTS

CHOICE = Path(__file__).with_suffix(".toml")
PAGE = Path(__file__).resolve().parents[1] / "docs" / "figures.md"


def page() -> str:
    """The page: the figures by subject, then the names of the other results."""
    results = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(RESULTS.glob("*.json"))}
    choice = tomllib.loads(CHOICE.read_text("utf-8"))
    lines = [choice["first"], "", "# Current figures", "", choice["text"], ""]
    for subject in choice["subject"]:
        lines += [f"## {subject['title']}", ""]
        for figure in subject["figure"]:
            lines += _figure(figure, results[figure["result"]])
    shown = {figure["result"] for subject in choice["subject"] for figure in subject["figure"]}
    rest = (
        f"`{name}` ({found['date'] or 'undated'})" for name, found in results.items() if name not in shown
    )
    return "\n".join([*lines, "## Further results", "", ", ".join(rest) + ".", ""])


def _figure(figure: dict[str, Any], result: dict[str, Any]) -> list[str]:
    machine = result["machine"] or "machine not recorded"
    command = result["command"] and f"`{result['command']}`"
    said = (result["date"], command, machine, result["commit"])
    lines = [f"### {figure['title']}", "", "; ".join(filter(None, said)) + ".", ""]
    lines += [figure["text"], ""] if "text" in figure else []
    for chosen in figure["sections"]:
        section = _section(result["sections"], chosen)
        columns = figure.get("columns", section["columns"]) if section["columns"] else []
        places = [c if isinstance(c, int) else section["columns"].index(c) for c in columns]
        kept = [r for r in section["rows"] if r[0] in figure.get("rows", [r[0]])][: figure.get("limit")]
        lines += [section["text"], ""] if section["text"] and not (columns and "text" in figure) else []
        if columns:
            rows = [[r[k].replace("|", "\\|") for k in places] for r in (section["columns"], *kept)]
            shown = [f"|{' | '.join(cells)}|" for cells in rows]
            lines += [shown[0], "|---" * len(places) + "|", *shown[1:], ""]
    return lines


def _section(sections: list[dict[str, Any]], chosen: int | str) -> dict[str, Any]:
    """The one of this title, which stays the same if others go; by its place where titles repeat."""
    if isinstance(chosen, int):
        return sections[chosen]
    [found] = [section for section in sections if section["title"] == chosen]
    return found


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
