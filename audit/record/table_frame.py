"""Tables handed over in Python: whatever gives a stream of Arrow data (pandas, polars, pyarrow, a DuckDB relation)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ...symbolic.errors import SpecError
from .arrow_types import as_declared

if TYPE_CHECKING:
    import pyarrow as pa

_STREAM = "__arrow_c_stream__"
_INDEX = re.compile(r"__index_level_\d+__")  # what pandas calls an index without a name
_ONCE = "hand over a table in memory, or a file"


@dataclass(eq=False)
class FrameSource:
    """A table in memory, or the result of a query, which is asked again for each pass; its library is never imported here."""

    frame: Any
    names: tuple[str, ...]
    name: str
    _begins: bool = field(repr=False)
    _counted: int | None = field(repr=False, default=None)

    @classmethod
    def open(cls, frame: Any) -> FrameSource:
        """SpecError for what gives no Arrow data, or gives it once only."""
        import pyarrow as pa

        name = f"the {type(frame).__name__}"
        if isinstance(frame, pa.RecordBatchReader):
            raise SpecError(f"{name} can be read once only, and a release may read it again: {_ONCE}")
        if not hasattr(frame, _STREAM):
            hint = ": collect() it first" if hasattr(frame, "collect") else ""
            raise SpecError(
                f"expected a file, a folder of Parquet files, or a table of pandas, polars, pyarrow or DuckDB (with {_STREAM}), got {name[4:]!r}{hint}"
            )
        with _reader(frame, name) as reader:
            names = tuple(n for n in reader.schema.names if not _INDEX.fullmatch(n))
            return cls(frame, names, name, any(batch.num_rows for batch in _all(reader, name)))

    def batches(self, types: dict[str, Any], rows: int) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        schema, count = pa.schema(list(types.items())), 0
        with _reader(self.frame, self.name) as reader:
            for batch in _all(reader, self.name):
                for start in range(0, batch.num_rows, rows):
                    part = batch.slice(start, rows)
                    columns = [as_declared(part.column(n), n, kind) for n, kind in types.items()]
                    count += part.num_rows
                    yield pa.RecordBatch.from_arrays(columns, schema=schema)
        if (self._begins and not count) or self._counted not in (None, count):
            raise SpecError(
                f"{self.name} gave another number of records when it was read again: it changed meanwhile, or can be read once only; {_ONCE}"
            )
        self._counted = count

    def count(self) -> int:
        with _reader(self.frame, self.name) as reader:
            return sum(batch.num_rows for batch in _all(reader, self.name))

    def expected(self) -> int | None:
        for name in ("num_rows", "height"):
            found = getattr(self.frame, name, None)
            if isinstance(found, int):
                return found
        index: Any = getattr(self.frame, "index", None)
        return len(index) if hasattr(index, "__len__") else None

    def lines(self) -> int | None:
        return None

    def state(self) -> tuple[Any, ...]:
        return (self.expected(),)

    def require_again(self) -> None:
        if self._begins:
            with _reader(self.frame, self.name) as reader:
                if not any(batch.num_rows for batch in _all(reader, self.name)):
                    raise SpecError(
                        f"{self.name} can be read once only, and this release reads it again: {_ONCE}"
                    )


@contextmanager
def _reader(frame: Any, name: str) -> Iterator[Any]:
    """A stream from the first record, closed at the end: a connection may bear one only."""
    import pyarrow as pa

    try:
        reader = pa.RecordBatchReader.from_stream(frame)
    except Exception as error:
        raise _fault(error, name) from None
    try:
        yield reader
    finally:
        reader.close()


def _all(reader: Any, name: str) -> Iterator[pa.RecordBatch]:
    while True:
        try:
            batch = reader.read_next_batch()
        except StopIteration:
            return
        except Exception as error:
            raise _fault(error, name) from None
        yield batch


def _fault(error: Exception, name: str) -> SpecError:
    """What went wrong, from the parts of a message that hold no content of the table."""
    text = str(error)
    if text.startswith("Duplicate column names"):
        return SpecError(f"{name} has several columns of the same name; rename them")
    column = re.search(r"Conversion failed for column (.{1,60}) with type", text)
    if column:
        return SpecError(
            f"cannot read {name} as Arrow data: column {column[1]!r} holds values of several types; make them one, texts or numbers"
        )
    return SpecError(
        f"cannot read {name} as Arrow data: {type(error).__name__} of its library; try pyarrow.RecordBatchReader.from_stream(...) by hand"
    )
