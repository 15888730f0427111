"""CSV and Parquet files, whole or as streams of typed batches; messages of the library never reach the user: they quote rows."""

from __future__ import annotations

import os
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from ...symbolic.errors import SpecError
from .arrow_types import as_declared
from .csv_dialect import Dialect, delimiter_of, is_of_place, read_header, utf8_stream
from .written_numbers import PointsSeen, expected

if TYPE_CHECKING:
    import pyarrow as pa

Form = Literal["csv", "parquet"]
DAMAGED = "it is damaged or not in that format"
_BLOCK = 4 << 20
_NEW_LINE, _RETURN = b"\n\r"
# Of each column: without it a whole group of rows is in memory, however long its writer made it.
_BUFFER = 1 << 20
_NOT_TEXT = 'expected text in UTF-8: where the file is written otherwise, declare table.encoding = "cp1252" or another'
_ONE_MORE = (
    '; where every line has one field more than the header, a row name or a delimiter at its end, declare table.unnamed = "first" or "last"; '
    "numbers and texts that hold the delimiter belong in quotes"
)
_SAID: dict[Form, str] = {"csv": "CSV with a header", "parquet": "Parquet"}


def form_of(path: Path) -> Form | None:
    """The form that the ending of a file names."""
    name = path.name.lower()
    if name.removesuffix(".gz").removesuffix(".zip").endswith((".csv", ".tsv")):
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
        marks = pyarrow.csv.ParseOptions(delimiter=delimiter_of(path))
        with utf8_stream(path) as stream:
            return pyarrow.csv.read_csv(
                stream, parse_options=marks, convert_options=pyarrow.csv.ConvertOptions(**conversion)
            )


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


def open_source(path: Path, form: Form, dialect: Dialect | None = None) -> Source:
    """The file of this form, its names read; `dialect` is that of CSV."""
    return CsvSource.open(path, dialect or Dialect()) if form == "csv" else ParquetSource.open(path)


