"""What follows from released numbers and the laws in their policy, computed again: intervals, marks, steps, words of the noise."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ....mechanisms.statistics.counts import Count
from ....mechanisms.statistics.figures import Interval, between, last_digit, over
from ....mechanisms.statistics.marginal_tables import Marginals, MarginalsDrawer
from ....mechanisms.statistics.parts import Drawer, Part
from ....mechanisms.statistics.statistic import Statistic
from ....mechanisms.statistics.sums import Mean, Sum, SumOfMean, Variance
from ....mechanisms.statistics.workload import Workload
from .published import column_of, quantity_of, record_of

_CLOSE = 1e-9
_MOST = 10**11  # records
_HALVINGS = 50
Row = Mapping[str, Any]


def misfits(workload: Workload, results: Sequence[Row]) -> Iterator[str]:
    """Rows that do not follow.  Of quantiles, variances, regressions and numbers fitted to several draws more is not published
    than an interval that holds the value, and has a width."""
    first = 0
    for statistic in workload.statistics:
        rows = results[first : first + statistic.rows]
        again = _again(workload, statistic, rows)
        for place, row in enumerate(rows):
            try:
                fits = row["statistic"] == statistic.name and (
                    _same(again[place], row, isinstance(statistic, Sum))
                    if again
                    else _fits(workload, statistic, row)
                )
            except (TypeError, KeyError, ValueError, OverflowError):
                fits = False
            if not fits:
                said = "its interval, mark or noise is not what its value and its law give"
                yield f"number {first + place + 1} ({ascii(row.get('statistic'))[:60]}): {said}"
        first += statistic.rows


def _again(workload: Workload, statistic: Statistic, rows: Sequence[Row]) -> list[dict[str, Any]]:
    """The rows as they are published where one noisy total is one number; empty for other statistics, and where some are missing."""
    if not isinstance(statistic, Count | Sum) or len(rows) < statistic.rows:
        return []
    part = statistic.parts[0]
    step = statistic.amount.step if isinstance(statistic, Sum) and statistic.amount is not None else 1
    groups = {cell: i for i, cell in enumerate(statistic._groups())}
    totals = np.full((len(groups), 1), -_MOST, dtype=object)
    columns = [column_of(axis) for axis in statistic.axes]
    try:
        for place, row in enumerate(rows):
            value = float(row["value"])
            # What lies beyond an end is published as the end, with its interval: how far beyond, is not.
            total = round(value / step) if value else -place
            totals[groups[tuple(row[c] for c in columns)], 0] = total
        figures = list(statistic.figures({part: (workload.drawers[part], totals)}))
    except (TypeError, KeyError, ValueError, OverflowError):
        return [{}] * len(rows)
    return [record_of(workload, statistic, figure) for figure in figures]


def _same(again: Row, row: Row, of_sum: bool) -> bool:
    """Whether a row says this; of a sum that was moved to 0 the mark follows from how far, which is not published."""
    free = ("suppressed",) if of_sum and row["value"] == 0 else ()
    return {k: v for k, v in again.items() if k not in free} == {
        k: v for k, v in row.items() if k not in free
    }


def _fits(workload: Workload, statistic: Statistic, row: Row) -> bool:
    drawers = workload.drawers
    value, low, high = (None if row[n] is None else float(row[n]) for n in ("value", "low", "high"))
    if type(statistic) in (Mean, SumOfMean, Variance) and row["noise"] not in _words(statistic, drawers):
        return False
    if type(statistic) is Mean:
        return _of_mean(statistic, drawers, row, value, (low, high))
    if value is None or low is None or high is None:
        return value is None or (-math.inf if low is None else low) <= value <= (
            math.inf if high is None else high
        )
    ordered = low <= value <= high and (low < high or low == high == 0)
    if isinstance(statistic, Marginals) and low > 0:
        drawer = drawers[statistic.parts[0]]
        assert isinstance(drawer, MarginalsDrawer)
        table = next(
            t for t in statistic.tables if quantity_of(workload, statistic, " x ".join(t)) == row["quantity"]
        )
        return ordered and high - low >= 2 * drawer.half_width(table) * (1 - _CLOSE)
    return ordered


def _words(mean: Statistic, drawers: Mapping[Part, Drawer]) -> set[str]:
    """What is said of the noise of any number of this statistic."""
    cells = math.prod(len(axis.labels) for axis in mean.axes)
    nothing = np.zeros((cells, 1), dtype=object)
    return {figure.noise for figure in mean.figures({part: (drawers[part], nothing) for part in mean.parts})}


def _of_mean(
    mean: Mean,
    drawers: Mapping[Part, Drawer],
    row: Row,
    value: float | None,
    ends: tuple[float | None, float | None],
) -> bool:
    """Whether some count of records gives both ends from the value, as far as the declared ends do not cut them."""
    assert mean.amount is not None
    amount, (top, bottom) = mean.amount, (drawers[mean.parts[0]], drawers[mean.parts[-1]])
    if value is None:
        return (*ends, row["suppressed"]) == (amount.low, amount.high, True)
    low, high = ends
    if low is None or high is None or not low <= value <= high:
        return False
    if value in (amount.low, amount.high):  # moved there: the sum is not known
        return low < high
    wide, deep, rounding = *mean.halves(top, bottom), float(amount.rounding)
    centre = float(amount.centre)

    def row_of(n: int, exact: float) -> tuple[Interval, bool]:
        """The interval and the mark of n records whose noisy mean, before digits were left out, is `exact`."""
        total = (exact - centre) * n
        found = over((total - wide, total + wide), (max(n - deep, 1.0), n + deep))
        assert found is not None
        whole = centre + found[0] - rounding, centre + found[1] + rounding
        return between(exact, whole, amount.low, amount.high)[1], mean.marks(exact, whole)

    def fewest(exact: float) -> int:
        """The least number of records whose interval is no longer than this one: the more records, the shorter."""
        least, most = math.floor(deep) + 1, _MOST
        while least < most:
            middle = (least + most) // 2
            (a, b), _ = row_of(middle, exact)
            least, most = (middle + 1, most) if b - a > (high - low) * (1 + _CLOSE) else (least, middle)
        return least

    slack = 1e-6 * (high - low) + 1e-12 * max(abs(amount.low), abs(amount.high))
    left_out = 0.0 if mean.target is not None else last_digit((low, high)) / 2
    around = [fewest(value - left_out), fewest(value + left_out)]
    for n in range(max(min(around) - 2, math.floor(deep) + 1), max(around) + 3):
        least, most = value - left_out, value + left_out
        for _ in range(_HALVINGS if left_out else 1):  # either end rises with the value
            exact = (least + most) / 2
            (a, b), marked = row_of(n, exact)
            if max(abs(a - low), abs(b - high)) <= slack and marked == row["suppressed"]:
                return True
            below = a < low if low > amount.low else b < high
            least, most = (exact, most) if below else (least, exact)
    return False
