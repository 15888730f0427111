"""False alarms of whole audits of releases that are exactly at their claim, with exact intervals.

    python -m benchmarks.calibration_trials.alarms trials.jsonl --seconds 1500 --alpha 0.05 --samples 600

Each line of the file is one batch of seeds; the same command goes on after the last of them.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

from scipy import special

import noiseproof as npf

from .tight_cases import CASES, CHEAP

BATCH = 25
Key = tuple[str, float, int, bool]


def interval(found: int, trials: int, error: float = 0.05) -> tuple[float, float]:
    """The exact confidence interval of Clopper and Pearson for a rate."""
    low = float(special.betaincinv(found, trials - found + 1, error / 2)) if found else 0.0
    high = float(special.betaincinv(found + 1, trials - found, 1 - error / 2)) if found < trials else 1.0
    return low, high


def batch(key: Key, first: int) -> dict[str, Any]:
    """The verdicts of one batch of seeds."""
    name, alpha, samples, sequential = key
    subject, claim = CASES[name]()
    start, verdicts = time.process_time(), Counter[str]()
    for seed in range(first, first + BATCH):
        try:
            found = npf.examine(
                subject, claim, samples=samples, seed=seed, alpha=alpha, sequential=sequential
            )
            verdicts[found.verdict.name] += 1
        except npf.SpecError as error:
            verdicts[f"refused: {error}"[:80]] += 1
    return {"case": key, "first": first, "verdicts": verdicts, "cpu": time.process_time() - start}


def read(path: Path) -> tuple[dict[Key, Counter[str]], dict[Key, float]]:
    """What is done: verdicts and seconds of each series."""
    done: dict[Key, Counter[str]] = {}
    seconds: dict[Key, float] = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        row = json.loads(line)
        key: Key = tuple(row["case"])
        done.setdefault(key, Counter()).update(row["verdicts"])
        seconds[key] = seconds.get(key, 0.0) + row["cpu"]
    return done, seconds


def table(done: dict[Key, Counter[str]]) -> str:
    """One row a series; a lower end above alpha is a broken promise."""
    rows = ["| release | alpha | samples | audits | refuted | 95 % interval | undecided | refused |"]
    rows.append("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for (name, alpha, samples, sequential), verdicts in done.items():
        total, found = verdicts.total(), verdicts["REFUTED"]
        low, high = interval(found, total)
        refused = sum(n for word, n in verdicts.items() if word.startswith("refused"))
        said = f"{name}, sequential" if sequential else name
        ends = f"{low:.4f} to {high:.4f}" + (" ABOVE ALPHA" if low > alpha else "")
        rows.append(
            f"| {said} | {alpha:g} | {samples:,} | {total:,} | {found:,} | {ends} | {verdicts['UNDECIDED']:,} | {refused} |"
        )
    return "\n".join(rows)


def main() -> None:
    """Batches in turn, those with the fewest seconds so far first, until the time is up."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--seconds", type=float, default=0.0, help="of processor time; 0 prints the table")
    parser.add_argument("--alpha", type=float, default=0.05)
    parser.add_argument("--samples", type=int, default=600)
    parser.add_argument("--sequential", action="store_true")
    parser.add_argument("--cheap", action="store_true", help="only the releases whose audits cost least")
    parser.add_argument("--most", type=int, default=2_000, help="audits of each release")
    parser.add_argument(
        "--first", type=int, default=0, help="the first seed, so that several files may be joined"
    )
    chosen = parser.parse_args()
    keys = [
        (name, chosen.alpha, chosen.samples, chosen.sequential) for name in (CHEAP if chosen.cheap else CASES)
    ]
    start = time.process_time()
    while time.process_time() - start < chosen.seconds:
        done, seconds = read(chosen.file)
        counts = {key: done.get(key, Counter()).total() for key in keys}
        waiting = [key for key in keys if counts[key] < chosen.most]
        if not waiting:
            break
        key = min(waiting, key=lambda k: seconds.get(k, 0.0))
        row = batch(key, chosen.first + counts[key])
        with chosen.file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
    print(table(read(chosen.file)[0]))


if __name__ == "__main__":
    main()
