"""Tumult Analytics on local Spark: scales from the session's noise information, quantiles by the law of its mechanism."""

from __future__ import annotations

import itertools
import math
import os
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import sympy
from pyspark.sql import SparkSession
from tmlt.analytics import AddOneRow, BinningSpec, KeySet, PureDPBudget, QueryBuilder, RhoZCDPBudget, Session
from tmlt.core.utils.exact_number import ExactNumber

from .command import main
from .scoring import from_draws, from_law, masses
from .workloads import CATEGORIES, CLAIMS, EDGES, GROUPS, Statistic, clipped, path, read

DRAWS = 2000
LAWS = {"GEOMETRIC": "integer Laplace", "DISCRETE_GAUSSIAN": "integer Gaussian", "LAPLACE": "Laplace"}
BINS = [f"[{low}, {high})" for low, high in itertools.pairwise(EDGES[:-1])] + ["[90, 100]"]


@cache
def spark() -> Any:
    """One core; the peer keeps its noisy tables in a warehouse, here a folder that goes with the run."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.chdir(tempfile.mkdtemp(prefix="tumult-"))
    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    made = builder.config("spark.sql.shuffle.partitions", "1").getOrCreate()
    made.sparkContext.setLogLevel("ERROR")
    return made


def budget(claim: str, parts: int = 1) -> Any:
    measure, amount = CLAIMS[claim]
    share = ExactNumber(sympy.Rational(str(amount)) / parts)
    return PureDPBudget(share) if measure == "epsilon" else RhoZCDPBudget(share)


def session(claim: str, statistics: tuple[Statistic, ...]) -> Any:
    used = {name for statistic in statistics for name in (*statistic.by, statistic.column) if name}
    table = spark().read.csv(str(path(statistics[0].table).resolve()), header=True, inferSchema=True)
    return Session.from_dataframe(
        privacy_budget=budget(claim),
        source_id="table",
        dataframe=table.select(*sorted(used)),
        protected_change=AddOneRow(),
    )


def keys(statistic: Statistic) -> Any:
    return KeySet.from_dict({name: list(CATEGORIES[name]) for name in statistic.by})


def queries(statistic: Statistic) -> list[Any]:
    """One query a statistic; a quantile query answers one level, so several levels are several queries."""
    column = statistic.column
    table = QueryBuilder("table")
    if statistic.kind == "histogram":
        bins = BinningSpec(list(EDGES), names=BINS, right=False)
        binned = table.bin_column(column, bins, name="bin")
        return [binned.groupby(keys(statistic) * KeySet.from_dict({"bin": BINS})).count()]
    grouped = table.groupby(keys(statistic))
    if statistic.kind == "count":
        return [grouped.count()]
    low, high = statistic.bounds
    if statistic.kind == "sum":
        return [grouped.sum(column, low, high)]
    if statistic.kind == "mean":
        return [grouped.average(column, low, high)]
    return [grouped.quantile(column, level, low, high) for level in statistic.levels]


def noise(asked: Any, one: Any, share: Any) -> list[tuple[str, float]]:
    """Name and scale of each noise of the query; Gaussian scales are standard deviations."""
    found = []
    for info in asked._noise_info(one, share):
        name, parameter = info["noise_mechanism"].name, float(info["noise_parameter"])
        found.append((name, math.sqrt(parameter) if "GAUSSIAN" in name else parameter))
    return found


def drawn(law: str, scale: float, size: int, rng: Any) -> np.ndarray:
    k, p = masses(law, scale)
    return rng.choice(k, size=size, p=p).astype(float)


def means(
    statistic: Statistic, columns: dict[str, np.ndarray], scales: list[tuple[str, float]]
) -> np.ndarray:
    """midpoint + (sum of deviations + noise) / max(1, count + noise), with the two noises that the session names."""
    (sum_law, sum_scale), (count_law, count_scale) = scales
    rng, middle = np.random.default_rng(), sum(statistic.bounds) / 2
    parts = []
    for group in statistic.groups:
        values = clipped(statistic, columns, group)
        above = (values - middle).sum() + drawn(LAWS[sum_law], sum_scale, DRAWS, rng)
        parts.append(
            middle + above / np.maximum(1, len(values) + drawn(LAWS[count_law], count_scale, DRAWS, rng))
        )
    return np.column_stack(parts)


def quantile_draws(statistic: Statistic, columns: dict[str, np.ndarray], epsilons: list[float]) -> np.ndarray:
    """The law in the docstring of the peer's interval selection: width times exp(-epsilon |rank - target| / (2 max(q, 1-q)))."""
    rng = np.random.default_rng()
    out = np.empty((DRAWS, len(statistic.cells())))
    for at, (group, level) in enumerate(statistic.cells()):
        values = np.sort(clipped(statistic, columns, group))
        ends = np.concatenate([[statistic.bounds[0]], values, [statistic.bounds[1]]])
        epsilon = epsilons[statistic.levels.index(level)]
        widths, ranks = np.diff(ends), np.arange(len(values) + 1)
        score = -np.abs(ranks - level * len(values)) * epsilon / (2 * max(level, 1 - level))
        # In logarithms: beside many equal values the widest scores are far below zero.
        score = np.where(widths > 0, score + np.log(np.maximum(widths, 1e-300)), -np.inf)
        weights = np.exp(score - score.max())
        index = rng.choice(len(weights), size=DRAWS, p=weights / weights.sum())
        out[:, at] = rng.uniform(ends[index], ends[index + 1])
    return out


def errors(claim: str, group: str) -> Iterator[dict[str, Any]]:
    statistics = GROUPS[group]
    asked, columns = session(claim, statistics), read(statistics[0].table)
    for statistic in statistics:
        several = queries(statistic)
        scales = [
            scale
            for one in several
            for scale in noise(asked, one, budget(claim, len(statistics) * len(several)))
        ]
        if statistic.kind in ("count", "histogram", "sum"):
            found = from_law(statistic, columns, LAWS[scales[0][0]], scales[0][1])
        elif statistic.kind == "mean":
            found = from_draws(
                statistic, columns, means(statistic, columns, scales), "drawn from the peer's laws"
            )
        else:
            epsilons = [scale for _, scale in scales]
            found = from_draws(
                statistic, columns, quantile_draws(statistic, columns, epsilons), "drawn from the peer's law"
            )
        yield found | {"scales": scales}


def release(claim: str, group: str) -> None:
    statistics = GROUPS[group]
    asked = session(claim, statistics)
    for statistic in statistics:
        several = queries(statistic)
        for one in several:
            asked.evaluate(one, budget(claim, len(statistics) * len(several))).toPandas()


if __name__ == "__main__":
    main("Tumult Analytics", "tmlt.analytics", errors, release)
