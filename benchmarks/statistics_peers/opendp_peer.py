"""OpenDP through its Polars front: laws and scales as `summarize` prints them, checked by releases of the resolved query."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import numpy as np
import opendp.prelude as dp
import polars as pl

from .command import main
from .scoring import from_draws, from_law, masses
from .workloads import CLAIMS, EDGES, GROUPS, Statistic, clipped, path, read

logging.disable(logging.WARNING)
dp.enable_features("contrib")

LAWS = {"Integer Laplace": "integer Laplace", "Integer Gaussian": "integer Gaussian"}
DRAWS = 2000
CHECKS = 40  # releases by the peer itself beside the draws from its laws


def frame(statistics: tuple[Statistic, ...]) -> pl.LazyFrame:
    """The columns that the group uses, read as Polars reads them."""
    used = {name for statistic in statistics for name in (*statistic.by, statistic.column) if name}
    return pl.read_csv(path(statistics[0].table), columns=sorted(used)).lazy()


def context(claim: str, data: pl.LazyFrame, parts: int) -> Any:
    """One context for the whole group, split evenly as its documentation does."""
    measure, amount = CLAIMS[claim]
    return dp.Context.compositor(
        data=data,
        privacy_unit=dp.unit_of(contributions=1),
        privacy_loss=dp.loss_of(**{measure: amount}),
        split_evenly_over=parts,
        # Public: no more records than this; sums are kept from overflow by it.
        margins=[dp.polars.Margin(max_length=1_000_000)],
    )


def expressions(statistic: Statistic) -> list[Any]:
    column = pl.col(statistic.column)
    if statistic.kind == "sum":
        return [column.dp.sum(statistic.bounds).alias("value0")]
    if statistic.kind == "mean":
        return [column.dp.mean(statistic.bounds).alias("value0")]
    if statistic.kind == "quantile":
        return [
            column.cast(int).dp.quantile(level, statistic.candidates).alias(f"value{i}")
            for i, level in enumerate(statistic.levels)
        ]
    return [dp.len(signed=True).alias("value0")]


def query(whole: Any, statistic: Statistic) -> Any:
    """One query for one statistic, over declared keys."""
    asked = whole.query()
    keys = dict(zip(statistic.by, zip(*statistic.groups, strict=True) if statistic.by else [], strict=True))
    if statistic.kind == "histogram":
        asked = asked.with_columns(
            pl.col(statistic.column)
            .clip(*statistic.bounds)
            .cut(list(EDGES[1:-1]), left_closed=True, labels=[str(i) for i in range(len(EDGES) - 1)])
            .cast(pl.String)
            .alias("bin")
        )
        keys = {name: [group[i] for group, _ in statistic.cells()] for i, name in enumerate(statistic.by)} | {
            "bin": [str(inside) for _, inside in statistic.cells()]
        }
    if not keys:
        return asked.select(*expressions(statistic))
    keyed = pl.LazyFrame({name: list(column) for name, column in keys.items()})
    return asked.group_by(*keys).agg(*expressions(statistic)).with_keys(keyed)


def arranged(statistic: Statistic, answer: pl.DataFrame) -> np.ndarray:
    """The released frame, whose rows are shuffled, in the order of the cells."""
    values = [name for name in answer.columns if name.startswith("value")]
    if not statistic.by:
        return answer.select(values).to_numpy()[0]
    order = {group: i for i, group in enumerate(statistic.groups)}
    out = np.empty((len(order), len(values)))
    for row in answer.iter_rows(named=True):
        out[order[tuple(row[name] for name in statistic.by)]] = [row[name] for name in values]
    return out.ravel()


def means(statistic: Statistic, columns: dict[str, np.ndarray], scales: list[Any]) -> np.ndarray:
    """The sum with its noise over the length with its own."""
    rng = np.random.default_rng()
    parts = []
    for group in statistic.groups:
        values = clipped(statistic, columns, group)
        (_, sum_law, sum_scale), (_, length_law, length_scale) = scales
        above = values.sum() + from_masses(LAWS[sum_law], sum_scale, DRAWS, rng)
        parts.append(above / (len(values) + from_masses(LAWS[length_law], length_scale, DRAWS, rng)))
    return np.column_stack(parts)


def from_masses(law: str, scale: float, size: int, rng: np.random.Generator) -> np.ndarray:
    k, p = masses(law, scale)
    return rng.choice(k, size=size, p=p).astype(float)


def quantiles(statistic: Statistic, columns: dict[str, np.ndarray], scales: list[Any]) -> np.ndarray:
    """The candidate with the least noisy score |(1 - q) #below - q #above| / max(q, 1 - q).

    These scores have sensitivity 1.  The peer multiplies scores and scale alike to whole numbers; its scale at q = 1/2,
    where the factor is 1, is that of all levels, since all have the same share.
    """
    rng = np.random.default_rng()
    candidates = np.array(statistic.candidates)
    _, law, scale = scales[statistic.levels.index(0.5)]
    parts = []
    for group in statistic.groups:
        values = np.sort(clipped(statistic, columns, group))
        below = np.searchsorted(values, candidates, "left")
        above = len(values) - np.searchsorted(values, candidates, "right")
        for level in statistic.levels:
            score = np.abs((1 - level) * below - level * above) / max(level, 1 - level)
            shape = (DRAWS, len(candidates))
            noise = rng.exponential(size=shape) if law == "ExponentialMin" else rng.gumbel(size=shape)
            parts.append(candidates[np.argmin(score - scale * noise, axis=1)].astype(float))
    return np.column_stack(parts)


def errors(claim: str, group: str) -> Iterator[dict[str, Any]]:
    statistics = GROUPS[group]
    data, columns = frame(statistics), read(statistics[0].table)
    whole = context(claim, data, len(statistics))
    for statistic in statistics:
        asked = query(whole, statistic)
        scales = [
            [row["aggregate"], row["distribution"], row["scale"]] for row in asked.summarize().to_dicts()
        ]
        if statistic.kind in ("count", "histogram", "sum"):
            yield from_law(statistic, columns, LAWS[scales[0][1]], scales[0][2]) | {"scales": scales}
            continue
        drawn = (means if statistic.kind == "mean" else quantiles)(statistic, columns, scales)
        measurement = asked.resolve()
        released = [arranged(statistic, measurement(data).collect()) for _ in range(CHECKS)]
        check = from_draws(statistic, columns, np.array(released, dtype=float), "")
        found = from_draws(statistic, columns, drawn, "drawn from the peer's laws")
        yield found | {
            "scales": scales,
            "check": {key: check[key] for key in ("draws", "rmse", "standard_error")},
        }


def release(claim: str, group: str) -> None:
    statistics = GROUPS[group]
    whole = context(claim, frame(statistics), len(statistics))
    for statistic in statistics:
        query(whole, statistic).release().collect()


if __name__ == "__main__":
    main("OpenDP", "opendp", errors, release)
