"""Records of a table as statistics read them: missing and undeclared values by the policy, persons bounded by a secret choice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ....mechanisms.statistics.rows import Places, Rows
from ....symbolic.arrays import Floats
from ..policy.category_reading import category_places
from ..policy.models import ColumnModel, MissingValue
from ..tables.screening import refusal, type_of

if TYPE_CHECKING:
    import pyarrow as pa


def types_of(columns: tuple[ColumnModel, ...]) -> dict[str, Any]:
    """The Arrow types that the columns are read as: of a category each distinct value once, and its number in every record."""
    import pyarrow as pa

    category = pa.dictionary(pa.int32(), pa.string())
    return {c.name: type_of(c) if c.categories is None else category for c in columns}


def rows_of(batch: pa.RecordBatch, columns: tuple[ColumnModel, ...], before: int) -> Rows:
    """The records of a batch; `before` came before it.  SpecError, which shows no value, where the policy refuses one."""
    places: dict[str, Places] = {}
    numbers: dict[str, Floats | Places] = {}
    for column in columns:
        values = batch.column(column.name)
        if column.categories is None:
            numbers[column.name] = _numbers(values, column, before)
        else:
            places[column.name] = _places(values, column, before)
    return Rows(batch.num_rows, places, numbers)


def _numbers(values: Any, column: ColumnModel, before: int) -> Floats | Places:
    """NaN where a value is missing and left out; infinite ones are clipped later, like all beyond the ends."""
    plain = np.asarray(values.to_numpy(zero_copy_only=False))
    if plain.dtype == np.int64:
        return plain
    out = np.asarray(plain, dtype=float)
    absent = np.isnan(out)
    if not absent.any():
        return out
    if isinstance(column.missing, MissingValue):
        return np.where(absent, float(column.missing.value), out)
    if column.missing == "refuse":
        raise refusal(column, absent, before, "the value is missing, and the policy refuses that")
    return out


_ABSENT, _STRANGE = -2, -1


def _places(values: Any, column: ColumnModel, before: int) -> Places:
    """The place in the declared list, -1 where the record is left out."""
    table, codes = _table(values, column), values.indices
    if codes.null_count:
        codes = codes.fill_null(len(table) - 1)
    out: Places = table[codes.to_numpy()]
    if not out.size or out.min() >= 0:
        return out
    # In this order: what is missing may be left out, which is marked like what is not declared.
    out = _replaced(out, _STRANGE, column.undeclared, column, before, "none of the declared categories")
    return _replaced(out, _ABSENT, column.missing, column, before, "missing")


def _table(values: Any, column: ColumnModel) -> Places:
    """The place of each distinct value of a batch, and of none at the end."""
    import pyarrow.compute as pc

    distinct = values.dictionary
    found = pc.fill_null(category_places(distinct, column), _STRANGE)
    places = pc.if_else(pc.is_null(distinct), _ABSENT, found)
    return np.append(places.to_numpy(zero_copy_only=False), _ABSENT).astype(np.int64)


def _replaced(out: Places, mark: int, rule: Any, column: ColumnModel, before: int, what: str) -> Places:
    bad = out == mark
    if not bad.any():
        return out
    if rule == "refuse":
        raise refusal(column, bad, before, f"the value is {what}, and the policy refuses that")
    declared = [str(c) for c in column.categories or ()]
    return np.where(bad, declared.index(str(rule.value)) if isinstance(rule, MissingValue) else -1, out)
