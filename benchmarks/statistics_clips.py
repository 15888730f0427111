"""Means with ends of clipping that are drawn, against those of the declared ends: `python -m benchmarks.statistics_clips [RELEASES]`.

Adult by sex, declared ends 100 times too wide; root mean squared error against the mean of the table, which nobody clipped: what
clipping takes away is in it.  Draws are those of the code that releases.  NOISEPROOF_DATA is the folder of adult.csv.gz.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.csv as pc

import noiseproof as npf
from noiseproof.audit.release.kinds.statistics import StatisticsKind
from noiseproof.audit.release.plan import plan
from noiseproof.audit.release.statistics.table_sums import table_sums
from noiseproof.audit.release.tables import open_table
from noiseproof.mechanisms.grid_noise import seeded_bits

# Column, declared ends, quantiles that the policy names.
CASES: tuple[tuple[str, float, tuple[float, float] | None], ...] = (
    ("hours_per_week", 10_000, (0.01, 0.99)),
    ("age", 10_000, (0.01, 0.99)),
    ("capital_gain", 10_000_000, (0.02, 0.98)),
    ("capital_gain", 10_000_000, (0.001, 0.999)),
)
BUDGETS = (0.5, 0.01)
SHARE = 0.1


def errors(
    table: Any, column: str, high: float, clip: tuple[float, float] | None, rho: float, releases: int
) -> tuple[float, float, str]:
    """Root mean squared error over releases and both sexes, the same of the mean release (what clipping does), and usual ends."""
    asked: dict[str, Any] = {"measure": "mean", "column": column, "by": ["sex"]}
    if clip is not None:
        asked["clip"] = {"low": clip[0], "high": clip[1], "share": SHARE}
    sex = {"kind": "category", "categories": ["Female", "Male"], "missing": "skip", "undeclared": "skip"}
    number = {"kind": "integer", "low": 0, "high": high, "missing": "skip"}
    made = npf.Statistics({"sex": sex, column: number}, {"mean": asked}, limits={"rho": rho})
    kind, kept = plan(made.policy).kind, table.select(["sex", column])
    assert isinstance(kind, StatisticsKind)
    totals = table_sums(made.policy, kind.workload, open_table(made.policy, kept))
    values, sexes = (kept[name].to_numpy(zero_copy_only=False) for name in (column, "sex"))
    true = np.array([values[sexes == name].mean() for name in ("Female", "Male")])
    bits, drawn, ends = seeded_bits(np.random.default_rng(releases)), [], []
    for _ in range(releases):
        found = [f for _, f in kind.workload.figures(kind.workload.draw(totals, bits))]
        drawn.append([f.value for f in found if f.quantity == "mean"])
        ends.append([f.value for f in found if f.quantity != "mean"])
    off = np.array(drawn, dtype=float) - true
    usual = " to ".join(f"{v:,.0f}" for v in np.median(np.array(ends, dtype=float), axis=0)) if clip else ""
    return float(np.sqrt((off**2).mean())), float(np.sqrt((off.mean(axis=0) ** 2).mean())), usual


def main(releases: int) -> None:
    table = pc.read_csv(Path(os.environ["NOISEPROOF_DATA"]) / "adult.csv.gz")
    print(
        "| mean of | declared ends | rho | error with these ends | quantiles asked for | ends, median | error with drawn ends | of which bias |"
    )
    print("| --- | --- | ---: | ---: | --- | --- | ---: | ---: |")
    for column, high, clip in CASES:
        for rho in BUDGETS:
            wide, _, _ = errors(table, column, high, None, rho, releases)
            error, bias, usual = errors(table, column, high, clip, rho, releases)
            asked = "" if clip is None else f"{clip[0]} and {clip[1]}"
            print(
                f"| {column} | 0 to {high:,} | {rho} | {wide:.4g} | {asked} | {usual} | {error:.4g} | {bias:.4g} |",
                flush=True,
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300)
