"""The table of error cases in Markdown."""

from __future__ import annotations

import re

from .case import Case, Outcome

_LONGEST = 300


def head(count: int, wrong: int) -> str:
    return (
        "# CLI error cases\n\n"
        f"{count} commands and calls, most of them mistaken, each run in a fresh folder. A fault would be a traceback, exit code 3, "
        f"or a refused\ncommand that changed a file: {wrong or 'none'} of them with a fault. "
        "Made by `python -m benchmarks.cli_error_cases`.\n"
    )


def section(title: str, rows: list[tuple[Case, Outcome, list[str]]]) -> str:
    lines = [f"## {title}", "", "| case | exit code | message |", "| --- | ---: | --- |"]
    for case, outcome, found in rows:
        words = "".join(f" **{fault}**" for fault in found)
        lines.append(
            f"| {case.name}: {_code(case.line)} | {outcome.code} | {_cell(outcome.message)}{words} |"
        )
    return "\n".join(["", *lines, ""])


def _cell(text: str) -> str:
    short = text if len(text) <= _LONGEST else f"{text[:_LONGEST]} ..."
    # Random names, addresses and numbers of processes would change the page at each run.
    short = re.sub(r"0x[0-9A-Fa-f]{6,}", "0x...", re.sub(r"/\S*/error-case-[\w-]+", "FOLDER", short))
    short = re.sub(r"\.\d+\.partial", ".N.partial", short)
    return re.sub(r"([\\`*_<>|\[\]])", r"\\\1", short)


def _code(text: str) -> str:
    plain = " ".join(text.split()).replace("|", "\\|")
    return f"`` {plain} ``" if "`" in plain else f"`{plain}`"
