"""PipelineDP on its local backend: Google's Laplace noise and quantile trees; no pure zCDP account, so epsilon only."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pipeline_dp
from pipeline_dp import combiners

from .command import main
from .scoring import from_draws, from_law
from .workloads import CLAIMS, EDGES, GROUPS, Statistic, clipped, members, read

DRAWS = 2000
Columns = dict[str, np.ndarray]
METRICS = {"count": "COUNT", "histogram": "COUNT", "mean": "MEAN", "sum": "SUM"}


def together(group: str) -> list[list[Statistic]]:
    """Statistics of one column over one partition share an aggregation, as its documentation does."""
    merged: dict[tuple[Any, ...], list[Statistic]] = {}
    for statistic in GROUPS[group]:
        merged.setdefault((statistic.by, statistic.column), []).append(statistic)
    return list(merged.values())


def parameters(statistics: list[Statistic]) -> Any:
    metrics = []
    for statistic in statistics:
        if statistic.kind == "quantile":
            metrics += [pipeline_dp.Metrics.PERCENTILE(100 * level) for level in statistic.levels]
        else:
            metrics.append(getattr(pipeline_dp.Metrics, METRICS[statistic.kind]))
    bounds = {}
    if statistics[0].kind in ("mean", "sum", "quantile"):
        low, high = statistics[0].bounds
        bounds = {"min_value": low, "max_value": high}
    return pipeline_dp.AggregateParams(
        metrics=metrics,
        noise_kind=pipeline_dp.NoiseKind.LAPLACE,
        max_partitions_contributed=1,
        max_contributions_per_partition=1,
        **bounds,
    )


def accountant(claim: str) -> Any:
    return pipeline_dp.NaiveBudgetAccountant(total_epsilon=CLAIMS[claim][1], total_delta=0)


def inner(compound: Any, kind: str) -> Any:
    """The combiner that answers `kind`; a mean answers sums and counts too, at no further cost."""
    named = {"count": "CountCombiner", "histogram": "CountCombiner", "quantile": "QuantileCombiner"}
    wanted = named.get(kind, "MeanCombiner")
    return next(one for one in compound._combiners if type(one).__name__ == wanted)


def draws(statistic: Statistic, combiner: Any, columns: Columns) -> np.ndarray:
    """The peer's combiner asked again and again about the same accumulators."""
    parts = []
    for group in statistic.groups:
        values = clipped(statistic, columns, group).tolist()
        kept = combiner.create_accumulator(values)
        rows = [combiner.compute_metrics(kept) for _ in range(DRAWS)]
        if statistic.kind == "quantile":
            parts.append(np.array([[row[name] for name in combiner.metrics_names()] for row in rows]))
        else:
            parts.append(np.array([[row[statistic.kind]] for row in rows]))
    return np.hstack(parts)


def errors(claim: str, group: str) -> Iterator[dict[str, Any]]:
    columns, account = read(GROUPS[group][0].table), accountant(claim)
    merged = together(group)
    made = []
    for statistics in merged:
        params = parameters(statistics)
        with account.scope(weight=params.budget_weight):
            made.append(combiners.create_compound_combiner(params, account))
    account.compute_budgets()
    for statistics, compound in zip(merged, made, strict=True):
        for statistic in statistics:
            combiner = inner(compound, statistic.kind)
            if statistic.kind in ("count", "histogram"):
                scale = combiner.get_mechanism().noise_parameter
                yield from_law(statistic, columns, "Laplace", scale)
            else:
                yield from_draws(statistic, columns, draws(statistic, combiner, columns), "drawn by the peer")


def partition(statistic: Statistic, columns: Columns) -> np.ndarray:
    """The cell of each record, as a number; public partitions are all of them."""
    at = np.zeros(len(next(iter(columns.values()))), dtype=int)
    for i, group in enumerate(statistic.groups):
        at[members(statistic, columns, group)] = i
    if statistic.kind == "histogram":
        bins = np.minimum(np.digitize(columns[statistic.column], EDGES) - 1, len(EDGES) - 2)
        at = at * (len(EDGES) - 1) + bins
    return at


def release(claim: str, group: str) -> None:
    columns, account = read(GROUPS[group][0].table), accountant(claim)
    engine = pipeline_dp.DPEngine(account, pipeline_dp.LocalBackend())
    extractors = pipeline_dp.DataExtractors(
        privacy_id_extractor=lambda row: row[0],
        partition_extractor=lambda row: row[1],
        value_extractor=lambda row: row[2],
    )
    results = []
    for statistics in together(group):
        first = statistics[0]
        keys = partition(first, columns)
        values = columns[first.column] if first.column else np.zeros(len(keys))
        rows = list(zip(range(len(keys)), keys.tolist(), values.tolist(), strict=True))
        cells = len(first.groups) * (len(EDGES) - 1 if first.kind == "histogram" else 1)
        results.append(
            engine.aggregate(rows, parameters(statistics), extractors, public_partitions=list(range(cells)))
        )
    account.compute_budgets()
    for result in results:
        list(result)


if __name__ == "__main__":
    main("PipelineDP", "pipeline-dp", errors, release, ("pure", "pure-small"))
