"""The sums of a table: streamed in this process, or file by file on a cluster; the whole numbers are the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....mechanisms.statistics.summing import AllTotals
from ....mechanisms.statistics.workload import Workload
from ....symbolic.errors import SpecError
from ..policy import Policy
from .bounding import MOST_HELD
from .pace import Pace, Say, short
from .records import Records, fresh_key

if TYPE_CHECKING:
    from ..tables import PolicyTable

_PAIR = 16 * 3.5  # bytes of two hashes, and of the copies that sorting makes


def table_sums(
    policy: Policy, load: Workload, table: PolicyTable, say: Say | None = None, cluster: str | None = None
) -> AllTotals:
    """The totals of all records that count; SpecError for records that the policy refuses, or a table that changes.

    One pass in memory that does not grow with the records, several where records of persons are bounded; `say` hears of it.
    """
    try:
        if cluster is None:
            return _streamed(policy, load, table, say)
        from .cluster_sums import cluster_sums

        return cluster_sums(policy, load, table, cluster, say)
    except SpecError as error:
        raise error.within(file=policy.file) from None


def _streamed(policy: Policy, load: Workload, table: PolicyTable, say: Say | None) -> AllTotals:
    read = 0
    pace = Pace(say or (lambda fraction, text: None), table.expected)
    if say is not None and policy.unit == "person":
        say(0.0, before(table.expected))

    def tell(what: str, done: int) -> None:
        nonlocal read
        read = done
        pace(what, done)

    totals = load.totals(Records(policy, table.raw, fresh_key(), tell).rows(load.measurements))
    table.require_lines(read)
    return totals


def before(expected: int | None) -> str:
    """What bounding the records of persons takes, in words."""
    held = MOST_HELD if expected is None else min(expected, MOST_HELD)
    passes = ""
    if expected is not None:
        # A pass holds a quarter of the room at least, once there is too little.
        most = 2 if expected <= MOST_HELD else 2 + 4 * expected // MOST_HELD
        passes = f", at most {most:,} passes over the table"
    return f"bounding persons: hashes of {short(held)} records in memory, about {short(held * _PAIR)} bytes{passes}"
