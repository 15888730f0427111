"""How many outcomes it takes until a violation falls, against the best that could be done; writes the result speed-of-refutation.

usage: python benchmarks/speed_of_refutation.py [--seeds 100] [--rare 0]
"""

from __future__ import annotations

import argparse
from statistics import median

import numpy as np
from result import benchmark, row, table
from zoo import ZOO, ZooEntry

import noiseproof as npf
from noiseproof.audit.trial.attack.betting import best_fraction
from noiseproof.audit.trial.checks.sequential import Sequential
from noiseproof.audit.trial.sampling import draw

ALPHA = 0.05
CEILING = 400_000  # pairs; what needs more is run with its density only, and on demand


def needed(entry: ZooEntry) -> float:
    """Pairs that the best bet on the best event of the exact law needs on average."""
    q, p = entry.rates()
    _, growth = best_fraction(np.append(p, 1 - q), np.append(q, 1 - p), entry.claim.epsilon, entry.delta)
    return float(np.log(1 / ALPHA) / growth.max())


def used(entry: ZooEntry, seed: int, samples: int, known: bool) -> tuple[int, bool]:
    """Outcomes per input, learning included, until the claim fell, and whether it did; `known`: with the density."""
    subject = entry.subject if known else entry.black_box()
    check = Sequential(npf.Claim(entry.claim, subject), subject.inputs)
    evidence = check.run(lambda x, n, stream: draw(subject, x, n, stream, seed), samples, ALPHA)
    return evidence.measured.samples[0], evidence.verdict.name == "REFUTED"


def cells(entry: ZooEntry, need: float, audits: int, samples: int, known: bool) -> list[str]:
    """What one kind of audit used: the median, its ratio to the need, how many fell."""
    found = [used(entry, seed, samples, known) for seed in range(audits)]
    pairs = median(n for n, _ in found)
    return [f"{pairs:,.0f}", f"{pairs / need:.2f}", f"{sum(fell for _, fell in found)} of {audits}"]


def sequential_rows(seeds: int, rare: int) -> list[str]:
    """A table row per violated mechanism."""
    out = []
    for entry in (e for e in ZOO if e.violates):
        need = needed(entry)
        if need > CEILING / 4:
            # An event of one outcome in 80,000 is never seen in the 100,000 outcomes that a black box is learnt from.
            black = ["not run", "", ""]
            white = cells(entry, need, rare, int(4 * need), True) if rare else black
        else:
            audits, samples = max(5, min(seeds, int(2_000_000 / need))), min(CEILING, int(20 * need) + 200)
            black, white = (cells(entry, need, audits, samples, known) for known in (False, True))
        out.append(row(entry.name, f"{need:,.0f}", *black, *white))
    return out


def half_sigma_rows(seeds: int) -> list[str]:
    """gauss_half_sigma against the Gaussian curve of its claimed scale, with its density and without."""
    (entry,) = (e for e in ZOO if e.name == "gauss_half_sigma")
    claim = npf.GaussianDP(1 / float(np.sqrt(2 * np.log(1.25 / entry.delta))))
    out = []
    for samples, subject, how in ((1_500, entry.subject, "with"), (3_000, entry.black_box(), "without")):
        fallen = sum(
            npf.examine(subject, claim, alpha=ALPHA, samples=samples, seed=seed).verdict.name == "REFUTED"
            for seed in range(seeds)
        )
        out.append(f"| {how} the density | {samples:,} | {fallen} of {seeds} |")
    return out


def lines(arguments: argparse.Namespace) -> list[str]:
    """The page."""
    return [
        "# How soon a violation falls",
        "",
        f"alpha = {ALPHA}.",
        "",
        "Sequential audits of a black box, and of the same code with its density. Needed: pairs that the best bet on the best",
        "event of the exact law needs on average; used: outcomes per input until the claim fell, median, learning included.",
        "A bet in both directions on all levels of a score can do with less than the best event needs.",
        "",
        *table(
            "| mechanism | needed | black box: used | ratio | fell | with the density: used | ratio | fell |",
            sequential_rows(arguments.seeds, arguments.rare),
        ),
        "`gauss_half_sigma` against the Gaussian curve that it claims, fixed sample sizes per input:",
        "",
        *table("| | samples | refuted |", half_sigma_rows(2 * arguments.seeds)),
    ]


if __name__ == "__main__":
    benchmark(
        __file__,
        "speed-of-refutation",
        "Outcomes until a violation falls.",
        lines,
        seeds=(100, "audits per mechanism"),
        rare=(
            0,
            "audits, with the density, of a mechanism that needs hundreds of millions of pairs: 15 minutes each",
        ),
    )
