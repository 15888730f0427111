"""Audits the benchmark zoo with this checkout and with another in turn, row by row and seed by seed, and pairs what they give.

usage: python benchmarks/beside.py CHECKOUT [--seeds 39] [--samples 100000] [--first 0] [--rows svt4 ...]

CHECKOUT has its own `.venv/bin/python`.  A gap is oracle minus certified bound, its difference is this checkout's minus the
other's.  `d1000`, a thousand Laplace numbers at 20,000 samples, stands beside the rows and is no part of their sums.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

import numpy as np

HERE, WIDE, ALPHA = Path(__file__).resolve().parents[1], "d1000", 0.05


def serve(answers: int) -> None:
    """Audits each [row, samples, seed] of the standard input: its certified bound and CPU seconds."""
    import noiseproof as npf

    try:
        from zoo import ZOO
    except ImportError:  # where older commits have it
        from noiseproof.mechanisms.zoo import ZOO  # type: ignore[import-not-found, no-redef]
    far = np.zeros((2, 1_000))
    far[1, 0] = 1.0
    wide = npf.BlackBox(lambda x, n, rng: x + rng.laplace(size=(n, len(x))), (far[0], far[1]), name=WIDE)
    rows = {e.name: (e.black_box(), e.claim, e.delta) for e in ZOO} | {WIDE: (wide, npf.PureDP(1.0), 0.0)}

    def audit(name: str, samples: int, seed: int) -> tuple[float, float]:
        subject, claim, delta = rows[name]
        start = time.process_time()
        certificate = npf.examine(subject, claim, alpha=ALPHA, samples=samples, seed=seed)
        cpu = time.process_time() - start
        (evidence,) = certificate.findings[0].evidence
        return next(row["certified"] for row in evidence.bounds if row["delta"] == delta), cpu

    for name in rows:  # imports are no work of a row
        audit(name, 4_000, 0)
    with os.fdopen(answers, "w") as out:
        print(json.dumps([e.name for e in ZOO]), file=out, flush=True)
        for line in sys.stdin:
            print(json.dumps(audit(*json.loads(line))), file=out, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Audit the zoo with this checkout and another, paired.")
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--seeds", type=int, default=39)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--samples", type=int, default=100_000, help="per input, learning included")
    parser.add_argument("--rows", nargs="*", help="names of rows; all if not given")
    parser.add_argument("--keep", type=Path, help="a file to which every audit is added, one a line")
    arguments = parser.parse_args()
    one_thread = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}
    workers = []
    for tree in (HERE, arguments.checkout.resolve()):
        command = [str(tree / ".venv/bin/python"), __file__, "--serve"]
        env = os.environ | one_thread | {"PYTHONPATH": str(tree / "benchmarks")}
        workers.append(
            subprocess.Popen(
                command, cwd=tree, env=env, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
        )
    names, _ = (json.loads(w.stdout.readline()) for w in workers if w.stdout)
    found: dict[str, list[list[list[float]]]] = {}
    for seed in range(arguments.first, arguments.first + arguments.seeds):
        for name in arguments.rows or [*names, WIDE]:
            pair: list[list[float]] = [[], []]
            for side in (0, 1) if seed % 2 else (1, 0):
                worker = workers[side]
                assert worker.stdin
                assert worker.stdout
                size = 20_000 if name == WIDE else arguments.samples
                print(json.dumps([name, size, seed]), file=worker.stdin, flush=True)
                pair[side] = json.loads(worker.stdout.readline())
            found.setdefault(name, []).append(pair)
            if arguments.keep:
                with arguments.keep.open("a") as kept:
                    print(json.dumps([name, seed, *pair]), file=kept)
    print(page(found, arguments.samples))


def page(found: dict[str, list[list[list[float]]]], samples: int) -> str:
    """The paired table."""
    from black_box import oracle
    from scipy import stats
    from zoo import ZOO

    best = {e.name: oracle(e, samples) for e in ZOO}
    lines = [
        "| row | seeds | gap | other | mean difference | 95 % interval | CPU s | other |",
        "| --- " * 8 + "|",
    ]
    gaps, cpus = [], []
    for name, pairs in found.items():
        (bound, cpu), (other, its) = np.array(pairs).transpose(1, 2, 0)
        worse = other - bound
        half = stats.t.ppf(0.975, len(worse) - 1) * stats.sem(worse) if len(worse) > 1 else np.inf
        row = best.get(name, 0.0) - median(bound), best.get(name, 0.0) - median(other)
        if name != WIDE:
            gaps.append(row)
            cpus.append((median(cpu), median(its)))
        lines.append(
            f"| {name} | {len(worse)} | {row[0]:.4f} | {row[1]:.4f} | {worse.mean():+.4f} | "
            f"[{worse.mean() - half:+.4f}, {worse.mean() + half:+.4f}] | {median(cpu):.3f} | {median(its):.3f} |"
        )
    for what, of in (("median gap", median), ("worst gap", max)) if gaps else ():
        lines.append(f"\n{what}: {of(g[0] for g in gaps):.4f}, other {of(g[1] for g in gaps):.4f}")
    mine, its = np.sum(cpus, axis=0) if cpus else (0.0, 0.0)
    return "\n".join(
        [*lines, f"\nCPU of all rows: {mine:.2f} s, other {its:.2f} s, ratio {mine / (its or 1):.3f}"]
    )


if __name__ == "__main__":
    if sys.argv[1:] == ["--serve"]:
        answers = os.dup(1)
        os.dup2(2, 1)  # what else is printed does not disturb the answers
        serve(answers)
    else:
        main()
