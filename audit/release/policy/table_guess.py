"""How a table seems to be written, and what its columns seem to hold, from its beginning: marks and types, never a value."""

from __future__ import annotations

import codecs
import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from ....symbolic.errors import SpecError
from ...record.csv_dialect import Dialect, delimiter_of, utf8_stream
from ...record.table_file import CsvSource, Form, described_errors, open_source
from ...record.written_numbers import SHORT, PointsSeen, WrittenNumbers
from .category_reading import date_part
from .models import DateModel

# Texts that tables often write for a missing value: types are found without them.
MISSING = ("", "?", "NA", "N/A", "NULL", "NaN", "nan")
_READ, _ROWS, _TITLES, _LONGEST_WHOLE = 1 << 20, 200, 20, 15
_NUMERAL = re.compile(r"\s*[+-]?[\d.,' ]*\d[%]?\s*")
_MARKS = tuple(
    WrittenNumbers(*pair)
    for pair in (
        (".", None),
        (",", None),
        (".", ","),
        (",", "."),
        (",", " "),
        (".", " "),
        (".", "'"),
        (",", "'"),
    )
)
# Words of names that tell codes wherever they stand, at the end of a name, and alone.
_ANYWHERE = r"u?u?id|ids|codes?|fips|zip|zip ?code|post ?code|plz|postal|ssn|isbn|naics|sic|icd|cpt|ean|gtin|phone|year|yr|jahr"
_AT_THE_END = r"no|nr|num|number|nummer|key|type|class|group|cluster|region|state|county|country|tract|block|district|date|month|account"
_ALONE = r"index|row|row ?names?|obs|case|serial|subject|patient|person|lat|latitude|lon|long|longitude|column \d+( no name)?"
_CODES = re.compile(rf"(^|.*[^a-z])((({_ANYWHERE})([^a-z].*)?)|({_AT_THE_END})[^a-z]*)|({_ALONE})")

# Where days and months can be exchanged, a column fits two of these forms alike.
_DAYS = ("%d#%m#%Y", "%m#%d#%Y", "%Y#%m#%d", "%d#%m#%y", "%m#%d#%y")
_DATES = [day.replace("#", mark) for mark in "-./" for day in _DAYS]
_TIMES = ("", " %H:%M", " %H:%M:%S", "T%H:%M:%S")
_DATE_LIKE = r"^\d{1,4}[-./]\d{1,2}[-./]\d{2,4}\b"
_MOSTLY = 0.9  # of the texts of a column: the others are typing errors

_TWO_WAYS = (
    "numbers such as 1.234 or 1,234 may be decimals or thousands: declare decimal and thousands in [table]"
)
_BESIDE = "numbers such as 1.234 stand here beside such as 2.5, and are read as decimals: if they are thousands, write the column again"


@dataclass(frozen=True)
class Guess:
    """Names and kinds ("number", "integer" or None) of the columns, `codes` among them, and a remark for some."""

    dialect: Dialect
    names: tuple[str, ...]
    kinds: tuple[str | None, ...]
    codes: frozenset[str]
    remarks: dict[str, str]
    nameless: frozenset[str] = frozenset()
    dates: Mapping[str, list[str]] = field(default_factory=dict)  # the forms that most texts of a column fit


def guess(table: Path, form: Form) -> Guess:
    """SpecError for a table that cannot be read, or whose columns cannot be named in a policy."""
    if form == "parquet":
        return _of_parquet(table)
    with described_errors(table.name, form):
        dialect = _dialect(table)
    source = open_source(table, form, dialect)
    assert isinstance(source, CsvSource)
    _require_names(source.names, table)
    columns = source.beginning()
    marks, remarks = _marks(columns)
    kinds = tuple(_kind(columns[name], marks) for name in source.names)
    remarks |= dict.fromkeys(source.nameless, "it has no name in the table: name it there, or leave it out")
    codes = {
        n for n, k in zip(source.names, kinds, strict=True) if is_code(n) or (k and _coded(columns[n], marks))
    }
    return Guess(
        replace(dialect, numbers=marks),
        source.names,
        kinds,
        frozenset(codes),
        remarks,
        source.nameless,
        {name: forms for name, texts in columns.items() if (forms := _date_forms(texts))},
    )


