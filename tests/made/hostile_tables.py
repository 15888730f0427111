"""Tables that differ where nobody may see it: in private values, dropped columns, and the form of their file.

`CHANGES` are made to one table of `records`; what a release of the changed one shows is compared with that of the other.
"""

from __future__ import annotations

import copy
import csv
import gzip
import io
import itertools
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

Records = dict[str, list[Any]]

COUNT = 300  # records of the table
ONE = 7  # the record in which neighbours differ, first of the two of its person
TYPES: dict[str, Any] = {"age": pa.float64(), "hours": pa.int64()}  # texts otherwise


def records(seed: int = 0, count: int = COUNT) -> Records:
    """Two records a person, the label beside the numbers; nobody but record ONE is of sex x."""
    rng = np.random.default_rng(seed)
    ages, hours = rng.uniform(0, 100, count).round(3), rng.integers(0, 81, count)
    busy = ages / 100 + hours / 80 + rng.normal(0, 0.2, count) > 1
    return {
        "id": [f"p{i // 2}" for i in range(count)],
        "age": ages.tolist(),
        "hours": hours.tolist(),
        "sex": ["x" if i == ONE else "fm"[i % 2] for i in range(count)],
        "town": [("Oslo", "Rome", "=1+1")[i % 3] for i in range(count)],
        "remark": [f"remark {i}" for i in range(count)],
        "y": ["yes" if b else "no" for b in busy],
    }


@dataclass(frozen=True)
class CsvForm:
    """How a CSV file is written."""

    name: str = "table.csv"
    start: bytes = b""
    end: str = "\n"
    last: str = "\n"
    quoting: Any = csv.QUOTE_MINIMAL
    reverse: bool = False
    number: Callable[[Any], str] = repr
    gz: int | None = None  # the level
    members: int = 1

    def write(self, rows: Records, folder: Path) -> Path:
        """The table in `folder`."""
        names = sorted(rows, reverse=True) if self.reverse else list(rows)
        text = io.StringIO(newline="")
        writer = csv.writer(text, lineterminator=self.end, quoting=self.quoting)
        writer.writerow(names)
        writer.writerows(
            ["" if v is None else v if isinstance(v, str) else self.number(v) for v in row]
            for row in zip(*(rows[n] for n in names), strict=True)
        )
        raw = self.start + (text.getvalue().removesuffix(self.end) + self.last).encode(
            errors="surrogateescape"
        )
        if self.gz is not None:
            cut = len(raw) // self.members
            parts = [raw[i * cut : (i + 1) * cut] for i in range(self.members - 1)]
            parts.append(raw[len(b"".join(parts)) :])
            raw = b"".join(gzip.compress(part, self.gz, mtime=0) for part in parts)
        (folder / self.name).write_bytes(raw)
        return folder / self.name


