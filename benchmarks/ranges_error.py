"""What a policy's `ranges` gain over noisy cells that are summed: `python -m benchmarks.ranges_error` prints one row a workload.

Both pay rho = 0.5, or epsilon = 0.5; the root of the mean squared error over all wanted ranges follows from the laws of the noise:
nothing is drawn.
"""

from __future__ import annotations

import time
from fractions import Fraction
from itertools import combinations

import numpy as np

from noiseproof.mechanisms.statistics.counts import Count
from noiseproof.mechanisms.statistics.intervals import interval_labels
from noiseproof.mechanisms.statistics.measurement import Unit
from noiseproof.mechanisms.statistics.parts import SumsDrawer
from noiseproof.mechanisms.statistics.range_design import range_design
from noiseproof.mechanisms.statistics.range_tables import Ranges
from noiseproof.mechanisms.statistics.rows import Axis
from noiseproof.mechanisms.statistics.workload import Workload

BUDGET = Fraction(1, 2)


def errors(n: int, wanted: str, noise: str) -> tuple[str, int, float, float]:
    """The strategy, the number of its draws, and the error of a range: measured by it, and as a sum of noisy cells."""
    edges = tuple(map(float, range(n + 1)))
    bands = Axis("age", interval_labels(edges), edges)
    every = tuple(combinations(range(n + 1), 2))
    pairs = every[:n] if wanted == "prefixes" else every
    design = range_design(n, wanted, noise, True, False)
    one, cells = Ranges("x", bands=bands, pairs=pairs, design=design), Count("x", bins=(bands,))
    found = one._deviations(Workload((one,), Unit(), noise, BUDGET).drawers)
    (drawer,) = Workload((cells,), Unit(), noise, BUDGET).drawers.values()
    assert isinstance(drawer, SumsDrawer)
    summed = drawer.law.variance() * np.mean([b - a for a, b in pairs])
    return design.name, len(one.parts), float(np.sqrt(np.mean(found**2))), float(np.sqrt(summed))


def main() -> None:
    print("| noise | cells | ranges | strategy | draws | error | cells summed | ratio | seconds |")
    print("| --- | ---: | --- | --- | ---: | ---: | ---: | ---: | ---: |")
    for noise in ("gaussian", "laplace"):
        for n in (8, 32, 64, 128):
            for wanted in ("prefixes", "ranges"):
                begun = time.perf_counter()
                name, draws, error, summed = errors(n, wanted, noise)
                spent = time.perf_counter() - begun
                said = "all" if wanted == "ranges" else wanted
                print(
                    f"| {noise} | {n} | {said} | {name} | {draws} | {error:.3f} | {summed:.3f} | {error / summed:.2f} | {spent:.1f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