def _date_forms(texts: Any) -> list[str]:
    """The forms that fit most texts of a column, nearly all of them; two where days and months can be exchanged."""
    if len(_those(texts, _DATE_LIKE)) <= _MOSTLY * len(texts):
        return []
    some = texts.slice(0, 1000).to_pylist()
    reads = [DateModel(form=day + time, part="month") for day in _DATES for time in _TIMES]
    fits = {date.form: sum(date_part(text, date) is not None for text in some) for date in reads}
    most = max(fits.values())
    return [form for form, count in fits.items() if count == most > _MOSTLY * len(some)]


def is_code(name: str) -> bool:
    """Whether the name of a column says that its numbers tell things apart, or count years, so that a mean of them says nothing."""
    plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    plain = re.sub(r"[\W_]+", " ", plain).strip().lower()
    return _CODES.fullmatch(plain) is not None


def _of_parquet(table: Path) -> Guess:
    import pyarrow as pa
    import pyarrow.parquet

    with described_errors(table.name, "parquet"):
        schema = pyarrow.parquet.read_schema(table)
    names = tuple(schema.names)
    _require_names(names, table)
    floating = (pa.types.is_floating, pa.types.is_decimal)
    kinds = tuple(
        "integer" if pa.types.is_integer(t) else "number" if any(is_one(t) for is_one in floating) else None
        for t in schema.types
    )
    return Guess(Dialect(), names, kinds, frozenset(filter(is_code, names)), {})


def _require_names(names: Sequence[str], table: Path) -> None:
    for i, name in enumerate(names):
        if not name:
            raise SpecError(f"the name of column {i + 1} is empty: name the column", file=str(table))
        if not name.isprintable():
            raise SpecError(
                f"the name of column {i + 1} holds control characters, a line break or a tab perhaps: rename the column, or, if the lines "
                "are parted by another mark, declare table.delimiter",
                file=str(table),
            )
        if name in names[:i]:
            raise SpecError(f"{name!r} is the name of a column twice; rename one", file=str(table))


def _dialect(table: Path) -> Dialect:
    with utf8_stream(table) as stream:
        raw = stream.read(_READ)
    encoding = _encoding(raw)
    if encoding != "utf-16" and b"\0" in raw:
        raise SpecError("it is no text: expected a CSV file", file=str(table))
    with utf8_stream(table, encoding) as stream:
        text = stream.read(_READ).decode("utf-8-sig", errors="replace")
    found = [one for mark in dict.fromkeys((delimiter_of(table), *",;\t|")) for one in _lines(text, mark)]
    fits = [one for one in found if one[0] > 1]
    _, _, delimiter, titles, unnamed = max(
        fits or found, key=lambda one: one[:2], default=(0, 0, delimiter_of(table), 0, None)
    )
    return Dialect(delimiter, MISSING, encoding, titles, unnamed)


def _encoding(raw: bytes) -> str:
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    for name in ("utf-8", "cp1252"):
        try:
            codecs.getincrementaldecoder(name)().decode(raw)
        except UnicodeDecodeError:
            continue
        return name
    return "latin-1"


def _lines(text: str, mark: str) -> Iterator[tuple[int, int, str, int, str | None]]:
    """How many fields the header has if this mark parts them, less the lines above it; the mark, those lines, and the field without a name."""
    reader, rows = csv.reader(text.splitlines(keepends=True), delimiter=mark), []
    begins = [0]
    try:
        for row in islice(reader, _ROWS):
            rows.append(row)
            begins.append(reader.line_num)
    except csv.Error:
        pass
    counts = Counter(len(row) for row in rows if row)
    if not counts:
        return
    most = max(counts, key=lambda n: (counts[n], n))
    for i, row in enumerate(rows[:_TITLES]):
        named = all(not _NUMERAL.fullmatch(name) for name in row)
        if len(row) == most and (named or i == 0):
            yield (most if named else 0), -i, mark, begins[i], None
            return
        after = next((r for r in rows[i + 1 :] if r), [])
        # Of one name alone the mark may be that of decimals below.
        if (
            len(row) > 1
            and len(row) == most - 1 == len(after) - 1
            and named
            and any(map(_NUMERAL.fullmatch, after))
        ):
            ends = [r[-1].strip() for r in rows[i + 1 :] if len(r) == most]
            # Of few lines a missing value looks the same.
            if any(ends) or len(ends) > 2:
                yield most, -i, mark, begins[i], "first" if any(ends) else "last"
            return


