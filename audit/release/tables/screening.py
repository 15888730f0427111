"""One batch of records against the declared domains; counts and places are said, values never."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ....symbolic.errors import SpecError
from ..policy.category_reading import category_places
from ..policy.models import ColumnModel, MissingValue

if TYPE_CHECKING:
    import pyarrow as pa

Flags = NDArray[np.bool_]


def type_of(column: ColumnModel) -> Any:
    """The Arrow type that a declared column is read as."""
    import pyarrow as pa

    if column.categories is not None or column.kind == "text":
        return pa.string()
    return pa.int64() if column.kind == "integer" else pa.float64()


def screened(batch: pa.RecordBatch, columns: Sequence[ColumnModel], before: int) -> pa.RecordBatch:
    """The batch with missing values replaced and categories as dictionary arrays; `before` records came before it.

    Raises SpecError for missing values where they are refused, numbers that are not finite, categories that are not
    declared, public numbers outside of their domain, and line breaks in text.
    """
    import pyarrow as pa

    arrays = [_screened(batch.column(c.name), c, before) for c in columns]
    return pa.RecordBatch.from_arrays(arrays, names=[c.name for c in columns])


def _screened(values: Any, column: ColumnModel, before: int) -> Any:
    import pyarrow as pa

    plain = pa.types.is_floating(values.type) and not values.null_count
    if not (plain and np.isfinite(values.to_numpy()).all()):
        values = _complete(values, column, before)
    if column.categories is not None:
        known = pa.array([str(c) for c in column.categories])
        places = category_places(values, column)
        if places.null_count:
            raise refusal(
                column, np.asarray(places.is_null()), before, "the value is none of the declared categories"
            )
        return pa.DictionaryArray.from_arrays(places, known)
    if column.kind == "text":
        import pyarrow.compute as pc

        # A quote that is never closed runs on into other records.
        odd = pc.match_substring_regex(values, "[\\x00\\n\\r]")
        if pc.any(odd).as_py():
            raise refusal(column, np.asarray(odd), before, "the text holds a line break or a NUL character")
        return values
    numbers = values.to_numpy()
    if numbers.dtype.kind == "f" and not np.isfinite(numbers).all():
        raise refusal(column, ~np.isfinite(numbers), before, "the value is not a finite number")
    if column.low is not None and column.high is not None and column.role == "public":
        outside = (numbers < column.low) | (numbers > column.high)
        if outside.any():
            raise refusal(column, outside, before, "the value lies outside of the declared domain")
    return values


def _complete(values: Any, column: ColumnModel, before: int) -> Any:
    """The values with the declared one for each that is missing; NaN counts as missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_floating(values.type):
        nan = np.isnan(values.to_numpy(zero_copy_only=False))
        absent = nan if nan.any() else None
    else:
        absent = np.asarray(values.is_null()) if values.null_count else None
    if absent is None:
        return values
    if not isinstance(column.missing, MissingValue):
        what = "the value is missing: fill it in, or declare missing = { value = ... }"
        raise refusal(column, absent, before, what)
    value = column.missing.value
    scalar = pa.scalar(str(value) if pa.types.is_string(values.type) else value, values.type)
    return pc.if_else(pa.array(absent), scalar, values)


def refusal(column: ColumnModel, bad: Flags, before: int, what: str) -> SpecError:
    """Where the first of the bad values is; never the value."""
    record = before + int(np.flatnonzero(bad)[0]) + 1
    return SpecError(f"column {column.name!r}, record {record}: {what}", key="table.path")


def outside_counts(
    batches: Iterable[pa.RecordBatch], columns: Sequence[ColumnModel]
) -> dict[str, Counter[str]]:
    """Of each column the records, and those without a value, with an undeclared one, and beyond the ends: exact, nothing to publish.

    "first" is the first record with an undeclared value.
    """
    import pyarrow.compute as pc

    found: dict[str, Counter[str]] = {column.name: Counter() for column in columns}
    for batch in batches:
        for column in columns:
            values, count = batch.column(column.name), found[column.name]
            absent = pc.is_null(values, nan_is_null=True)
            count["missing"] += absent.sum().as_py() or 0
            if column.categories is not None:
                strange = pc.and_(pc.is_null(category_places(values, column)), pc.invert(absent))
                if pc.any(strange).as_py() and not count["undeclared"]:
                    count["first"] = count["records"] + pc.index(strange, True).as_py() + 1
                count["undeclared"] += strange.sum().as_py() or 0
            elif column.low is not None and column.high is not None:
                count["below low"] += pc.less(values, column.low).sum().as_py() or 0
                count["above high"] += pc.greater(values, column.high).sum().as_py() or 0
            count["records"] += batch.num_rows
    return found
