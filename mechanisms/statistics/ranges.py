"""Histograms, prefixes and ranges of one ordered axis: the strategy of least error among those that are known here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from ...symbolic.arrays import Floats, Ints
from ...symbolic.domains.exact import exact
from ...symbolic.errors import SpecError, nearest_name
from .budget_item import budget_law
from .level_strategy import level_strategies
from .optimal_ranges import LARGEST, QueryBound, best_queries
from .range_strategy import QueryGroup, RangeStrategy, whole_cells
from .range_workload import RangeWorkload, range_workload

_MOVED = {"add-or-remove": 1, "replace-one": 2}


@dataclass(frozen=True)
class QueryStrategy(RangeStrategy):
    """The optimum of the matrix mechanism in whole numbers: one group of queries, shape (n, n)."""

    bound: QueryBound = field(repr=False)

    def measure(self, cells: Ints) -> list[Ints]:
        """The exact answers of the queries."""
        queries, counts = (
            self.bound.queries,
            whole_cells(cells, self.workload.n, int(np.abs(self.bound.queries).max())),
        )
        return [np.asarray(queries @ counts)]

    def least_squares(self, noisy: Sequence[Floats]) -> Floats:
        """The cells whose answers are the noisy ones: as many queries as cells."""
        return np.asarray(np.linalg.solve(self.bound.queries.astype(float), noisy[0]))

    def variance(self, start: int, stop: int) -> Fraction:
        """The quadratic form of (B'B)^-1 at the range."""
        if not 0 <= start < stop <= self.workload.n:
            raise SpecError(f"a range has 0 <= start < stop <= {self.workload.n}, got ({start}, {stop})")
        inverse = self.bound.inverse
        inside = range(start, stop)
        form = sum(
            (Fraction(int(inverse[i, j].p), int(inverse[i, j].q)) for i in inside for j in inside),
            Fraction(0),
        )
        return form * self.law.variance(self.groups[0].item, self.shares[0])


def range_strategies(
    n: int,
    workload: Any,
    total: Any,
    noise: str = "gaussian",
    *,
    neighbours: str = "add-or-remove",
    rows: int = 1,
) -> list[RangeStrategy]:
    """All strategies for the ranges of n cells, the one of least error first: exact sums of variances decide.

    Of two within 1e-6 the simpler one stands first.  `workload` is "cells", "prefixes", "ranges" or pairs (start, stop). One person has at
    most `rows` rows.  With Gaussian noise and at most 64 cells the optimum of the matrix mechanism is among them.  SpecError for what cannot
    be meant.
    """
    budget_law(noise)
    wanted, whole = range_workload(n, workload), exact(total, "total")
    if whole <= 0:
        raise SpecError(f"total must be above 0, got {total}")
    if neighbours not in _MOVED:
        raise SpecError(f"neighbours: {nearest_name(str(neighbours), _MOVED)}")
    if isinstance(rows, bool) or not isinstance(rows, int) or rows < 1:
        raise SpecError(f"rows must be the whole number of rows that one person has at most, got {rows!r}")
    found: list[RangeStrategy] = [*level_strategies(wanted, whole, noise, _MOVED[neighbours], rows)]
    if noise == "gaussian" and 1 < n <= LARGEST and _all_cells(wanted):
        found.append(_optimal(wanted, whole, neighbours, rows))
    least = min(s.value for s in found)
    return sorted(found, key=lambda s: round(s.value / least, 6))


def range_strategy(
    n: int,
    workload: Any,
    total: Any,
    noise: str = "gaussian",
    *,
    neighbours: str = "add-or-remove",
    rows: int = 1,
) -> RangeStrategy:
    """The strategy of least error for the ranges of `n` cells: which sums to measure, their shares, and a bound of the error.

    `workload` is "cells", "prefixes", "ranges" or pairs (start, stop), `total` rho or epsilon, by `noise`; one person has at most
    `rows` rows, `neighbours` is "add-or-remove" or "replace-one". SpecError for what cannot be meant.

    >>> print(npf.range_strategy(16, "prefixes", total="1/2").lines()[0])
    optimal queries: all 16 prefixes of 16 cells with rho = 1/2 (gaussian noise)
    """
    return range_strategies(n, workload, total, noise, neighbours=neighbours, rows=rows)[0]


def _all_cells(workload: RangeWorkload) -> bool:
    """Whether the wanted ranges determine each cell: else the program's matrix has no inverse."""
    return workload.kind != "pairs" or int(np.linalg.matrix_rank(workload.gram().astype(float))) == workload.n


def _optimal(workload: RangeWorkload, total: Fraction, neighbours: str, rows: int) -> QueryStrategy:
    gram = workload.gram()
    bound = best_queries(gram)
    queries = bound.queries.astype(object)
    if neighbours == "add-or-remove":
        squared, absolute = bound.squared_column, int(np.abs(queries).sum(axis=0).max())
    else:
        apart = queries[:, :, None] - queries[:, None, :]
        squared, absolute = int((apart**2).sum(axis=0).max()), int(np.abs(apart).sum(axis=0).max())
    group = QueryGroup("queries in whole numbers", len(gram), squared * rows**2, absolute * rows)
    value = bound.value / bound.squared_column * budget_law("gaussian").variance(group.item, total)
    reason = f"the queries are within {float(bound.value / bound.lower - 1):.1e} of the optimum of the matrix mechanism"
    if neighbours != "add-or-remove":
        reason += " for rows that are added or removed; where they are replaced no bound is known here"
    return QueryStrategy(
        "optimal queries",
        workload,
        total,
        "gaussian",
        (group,),
        (total,),
        value,
        bound.derivation,
        reason,
        bound,
    )