@dataclass(frozen=True)
class ParquetForm:
    """How a Parquet file is written."""

    name: str = "table.parquet"
    types: dict[str, Any] = field(default_factory=dict)
    reverse: bool = False
    metadata: dict[bytes, bytes] | None = None
    options: dict[str, Any] = field(default_factory=dict)
    parts: int = 0  # files of a folder; 0 is one file

    def write(self, rows: Records, folder: Path) -> Path:
        """The table in `folder`."""
        names = sorted(rows, reverse=True) if self.reverse else list(rows)
        columns = []
        for name in names:
            plain = TYPES.get(name, pa.string())
            values = pa.array(rows[name], plain, from_pandas=False)
            wanted = self.types.get(name, plain)
            columns.append(
                values.dictionary_encode() if pa.types.is_dictionary(wanted) else values.cast(wanted)
            )
        table = pa.Table.from_arrays(columns, names=names).replace_schema_metadata(self.metadata)
        place = folder / self.name
        if not self.parts:
            pq.write_table(table, place, **self.options)
            return place
        place.mkdir()
        ends = [table.num_rows * i // self.parts for i in range(self.parts + 1)]
        for i, (start, end) in enumerate(itertools.pairwise(ends)):
            pq.write_table(table.slice(start, end - start), place / f"part-{i:03d}.parquet", **self.options)
        return place


Form = CsvForm | ParquetForm


@dataclass(frozen=True)
class Change:
    """What is done to the records, and to the form of their file; `csv` or `parquet` alone means that form only."""

    name: str
    records: Callable[[Records], None] | None = None
    csv: dict[str, Any] | None = None
    parquet: dict[str, Any] | None = None
    resizes: bool = False  # the number of records, which some releases publish

    def fits(self, form: Form) -> bool:
        """Whether a file of this form can be changed so."""
        return (
            self.records is not None or (self.csv if isinstance(form, CsvForm) else self.parquet) is not None
        )

    def of(self, rows: Records, form: Form) -> tuple[Records, Form]:
        """The changed records, and the form of their file."""
        changed = copy.deepcopy(rows)
        if self.records is not None:
            self.records(changed)
        how = self.csv if isinstance(form, CsvForm) else self.parquet
        return changed, replace(form, **(how or {}))


def put(column: str, value: Any, place: int = ONE) -> Callable[[Records], None]:
    """One value of one record."""

    def change(rows: Records) -> None:
        rows[column][place] = value

    return change


def each(column: str, values: Callable[[int], Any]) -> Callable[[Records], None]:
    """All values of a column, by the number of the record."""

    def change(rows: Records) -> None:
        rows[column] = [values(i) for i in range(len(rows[column]))]

    return change


def both(*changes: Callable[[Records], None]) -> Callable[[Records], None]:
    """One change after the other."""

    def change(rows: Records) -> None:
        for one in changes:
            one(rows)

    return change


def resized(count: int) -> Callable[[Records], None]:
    """The first `count` records, again from the first where there are not so many."""

    def change(rows: Records) -> None:
        for name, values in rows.items():
            rows[name] = [values[i % len(values)] for i in range(count)]
        # Persons stay as they were: two records each.
        rows["id"] = [f"p{i // 2}" for i in range(count)]

    return change


def person(age: Any, hours: Any, sex: str) -> Callable[[Records], None]:
    """Both records of the person of record ONE."""
    first = ONE - ONE % 2
    return both(
        *(put(c, v, first + k) for k in range(2) for c, v in (("age", age), ("hours", hours), ("sex", sex)))
    )


def other_people(rows: Records) -> None:
    """All private values are those of other people."""
    other = records(seed=1, count=len(rows["age"]))
    for name in ("age", "hours", "sex", "remark"):
        rows[name] = other[name]


def shuffled(rows: Records) -> None:
    """Private values change their owners."""
    order = np.random.default_rng(2).permutation(len(rows["age"]))
    for name in ("age", "hours", "sex"):
        rows[name] = [rows[name][i] for i in order]


def _numbers() -> Iterable[Change]:
    ages = {
        "missing": None,
        "at the lower bound": 0.0,
        "at the upper bound": 100.0,
        "just above the bound": math.nextafter(100.0, math.inf),
        "just below the bound": math.nextafter(0.0, -math.inf),
        "far above": 1.7e308,
        "far below": -1.7e308,
        "negative zero": -0.0,
        "subnormal": 5e-324,
        "negative subnormal": -5e-324,
        "in the middle": 50.0,
        "with all its bits": 0.1 + 0.2,
    }
    yield from (Change(f"age {name}", put("age", value)) for name, value in ages.items())
    whole = {"missing": None, "huge": 2**63 - 1, "hugely negative": -(2**63), "above 2^53": 2**53 + 1}
    yield from (Change(f"hours {name}", put("hours", value)) for name, value in whole.items())
    # NaN is a missing value in both forms.
    yield Change("age NaN", put("age", math.nan))
    # A record in the middle of all intervals has no direction.
    yield Change("nothing but middles", both(put("age", 50.0), put("hours", 40)))


RECORDS = (
    *_numbers(),
    Change("another sex, whose group is then empty", put("sex", "f")),
    Change("the last category", put("sex", "m", ONE + 1)),
    Change("a group that was empty", put("sex", "x", ONE + 2)),
    Change("a person at the lower bounds", person(0.0, 0, "f")),
    Change("a person at the upper bounds", person(100.0, 80, "m")),
    Change("a person beyond all bounds", person(-1e300, 2**63 - 1, "x")),
    Change("a person without a value", person(None, None, "f")),
    Change("other people", other_people),
    Change("private values change owners", shuffled),
    Change("a long remark", put("remark", "x" * 200_000)),
    Change("remarks of all lengths", each("remark", lambda i: "long " * (i * 7 % 1000))),
    Change("no remarks", each("remark", lambda i: None)),
    Change("remarks with quotes", each("remark", lambda i: f'"{i}", and; \t "=cmd()"')),
    Change("remarks in other scripts", each("remark", lambda i: "éß漢字🙂\u202e"[: i % 8])),
    Change("long names of persons", each("id", lambda i: f"{i // 2:01000d}")),
    Change("persons with one record each", each("id", lambda i: f"q{i}")),
)
"""Changes of values, in any form of a file."""

RESIZED = tuple(
    Change(f"{count} records", resized(count), resizes=True)
    for count in (1, 2, COUNT - 1, COUNT + 1, 2 * COUNT, 5_000)
)
"""Changes of the number of records, for releases that do not publish it."""

CSV_FORMS = (
    Change("a byte order mark", csv={"start": b"\xef\xbb\xbf"}),
    Change("ends of lines of another system", csv={"end": "\r\n", "last": "\r\n"}),
    Change("no end of the last line", csv={"last": ""}),
    Change("empty lines at the end", csv={"last": "\n\n\n"}),
    Change("all quoted", csv={"quoting": csv.QUOTE_ALL}),
    Change("columns in another order", csv={"reverse": True}),
    Change("compressed", csv={"name": "table.csv.gz", "gz": 9}),
    Change("compressed badly", csv={"name": "table.csv.gz", "gz": 0}),
    Change("compressed in parts", csv={"name": "table.csv.gz", "gz": 6, "members": 3}),
    Change("another name", csv={"name": "very private table of March, Müller & sons.csv"}),
    Change("numbers with zeros", csv={"number": lambda v: f"000{v!r}"}),
    Change(
        "numbers with exponents", csv={"number": lambda v: f"{v!r}e0" if isinstance(v, float) else repr(v)}
    ),
)
"""Forms of CSV files."""

_DICTIONARY = pa.dictionary(pa.int32(), pa.string())

PARQUET_FORMS = (
    Change("columns in another order", parquet={"reverse": True}),
    Change("another name", parquet={"name": "very private table of March, Müller & sons.pq"}),
    Change("small groups of rows", parquet={"options": {"row_group_size": 7}}),
    Change("a group for each row", parquet={"options": {"row_group_size": 1}}),
    *(
        Change(f"compressed by {codec}", parquet={"options": {"compression": codec}})
        for codec in ("none", "gzip", "zstd", "lz4", "brotli")
    ),
    *(
        Change(f"a folder of {count} files", parquet={"name": "very private", "parts": count})
        for count in (1, 7)
    ),
    Change("no dictionaries", parquet={"options": {"use_dictionary": False}}),
    Change("small pages", parquet={"options": {"data_page_size": 64, "write_batch_size": 3}}),
    Change("pages of version 2", parquet={"options": {"data_page_version": "2.0", "version": "2.6"}}),
    Change("no statistics", parquet={"options": {"write_statistics": False, "store_schema": False}}),
    Change(
        "other encodings",
        parquet={
            "options": {
                "use_dictionary": False,
                "column_encoding": {"age": "BYTE_STREAM_SPLIT", "hours": "DELTA_BINARY_PACKED"},
            }
        },
    ),
    Change("metadata", parquet={"metadata": {b"pandas": b"{}", b"secret": b"8675309" * 1000}}),
    Change("small whole numbers", parquet={"types": {"hours": pa.int8()}}),
    Change("unsigned numbers", parquet={"types": {"hours": pa.uint64()}}),
    Change("whole numbers as doubles", parquet={"types": {"hours": pa.float64()}}),
    Change("decimal numbers", parquet={"types": {"age": pa.decimal128(20, 3)}}),
    Change("large texts", parquet={"types": dict.fromkeys(("id", "sex", "town", "y"), pa.large_string())}),
    Change("dictionaries", parquet={"types": dict.fromkeys(("sex", "town", "y"), _DICTIONARY)}),
)
"""Forms of Parquet files."""

CHANGES = (*RECORDS, *RESIZED, *CSV_FORMS, *PARQUET_FORMS)
