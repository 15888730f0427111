"""A benchmark's page: its command line, its Markdown tables, and how the lines get into the file and on the screen."""

from __future__ import annotations

import argparse
import datetime
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

DOCS = Path(__file__).resolve().parents[1] / "docs"


def row(*cells: str) -> str:
    """One row of a table."""
    return f"| {' | '.join(cells)} |"


def table(heading: str, rows: Iterable[str]) -> list[str]:
    """The rows under a heading "| a | b |", and an empty line behind them."""
    return [heading, row(*["---"] * (heading.count("|") - 1)), *rows, ""]


def benchmark(
    script: str,
    page: str,
    description: str,
    lines: Callable[[argparse.Namespace, str], list[str]],
    **numbers: tuple[int, str],
) -> None:
    """Writes docs/PAGE, or the file of --write: what `lines` makes of the arguments and of the words on date and command.

    `numbers` are the options of the command line, each with its default and its help.
    """
    parser = argparse.ArgumentParser(description=description)
    for name, (default, text) in numbers.items():
        parser.add_argument(f"--{name}", type=int, default=default, help=text)
    parser.add_argument("--write", type=Path, default=DOCS / page, help="where the page goes")
    arguments = parser.parse_args()
    given = "".join(f" --{name} {getattr(arguments, name)}" for name in numbers)
    made = f"{datetime.date.today().isoformat()}, `python benchmarks/{Path(script).name}{given}`"
    start = time.process_time()
    with threadpool_limits(1):
        found = lines(arguments, made)
    total = f"Total: {time.process_time() - start:.0f} s of CPU on one core."
    text = "\n".join([*found, total]) + "\n"
    arguments.write.write_text(text, encoding="utf-8")
    print(text, end="")
