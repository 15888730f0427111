"""How fast synthetic records are drawn, against `numpy.random.Generator.multivariate_normal` on the same covariance.

    python benchmarks/synthesis_speed.py [records] [dimension] [repeats]

Prints the median seconds of both, their ratio, and how much memory each takes beyond its answer.  Both are timed in turn,
so that other work on the machine disturbs both.
"""

from __future__ import annotations

import os
import sys
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from noiseproof.mechanisms.ron_gauss import RonGauss


def seconds(draw: Callable[[], Any]) -> float:
    """The wall time of one call."""
    start = time.perf_counter()
    draw()
    return time.perf_counter() - start


def extra_memory(draw: Callable[[], Any]) -> float:
    """Peak memory in megabytes beyond the answer's own."""
    tracemalloc.start()
    answer = draw()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return float(peak - answer.nbytes) / 1e6


def main(records: int = 1_000_000, dimension: int = 20, repeats: int = 5) -> float:
    """Prints the comparison; returns the ratio of the medians."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((5_000, 2 * dimension)) * np.linspace(0.5, 2, 2 * dimension)
    model = RonGauss(dimension, 1.0, 1.0, random_state=0).fit(X)
    zero, covariance = np.zeros(dimension), model.covariance_

    def ours() -> Any:
        return model.sample(records)

    def theirs() -> Any:
        return rng.multivariate_normal(zero, covariance, size=records, check_valid="ignore")

    times = np.array([(seconds(ours), seconds(theirs)) for _ in range(repeats)])
    mine, other = np.median(times, axis=0)
    print(f"{records:,} records x {dimension} dimensions, median of {repeats}")
    print(f"RonGauss.sample            {mine:.3f} s, {extra_memory(ours):8.1f} MB beyond the answer")
    print(f"Generator.multivariate_normal {other:.3f} s, {extra_memory(theirs):8.1f} MB beyond the answer")
    print(f"ratio                      {mine / other:.2f} (asked for: at most 2)")
    return float(mine / other)


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
