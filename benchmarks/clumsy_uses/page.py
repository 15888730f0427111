"""The table of clumsy uses in Markdown."""

from __future__ import annotations

import re

from .use import Outcome, Use

_LONGEST = 300


def head(count: int, wrong: int) -> str:
    return (
        "# Clumsy uses\n\n"
        f"{count} things that people do by mistake, each in an empty folder of its own; {wrong} of them with a fault. "
        "No use may end in a traceback or\nexit code 3, a refused one (exit code 2) leaves every file as it was, and its "
        "message says what to do. Made by `python -m benchmarks.clumsy_uses`.\n"
    )


def section(title: str, rows: list[tuple[Use, Outcome, list[str]]]) -> str:
    lines = [f"## {title}", "", "| use | exit code | message |", "| --- | ---: | --- |"]
    for use, outcome, found in rows:
        words = "".join(f" **{fault}**" for fault in found)
        lines.append(f"| {use.name}: {_code(use.line)} | {outcome.code} | {_cell(outcome.message)}{words} |")
    return "\n".join(["", *lines, ""])


def _cell(text: str) -> str:
    short = text if len(text) <= _LONGEST else f"{text[:_LONGEST]} ..."
    # Random names, addresses and numbers of processes would change the page at each run.
    short = re.sub(r"0x[0-9A-Fa-f]{6,}", "0x...", re.sub(r"/\S*/clumsy-[\w-]+", "FOLDER", short))
    short = re.sub(r"\.\d+\.partial", ".N.partial", short)
    return re.sub(r"([\\`*_<>|\[\]])", r"\\\1", short)


def _code(text: str) -> str:
    plain = " ".join(text.split()).replace("|", "\\|")
    return f"`` {plain} ``" if "`" in plain else f"`{plain}`"
