"""Releases are interrupted and killed at random points: is a table anywhere on the disk that its ledger has not counted?

python benchmarks/fuzz_interrupts.py [--rounds 240] [--seed 20] [--rows 150000] [--commands 12]

A round is a process that runs `noiseproof release`, with a ledger, and a signal: one Ctrl-C, two in quick succession, or kill -9,
over its whole time or while its hidden folder is there.  A data file with any content counts as a table that can be read:
in the hidden folder when the signal is sent or after it, or in the release.  `--commands` of the rounds start a Python of
their own; the others are forked from one that has loaded the code, so that more of the time is drawing and writing.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

SIGNALS = {
    "SIGINT": (signal.SIGINT,),
    "SIGINT, SIGINT": (signal.SIGINT, signal.SIGINT),
    "SIGKILL": (signal.SIGKILL,),
}
ENDS = ("nothing charged", "reserved, nothing drawn", "spent, nothing left", "spent, a part left", "released")
_POLICY = """title = "People"
[table]
path = "table.csv"
rows_public = true
[[columns]]
name = "age"
kind = "number"
role = "private"
low = 0
high = 100
[[columns]]
name = "hours"
kind = "integer"
role = "private"
low = 0
high = 80
[mechanism]
kind = "optimal"
half_width = 30.0
[limits]
error = 50.0
[audit]
samples = 2000
bits = false
[ledger]
path = "table.ledger"
table_id = "people"
[output]
format = "FORMAT"
"""


@dataclass
class Seen:
    """What became of the rounds: ends by signal, tables that could be read in all, and what must never be."""

    ends: Counter[tuple[str, str]] = field(default_factory=Counter)
    tables: int = 0
    faults: list[str] = field(default_factory=list)


def prepared(folder: Path, rows: int, seed: int) -> None:
    """A table, a policy for each format, and a ledger that never runs out."""
    from noiseproof.audit.release.ledger import Cost, Information, Ledger

    rng = np.random.default_rng(seed)
    lines = (
        f"{a:.3f},{h}" for a, h in zip(rng.uniform(0, 100, rows), rng.integers(0, 81, rows), strict=True)
    )
    (folder / "table.csv").write_text("age,hours\n" + "\n".join(lines) + "\n")
    for form in ("csv", "parquet"):
        (folder / f"{form}.toml").write_text(_POLICY.replace("FORMAT", form))
    units = {"age": "unit of the column", "hours": "unit of the column"}
    budget = Cost(fisher_information=tuple(Information(n, 1e9, u) for n, u in units.items()))
    Ledger.create(folder / "table.ledger", "people", budget)


def _arguments(folder: Path, form: str) -> list[str]:
    return ["release", str(folder / f"{form}.toml"), "-o", str(folder / "out"), "-q"]


def command(folder: Path, form: str) -> int:
    """The process id of a release with a Python of its own."""
    run = [sys.executable, "-P", "-m", "noiseproof", *_arguments(folder, form)]
    return subprocess.Popen(run, stderr=subprocess.DEVNULL).pid


def forked(folder: Path, form: str) -> int:
    """The process id of a release in a copy of this process."""
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        from noiseproof.cli import app

        app(_arguments(folder, form), standalone_mode=False)
        status = 0
    finally:
        os._exit(status)


def round_of(
    folder: Path,
    start: Callable[[Path, str], int],
    signals: tuple[signal.Signals, ...],
    whole: float,
    rng: random.Random,
    form: str,
) -> bool:
    """Starts a release, sends the signals at a random point and waits: whether a data file was there at that point."""
    late, pid = rng.random() < 0.7, start(folder, form)
    begun = time.monotonic()
    if late:
        while not _hidden(folder) and _runs(pid) and time.monotonic() < begun + 4 * whole + 30:
            time.sleep(0.0005)
    time.sleep(rng.uniform(0, (0.5 if late else 1.0) * whole))
    seen = any(_content(path) for path in _hidden(folder))
    for number, one in enumerate(signals):
        if number:
            time.sleep(rng.uniform(0, 0.03))
        if _runs(pid):
            os.kill(pid, one)
    while _runs(pid):
        time.sleep(0.002)
    return seen


def tried(
    folder: Path, rounds: int, seed: int, commands: int, say: Callable[[str], None] = lambda text: None
) -> Seen:
    """So many rounds; every table that is left is kept, and the ledger is compared with their number after each."""
    from noiseproof.audit.release.ledger import Ledger

    rng, seen = random.Random(seed), Seen()
    times = {start: _whole(folder, start) for start in (forked, *([command] if commands else []))}
    seen.tables = len(times)
    for number in range(rounds):
        start = command if number < commands else forked
        name = list(SIGNALS)[number % len(SIGNALS)]
        form = "csv" if rng.random() < 0.5 else "parquet"
        before = Ledger.open(folder / "table.ledger").book().entries
        was_there = round_of(folder, start, SIGNALS[name], times[start], rng, form)
        left = [path for path in _hidden(folder) if _content(path)]
        released = (folder / "out").exists()
        for k, path in enumerate([*_hidden(folder), *([folder / "out"] if released else [])]):
            path.rename(folder / f"kept-{number}-{k}")
        book = Ledger.open(folder / "table.ledger").book()
        new = [entry for key, entry in book.entries.items() if key not in before]
        seen.tables += bool(was_there or left or released)
        end = ENDS[4] if released else ENDS[3] if left else ENDS[2]
        if not new:
            end = ENDS[0]
        elif new[-1].state != "settled" and not released and not left:
            end = ENDS[1]
        seen.ends[name, end] += 1
        counted = [entry for entry in book.entries.values() if entry.state != "withdrawn"]
        cost = next(iter(book.entries.values())).charge
        if len(counted) < seen.tables or any(book.spent()[k] < v * seen.tables for k, v in cost.items()):
            seen.faults.append(f"round {number} ({name}): {seen.tables} tables, {len(counted)} counted")
        if (was_there or left or released) and not any(entry.state == "settled" for entry in new):
            seen.faults.append(f"round {number} ({name}): a table whose entry could be withdrawn")
        if number % 20 == 19:
            say(
                f"{number + 1} rounds, {seen.tables} tables, {len(counted)} entries, {len(seen.faults)} faults"
            )
    return seen


def table(seen: Seen) -> str:
    """One Markdown row for each signal."""
    lines = ["| signal | " + " | ".join(ENDS) + " |", "| --- |" + " ---: |" * len(ENDS)]
    lines += [f"| {n} | " + " | ".join(str(seen.ends[n, end]) for end in ENDS) + " |" for n in SIGNALS]
    return "\n".join(lines)


def _whole(folder: Path, start: Callable[[Path, str], int]) -> float:
    """Seconds of a release that is left alone."""
    begun, pid = time.monotonic(), start(folder, "csv")
    while _runs(pid):
        time.sleep(0.002)
    assert (folder / "out").is_dir(), "the release that nobody interrupts fails"
    (folder / "out").rename(folder / f"whole-{start.__name__}")
    return time.monotonic() - begun


def _hidden(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.name.startswith(".out.")]


def _content(partial: Path) -> bool:
    """Whether a data file in it holds more than the first bytes of its format."""
    try:
        sizes = [path.stat().st_size for path in partial.iterdir() if path.name.startswith("data.")]
    except OSError:
        return False
    return any(size > len('"age","hours"\n') for size in sizes)


def _runs(pid: int) -> bool:
    try:
        return os.waitpid(pid, os.WNOHANG) == (0, 0)
    except ChildProcessError:
        return False


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=240)
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--rows", type=int, default=150_000)
    parser.add_argument("--commands", type=int, default=12)
    asked = parser.parse_args()
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        prepared(folder, asked.rows, asked.seed)
        _warm(folder)
        seen = tried(folder, asked.rounds, asked.seed, asked.commands, lambda text: print(text, flush=True))
    print(table(seen))
    print(
        f"\n{asked.rounds} rounds, seed {asked.seed}, {asked.rows} rows, {time.perf_counter() - begun:.0f} s; "
        f"tables that could be read: {seen.tables}; faults: {len(seen.faults)}"
    )
    for fault in seen.faults:
        print(f"- {fault}")
    raise SystemExit(bool(seen.faults))


def _warm(folder: Path) -> None:
    """Loads what a release loads and plans one, but opens no table: a library whose threads run must not be forked."""
    import pyarrow.csv
    import pyarrow.parquet  # noqa: F401

    from noiseproof.audit.release.plan import plan
    from noiseproof.audit.release.policy import read_policy
    from noiseproof.audit.release.releasing import audited
    from noiseproof.cli import app  # noqa: F401
    from noiseproof.release_command import pages  # noqa: F401

    planned = plan(read_policy(folder / "csv.toml"))
    _ = planned.kind.terms, planned.kind.figures()
    audited(planned)


if __name__ == "__main__":
    main()
