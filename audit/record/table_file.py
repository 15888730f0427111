"""CSV and Parquet files, whole or as streams of typed batches; messages of the library never reach the user: they quote rows."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from ...symbolic.errors import SpecError
from .arrow_types import as_declared

if TYPE_CHECKING:
    import pyarrow as pa

Form = Literal["csv", "parquet"]
DAMAGED = "it is damaged or not in that format"
LONGEST_HEADER = 4_000_000
_BLOCK = 4 << 20
_NEW_LINE, _RETURN = b"\n\r"
# Of each column: without it a whole group of rows is in memory, however long its writer made it.
_BUFFER = 1 << 20
_WANTED = {
    "double": "numbers such as 1.5",
    "int64": "whole numbers such as 12",
    "string": "text in UTF-8",
    "dictionary": "text in UTF-8",
}
_SAID: dict[Form, str] = {"csv": "CSV with a header", "parquet": "Parquet"}


def form_of(path: Path) -> Form | None:
    """The form that the ending of a file names."""
    name = path.name.lower()
    if name.endswith((".csv", ".csv.gz")):
        return "csv"
    return "parquet" if name.endswith((".parquet", ".pq")) else None


def whole_table(
    path: Path, form: Form, reason: Callable[[BaseException], str], **conversion: Any
) -> pa.Table:
    """All of a file at once, its types found by the library; `reason` describes a fault, `conversion` is that of CSV."""
    import pyarrow.csv
    import pyarrow.parquet

    with described_errors(path.name, form, reason):
        if form == "parquet":
            return pyarrow.parquet.read_table(path)
        return pyarrow.csv.read_csv(path, convert_options=pyarrow.csv.ConvertOptions(**conversion))


class Source(Protocol):
    """The columns of a table, and a way to stream some of them."""

    @property
    def name(self) -> str:
        """What messages call it."""
        ...

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the table, dropped ones too."""
        ...

    def batches(self, types: dict[str, Any], rows: int) -> Iterator[pa.RecordBatch]:
        """Batches of at most `rows` rows with the columns of `types`, each of its type, in that order."""
        ...

    def count(self) -> int:
        """How many records the table has; of a Parquet file, says that it has."""
        ...

    def expected(self) -> int | None:
        """How many records it seems to have, without a look at them; None where that is not known."""
        ...

    def lines(self) -> int | None:
        """How many records the lines of the file can hold, one each; None where records are not lines."""
        ...

    def state(self) -> tuple[Any, ...]:
        """Something else once the table has changed, where that can be seen."""
        ...

    def require_again(self) -> None:
        """Raises SpecError for what can be read once only."""
        ...


def open_source(path: Path, form: Form, delimiter: str = ",", missing: Sequence[str] = ()) -> Source:
    """The file of this form, its names read; `delimiter` and `missing` are those of CSV."""
    return CsvSource.open(path, delimiter, missing) if form == "csv" else ParquetSource.open(path)


@dataclass(frozen=True)
class CsvSource:
    """A CSV file with a header, UTF-8, .gz or not."""

    path: Path
    names: tuple[str, ...]
    delimiter: str
    missing: tuple[str, ...]

    @classmethod
    def open(cls, path: Path, delimiter: str, missing: Sequence[str]) -> CsvSource:
        return cls(path, _header(path, delimiter), delimiter, tuple(missing))

    @property
    def name(self) -> str:
        return self.path.name

    def batches(self, types: dict[str, Any], rows: int) -> Iterator[pa.RecordBatch]:
        import pyarrow.csv as reader

        with described_errors(self.path.name, "csv", partial(reason_of, columns=self.names)):
            stream = reader.open_csv(
                self.path,
                read_options=reader.ReadOptions(block_size=_BLOCK),
                # An empty line is a record with a missing value where there is one column only.
                parse_options=reader.ParseOptions(
                    delimiter=self.delimiter, newlines_in_values=True, ignore_empty_lines=len(self.names) > 1
                ),
                convert_options=reader.ConvertOptions(
                    column_types=types,
                    include_columns=list(types),
                    null_values=list(self.missing),
                    strings_can_be_null=True,
                ),
            )
            with stream:
                for batch in stream:
                    for start in range(0, batch.num_rows, rows):
                        yield batch.slice(start, rows)

    def count(self) -> int:
        import pyarrow as pa

        return sum(batch.num_rows for batch in self.batches({self.names[0]: pa.string()}, _BLOCK))

    def lines(self) -> int | None:
        """The lines below the header that are not empty, quotes or not; None for one column, where empty ones count."""
        import pyarrow as pa

        if len(self.names) == 1:
            return None
        begun, after_break = 0, True
        with (
            described_errors(self.path.name, "csv"),
            pa.input_stream(self.path, compression="detect") as stream,
        ):
            while block := stream.read(_BLOCK):
                codes = np.frombuffer(block, dtype=np.uint8)
                breaks = (codes == _NEW_LINE) | (codes == _RETURN)
                # A line begins where something follows a break.
                begun += int(np.count_nonzero(~breaks[1:] & breaks[:-1])) + int(after_break and not breaks[0])
                after_break = bool(breaks[-1])
        return begun - 1

    def expected(self) -> int | None:
        return self.lines()

    def state(self) -> tuple[Any, ...]:
        return file_state(self.path)

    def require_again(self) -> None:
        pass


