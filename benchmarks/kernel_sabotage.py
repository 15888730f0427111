"""Sabotage of every proof in the project: no theorem that is false at a point may be accepted with the proof of a true one.

    python benchmarks/kernel_sabotage.py collect DIR [families queries programs] --to proofs.json
    python benchmarks/kernel_sabotage.py run proofs.json --state sabotage.json [--seed 1] [--part 0 500] [--each 3]
    python benchmarks/kernel_sabotage.py table sabotage.json ...
    python benchmarks/kernel_sabotage.py files DIR [--seed 1]

DIR is what `noiseproof papers -o DIR` made.  A sabotage changes one thing: a sign, a constant, a bound, an operation, the relation, a
hypothesis, a declared sign, the conclusion for another step's or the twin's; then one hint.  What it states is judged at points by mpmath,
which knows nothing of the kernel.  The state is written as it goes, and a run that was stopped goes on from it.  `files` puts proofs and
prints beside each other wrongly, and counts what the check of `verify` sees.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path

from kernel_trials import file_trial
from kernel_trials.collected import of_files, of_instruments, of_mechanisms, unique
from kernel_trials.sabotage_trial import Tally, by_source, one, table
from kernel_trials.state import read, write

_EVERY = 10


def collect(folder: Path, kinds: list[str], to: Path) -> int:
    """All proofs in one file."""
    found = unique(
        e for several in (of_files(folder), of_mechanisms(), of_instruments(kinds)) for e in several
    )
    to.write_text(json.dumps(found), encoding="utf-8")
    counts = Counter(e["source"] for e in found)
    print(
        f"{len(found):,} proofs that differ: " + ", ".join(f"{n:,} of {s}" for s, n in sorted(counts.items()))
    )
    return 0


def run(path: Path, state: Path | None, seed: int, part: list[int], each: int | None) -> int:
    """0 if nothing false was accepted and nothing crashed; of the proofs from one number to another."""
    entries = json.loads(path.read_text(encoding="utf-8"))[slice(*part)]
    number, seconds, tally = read(state, seed, Tally)
    start = time.perf_counter() - seconds
    while number < len(entries):
        one(entries[number], seed, tally, each)
        number += 1
        if number % _EVERY == 0 or number == len(entries):
            seconds = time.perf_counter() - start
            print(
                f"{number:,} of {len(entries):,} proofs, {sum(tally.counts.values()):,} sabotages, {len(tally.faults)} faults, "
                f"{len(tally.crashes)} crashes, {seconds:.0f} s",
                flush=True,
            )
            write(state, seed, number, seconds, tally)
    return told(tally, seconds)


def told(tally: Tally, seconds: float) -> int:
    """Prints what was counted; 1 if there is anything wrong."""
    print(table(tally), by_source(tally), sep="\n\n")
    print(
        f"\n{tally.originals:,} proofs, {seconds:.0f} s, the slowest answer {tally.slowest:.1f} s, {len(tally.slow)} over the limit"
    )
    for kind, step, why in (*tally.faults, *tally.crashes):
        print(f"{kind}: {json.dumps(step)}: {why}")
    for kind, step in tally.to_look_at:
        print(f"to be looked at: {kind}: {json.dumps(step)}")
    return 1 if tally.faults or tally.crashes else 0


def together(states: list[Path], seed: int) -> int:
    """What several runs counted, of different parts."""
    total, seconds = Tally(), 0.0
    for path in states:
        _, more, tally = read(path, seed, Tally)
        seconds += more
        total = Tally(
            total.counts + tally.counts,
            total.sources + tally.sources,
            total.faults + tally.faults,
            total.crashes + tally.crashes,
            total.slow + tally.slow,
            total.to_look_at + tally.to_look_at,
            total.originals + tally.originals,
            max(total.slowest, tally.slowest),
        )
    return told(total, seconds)


def files(folder: Path, seed: int) -> int:
    """0 if everything is seen, and nothing in the files as they stand."""
    tally = file_trial.of_files(folder, seed)
    print(file_trial.table(tally))
    print(
        f"\n{tally.counts['as it stands|clean']:,} rows as they stand, {len(tally.not_clean)} of them with a fault"
    )
    for row in tally.not_clean:
        print("a fault in a file as it stands:", json.dumps(row))
    for kind, row, why in tally.faults:
        print(f"missed: {kind}: {json.dumps(row)}: {why}")
    return 1 if tally.faults or tally.not_clean else 0


def main() -> int:
    """One of the four commands."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    first = commands.add_parser("collect")
    first.add_argument("folder", type=Path)
    first.add_argument("kinds", nargs="*", choices=[[], "families", "queries", "programs"])
    first.add_argument("--to", type=Path, required=True)
    second = commands.add_parser("run")
    second.add_argument("proofs", type=Path)
    second.add_argument("--state", type=Path)
    second.add_argument("--seed", type=int, default=1)
    second.add_argument("--part", type=int, nargs=2, default=[None, None], metavar=("FROM", "TO"))
    second.add_argument("--each", type=int, help="so many of each kind for each proof, by chance")
    third = commands.add_parser("files")
    third.add_argument("folder", type=Path)
    third.add_argument("--seed", type=int, default=1)
    fourth = commands.add_parser("table")
    fourth.add_argument("states", nargs="+", type=Path)
    fourth.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if given.command == "table":
        return together(given.states, given.seed)
    if given.command == "files":
        return files(given.folder, given.seed)
    if given.command == "collect":
        return collect(given.folder, given.kinds, given.to)
    return run(given.proofs, given.state, given.seed, given.part, given.each)


if __name__ == "__main__":
    sys.exit(main())
