"""Records of a table as statistics read them: missing and undeclared values by the policy, persons bounded by a secret choice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ....mechanisms.statistics.rows import Flags, Places, Rows
from ....symbolic.arrays import Floats
from ....symbolic.errors import SpecError
from ..policy.models import ColumnModel, MissingValue
from ..tables.screening import type_of

if TYPE_CHECKING:
    import pyarrow as pa


def types_of(columns: tuple[ColumnModel, ...]) -> dict[str, Any]:
    """The Arrow types that the columns are read as."""
    return {c.name: type_of(c) for c in columns}


def rows_of(batch: pa.RecordBatch, columns: tuple[ColumnModel, ...], before: int) -> Rows:
    """The records of a batch; `before` came before it.  SpecError, which shows no value, where the policy refuses one."""
    places: dict[str, Places] = {}
    numbers: dict[str, Floats] = {}
    for column in columns:
        values = batch.column(column.name)
        if column.categories is None:
            numbers[column.name] = _numbers(values, column, before)
        else:
            places[column.name] = _places(values, column, before)
    return Rows(batch.num_rows, places, numbers)


def _numbers(values: Any, column: ColumnModel, before: int) -> Floats:
    """Doubles, NaN where a value is missing and left out; infinite ones are clipped later, like all beyond the ends."""
    plain = values.to_numpy(zero_copy_only=False)
    out = np.asarray(plain, dtype=float)
    absent = np.isnan(out)
    if not absent.any():
        return out
    if isinstance(column.missing, MissingValue):
        return np.where(absent, float(column.missing.value), out)
    if column.missing == "refuse":
        raise refusal(column, absent, before, "the value is missing, and the policy refuses that")
    return out


def _places(values: Any, column: ColumnModel, before: int) -> Places:
    """The place in the declared list, -1 where the record is left out."""
    import pyarrow as pa
    import pyarrow.compute as pc

    declared = [str(c) for c in column.categories or ()]
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    found = pc.index_in(values, value_set=pa.array(declared, pa.string()))
    absent = np.asarray(values.is_null()) if values.null_count else np.zeros(len(values), dtype=bool)
    out = np.asarray(pc.fill_null(found, -1)).astype(np.int64)
    out = _replaced(out, absent, column.missing, column, declared, before, "missing")
    strange = (out < 0) & ~absent
    return _replaced(
        out, strange, column.undeclared, column, declared, before, "none of the declared categories"
    )


def _replaced(
    out: Places, bad: Flags, rule: Any, column: ColumnModel, declared: list[str], before: int, what: str
) -> Places:
    if not bad.any():
        return out
    if isinstance(rule, MissingValue):
        return np.where(bad, declared.index(str(rule.value)), out)
    if rule == "refuse":
        raise refusal(column, bad, before, f"the value is {what}, and the policy refuses that")
    return out


def refusal(column: ColumnModel, bad: Flags, before: int, what: str) -> SpecError:
    """Where the first of the bad values is; never the value."""
    record = before + int(np.flatnonzero(bad)[0]) + 1
    return SpecError(f"column {column.name!r}, record {record}: {what}", key="table.path")


def all_rows(batches: Iterator[pa.RecordBatch], columns: tuple[ColumnModel, ...]) -> Iterator[Rows]:
    """Batch by batch."""
    done = 0
    for batch in batches:
        yield rows_of(batch, columns, done)
        done += batch.num_rows
