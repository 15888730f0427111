"""How often printed intervals hold the true number: `python -m benchmarks.statistics_coverage [RELEASES]` prints one row a measure.

Of counts, sums and distinct values the probability is that of the exact law; of the others, and of all after the table was
postprocessed, it is counted over releases of a small table with hostile groups (empty ones, of one record, all at one end).
"""

from __future__ import annotations

import sys
from collections import defaultdict
from fractions import Fraction
from itertools import combinations

import numpy as np
from scipy.stats import binomtest

from noiseproof.mechanisms.grid_noise import seeded_bits
from noiseproof.mechanisms.statistics.amounts import product_of, steps_of
from noiseproof.mechanisms.statistics.counts import Count, Distinct, TopValues
from noiseproof.mechanisms.statistics.intervals import interval_labels
from noiseproof.mechanisms.statistics.marginal_tables import Marginals
from noiseproof.mechanisms.statistics.measurement import Unit
from noiseproof.mechanisms.statistics.range_design import range_design
from noiseproof.mechanisms.statistics.range_tables import Ranges
from noiseproof.mechanisms.statistics.rows import Axis, Rows
from noiseproof.mechanisms.statistics.statistic import Statistic
from noiseproof.mechanisms.statistics.sums import Mean, Sum, SumOfMean, Variance
from noiseproof.mechanisms.statistics.workload import Workload

GROUP = Axis("group", ("usual", "one", "none", "low", "small"))
TOWN = Axis("town", ("a", "b", "c"))
CENTRED = steps_of("age", 0, 100, whole=True, centred=True)
MEASURES: dict[str, Statistic] = {
    "count": Count("x", (GROUP,)),
    "histogram": Count("x", (GROUP,), bins=(Axis("age", ("young", "old"), (0.0, 50.0, 100.0)),)),
    "distinct": Distinct("x", (GROUP,), bins=(TOWN,)),
    "top": TopValues("x", (GROUP,), bins=(TOWN,), most=1),
    "sum": Sum("x", (GROUP,), amount=steps_of("age", 0, 100, whole=True, centred=False)),
    "sum beside a mean": SumOfMean("x", (GROUP,), amount=CENTRED),
    "mean": Mean("x", (GROUP,), amount=CENTRED),
    "variance": Variance("x", (GROUP,), amount=CENTRED, square=product_of(CENTRED, CENTRED)),
    "marginals": Marginals("x", columns=(GROUP, TOWN), tables=(("group", "town"), ("group",), ("town",))),
}
EDGES = (0.0, 18.0, 35.0, 50.0, 65.0, 101.0)


def of_ages(noise: str) -> Ranges:
    """All ranges of five cells: the best draws depend on the noise."""
    pairs = tuple(combinations(range(len(EDGES)), 2))
    bands = Axis("age", interval_labels(EDGES), EDGES)
    return Ranges(
        "x", (GROUP,), bands=bands, pairs=pairs, design=range_design(5, "ranges", noise, True, True)
    )


def table() -> Rows:
    """Groups of 500, 1, 0, 40 (all at the low end) and 8 records."""
    rng = np.random.default_rng(11)
    sizes = (500, 1, 0, 40, 8)
    group = np.repeat(np.arange(5), sizes)
    age = rng.integers(0, 101, group.size)
    age[group == 3] = 0
    return Rows(
        group.size, {"group": group, "town": rng.choice(3, group.size, p=[0.6, 0.4, 0.0])}, {"age": age}
    )


def truths(one: Statistic, data: Rows) -> dict[tuple[object, str], float]:
    """The true numbers of the groups and quantities that have one."""
    out: dict[tuple[object, str], float] = {}
    age, group, town = data.numbers["age"].astype(float), data.places["group"], data.places["town"]
    if isinstance(one, Marginals):
        for i, name in enumerate(GROUP.labels):
            out[(name, None), "group"] = float((group == i).sum())
            for j, place in enumerate(TOWN.labels):
                out[(name, place), "group x town"] = float(((group == i) & (town == j)).sum())
        for j, place in enumerate(TOWN.labels):
            out[(None, place), "town"] = float((town == j).sum())
        return out
    for i, name in enumerate(GROUP.labels):
        inside = group == i
        if isinstance(one, Ranges):
            for label, (a, b) in zip(one.labels, one.pairs, strict=True):
                between = (age >= EDGES[a]) & (age < EDGES[b])
                out[(name, label), "ranges"] = float((inside & between).sum())
        elif isinstance(one, Distinct):
            out[(name,), "distinct"] = float(len(set(town[inside].tolist())))
        elif isinstance(one, TopValues):
            for j, place in enumerate(TOWN.labels):
                out[(name, place), "top 1"] = float((inside & (town == j)).sum())
        elif isinstance(one, Count) and one.bins:
            for k, label in enumerate(("young", "old")):
                out[(name, label), "count"] = float((inside & ((age >= 50) == bool(k))).sum())
        elif isinstance(one, Count):
            out[(name,), "count"] = float(inside.sum())
        elif isinstance(one, Sum | SumOfMean):
            out[(name,), "sum"] = float(age[inside].sum())
        elif inside.any():
            out[(name,), one.measure] = float(
                age[inside].var() if isinstance(one, Variance) else age[inside].mean()
            )
    return out


def covered(one: Statistic, noise: str, releases: int) -> tuple[int, int]:
    """How often the interval that holds least often did, and among how many numbers that were published there."""
    work, data = Workload((one,), Unit(), noise, Fraction(1, 2)), table()
    totals, true = work.totals([data]), truths(one, data)
    bits = seeded_bits(np.random.default_rng(releases))
    held: dict[tuple[object, str], list[bool]] = defaultdict(list)
    for _ in range(releases):
        for _, figure in work.figures(work.draw(totals, bits)):
            key = figure.groups, figure.quantity
            if key in true and figure.low is not None and figure.high is not None:
                held[key].append(figure.low <= true[key] + 1e-9 and true[key] - 1e-9 <= figure.high)
    full = {key: found for key, found in held.items() if len(found) >= releases / 2}
    worst = min(full.values(), key=lambda found: sum(found) / len(found))
    return sum(worst), len(worst)


def main(releases: int) -> None:
    print("| measure | noise | exact law | held least often | share | exact 95 % interval of the share |")
    print("| --- | --- | ---: | ---: | ---: | ---: |")
    for noise in ("gaussian", "laplace"):
        for name, one in {**MEASURES, "ranges": of_ages(noise)}.items():
            work = Workload((one,), Unit(), noise, Fraction(1, 2))
            exact = one.probability(work.drawers)
            held, of = covered(one, noise, releases)
            ends = binomtest(held, of).proportion_ci(0.95, "exact")
            law = "" if exact is None else f"{exact:.6f}"
            print(
                f"| {name} | {noise} | {law} | {held} of {of} | {held / of:.4f} | {ends.low:.4f} to {ends.high:.4f} |",
                flush=True,
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
