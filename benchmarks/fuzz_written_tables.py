"""Random tables in random dialects of CSV, read back: the right numbers, or a refusal that says what to declare; never others.

python benchmarks/fuzz_written_tables.py [--cases 20000] [--seed 43]
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
from fuzzing.written_tables import judged, written


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=43)
    asked = parser.parse_args()
    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for case in range(asked.cases):
            one = written(np.random.default_rng([asked.seed, case]))
            for how, said in judged(one, Path(folder)).items():
                found[f"{how}: {said.partition(':')[0]}"] += 1
                if said.startswith("WRONG"):
                    print(f"case {case}, {how}, {one.keys}: {said}")
    for said, count in sorted(found.items()):
        print(f"{count:>8,}  {said}")


if __name__ == "__main__":
    main()
