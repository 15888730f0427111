"""What ranges of a column demand: ends that are declared edges, and cells that are few enough for the best draws to be found."""

from __future__ import annotations

from fractions import Fraction

from ....mechanisms.statistics.range_design import MOST_CELLS
from ....symbolic.errors import SpecError
from .statistic_models import StatisticModel


def check_ranges(one: StatisticModel, low: float, high: float, key: str) -> None:
    """Raises SpecError for ranges that are no sums of cells between edges, and for too many cells; `low` and `high` are the column's."""
    edges = edges_of(one, low, high)
    if not isinstance(one.ranges, list):
        if len(edges) - 1 > MOST_CELLS:
            raise SpecError(
                f"there are {len(edges) - 1:,} cells: expected at most {MOST_CELLS}; take wider ones, or list the ranges that are wanted",
                key=f"{key}.{'edges' if one.edges else 'bins'}",
            )
        return
    seen: set[tuple[float, float]] = set()
    for i, (first, last) in enumerate(one.ranges):
        place, pair = f"{key}.ranges[{i}]", (float(first), float(last))
        for end in pair:
            if end not in edges:
                near = ", ".join(f"{e:.12g}" for e in sorted(sorted(edges, key=lambda e: abs(e - end))[:2]))
                raise SpecError(
                    f"expected ends that are edges, got {end:.12g}: the nearest edges are {near}; a range is a sum of cells between edges",
                    key=place,
                )
        if not pair[0] < pair[1]:
            raise SpecError(f"expected [low, high] with low < high, got [{first}, {last}]", key=place)
        if pair in seen:
            raise SpecError(f"the range [{first}, {last}] stands twice", key=place)
        seen.add(pair)
    ends = {end for pair in seen for end in pair}
    if len(ends) - 1 > MOST_CELLS:
        raise SpecError(
            f"the ranges have {len(ends):,} different ends: expected at most {MOST_CELLS + 1}",
            key=f"{key}.ranges",
        )


def edges_of(one: StatisticModel, low: float, high: float) -> tuple[float, ...]:
    """The edges of a histogram or of ranges: declared, or equal intervals between the declared ends of the column."""
    return tuple(map(float, one.edges)) if one.edges else equal_edges(low, high, one.bins or 1)


def equal_edges(low: float, high: float, bins: int) -> tuple[float, ...]:
    """Ends of equal intervals, the declared ends exactly."""
    step = (Fraction(high) - Fraction(low)) / bins
    return (*(float(Fraction(low) + step * i) for i in range(bins)), high)