@dataclass(frozen=True)
class FileSource:
    """A file or a folder of files, which can be read again; its records are not lines, unless a form says so."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.name

    def lines(self) -> int | None:
        return None

    def state(self) -> tuple[Any, ...]:
        return file_state(self.path)

    def require_again(self) -> None:
        pass


@dataclass(frozen=True)
class CsvSource(FileSource):
    """A CSV file, whose first `skipped` lines, of which `above` hold something, end with its header."""

    names: tuple[str, ...]
    dialect: Dialect
    skipped: int
    above: int

    @classmethod
    def open(cls, path: Path, dialect: Dialect) -> CsvSource:
        with described_errors(path.name, "csv"):
            names, skipped, above = read_header(path, dialect)
        return cls(path, names, dialect, skipped, above)

    def batches(self, types: dict[str, Any], rows: int) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        seen = {name: PointsSeen(name) for name in self._unsettled(types)}
        parted = self.dialect.numbers.thousands is not None
        texts = [n for n, t in types.items() if n in seen or (parted and _is_number(t))]
        done = 0
        for whole in self._stream(types | dict.fromkeys(texts, pa.string())):
            for start in range(0, whole.num_rows, rows):
                batch = whole.slice(start, rows)
                for name in texts:
                    column = batch.column(name)
                    if name in seen:
                        seen[name].look(column)
                    numbers = self._described(column, types[name], name, done)
                    batch = batch.set_column(
                        batch.schema.get_field_index(name), pa.field(name, types[name]), numbers
                    )
                done += batch.num_rows
                yield batch
        for found in seen.values():
            self._as_read(found.require)

    @property
    def nameless(self) -> frozenset[str]:
        """The columns that are called after their place, since the header does not name them."""
        return frozenset(n for i, n in enumerate(self.names, 1) if is_of_place(n, i))

    def beginning(self) -> dict[str, Any]:
        """The texts of the first block of lines by column, without those that are missing."""
        import pyarrow as pa
        import pyarrow.compute as pc

        none = {name: pa.array([], pa.string()) for name in self.names}
        found = next(self._stream(dict.fromkeys(self.names, pa.string())), None)
        if found is None:
            return none
        return {name: pc.utf8_trim_whitespace(found.column(name).drop_null()) for name in self.names}

    def _described(self, column: Any, kind: Any, name: str, done: int) -> Any:
        return self._as_read(lambda: self.dialect.numbers.values(column, kind, name, done))

    def _as_read(self, step: Callable[[], Any]) -> Any:
        try:
            return step()
        except SpecError as error:
            raise SpecError(f"cannot read {self.name} as {_SAID['csv']}: {error.message}") from None

    def _unsettled(self, types: dict[str, Any]) -> list[str]:
        """The columns of numbers of which the beginning does not show that their points are decimal, where that is not declared."""
        import pyarrow as pa

        marks = self.dialect.numbers
        floats = [name for name, kind in types.items() if pa.types.is_floating(kind)]
        if marks.thousands is not None or marks.decimal is not None or not floats:
            return []
        seen = {name: PointsSeen(name) for name in floats}
        for batch in self._stream(dict.fromkeys(floats, pa.string())):
            for name, found in seen.items():
                found.look(batch.column(name))
            break
        return [name for name, found in seen.items() if not found.fine]

    def _stream(self, types: dict[str, Any]) -> Iterator[pa.RecordBatch]:
        import pyarrow.csv as reader

        reason = partial(reason_of, columns=self.names, skipped=self.skipped)
        with (
            described_errors(self.path.name, "csv", reason),
            utf8_stream(self.path, self.dialect.encoding) as text,
        ):
            stream = reader.open_csv(
                text,
                read_options=reader.ReadOptions(
                    block_size=_BLOCK, column_names=list(self.names), skip_rows=self.skipped
                ),
                # An empty line is a record with a missing value where there is one column only.
                parse_options=reader.ParseOptions(
                    delimiter=self.dialect.delimiter,
                    newlines_in_values=True,
                    ignore_empty_lines=len(self.names) > 1,
                ),
                convert_options=reader.ConvertOptions(
                    column_types=types,
                    include_columns=list(types),
                    null_values=list(self.dialect.missing),
                    strings_can_be_null=True,
                    decimal_point=self.dialect.numbers.decimal or ".",
                ),
            )
            with stream:
                yield from stream

    def count(self) -> int:
        import pyarrow as pa

        return sum(batch.num_rows for batch in self.batches({self.names[0]: pa.string()}, _BLOCK))

    def lines(self) -> int | None:
        """The lines below the header that are not empty, quotes or not; None for one column, where empty ones count."""

        if len(self.names) == 1:
            return None
        begun, after_break = 0, True
        with described_errors(self.path.name, "csv"), utf8_stream(self.path, self.dialect.encoding) as stream:
            while block := stream.read(_BLOCK):
                codes = np.frombuffer(block, dtype=np.uint8)
                breaks = (codes == _NEW_LINE) | (codes == _RETURN)
                # A line begins where something follows a break.
                begun += int(np.count_nonzero(~breaks[1:] & breaks[:-1])) + int(after_break and not breaks[0])
                after_break = bool(breaks[-1])
        return begun - self.above

    def expected(self) -> int | None:
        return self.lines()


@dataclass(frozen=True)
class ParquetSource(FileSource):
    """A Parquet file; `types` are those of its columns, in words."""

    names: tuple[str, ...]
    said: int
    types: tuple[str, ...]

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


def file_state(path: Path) -> tuple[int, ...]:
    """Something else once the file has changed: nothing if it is gone."""
    try:
        found = path.stat()
    except OSError:
        return ()
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def _is_number(kind: Any) -> bool:
    return str(kind) in ("double", "int64")


def reason_of(error: BaseException, columns: Sequence[str] = (), skipped: int = 1) -> str:
    """What went wrong, from the parts of a message that hold no content of the file; `columns` are its names, below so many lines."""
    if isinstance(error, FileNotFoundError):
        return "no such file"
    if isinstance(error, OSError) and error.errno and error.strerror:
        return os.strerror(error.errno)
    text = str(error)
    # The number of a line is known where one thread reads.
    line = re.search(r": Row #(\d+): ", text)
    where = f", record {int(line[1]) - skipped}:" if line else ":"
    shape = re.search(r"Expected (\d+) columns, got (\d+)", text)
    if shape:
        said = f"expected {shape[1]} fields in every line{where} got a line of {shape[2]}"
        return said + (_ONE_MORE if int(shape[2]) == int(shape[1]) + 1 else "")
    if "straddling object" in text:
        return f"a line is longer than {_BLOCK >> 20} MB, or a quote is not closed"
    column = re.search(r"^In CSV column #(\d+): (?:Row #\d+: )?CSV conversion error to (\w+)", text)
    if column and int(column[1]) < len(columns):
        name = columns[int(column[1])]
        return (
            f"column {name!r}{where} {expected(column[2]) if column[2] in ('double', 'int64') else _NOT_TEXT}"
        )
    return DAMAGED


@contextmanager
def described_errors(
    name: str, form: Form, reason: Callable[[BaseException], str] = reason_of
) -> Iterator[None]:
    """Errors of the reading library as a SpecError that quotes nothing of the file."""
    import pyarrow as pa

    try:
        yield
    except (
        pa.ArrowException,
        OSError,
        UnicodeError,
        EOFError,
        OverflowError,
        MemoryError,
        zipfile.BadZipFile,
        zlib.error,
    ) as error:
        # Without its cause, which a traceback would print.
        raise SpecError(f"cannot read {name} as {_SAID[form]}: {reason(error)}") from None
