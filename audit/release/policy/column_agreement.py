"""What one declared column demands of itself: an interval or a list of categories, and values of it for what is missing."""

from __future__ import annotations

from ....symbolic.errors import SpecError
from .category_reading import date_pattern, written_texts
from .models import ColumnModel, MissingValue

# Doubles hold every whole number up to this one.
LARGEST_WHOLE = 2**53
_OF_PART = {"year": '"2024"', "month": '"03"', "year-month": '"2024-03"', "weekday": '"1" (Monday) to "7"'}
_WHOLE = "a whole number of at most 2^53 in size"


def check_column(column: ColumnModel, key: str, *, encoded: bool = True) -> None:
    """Raises SpecError, with the key, for the first part of the column at `key` that does not fit the others.

    `encoded`: whether private categories become numbers.
    """
    if not column.name.isprintable():
        raise SpecError("the name holds control characters; rename the column", key=f"{key}.name")
    if column.kind is None:
        if column.role != "drop":
            raise SpecError(
                "this key is missing: number, integer, category, label or text", key=f"{key}.kind"
            )
        return
    if column.kind == "text" and column.role == "private":
        raise SpecError(
            "free text cannot be protected by noise: declare its categories, or drop it", key=f"{key}.kind"
        )
    _check_interval(column, key)
    _check_categories(column, key, encoded)
    _check_missing(column, key)
    _check_reading(column, key)


def _check_reading(column: ColumnModel, key: str) -> None:
    """What dates and codes are read as has to be declared."""
    for name in ("date", "groups"):
        if getattr(column, name) is not None and column.kind != "category":
            raise SpecError('only with kind = "category"', key=f"{key}.{name}")
    declared = {str(c) for c in column.categories or ()}
    if column.date is not None:
        try:
            directives = date_pattern(column.date.form).groupindex
        except ValueError as error:
            raise SpecError(str(error), key=f"{key}.date.form") from None
        needed: list[tuple[str, ...]] = [("Y", "y")] if column.date.part != "month" else []
        needed += [("m",)] if column.date.part != "year" else []
        needed += [("d",)] if column.date.part == "weekday" else []
        lacking = next((" or %".join(one) for one in needed if not set(one) & set(directives)), None)
        if lacking is not None:
            raise SpecError(f"expected %{lacking} in it, for the {column.date.part}", key=f"{key}.date.form")
        if not written_texts(column):
            raise SpecError(
                f"no declared category is the {column.date.part} of a date: expected texts such as {_OF_PART[column.date.part]}",
                key=f"{key}.categories",
            )
    seen: set[str] = set()
    for group, codes in (column.groups or {}).items():
        if group not in declared:
            raise SpecError(f"{group!r} is none of the declared categories", key=f"{key}.groups")
        texts = [str(c) for c in codes]
        twice = next((text for text in texts if text in seen or texts.count(text) > 1), None)
        if twice is not None or not texts:
            raise SpecError(
                f"expected values, each in one group: {'none' if twice is None else repr(twice)} for {group!r}",
                key=f"{key}.groups",
            )
        seen.update(texts)


def _check_interval(column: ColumnModel, key: str) -> None:
    ends = {"low": column.low, "high": column.high}
    given = [end for end, value in ends.items() if value is not None]
    if column.kind in ("category", "text") or (column.kind == "label" and column.categories):
        if given:
            raise SpecError(
                f'kind = "{column.kind}" has no {given[0]}: leave it out, or say kind = "number"',
                key=f"{key}.{given[0]}",
            )
        return
    needed = column.role == "private" or column.kind == "label" or given
    for end, value in ends.items():
        if value is None and needed:
            raise SpecError(
                f"this key is missing: the {'least' if end == 'low' else 'largest'} value of the public domain; "
                "it is declared, never read off the data",
                key=f"{key}.{end}",
            )
        if column.kind == "integer" and value is not None and not _whole(value):
            raise SpecError(f"expected {_WHOLE}, got {value!r}", key=f"{key}.{end}")
    if column.low is not None and column.high is not None and not float(column.low) < float(column.high):
        raise SpecError(
            f"expected low < high, got low = {column.low!r} and high = {column.high!r}", key=f"{key}.high"
        )


def _check_categories(column: ColumnModel, key: str, encodes: bool) -> None:
    categorical = column.kind == "category" or (column.kind == "label" and column.low is None)
    if not categorical:
        if column.categories is not None:
            raise SpecError(
                f'kind = "{column.kind}" has no categories: leave them out, or say kind = "category"',
                key=f"{key}.categories",
            )
    elif column.categories is None:
        raise SpecError(
            "this key is missing: all values that the column may hold; they are declared, never read off the data",
            key=f"{key}.categories",
        )
    else:
        texts = [str(c) for c in column.categories]
        twice = (
            next((c for i, c in enumerate(texts) if c in texts[:i]), None)
            if len(set(texts)) < len(texts)
            else None
        )
        if twice is not None:
            raise SpecError(f"{twice!r} stands twice", key=f"{key}.categories")
        odd = next((c for c in texts if not c.isprintable() and c), None)
        if odd is not None:
            raise SpecError(f"{odd!r} holds control characters", key=f"{key}.categories")
        if len(texts) < 2 and column.role == "private":
            raise SpecError("expected at least 2 entries: a constant needs no noise", key=f"{key}.categories")
    encoded = encodes and column.kind == "category" and column.role == "private"
    if encoded and column.encode is None:
        raise SpecError(
            'this key is missing: "index" or "one-hot", how a private category becomes numbers',
            key=f"{key}.encode",
        )
    if not encoded and column.encode is not None:
        raise SpecError("only a private category is encoded; leave it out", key=f"{key}.encode")


def _check_missing(column: ColumnModel, key: str) -> None:
    if not isinstance(column.missing, MissingValue):
        return
    value, key = column.missing.value, f"{key}.missing.value"
    if column.categories is not None:
        if str(value) not in {str(c) for c in column.categories}:
            raise SpecError(f"expected one of the declared categories, got {value!r}", key=key)
    elif column.kind == "text":
        if not isinstance(value, str) or not (value.isprintable() or not value):
            raise SpecError(f"expected text without control characters, got {value!r}", key=key)
    elif isinstance(value, str):
        raise SpecError(f"expected a number, got {value!r}", key=key)
    elif column.kind == "integer" and not _whole(value):
        raise SpecError(f"expected {_WHOLE}, got {value!r}", key=key)
    elif (column.low is not None and value < column.low) or (column.high is not None and value > column.high):
        raise SpecError(f"expected a value of the declared domain, got {value!r}", key=key)


def _whole(value: float) -> bool:
    return abs(value) <= LARGEST_WHOLE and value == int(value)
