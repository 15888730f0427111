"""diffprivlib: noise in floating point, no group-by and no zCDP; groups are disjoint, so each gets the statistic's share."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np
from diffprivlib import tools
from diffprivlib.mechanisms import Exponential

from .command import main
from .scoring import from_draws, from_law
from .workloads import CATEGORIES, CLAIMS, EDGES, GROUPS, Statistic, clipped, members, read

warnings.filterwarnings("ignore")
DRAWS = 2000
Columns = dict[str, np.ndarray]


def share(claim: str, group: str) -> float:
    return CLAIMS[claim][1] / len(GROUPS[group])


def codes(column: str, columns: Columns) -> np.ndarray:
    return np.searchsorted(CATEGORIES[column], columns[column]).astype(float)


def counts(statistic: Statistic, columns: Columns, epsilon: float) -> np.ndarray:
    """One histogram over all declared cells: geometric noise of sensitivity 1, clamped at zero."""
    sample = [codes(column, columns) for column in statistic.by]
    bins = [np.arange(len(CATEGORIES[column]) + 1) - 0.5 for column in statistic.by]
    if statistic.kind == "histogram":
        sample.append(np.clip(columns[statistic.column], *statistic.bounds))
        bins.append(np.array(EDGES, dtype=float))
    extent = [(edges[0], edges[-1]) for edges in bins]
    found, _ = tools.histogramdd(np.column_stack(sample), epsilon=epsilon, bins=bins, range=extent)
    return np.asarray(found, dtype=float).ravel()


def means_of_groups(statistic: Statistic, columns: Columns, epsilon: float) -> np.ndarray:
    """`mean` of each group: its sensitivity is range/n, so it is private for replacing a record within public sizes."""
    return np.array(
        [
            tools.mean(clipped(statistic, columns, group), epsilon=epsilon, bounds=statistic.bounds)
            for group in statistic.groups
        ]
    )


def sums(statistic: Statistic, columns: Columns, epsilon: float, low: float = 0.0) -> np.ndarray:
    """`sum` over all records, zero outside of the group: bounds are clamped to n times, and n is then that of the table."""
    high = statistic.bounds[1] - low
    return np.array(
        [
            tools.sum(
                np.where(
                    members(statistic, columns, group), np.clip(columns[statistic.column] - low, 0, high), 0
                ),
                epsilon=epsilon,
                bounds=(0.0, high),
            )
            for group in statistic.groups
        ]
    )


def ratios(statistic: Statistic, columns: Columns, epsilon: float) -> np.ndarray:
    """A mean for add-or-remove: half of the share for the sum above the lower bound, half for the count."""
    low = statistic.bounds[0]
    above = sums(statistic, columns, epsilon / 2, low)
    sizes = [
        tools.count_nonzero(members(statistic, columns, group), epsilon=epsilon / 2)
        for group in statistic.groups
    ]
    return low + above / np.maximum(1, sizes)


def quantile_law(values: np.ndarray, level: float, epsilon: float, bounds: tuple[int, int]) -> Any:
    """The peer's exponential mechanism as its `quantile` builds it, with the ends of the intervals it picks."""
    ends = np.sort(np.append(values, bounds))
    utility = list(-np.abs(np.arange(len(values) + 1) - level * len(values)))
    return ends, Exponential(epsilon=epsilon, sensitivity=1, utility=utility, measure=list(np.diff(ends)))


def quantile_draws(statistic: Statistic, columns: Columns, epsilon: float) -> np.ndarray:
    drawn = np.empty((DRAWS, len(statistic.cells())))
    rng = np.random.default_rng()
    for at, (group, level) in enumerate(statistic.cells()):
        values = clipped(statistic, columns, group)
        ends, mechanism = quantile_law(values, level, epsilon / len(statistic.levels), statistic.bounds)
        # What `randomise` does, for many uniform numbers at once.
        index = np.searchsorted(mechanism._probabilities, rng.random(DRAWS))
        drawn[:, at] = ends[index] + rng.random(DRAWS) * (ends[index + 1] - ends[index])
    return drawn


def refusal(statistic: Statistic, columns: Columns, epsilon: float) -> str:
    """What `quantile` raises beside many equal values, where all its weights underflow; empty if it answers."""
    try:
        for group in statistic.groups:
            values = clipped(statistic, columns, group)
            tools.quantile(values, statistic.levels, epsilon=epsilon, bounds=statistic.bounds)
    except RuntimeError as error:
        return str(error).split(" Debugging")[0]
    return ""


def errors(claim: str, group: str) -> Iterator[dict[str, Any]]:
    columns, epsilon = read(GROUPS[group][0].table), share(claim, group)
    for statistic in GROUPS[group]:
        if statistic.kind in ("count", "histogram"):
            found = from_law(statistic, columns, "integer Laplace", 1 / epsilon)
            yield found | {"rmse": found["rmse_clamped"], "note": "the peer clamps at zero"}
        elif statistic.kind == "sum":
            yield from_law(statistic, columns, "Laplace", statistic.bounds[1] / epsilon)
        elif statistic.kind == "mean":
            drawn = np.array([ratios(statistic, columns, epsilon) for _ in range(DRAWS)])
            yield from_draws(statistic, columns, drawn, "drawn by the peer") | {"variant": "sum over count"}
            drawn = np.array([means_of_groups(statistic, columns, epsilon) for _ in range(DRAWS)])
            yield from_draws(statistic, columns, drawn, "drawn by the peer") | {
                "variant": "as documented: another claim (replace one, group sizes public)"
            }
        elif failure := refusal(statistic, columns, epsilon):
            yield {"statistic": statistic.name, "how": "the peer raises", "fails": failure}
        else:
            drawn = quantile_draws(statistic, columns, epsilon)
            yield from_draws(statistic, columns, drawn, "drawn from the peer's probabilities")


def release(claim: str, group: str) -> None:
    columns, epsilon = read(GROUPS[group][0].table), share(claim, group)
    for statistic in GROUPS[group]:
        if statistic.kind in ("count", "histogram"):
            counts(statistic, columns, epsilon)
        elif statistic.kind == "sum":
            sums(statistic, columns, epsilon)
        elif statistic.kind == "mean":
            ratios(statistic, columns, epsilon)
        else:
            for chosen in statistic.groups:
                values = clipped(statistic, columns, chosen)
                # Beside many equal values it raises: what it had spent is spent, the others are still asked.
                with suppress(RuntimeError):
                    tools.quantile(values, statistic.levels, epsilon=epsilon, bounds=statistic.bounds)


if __name__ == "__main__":
    main("diffprivlib", "diffprivlib", errors, release, ("pure", "pure-small"))
