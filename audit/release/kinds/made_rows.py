"""Releases whose rows belong to no record: synthetic ones, and combinations of all records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ....symbolic.arrays import Floats
from ..limits import Decision, Limits
from ..manifest import ColumnNoise
from ..policy import Policy
from .terms import columns_of

if TYPE_CHECKING:
    import pyarrow as pa


def unit_moved(policy: Policy) -> str:
    """The records in which neighbours differ."""
    return (
        "one record"
        if policy.unit == "record"
        else f"all records of one person, at most {policy.rows_of_unit},"
    )


def made_columns(policy: Policy, law: str, origin: str) -> tuple[ColumnNoise, ...]:
    """Each private number with the word for its law."""
    noise = {"law": law, "from": f"{origin}; no released row belongs to a record"}
    return columns_of(policy, [dict(noise) for _ in policy.numbers])


def limits_of_a_row(limits: Limits, rows: str) -> Iterator[Decision]:
    """The limits that nothing can be held to where a record has no row."""
    why = f" is about the released row of a record, and {rows} rows belong to none: leave it out"
    return limits.refused(("information", "error", "utility"), why)


def schema_of(names: Sequence[str]) -> pa.Schema:
    """Columns of doubles."""
    import pyarrow as pa

    return pa.schema([pa.field(name, pa.float64(), nullable=False) for name in names])


def batch_of(rows: Floats, schema: pa.Schema) -> pa.RecordBatch:
    """Rows (rows, columns) of doubles as they are written."""
    import pyarrow as pa

    return pa.RecordBatch.from_arrays([pa.array(np.ascontiguousarray(c)) for c in rows.T], schema=schema)
