"""Run all error cases and print the table of what came of them.

python -m benchmarks.cli_error_cases [--only WORD] > docs/cli-error-cases.md

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
    parser.add_argument("--only", default="", help="cases whose name or line has this word")
    only = parser.parse_args().only
    wrong, count, start = 0, 0, time.perf_counter()
    sections = []
    for title, cases in GROUPS.items():
        rows = []
        for case in cases:
            if only not in case.name and only not in case.line:
                continue
            begun = time.perf_counter()
            outcome = outcome_of(case)
            found = list(faults(case, outcome))
            rows.append((case, outcome, found))
            count += 1
            wrong += bool(found)
            if found:
                print(f"{title}: {case.name}: {'; '.join(found)}: {outcome.message}", file=sys.stderr)
            if (took := time.perf_counter() - begun) > 10:
                print(f"{title}: {case.name}: {took:.0f} s", file=sys.stderr)
        if rows:
            sections.append(section(title, rows))
    print("\n".join([head(count, wrong), *sections]), end="")
    print(f"{count} cases, {wrong} with a fault, {time.perf_counter() - start:.0f} s", file=sys.stderr)
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
