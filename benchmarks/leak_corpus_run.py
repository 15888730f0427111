"""The leak corpus under audit: which leaks are refuted, which twins stand, and what is left undecided.

    python benchmarks/leak_corpus_run.py --samples 20000 --seeds 3 --kept leak_corpus.jsonl

Each line of `--kept` is one audit; a run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

from leak_corpus import LEAK_CORPUS, LeakCase

from noiseproof.audit.trial.examine import examine
from noiseproof.mechanisms.black_box import BlackBox
from noiseproof.symbolic.privacy.guarantees import PureDP

ALPHA = 0.05
_APART = 1_000  # more than there are cases


def audit(leak_case: LeakCase, leaky: bool, samples: int, seed: int) -> dict[str, Any]:
    """One audit: what was said, what it took."""
    typed = leak_case.name.startswith(("type of", "true against 1"))
    box = BlackBox(leak_case.release(leaky), (0, 1), name=leak_case.name, types=typed)
    start = time.process_time()
    # Cases that shared a seed would share the luck of their coins, and their verdicts would not be independent.
    own = _APART * seed + LEAK_CORPUS.index(leak_case)
    certificate = examine(box, [PureDP(leak_case.epsilon)], alpha=ALPHA, samples=samples, seed=own)
    (finding,) = certificate.findings
    resolutions = [e.resolution for e in finding.evidence if e.resolution is not None]
    return {
        "name": leak_case.name,
        "leaky": leaky,
        "seed": seed,
        "samples": samples,
        "verdict": finding.verdict.name,
        "resolution": [str(r) for r in resolutions],
        "seconds": round(time.process_time() - start, 3),
    }


def table(rows: list[dict[str, Any]]) -> str:
    """Verdicts by kind of leak, and of the twins; then every leak_case that was not told rightly each time."""
    kinds = {e.name: e for e in LEAK_CORPUS}
    lines = []
    for leaky in (True, False):
        groups: dict[str, Counter[str]] = {}
        for row in rows:
            if row["leaky"] == leaky:
                groups.setdefault(kinds[row["name"]].kind, Counter())[row["verdict"]] += 1
        lines.append("leaks" if leaky else "twins")
        lines += [
            f"  {kind:8} " + ", ".join(f"{n} {v}" for v, n in sorted(found.items()))
            for kind, found in groups.items()
        ]
    wrong: dict[tuple[str, bool], Counter[str]] = {}
    for row in rows:
        if row["verdict"] != ("REFUTED" if row["leaky"] else "SURVIVED"):
            wrong.setdefault((row["name"], row["leaky"]), Counter())[row["verdict"]] += 1
    lines += [
        f"  {'leak' if leaky else 'twin'} of {name}: {dict(found)}" for (name, leaky), found in wrong.items()
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--samples", type=int, default=20_000)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--kept", type=Path, default=Path("leak_corpus.jsonl"))
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--side", choices=("leaks", "twins", "both"), default="both")
    options = parser.parse_args()
    sides = {"leaks": (True,), "twins": (False,), "both": (True, False)}[options.side]
    done = (
        [json.loads(line) for line in options.kept.read_text().splitlines()] if options.kept.exists() else []
    )
    seen = {(r["name"], r["leaky"], r["seed"], r["samples"]) for r in done}
    jobs = [
        (e, leaky, seed)
        for seed in range(options.seeds)
        for e in LEAK_CORPUS
        for leaky in sides
        if options.only in e.name and (e.name, leaky, seed, options.samples) not in seen
    ]
    with options.kept.open("a") as kept:
        for number, (e, leaky, seed) in enumerate(jobs, 1):
            row = audit(e, leaky, options.samples, seed)
            done.append(row)
            kept.write(json.dumps(row) + "\n")
            kept.flush()
            if number % 20 == 0:
                print(f"{number}/{len(jobs)}", flush=True)
    print(table([r for r in done if options.only in r["name"] and r["samples"] == options.samples]))


if __name__ == "__main__":
    main()
