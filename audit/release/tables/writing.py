"""Released batches written as they come, as Parquet or CSV, by a thread of its own."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..policy.models import OutputModel

if TYPE_CHECKING:
    import pyarrow as pa

# The same for every table, so that the groups of a file tell nothing about how its source was written.
ROWS_PER_GROUP = 1 << 17
_WAITING = 1


def data_name(output: OutputModel) -> str:
    """The name of the data file in a release."""
    return f"data.{output.format}"


def write_table(path: Path, schema: pa.Schema, batches: Iterable[pa.RecordBatch], output: OutputModel) -> int:
    """Writes the batches and returns the number of rows, in memory for two groups of rows.

    Errors of reading and writing pass through, and no file is left then.
    """
    rows = 0
    with table_writer(path, schema, output) as write:
        for batch in batches:
            write(batch)
            rows += batch.num_rows
    return rows


@contextmanager
def table_writer(
    path: Path, schema: pa.Schema, output: OutputModel
) -> Iterator[Callable[[pa.RecordBatch], None]]:
    """A function that takes one batch after the other; the file is whole when the block ends, and gone after an error."""
    line: queue.Queue[pa.RecordBatch | None] = queue.Queue(_WAITING)
    failed: list[BaseException] = []

    def run() -> None:
        try:
            _write_all(path, schema, output, iter(line.get, None))
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run, name="noiseproof-writer", daemon=True)
    thread.start()

    def pass_on(batch: pa.RecordBatch | None) -> None:
        # Nobody takes from the line of a thread that has failed.
        while thread.is_alive():
            with suppress(queue.Full):
                line.put(batch, timeout=0.1)
                return

    def write(batch: pa.RecordBatch) -> None:
        pass_on(batch)
        if failed:
            raise failed[0]

    try:
        try:
            yield write
        finally:
            pass_on(None)
            thread.join()
        if failed:
            raise failed[0]
    except BaseException:
        # Its end was written all the same: it would look whole.
        with suppress(OSError):
            path.unlink(missing_ok=True)
        raise


def _write_all(path: Path, schema: pa.Schema, output: OutputModel, batches: Iterator[pa.RecordBatch]) -> None:
    with _writer(path, schema, output) as writer:
        for table in _groups(batches, schema):
            writer.write_table(table, ROWS_PER_GROUP)


def _groups(batches: Iterator[pa.RecordBatch], schema: pa.Schema) -> Iterator[pa.Table]:
    """Tables of ROWS_PER_GROUP rows each in one piece, the last one shorter; one table if there is no row.

    Pages of a file begin where pieces do: those of the source would tell how long private texts and dropped columns are.
    """
    import pyarrow as pa

    held: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        while rows + batch.num_rows >= ROWS_PER_GROUP:
            part = ROWS_PER_GROUP - rows
            yield pa.Table.from_batches([*held, batch.slice(0, part)], schema).combine_chunks()
            batch, held, rows = batch.slice(part), [], 0
        held.append(batch)
        rows += batch.num_rows
    yield pa.Table.from_batches(held, schema).combine_chunks()


def _writer(path: Path, schema: pa.Schema, output: OutputModel) -> Any:
    import pyarrow as pa

    if output.format == "csv":
        import pyarrow.csv as writer

        return writer.CSVWriter(path, schema)
    import pyarrow.parquet as pq

    texts = [field.name for field in schema if pa.types.is_string(field.type)]
    return pq.ParquetWriter(
        path, schema, compression=output.compression, use_dictionary=texts, write_page_checksum=True
    )
