"""From what a table holds to a declared category: the value itself, a part of a date, or the group that a code belongs to."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .models import ColumnModel, DateModel

_DIGITS = {"d": "1,2", "m": "1,2", "Y": "4", "y": "2", "H": "1,2", "M": "1,2", "S": "1,2"}
_DIRECTIVES = {name: rf"(?P<{name}>\d{{{digits}}})" for name, digits in _DIGITS.items()}
PARTS = {"year": "%Y", "month": "%m", "year-month": "%Y-%m", "weekday": "%u"}


def category_places(values: Any, column: ColumnModel) -> Any:
    """The place of each text in the declared list, null where it is none of it."""
    import pyarrow as pa
    import pyarrow.compute as pc

    known = pa.array([str(c) for c in column.categories or ()], pa.string())
    if column.date is not None or column.groups:
        distinct = pc.unique(values)
        read = pa.array(category_texts(distinct.to_pylist(), column), pa.string())
        values = read.take(pc.index_in(values, value_set=distinct))
    return pc.index_in(values, value_set=known, skip_nulls=True)


def category_texts(texts: Iterable[str | None], column: ColumnModel) -> list[str | None]:
    """What each text counts as: the part of its date, then the group that it is in; itself where it is in none."""
    of_code = {str(code): group for group, codes in (column.groups or {}).items() for code in codes}
    parts = (
        texts if column.date is None else (None if t is None else date_part(t, column.date) for t in texts)
    )
    return [None if t is None else of_code.get(t, t) for t in parts]


def date_pattern(form: str) -> re.Pattern[str]:
    """A form such as %d.%m.%Y as a regular expression; ValueError for a directive that is not read, or one that stands twice."""
    out = ""
    for directive, other in re.findall("%(.?)|([^%]+)", form):
        if other:
            out += re.escape(other)
        elif directive in _DIRECTIVES:
            out += _DIRECTIVES[directive]
        else:
            raise ValueError(
                f"%{directive} is not read: expected {', '.join('%' + name for name in _DIRECTIVES)}"
            )
    try:
        return re.compile(out, re.ASCII)
    except re.error:
        raise ValueError("a directive stands twice") from None


def date_part(text: str, date: DateModel) -> str | None:
    """The declared part of a date that is written in the declared form; None for all else."""
    found = date_pattern(date.form).fullmatch(text.strip())
    if found is None:
        return None
    given = {name: int(value) for name, value in found.groupdict().items()}
    # Two digits are read as POSIX reads them: 69 to 99 are of the last century.
    year = given.get("Y", given["y"] + (1900 if given["y"] > 68 else 2000) if "y" in given else 2000)
    try:
        moment = datetime.datetime(
            year,
            given.get("m", 1),
            given.get("d", 1),
            given.get("H", 0),
            given.get("M", 0),
            given.get("S", 0),
        )
    except ValueError:
        return None
    return f"{moment:%Y}".zfill(4) if date.part == "year" else moment.strftime(PARTS[date.part])


def written_texts(column: ColumnModel) -> list[str]:
    """One text for each declared category that is read as it, where there is one: what a synthetic table holds."""
    first = {group: str(codes[0]) for group, codes in (column.groups or {}).items()}
    names = [first.get(str(c), str(c)) for c in column.categories or ()]
    if column.date is None:
        return names
    return [text for name in names for text in _dates(name, column.date)]


def _dates(part: str, date: DateModel) -> list[str]:
    """A date in the declared form with this part, or none."""
    numbers = [int(n) for n in re.findall("[0-9]+", part)]
    try:
        year = numbers[0] if date.part.startswith("year") else 2024
        month = numbers[-1] if "month" in date.part else 1
        # The first of January of 2024 was a Monday.
        moment = datetime.datetime(year, month, numbers[0] if date.part == "weekday" else 1)
    except (ValueError, IndexError):
        return []
    text = moment.strftime(date.form)
    return [text] if date_part(text, date) == part else []