def _marks(columns: dict[str, Any]) -> tuple[WrittenNumbers, dict[str, str]]:
    """The marks with which most columns are numbers, left open where they can be read in two ways; and remarks on columns."""
    fitting = {marks: {n for n, texts in columns.items() if _all(texts, marks.pattern)} for marks in _MARKS}
    most = max(map(len, fitting.values()))
    alike = [marks for marks in _MARKS if len(fitting[marks]) == most]
    best = alike[0]
    remarks = {}
    for name, texts in columns.items():
        readings = {_read(texts, marks).tobytes() for marks in alike if name in fitting[marks]}
        if len(readings) > 1:
            remarks[name] = _TWO_WAYS
        elif name not in fitting[best] and any(name in found for found in fitting.values()):
            remarks[name] = (
                "it holds numbers whose decimals or thousands are marked otherwise than those of other columns: write them alike"
            )
    if best == WrittenNumbers("."):
        # Threes parted by points, or commas before decimals, in another column.
        others = bool(fitting[WrittenNumbers(",", ".")] - fitting[best])
        remarks |= _two_ways({name: columns[name] for name in fitting[best]}, others)
    if any("may be" in said for said in remarks.values()):
        return WrittenNumbers(), remarks
    pointed = (
        best.thousands
        or best.decimal == ","
        or any(len(_those(t, "[.]")) for t in (columns[n] for n in fitting[best]))
    )
    return (best if pointed else WrittenNumbers()), remarks


def _two_ways(columns: dict[str, Any], others: bool) -> dict[str, str]:
    """A remark on each column of a file without a number such as 0.125 that holds numbers such as 1.966.

    Beside 2.5 these are decimals, unless `others` are written with thousands: then nobody knows, nor where they stand alone.
    """
    seen = {name: PointsSeen(name) for name in columns}
    for name, points in seen.items():
        points.look(columns[name])
    if any(points.fine for points in seen.values()):
        return {}
    parted = [name for name, points in seen.items() if points.parted]
    return {
        name: _BESIDE if len(_those(columns[name], SHORT)) and not others else _TWO_WAYS for name in parted
    }


def _read(texts: Any, marks: WrittenNumbers) -> Any:
    import pyarrow as pa

    return marks.values(texts, pa.float64(), "", 0).to_numpy(zero_copy_only=False)


def _those(texts: Any, pattern: str) -> Any:
    import pyarrow.compute as pc

    return texts.filter(pc.match_substring_regex(texts, pattern))


def _all(texts: Any, pattern: str) -> bool:
    return len(texts) > 0 and len(_those(texts, pattern)) == len(texts)


def _kind(texts: Any, marks: WrittenNumbers) -> str | None:
    if not _all(texts, marks.pattern):
        return None
    # With zeros before them, or very long, they are codes.
    if len(_those(texts, "^0[0-9]")) or len(_those(texts, rf"^[0-9]{{{_LONGEST_WHOLE + 1},}}$")):
        return None
    whole = WrittenNumbers("!", marks.thousands)
    return "integer" if _all(texts, whole.pattern.replace("[eE]", "!")) else "number"


def _coded(texts: Any, marks: WrittenNumbers) -> bool:
    """Whether numbers are codes by their look: whole ones of one length, as years and postcodes are, or the numbers of the lines."""
    values = _read(texts, marks)
    if not np.isfinite(values).all() or (values % 1).any() or len(values) < 2:
        return False
    lengths = {len(str(int(v))) for v in np.abs(values)}
    numbered = len(values) > 4 and bool((np.diff(values) == 1).all())
    return numbered or (len(lengths) == 1 and lengths.pop() >= 4 and len(set(values)) > 1)
