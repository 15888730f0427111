"""Run all clumsy uses and print the table of what came of them.

python -m benchmarks.clumsy_uses [--only WORD] > docs/clumsy-uses.md

Exit code: 0 nothing is wrong, 1 something is; what is wrong goes to standard error.
"""

from __future__ import annotations

import argparse
import sys
import time

from .catalogue import GROUPS
from .judging import faults
from .page import head, section
from .running import outcome_of


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="uses whose name or line has this word")
    only = parser.parse_args().only
    wrong, count, start = 0, 0, time.perf_counter()
    sections = []
    for title, uses in GROUPS.items():
        rows = []
        for use in uses:
            if only not in use.name and only not in use.line:
                continue
            begun = time.perf_counter()
            outcome = outcome_of(use)
            found = list(faults(use, outcome))
            rows.append((use, outcome, found))
            count += 1
            wrong += bool(found)
            if found:
                print(f"{title}: {use.name}: {'; '.join(found)}: {outcome.message}", file=sys.stderr)
            if (took := time.perf_counter() - begun) > 10:
                print(f"{title}: {use.name}: {took:.0f} s", file=sys.stderr)
        if rows:
            sections.append(section(title, rows))
    print("\n".join([head(count, wrong), *sections]), end="")
    print(f"{count} uses, {wrong} with a fault, {time.perf_counter() - start:.0f} s", file=sys.stderr)
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
