"""Columns of Arrow data as the types that a policy declares."""

from __future__ import annotations

from typing import Any

from ...symbolic.errors import SpecError


def as_declared(column: Any, name: str, wanted: Any) -> Any:
    """A column as the type that was declared, SpecError where it is none; dates and the like are no numbers."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if column.type == wanted:
        return column
    if pa.types.is_dictionary(wanted):
        if not pa.types.is_dictionary(column.type):
            return pc.dictionary_encode(as_declared(column, name, wanted.value_type)).cast(wanted)
        texts = as_declared(column.dictionary, name, wanted.value_type)
        return pa.DictionaryArray.from_arrays(column.indices.cast(wanted.index_type), texts)
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    usual = pa.types.is_integer(kind) or pa.types.is_boolean(kind) or pa.types.is_null(kind)
    if pa.types.is_string(wanted):
        usual |= any(
            is_one(kind)
            for is_one in (
                pa.types.is_string,
                pa.types.is_large_string,
                pa.types.is_string_view,
                pa.types.is_date,
                pa.types.is_timestamp,
            )
        )
    else:
        usual |= pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    words = {"string": "texts", "double": "numbers"}.get(str(wanted), "whole numbers below 2^63")
    if not usual:
        raise SpecError(
            f"column {name!r}: expected {words}, and it is stored as {str(column.type)[:60]}: convert the column, or drop it"
        )
    try:
        if pa.types.is_floating(kind) and pa.types.is_integer(wanted):
            column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
        # Rounding to a double is meant; a whole number that is none is not.
        return pc.cast(column, wanted, safe=not pa.types.is_floating(wanted))
    except (pa.ArrowException, OSError):
        raise SpecError(
            f"column {name!r}: expected {words}, and not all of it is (it is stored as {str(column.type)[:60]})"
        ) from None
