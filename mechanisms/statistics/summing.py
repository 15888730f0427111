"""Exact sums over batches of records, and over parts of a table: whole numbers add up to the same in any order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from ...symbolic.errors import SpecError
from .measurement import Measurement, Totals
from .rows import Rows

AllTotals = Mapping[Measurement, Totals]
MOST_ROWS = 1 << 38  # records whose sums of 2^24 steps fit a 64-bit number


def sums(
    measurements: Sequence[Measurement],
    batches: Iterable[Rows],
    progress: Callable[[int], None] | None = None,
) -> AllTotals:
    """The totals of each measurement; `progress` is told how many records were summed, after each batch.

    Memory is that of one batch and of the totals.  SpecError for more records than 64-bit sums hold.
    """
    totals = {m: m.zeros() for m in measurements}
    done = 0
    for rows in batches:
        done += rows.size
        require_few(done)
        for measurement, found in totals.items():
            measurement.add(rows, found)
        if progress is not None:
            progress(done)
    return totals


def require_few(records: int) -> None:
    """SpecError for more records than 64-bit sums hold."""
    if records > MOST_ROWS:
        raise SpecError(f"there are more than {MOST_ROWS:,} records: sums could leave 64 bits")
