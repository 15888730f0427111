"""CPU seconds and peak memory of one audit against the size of an outcome: text of 10 B to 100 kB, vectors of 1 to 100,000 numbers.

    python benchmarks/outcome_size.py                # prints a Markdown table
    python benchmarks/outcome_size.py --only vector  # cases whose name contains this

Each case is a process of its own, which stops after 120 s of CPU or at 8 GiB; the calls of the bare release are timed apart.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import noiseproof as npf

LETTERS = (10, 100, 1_000, 10_000, 100_000)
NUMBERS = (1, 10, 100, 1_000, 10_000, 100_000)
BYTES, LEAST, MOST = 40_000_000, 400, 20_000  # per input: of outcomes, and how many of them
SECONDS, MEMORY = 120, 8 << 30  # what a case may take
_RNG = np.random.default_rng(0)
_LINES = [
    f"2026-03-14T09:{m:02d}:{s:09.6f} INFO worker-{w} served /api/v2/items in {ms:.3f} ms id={i:08x}\n"
    for m, s, w, ms, i in zip(
        _RNG.integers(60, size=5_000),
        _RNG.uniform(0, 60, 5_000),
        _RNG.integers(64, size=5_000),
        _RNG.exponential(20, 5_000),
        _RNG.integers(2**32, size=5_000),
        strict=True,
    )
]
Release = Callable[[int, int, np.random.Generator], Any]


def text(letters: int, place: str) -> Release:
    """Lines of a log, in which a name stands at the start or in the middle; it is right three times in four."""

    def release(d: int, size: int, rng: np.random.Generator) -> list[str]:
        told = (rng.random(size) < 0.75) == d
        lines = rng.integers(len(_LINES), size=(size, letters // 90 + 2))
        out = []
        for who, row, short in zip(told, lines, rng.integers(10_000, size=size), strict=True):
            name = "alice" if who else "bobby"
            if letters < 40:
                out.append(f"{name} {short:04d}")
                continue
            body = "".join([_LINES[i] for i in row])[: letters - 12]
            half = 0 if place == "start" else len(body) // 2
            out.append(f"{body[:half]}user={name} {body[half:]}")
        return out

    return release


def vector(width: int) -> Release:
    """Laplace noise of scale 1 on each of so many numbers, the first of which moves by one."""

    def release(d: int, size: int, rng: np.random.Generator) -> Any:
        values = rng.laplace(size=(size, width))
        values[:, 0] += d
        return values

    return release


CASES: dict[str, tuple[Release, int]] = {
    **{f"text {n:,} B, name at the {p}": (text(n, p), n) for p in ("start", "middle") for n in LETTERS},
    **{f"vector of {d:,}": (vector(d), 8 * d) for d in NUMBERS},
}


def measured(name: str) -> dict[str, Any]:
    """One case in this process."""
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    release, size = CASES[name]
    samples = int(min(MOST, max(LEAST, BYTES // size)))
    start, rng = time.process_time(), np.random.default_rng(0)
    for d in (0, 1):
        for _ in range(10):
            release(d, max(samples // 10, 1), rng)
    drawing = time.process_time() - start
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    box = npf.BlackBox(release, (0, 1), name=name)
    (finding,) = npf.examine(box, npf.PureDP(1.0), samples=samples).findings
    taken = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "samples": samples,
        "bytes": 2 * samples * size,
        "drawing": drawing,
        "audit": taken - drawing,
        "before": before / 1024,
        "peak": peak / 1024,
        "verdict": finding.verdict.name,
    }


def row(name: str) -> str:
    """One case in a child."""
    done = subprocess.run(
        [sys.executable, __file__, "--case", name], capture_output=True, text=True, check=False
    )
    if done.returncode:
        why = (done.stderr.strip().splitlines() or [f"signal {-done.returncode}"])[-1]
        return f"| {name} | | | | | {why[:60]} |"
    m = json.loads(done.stdout)
    return (
        f"| {name} | {m['samples']:,} | {m['drawing']:.2f} | {m['audit']:.2f} | {1e9 * m['audit'] / m['bytes']:.0f} | "
        f"{m['peak']:.0f} | {m['verdict']} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--case", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.case:
        print(json.dumps(measured(options.case)))
        return
    print("| outcome | per input | drawing, s | audit, s | ns a byte | peak, MB | verdict |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | --- |")
    for name in CASES:
        if options.only in name:
            print(row(name), flush=True)


if __name__ == "__main__":
    main()