@dataclass(frozen=True)
class ParquetSource:
    """A Parquet file; `types` are those of its columns, in words."""

    path: Path
    names: tuple[str, ...]
    said: int
    types: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.path.name

    @classmethod
    def open(cls, path: Path) -> ParquetSource:
        import pyarrow.parquet as pq

        with described_errors(path.name, "parquet"), pq.ParquetFile(path) as file:
            schema = file.schema_arrow
            types = tuple(str(kind) for kind in schema.types)
            return cls(path, tuple(schema.names), file.metadata.num_rows, types)

    def batches(self, types: dict[str, Any], rows: int) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa
        import pyarrow.parquet as pq

        with (
            described_errors(self.path.name, "parquet"),
            pq.ParquetFile(
                self.path,
                pre_buffer=False,
                buffer_size=_BUFFER,
                page_checksum_verification=True,
                read_dictionary=[name for name in types if pa.types.is_dictionary(types[name])],
            ) as file,
        ):
            schema = pa.schema(list(types.items()))
            for batch in file.iter_batches(batch_size=rows, columns=list(types)):
                columns = [as_declared(batch.column(name), name, types[name]) for name in types]
                yield pa.RecordBatch.from_arrays(columns, schema=schema)

    def count(self) -> int:
        return self.said

    def expected(self) -> int | None:
        return self.said

    def lines(self) -> int | None:
        return None

    def state(self) -> tuple[Any, ...]:
        return file_state(self.path)

    def require_again(self) -> None:
        pass


def file_state(path: Path) -> tuple[int, ...]:
    """Something else once the file has changed: nothing if it is gone."""
    try:
        found = path.stat()
    except OSError:
        return ()
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def _header(path: Path, delimiter: str) -> tuple[str, ...]:
    """The names in the first line, which pyarrow tells only once a block of records was read without a fault."""
    import pyarrow as pa

    with described_errors(path.name, "csv"):
        with pa.input_stream(path, compression="detect") as stream:
            head = stream.read(LONGEST_HEADER)
        text = head.decode("utf-8-sig", errors="surrogateescape")
        try:
            row = next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True), None)
        except csv.Error:
            row = None
    if not row:
        raise SpecError(
            f"cannot read {path.name} as CSV: expected a first line with the names of the columns"
        )
    return tuple(row)


def reason_of(error: BaseException, columns: Sequence[str] = ()) -> str:
    """What went wrong, from the parts of a message that hold no content of the file; `columns` are its names."""
    if isinstance(error, FileNotFoundError):
        return "no such file"
    if isinstance(error, OSError) and error.errno and error.strerror:
        return os.strerror(error.errno)
    text = str(error)
    # The number of a line is known where one thread reads; the header is line 1.
    line = re.search(r": Row #(\d+): ", text)
    where = f", record {int(line[1]) - 1}:" if line else ":"
    shape = re.search(r"Expected (\d+) columns, got (\d+)", text)
    if shape:
        return f"expected {shape[1]} fields in every line{where} got a line of {shape[2]}"
    if "straddling object" in text:
        return f"a line is longer than {_BLOCK >> 20} MB, or a quote is not closed"
    column = re.search(r"^In CSV column #(\d+): (?:Row #\d+: )?CSV conversion error to (\w+)", text)
    if column and int(column[1]) < len(columns):
        name = columns[int(column[1])]
        return f"column {name!r}{where} expected {_WANTED.get(column[2], column[2])}"
    return DAMAGED


@contextmanager
def described_errors(
    name: str, form: Form, reason: Callable[[BaseException], str] = reason_of
) -> Iterator[None]:
    """Errors of the reading library as a SpecError that quotes nothing of the file."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, UnicodeError, EOFError, OverflowError, MemoryError) as error:
        # Without its cause, which a traceback would print.
        raise SpecError(f"cannot read {name} as {_SAID[form]}: {reason(error)}") from None
