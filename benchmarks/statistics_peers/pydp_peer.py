"""Google's building blocks through python-dp: one object a cell, Laplace noise; the user splits and composes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from pydp.algorithms.laplacian import BoundedMean, BoundedSum, Count, Percentile

from .command import main
from .scoring import from_draws, from_law
from .workloads import CLAIMS, EDGES, GROUPS, Statistic, clipped, members, read

DRAWS = 2000
Columns = dict[str, np.ndarray]


def share(claim: str, group: str) -> float:
    """Equal parts for the statistics of the group; cells of one statistic are disjoint and cost it once."""
    return CLAIMS[claim][1] / len(GROUPS[group])


def algorithm(statistic: Statistic, epsilon: float, level: float) -> Any:
    if statistic.kind in ("count", "histogram"):
        return Count(epsilon=epsilon, l0_sensitivity=1, linf_sensitivity=1, dtype="int")
    low, high = statistic.bounds
    about = {"lower_bound": low, "upper_bound": high, "dtype": "float"}
    if statistic.kind == "sum":
        return BoundedSum(epsilon=epsilon, delta=0, l0_sensitivity=1, linf_sensitivity=1, **about)
    if statistic.kind == "mean":
        return BoundedMean(epsilon=epsilon, delta=0, l0_sensitivity=1, linf_sensitivity=1, **about)
    return Percentile(epsilon=epsilon / len(statistic.levels), percentile=level, **about)


def drawn(statistic: Statistic, columns: Columns, epsilon: float, draws: int) -> np.ndarray:
    """Answers of the peer, of shape (draws, cells)."""
    out = np.empty((draws, len(statistic.cells())))
    for at, (group, inside) in enumerate(statistic.cells()):
        one = algorithm(statistic, epsilon, inside)
        values = entries(statistic, columns, group, inside)
        out[:, at] = [one.quick_result(values) for _ in range(draws)]
    return out


def entries(statistic: Statistic, columns: Columns, group: tuple[str, ...], inside: Any) -> list[Any]:
    if statistic.kind == "count":
        return [1] * int(members(statistic, columns, group).sum())
    values = clipped(statistic, columns, group)
    if statistic.kind == "histogram":
        return [1] * int(np.histogram(values, EDGES)[0][inside])
    return values.tolist()


def check(epsilon: float) -> dict[str, float]:
    """The noise of the peer's own counts of nothing, beside the documented law."""
    one = Count(epsilon=epsilon, l0_sensitivity=1, linf_sensitivity=1, dtype="int")
    squares = np.array([float(one.quick_result([])) ** 2 for _ in range(10 * DRAWS)])
    rmse = float(np.sqrt(squares.mean()))
    spread = float(squares.std(ddof=1) / np.sqrt(len(squares)))
    return {"draws": len(squares), "rmse": rmse, "standard_error": spread / (2 * rmse)}


def errors(claim: str, group: str) -> Iterator[dict[str, Any]]:
    columns, epsilon = read(GROUPS[group][0].table), share(claim, group)
    for statistic in GROUPS[group]:
        if statistic.kind in ("count", "histogram"):
            yield from_law(statistic, columns, "rounded Laplace", 1 / epsilon) | {"check": check(epsilon)}
        else:
            yield from_draws(
                statistic, columns, drawn(statistic, columns, epsilon, DRAWS), "drawn by the peer"
            )


def release(claim: str, group: str) -> None:
    columns = read(GROUPS[group][0].table)
    for statistic in GROUPS[group]:
        drawn(statistic, columns, share(claim, group), 1)


if __name__ == "__main__":
    main("python-dp", "python-dp", errors, release, ("pure", "pure-small"))
