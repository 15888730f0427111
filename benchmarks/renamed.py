"""Old public names and what they are called now: `python benchmarks/renamed.py` prints the table, and fails on a leftover."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
LIST = ROOT / "benchmarks" / "results" / "renamed.json"
RENAMED: dict[str, dict[str, str]] = json.loads(LIST.read_text(encoding="utf-8"))
_WORDS = {
    "BROKEN",
    "Reference",
    "proof_of",
    "released_numbers",
}  # also mean something else, where nothing is imported


def patterns() -> dict[str, str]:
    """Old name -> the expression that finds it."""
    names = {old: old.rsplit(".", 1)[-1] for kind in RENAMED if kind != "files" for old in RENAMED[kind]}
    found = {
        old: rf"\b(npf|noiseproof)\.{name}\b" if old in _WORDS else rf"\b{name}\b"
        for old, name in names.items()
    }
    return found | {old: rf"\b{re.escape(Path(old).stem)}\b" for old in RENAMED["files"]}


def leftovers() -> list[str]:
    """FILE:LINE of each old name in a tracked file; the change log and the list itself may name them."""
    command = [
        "git",
        "grep",
        "-nIE",
        "|".join(patterns().values()),
        "--",
        ":!CHANGELOG.md",
        f":!{LIST.relative_to(ROOT)}",
    ]
    lines = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.splitlines()
    return [":".join(line.split(":", 2)[:2]) for line in lines]


if __name__ == "__main__":
    print(
        *(f"{kind:<8} {old:<30} {new}" for kind, rows in RENAMED.items() for old, new in rows.items()),
        sep="\n",
    )
    print(*(found := leftovers()), sep="\n")
    raise SystemExit(bool(found))
