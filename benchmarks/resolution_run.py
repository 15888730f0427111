"""Printed shares of records in clear against the truth: each release gives away what its own audit said it would find.

    python benchmarks/resolution_run.py --samples 4000 --seeds 40 --kept resolution.jsonl

Each line of `--kept` is one release; a run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from leak_corpus import LEAK_CORPUS

import noiseproof as npf
from noiseproof.audit.record.evidence import Resolution

Release = Callable[[Any, int, np.random.Generator], Any]


def releases() -> dict[str, tuple[Release, npf.PureDP]]:
    """Sound twins of the leak corpus and plain mechanisms, each with its claim."""
    found: dict[str, tuple[Release, npf.PureDP]] = {
        "Laplace": (lambda d, n, r: d + r.laplace(size=n), npf.PureDP(1.0)),
        "Laplace twice as wide": (lambda d, n, r: d + r.laplace(scale=2, size=n), npf.PureDP(1.0)),
        "twenty numbers": (lambda d, n, r: d + r.laplace(scale=20, size=(n, 20)), npf.PureDP(1.0)),
        "answers": (lambda d, n, r: (r.random(n) < (0.7 if d else 0.3)) * 1, npf.PureDP(0.85)),
        "nothing": (lambda d, n, r: r.normal(size=(n, 5)), npf.PureDP(1.0)),
        "constant": (lambda d, n, r: np.zeros(n), npf.PureDP(1.0)),
        "categories": (lambda d, n, r: r.integers(0, 4, size=n), npf.PureDP(0.5)),
        "yes and no": (lambda d, n, r: [("no", "yes")[int(x)] for x in r.random(n) < 0.5], npf.PureDP(1.0)),
    }
    for leak_case in LEAK_CORPUS:
        found[leak_case.name] = (leak_case.release(False), npf.PureDP(leak_case.epsilon))
    return found


def in_clear(release: Release, share: float) -> Release:
    """The release, that gives its input away in this share of outcomes, as a service would: a field, a word, a number."""

    def leaky(d: Any, size: int, rng: np.random.Generator) -> Any:
        given = release(d, size, rng)
        hit = rng.random(size) < share
        numbers = isinstance(given, np.ndarray) and given.dtype.kind in "biuf"
        return [
            _told(outcome, d) if told else outcome
            for outcome, told in zip(given.tolist() if numbers else given, hit, strict=True)
        ]

    return leaky


def _told(outcome: Any, d: Any) -> Any:
    name = "bob" if d else "alice"
    if isinstance(outcome, str):
        return f"{outcome} for {name}"
    if isinstance(outcome, bytes):
        return outcome + b" for " + name.encode()
    if isinstance(outcome, dict):
        return outcome | {"for": name}
    if isinstance(outcome, list):
        return [*outcome[:-1], 0.123 + float(d)]
    return 0.123 + float(d) if isinstance(outcome, int | float) else [outcome, name]


def resolved(release: Release, claim: npf.PureDP, samples: int, seed: int) -> tuple[str, Resolution | None]:
    """The word of one audit and the resolution that it prints."""
    (finding,) = npf.examine(npf.BlackBox(release, (0, 1)), claim, samples=samples, seed=seed).findings
    return finding.verdict.name, next((e.resolution for e in finding.evidence if e.resolution), None)


def trial(name: str, samples: int, seeds: int) -> dict[str, Any]:
    """How often the departure that was printed is refuted."""
    release, claim = releases()[name]
    word, found = resolved(release, claim, samples, 1_000)
    row: dict[str, Any] = {"name": name, "samples": samples, "seeds": seeds, "word": word}
    if found is None or found.in_clear is None:
        return row
    leaky = in_clear(release, found.in_clear)
    words = [resolved(leaky, claim, samples, seed)[0] for seed in range(seeds)]
    return row | {"c": found.in_clear, "refuted": words.count("REFUTED")}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--samples", type=int, default=4_000)
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--every", type=int, default=1, help="each so many-th release only")
    parser.add_argument("--kept", type=Path, default=Path("resolution.jsonl"))
    options = parser.parse_args()
    rows = (
        [json.loads(line) for line in options.kept.read_text().splitlines()] if options.kept.exists() else []
    )
    seen = {(r["name"], r["samples"], r["seeds"]) for r in rows}
    with options.kept.open("a") as kept:
        for name in [*releases()][:: options.every]:
            if (name, options.samples, options.seeds) not in seen:
                rows.append(trial(name, options.samples, options.seeds))
                kept.write(json.dumps(rows[-1]) + "\n")
                kept.flush()
                print(rows[-1], flush=True)
    told = [r for r in rows if "c" in r]
    kept_word = sum(r["refuted"] >= 0.85 * r["seeds"] for r in told)
    print(f"{len(told)} shares, of which {kept_word} are found in at least 85 % of audits")


if __name__ == "__main__":
    main()
