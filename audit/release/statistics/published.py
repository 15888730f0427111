"""The released numbers as a tidy table: one row a number, with its interval, its noise and whether it is to be suppressed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ....mechanisms.statistics.figures import Figure
from ....mechanisms.statistics.rows import Axis
from ....mechanisms.statistics.statistic import Statistic
from ....mechanisms.statistics.workload import Workload
from ..policy.statistic_models import FIXED, GROUP
from ..spreadsheet import guarded

if TYPE_CHECKING:
    import pyarrow as pa

SHOWN = 5_000  # numbers that a page is made from


def column_of(axis: Axis) -> str:
    """The published column that holds the groups of an axis."""
    return f"{axis.column}{GROUP}" if axis.column in FIXED else axis.column


def group_columns(workload: Workload) -> tuple[str, ...]:
    """The columns that tell groups apart, each once, in the order in which statistics name them."""
    return tuple(dict.fromkeys(column_of(axis) for s in workload.statistics for axis in s.axes))


def schema_of(workload: Workload, form: str = "parquet") -> pa.Schema:
    """statistic, quantity, the group columns (null where a statistic has no such group), value, low, high, noise, suppressed.

    In a file of the form "csv" no name is a formula.
    """
    import pyarrow as pa

    names = [guarded(n) if form == "csv" else n for n in group_columns(workload)]
    texts = [pa.field(name, pa.string()) for name in names]
    numbers = [pa.field(name, pa.float64()) for name in ("value", "low", "high")]
    ends = [pa.field("noise", pa.string()), pa.field("suppressed", pa.bool_(), nullable=False)]
    first = [pa.field(name, pa.string(), nullable=False) for name in ("statistic", "quantity")]
    return pa.schema([*first, *texts, *numbers, *ends])


def quantity_of(workload: Workload, statistic: Statistic, quantity: str) -> str:
    """A quantity as it is published: which records count is said where rows of a person are left out."""
    said = statistic.counting(workload.unit)
    bounded = statistic.of_records and said != "records"
    whole = said if said.startswith(quantity) else f"{quantity}, {said}"
    return whole if bounded else quantity


def record_of(workload: Workload, statistic: Statistic, figure: Figure) -> dict[str, Any]:
    """One row as plain data."""
    names = [column_of(axis) for axis in statistic.axes]
    groups: dict[str, str | None] = dict.fromkeys(group_columns(workload))
    groups.update(zip(names, figure.groups, strict=True))
    ends = {name: _finite(getattr(figure, name)) for name in ("value", "low", "high")}
    return {
        "statistic": statistic.name,
        "quantity": quantity_of(workload, statistic, figure.quantity),
        **groups,
        **ends,
        "noise": figure.noise,
        "suppressed": figure.suppressed,
    }


def _finite(value: float | None) -> float | None:
    return None if value is None or value in (float("inf"), float("-inf")) else value


def batch_of(rows: Iterable[dict[str, Any]], schema: pa.Schema, form: str = "parquet") -> pa.RecordBatch:
    """The rows as they are written to a file of this form."""
    import pyarrow as pa

    written = [_in_a_spreadsheet(row) for row in rows] if form == "csv" else list(rows)
    return pa.RecordBatch.from_pylist(written, schema=schema)


def _in_a_spreadsheet(row: dict[str, Any]) -> dict[str, Any]:
    return {guarded(name): guarded(cell) if isinstance(cell, str) else cell for name, cell in row.items()}
