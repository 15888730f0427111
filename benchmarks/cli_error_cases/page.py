"""The table of error cases in Markdown."""

from __future__ import annotations

import re

from .case import Case, Outcome

_LONGEST = 300


def head(count: int, wrong: int) -> str:
    return (
        "# CLI error cases\n\n"
        f"{count} things that people do by mistake, each in an empty folder of its own; {wrong} of them with a fault. "
        "No case may end in a traceback or\nexit code 3, a refused one (exit code 2) leaves every file as it was, and its "
        "message says what to do. Made by `python -m benchmarks.cli_error_cases`.\n"
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
