"""The sums of the files of a folder on the workers of a Dask cluster: whole numbers, which add up exactly in any order."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ....mechanisms.statistics.measurement import Measurement, Totals
from ....mechanisms.statistics.summing import AllTotals, require_few, sums
from ....mechanisms.statistics.workload import Workload
from ....symbolic.errors import SpecError
from ...record.table_file import ParquetSource, file_state
from ...record.table_folder import ParquetFolder
from ...trial.schedule.cluster import Cluster
from ..policy import Policy
from .pace import Pace, Say
from .records import Records, fresh_key

if TYPE_CHECKING:
    from ..tables import PolicyTable

Answer = tuple[list[Totals], int]


def cluster_sums(
    policy: Policy, load: Workload, table: PolicyTable, address: str, say: Say | None = None
) -> AllTotals:
    """The totals of all records; each file is read by one worker, which finds it under the same path.

    Exact sums travel to this process and are as confidential as the table.  SpecError for what a cluster cannot do.
    """
    source = table.source
    if not isinstance(source, ParquetFolder):
        raise SpecError(
            f"a cluster sums the files of a folder of Parquet files, and {source.name} is none",
            key="table.path",
        )
    if policy.unit == "person":
        raise SpecError(
            "a cluster bounds no records of persons, whose records may stand in several files: release without a cluster, which streams them",
            key="table.unit_of_privacy",
        )
    tell = None if say is None else Pace(say, table.expected)
    totals, done = {m: m.zeros() for m in load.measurements}, 0
    tasks = [(policy, load.measurements, part, _seen(part.path)) for part in source.parts]
    with Cluster(address) as cluster:
        for found, count in cluster.each(part_sums, tasks):
            done += count
            require_few(done)
            for measurement, more in zip(load.measurements, found, strict=True):
                totals[measurement] += more
            if tell is not None:
                tell("summing", done)
    table.require_same()
    return totals


def part_sums(
    policy: Policy, measurements: tuple[Measurement, ...], part: ParquetSource, seen: tuple[int, ...]
) -> Answer:
    """The totals of one file, in the order of the measurements, and how many records it has."""
    from ..tables import PolicyTable

    name = part.path.name
    if _seen(part.path) != seen:
        gone = "is not there" if not part.path.is_file() else "is another file"
        raise SpecError(
            f"{name} {gone} on a worker: all workers read the same folder, under the same path",
            key="table.path",
        )
    table, count = PolicyTable(policy, part, part.state(), part.path), 0

    def tell(what: str, done: int) -> None:
        nonlocal count
        count = done

    try:
        found = sums(measurements, Records(policy, table.raw, fresh_key(), tell).rows())
    except SpecError as error:
        raise (
            error
            if name in str(error)
            else SpecError(f"{name}: {error.message}", key=error.key, file=error.file)
        ) from None
    return [found[m] for m in measurements], count


def _seen(path: Path) -> tuple[int, ...]:
    """What is the same of a file on all machines: size and time."""
    return file_state(path)[2:]
