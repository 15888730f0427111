"""How far bits betray textbook samplers, at what cost, and whether sound mechanisms survive; prints Markdown tables.

Run: python benchmarks/bits.py [samples] [--seeds 20]
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from float_noise.grid_laplace import GridLaplace
from float_noise.snapping import Snapping

import noiseproof as npf

Release = Callable[[Any, int, np.random.Generator], Any]

SAMPLES, SEEDS = 200_000, 20
SNAPPING = Snapping(10.0, 1000.0)
ANSWERS = {0.1: 0.7, 0.7: 0.1}


def _laplace(scale: float) -> Release:
    return lambda d, size, rng: d + rng.laplace(0.0, scale, size)


def _inverse(d: float, size: int, rng: np.random.Generator) -> Any:
    u = rng.random(size) - 0.5
    return d - 10.0 * np.sign(u) * np.log(1 - 2 * np.abs(u))


def _exponentials(d: float, size: int, rng: np.random.Generator) -> Any:
    return d + rng.exponential(10.0, size) - rng.exponential(10.0, size)


def _answers(d: float, size: int, rng: np.random.Generator) -> Any:
    return np.where(rng.random(size) < math.e / (1 + math.e), d, ANSWERS[d])


# What is tried, on which inputs, and the claim.
TEXTBOOKS: dict[str, tuple[Release, tuple[float, float], Any]] = {
    "numpy's Laplace, scale 10, inputs 0 and 1": (_laplace(10.0), (0.0, 1.0), npf.PureDP(0.1)),
    "numpy's Laplace, scale 1, inputs 0 and 1": (_laplace(1.0), (0.0, 1.0), npf.PureDP(1.0)),
    "numpy's Laplace, scale 10, inputs 100 and 101": (_laplace(10.0), (100.0, 101.0), npf.PureDP(0.1)),
    "numpy's Laplace, scale 10, inputs 1e6 and 1e6 + 1": (_laplace(10.0), (1e6, 1e6 + 1), npf.PureDP(0.1)),
    "inverse of the distribution function": (_inverse, (0.0, 1.0), npf.PureDP(0.1)),
    "difference of numpy's exponentials": (_exponentials, (0.0, 1.0), npf.PureDP(0.1)),
    "numpy's normal, deviation 10, inputs 0 and 1": (
        lambda d, size, rng: d + rng.normal(0.0, 10.0, size),
        (0.0, 1.0),
        npf.GaussianDP(0.1),
    ),
    "numpy's normal, deviation 1, inputs 0 and 1": (
        lambda d, size, rng: d + rng.normal(0.0, 1.0, size),
        (0.0, 1.0),
        npf.GaussianDP(1.0),
    ),
    "numpy's normal, deviation 10, inputs 100 and 101": (
        lambda d, size, rng: d + rng.normal(0.0, 10.0, size),
        (100.0, 101.0),
        npf.GaussianDP(0.1),
    ),
    "numpy's normal, deviation 10, inputs 1e6 and 1e6 + 1": (
        lambda d, size, rng: d + rng.normal(0.0, 10.0, size),
        (1e6, 1e6 + 1),
        npf.GaussianDP(0.1),
    ),
}

SOUND: dict[str, tuple[npf.BlackBox, Any]] = {
    "geometric": (GridLaplace(1.0).box(0, 1), npf.PureDP(1.0)),
    "discrete Laplace on the grid 2^-10": (GridLaplace(0.1, exponent=-10).box(0.0, 1.0), npf.PureDP(0.1)),
    "Laplace, correctly rounded, epsilon 0.1": (
        GridLaplace(0.1, exponent=-50).box(0.0, 1.0),
        npf.PureDP(0.1),
    ),
    "Laplace, correctly rounded, epsilon 1": (GridLaplace(1.0, exponent=-50).box(0.0, 1.0), npf.PureDP(1.0)),
    "snapping": (SNAPPING.box(0.0, 1.0), SNAPPING.guarantee),
    "uniform doubles": (npf.BlackBox(lambda d, size, rng: rng.random(size), (0.0, 1.0)), npf.PureDP(0.1)),
    "randomised response of two floats": (npf.BlackBox(_answers, (0.1, 0.7)), npf.PureDP(1.0)),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("samples", nargs="?", type=int, default=SAMPLES)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    given = parser.parse_args()
    npf.examine(npf.BlackBox(_laplace(1.0), (0.0, 1.0)), npf.PureDP(1.0), samples=2_000, bits=True)  # imports
    print(f"{given.samples:,} outcomes per input, alpha = 0.05.\n")
    print("| release | claim | bytes | certified epsilon | event | CPU seconds, whole audit |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, (release, inputs, claim) in TEXTBOOKS.items():
        start = time.process_time()
        finding = npf.examine(
            npf.BlackBox(release, inputs), claim, samples=given.samples, bits=True
        ).findings[0]
        seconds = time.process_time() - start
        found = next(e for e in finding.evidence if e.check == "bit patterns")
        event = (
            "reachable set" if "reachable set" in found.measured.of else "grids" if found.witness else "none"
        )
        certified = max(row["certified"] for row in found.bounds)
        print(
            f"| {name} | {claim.sentence()} | {found.verdict.name} | {certified:.2f} | {event} | {seconds:.2f} |",
            flush=True,
        )
    if not given.seeds:
        return
    print(f"\n| sound mechanism | bytes refuted, of {given.seeds} seeds, alpha = 1e-4 |\n| --- | --- |")
    for name, (box, claim) in SOUND.items():
        fell = 0
        for seed in range(given.seeds):
            finding = npf.examine(
                box, claim, samples=given.samples, bits=True, seed=seed, alpha=1e-4
            ).findings[0]
            fell += any(e.sentence == "bytes" and e.verdict is npf.Verdict.REFUTED for e in finding.evidence)
        print(f"| {name} | {fell} |", flush=True)


if __name__ == "__main__":
    main()
