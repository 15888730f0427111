"""The result of a benchmark as benchmarks/results/NAME.json, made from the Markdown that the benchmark prints.

usage: python benchmarks/result.py NAME COMMAND   runs COMMAND in a shell and keeps what it prints as the result NAME
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import json
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

RESULTS = Path(__file__).resolve().parent / "results"
PACKAGES = ("noiseproof", "numpy", "scipy", "sympy", "scikit-learn", "python-flint")
_NO_TABLE: dict[str, list[Any]] = {"columns": [], "rows": []}


def row(*cells: str) -> str:
    """One row of a table."""
    return f"| {' | '.join(cells)} |"


def table(heading: str, rows: Iterable[str]) -> list[str]:
    """The rows under a heading "| a | b |", and an empty line behind them."""
    return [heading, row(*["---"] * (heading.count("|") - 1)), *rows, ""]


def sections_of(markdown: str) -> tuple[str, list[dict[str, Any]]]:
    """The first heading, and a section for each table: nearest heading, the text before it, columns, rows of cells as printed.

    Text behind the last table of a heading is a section without columns.
    """
    title, heading, text = "", "", ""
    sections: list[dict[str, Any]] = []
    for block in re.split(r"\n\s*\n", re.sub(r"(?m)^(#+ .*)$", r"\1\n", markdown) + "\n\n# "):
        first, *lines = block.strip().splitlines() or [""]
        if first.startswith("#"):
            if text:
                sections.append({"title": heading, "text": text, **_NO_TABLE})
            heading, text = first.lstrip("# "), ""
            title = title or heading
        elif first.startswith("|") and lines and not set(lines[0]) - set("|-: "):
            columns, *rows = (
                [_cell(c) for c in re.split(r"(?<!\\)\|", line)[1:-1]] for line in (first, *lines[1:])
            )
            sections.append({"title": heading, "text": text, "columns": columns, "rows": rows})
            text = ""
        elif first:
            text = f"{text}\n\n{block.strip()}".strip()
    return title, sections


def _cell(text: str) -> str:
    return text.strip().replace("\\|", "|")


def save(name: str, markdown: str, command: str, **known: Any) -> Path:
    """Writes results/NAME.json; a table without text keeps the text of the result before, if its heading and columns are the same."""
    path = RESULTS / f"{name}.json"
    title, sections = sections_of(markdown)
    before = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"title": "", "sections": []}
    texts = {(old["title"], *old["columns"]): old["text"] for old in before["sections"]}
    for section in sections:
        section["title"] = section["title"] or before["title"]
        section["text"] = section["text"] or texts.get((section["title"], *section["columns"]), "")
    found = {
        "name": name,
        "title": title or before["title"],
        "date": datetime.date.today().isoformat(),
        "command": command,
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        "commit": _commit(),
        "versions": {d.name: d.version for d in importlib.metadata.distributions() if d.name in PACKAGES},
        **known,
        "sections": sections,
    }
    path.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def _commit() -> str | None:
    git = ("git", "-C", str(RESULTS.parent), "rev-parse", "--short", "HEAD")
    return subprocess.run(git, capture_output=True, text=True).stdout.strip() or None


def benchmark(
    script: str,
    name: str,
    description: str,
    lines: Callable[[argparse.Namespace], list[str]],
    **numbers: tuple[int, str],
) -> None:
    """Prints what `lines` makes of the arguments, and saves it as the result `name`.

    `numbers` are the options of the command line, each with its default and its help.
    """
    parser = argparse.ArgumentParser(description=description)
    for option, (default, text) in numbers.items():
        parser.add_argument(f"--{option}", type=int, default=default, help=text)
    arguments = parser.parse_args()
    given = "".join(f" --{option} {getattr(arguments, option)}" for option in numbers)
    start = time.process_time()
    with threadpool_limits(1):
        found = lines(arguments)
    text = "\n".join([*found, f"Total: {time.process_time() - start:.0f} s of CPU on one core."]) + "\n"
    print(text, end="")
    save(name, text, f"python benchmarks/{Path(script).name}{given}")


if __name__ == "__main__":
    ran = subprocess.run(sys.argv[2], shell=True, stdout=subprocess.PIPE, text=True)
    print(ran.stdout, end="")
    if ran.returncode == 0:
        save(sys.argv[1], ran.stdout, sys.argv[2])
    sys.exit(ran.returncode)
