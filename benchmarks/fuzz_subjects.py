"""Random subjects with claims on both sides of the truth: how often is a word wrong, and how often is there none?

python benchmarks/fuzz_subjects.py [--cases 3000] [--seed 20] [--module NAME ...]
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from importlib import import_module

from fuzzing.subject_case import Draw, Tally, tried

MODULES: tuple[str, ...] = (
    "formula_cases",
    "guarantee_cases",
    "law_cases",
    "matrix_cases",
)  # each has FAMILIES, a tuple of functions from a generator to a case


def families(modules: tuple[str, ...] = MODULES) -> tuple[Draw, ...]:
    """All families of the named modules of `fuzzing`."""
    return tuple(draw for name in modules for draw in import_module(f"fuzzing.{name}").FAMILIES)


def table(tally: Tally) -> str:
    """One Markdown row for each family and truth."""
    words = ("PROVED", "SURVIVED", "UNDECIDED", "REFUTED", "refused", "crashed")
    rows: dict[tuple[str, bool], Counter[str]] = {}
    for (family, holds, word), count in tally.words.items():
        rows.setdefault((family, holds), Counter())[word] += count
    lines = ["| family | truth | " + " | ".join(words) + " |", "| --- | --- |" + " ---: |" * len(words)]
    for (family, holds), counts in sorted(rows.items()):
        numbers = " | ".join(str(counts[word]) for word in words)
        lines.append(f"| {family} | {'holds' if holds else 'falls'} | {numbers} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--module", action="append", default=[])
    asked = parser.parse_args()
    start = time.perf_counter()
    tally = tried(families(tuple(asked.module) or MODULES), asked.cases, asked.seed)
    print(table(tally))
    print(f"\n{asked.cases} cases, seed {asked.seed}, {time.perf_counter() - start:.0f} s; ", end="")
    print(f"UNDECIDED {tally.share('UNDECIDED'):.1%}; wrong words and crashes: {len(tally.faults)}")
    for fault in tally.faults:
        print(f"- {fault}")
    raise SystemExit(bool(tally.faults))


if __name__ == "__main__":
    main()
