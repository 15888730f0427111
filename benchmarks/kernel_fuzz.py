"""A hundred thousand wrong theorems for the kernel of proofs: none may be accepted.

python benchmarks/kernel_fuzz.py [--count 100000] [--seed 1] [--state kernel_fuzz.json]

Every theorem is true by construction, such a one with one to three changes, or wholly random; what is false at a point (mpmath, 50
digits; quadrature for integrals) is counted as wrong.  The state is written as it goes, and a run that was stopped goes on from it.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path

from kernel_trials.state import read, write
from kernel_trials.trial import Tally, one

_EVERY = 1_000


def table(tally: Tally) -> str:
    """Counts by family, as a table of Markdown."""
    rows = [
        "| family | false | accepted | changed, false at no point | accepted | true | accepted |",
        "|" + " --- |" * 7,
    ]
    wrong: Counter[str] = Counter()
    for name in sorted({*tally.false, *tally.true, *tally.not_refuted}):
        cells = (
            tally.false,
            wrong,
            tally.not_refuted,
            tally.changed_accepted,
            tally.true,
            tally.true_accepted,
        )
        rows.append(f"| {name} | " + " | ".join(f"{c[name]:,}" for c in cells) + " |")
    sums = [tally.false, tally.not_refuted, tally.changed_accepted, tally.true, tally.true_accepted]
    total = [f"{sum(c.values()):,}" for c in sums]
    return "\n".join([*rows, f"| all | {total[0]} | {len(tally.faults)} | " + " | ".join(total[1:]) + " |"])


def main() -> int:
    """0 if nothing false was accepted."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=100_000, help="false theorems to try")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--state", type=Path)
    options = parser.parse_args()
    number, seconds, tally = read(options.state, options.seed, Tally)
    start = time.perf_counter() - seconds
    while sum(tally.false.values()) < options.count:
        one(number, options.seed, tally)
        number += 1
        if number % _EVERY == 0:
            seconds = time.perf_counter() - start
            print(
                f"{number:,} steps, {sum(tally.false.values()):,} false, {len(tally.faults)} of them accepted, {seconds:.0f} s",
                flush=True,
            )
            write(options.state, options.seed, number, seconds, tally)
    print(table(tally))
    print(f"{number:,} steps, {time.perf_counter() - start:.0f} s, the slowest answer {tally.slowest:.1f} s")
    for step, wrong in tally.faults:
        print(json.dumps(step), wrong)
    return 1 if tally.faults else 0


if __name__ == "__main__":
    sys.exit(main())
