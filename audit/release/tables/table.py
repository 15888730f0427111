"""A private table as a stream of checked batches; what it refuses it describes without showing a value."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ....symbolic.arrays import Floats
from ....symbolic.errors import SpecError, counted
from ...record.csv_dialect import Dialect, delimiter_of, is_of_place
from ...record.table_file import Form, Source, form_of, open_source
from ...record.table_folder import ParquetFolder
from ...record.table_frame import FrameSource
from ...record.written_numbers import WrittenNumbers
from ..policy.reading import Policy
from .digest import fresh_digest, kept_salt
from .persons import MOST_HASHES, require_rows_per_person
from .screening import screened, type_of

if TYPE_CHECKING:
    import pyarrow as pa

ROWS = 65_536
_HEADER_HINT = (
    "; lines above it are declared as table.title_lines, another mark between values as table.delimiter"
)


@dataclass(frozen=True, eq=False)
class PolicyTable:
    """The records of a policy: columns that are not dropped, in the order of the policy, never all in memory."""

    policy: Policy
    source: Source
    state: tuple[Any, ...]
    path: Path | None = None  # None of a table that was handed over in memory

    def batches(self, rows: int = ROWS) -> Iterator[pa.RecordBatch]:
        """Batches of at most `rows` checked records: missing values replaced, numbers finite, categories declared.

        Categories are dictionary arrays over the declared list.  Rows of persons are counted first.  Raises SpecError for
        records that the policy does not allow, and if the file changes meanwhile.
        """
        if self.policy.model.table.unit_of_privacy == "person":
            self.require_rows_per_person()
        done = 0
        for batch in self.raw({c.name: type_of(c) for c in self.policy.kept}, rows):
            try:
                checked = screened(batch, self.policy.kept, done)
            except SpecError as error:
                raise error.within(file=self.policy.file) from None
            done += batch.num_rows
            yield checked
        if done == 0:
            raise SpecError(
                f"{self.source.name} holds no record: expected at least one row",
                key="table.path",
                file=self.policy.file,
            )

    def require_rows_per_person(self, most: int = MOST_HASHES) -> None:
        """Raises SpecError if a person has more rows than declared, or no key; holds about `most` hashes at a time."""
        try:
            require_rows_per_person(self.policy.model.table, self.raw, most)
        except SpecError as error:
            raise error.within(file=self.policy.file) from None

    def raw(self, types: dict[str, Any], rows: int = ROWS) -> Iterator[pa.RecordBatch]:
        """Batches as they are read, with the columns of `types`."""
        try:
            yield from self.source.batches(types, rows)
        except SpecError as error:
            raise error.within(file=self.policy.file, key="table.path") from None
        self.require_same()

    def digest(self, salt: str | Path) -> str:
        """The salted digest of the files that were read; the salt is kept in a file, which is made if it is not there."""
        assert self.path is not None
        digest = fresh_digest(self.path, kept_salt(salt))
        self.require_same()
        return digest

    def require_same(self) -> None:
        """Raises SpecError if the table changed since it was opened, where that can be seen."""
        if self.source.state() != self.state:
            raise SpecError(f"{self.source.name} changed while it was read: run again", key="table.path")

    def require_digest(self) -> None:
        """Raises SpecError if there are no files whose digest could be found again."""
        if self.path is None:
            raise SpecError(
                f"{self.source.name} has no file whose digest could be stated: leave out the salt, or write the table to a file",
                key="table.path",
            )

    def count(self) -> int:
        """The number of records, after every check that `batches` makes, and each on a line of its own.

        A quote that is never closed, in a column that is dropped too, makes one record of many lines.
        """
        count: int = sum(batch.num_rows for batch in self.batches())
        self.require_lines(count)
        self.source.require_again()
        return count

    @cached_property
    def _lines(self) -> int | None:
        return self.source.lines()

    @property
    def expected(self) -> int | None:
        """How many records the table seems to have; None where that is not known before they are read."""
        return self.source.expected() if self._lines is None else self._lines

    def require_lines(self, count: int | None = None) -> None:
        """Raises SpecError unless each record stands on a line of its own; `count` is their number, if that is known."""
        lines = self._lines
        if lines is None:
            return
        count = self.source.count() if count is None else count
        if lines != count:
            # Their numbers help to find the place, where they are no secret.
            found = f"{counted(count, 'record')} on {counted(lines, 'line')}"
            said = found if self.policy.model.table.rows_public else "not one record on each line"
            raise SpecError(
                f"{self.source.name} has {said} below its header: a field holds a line break, or a quote is not "
                "closed, perhaps in a column that is dropped; write every record on one line",
                key="table.path",
                file=self.policy.file,
            )

    def numbers(self, batch: pa.RecordBatch) -> Floats:
        """The private numbers of a batch, shape (rows, len(policy.numbers)); columns are contiguous; not clamped."""
        numbers = self.policy.numbers
        out = np.empty((len(numbers), batch.num_rows))
        for row, number in zip(out, numbers, strict=True):
            column = batch.column(number.column)
            values = _indices(column) if hasattr(column, "indices") else column.to_numpy(zero_copy_only=False)
            row[:] = values if number.level is None else values == number.level
        return out.T

    def labels(self, batch: pa.RecordBatch) -> Floats:
        """The labels of a batch, shape (rows,): -1 and +1 for two categories in their order, places for more, else numbers."""
        label = self.policy.label
        if label is None:
            raise SpecError("no column is a label", key="columns", file=self.policy.file)
        column = batch.column(label.name)
        if label.categories is None:
            assert label.low is not None
            assert label.high is not None
            # Outside of the declared domain only if private: the bound on labels has to hold.
            return np.asarray(np.clip(column.to_numpy(), float(label.low), float(label.high)))
        places = _indices(column).astype(float)
        return 2 * places - 1 if len(label.categories) == 2 else places

    def released(self, batch: pa.RecordBatch, numbers: Floats) -> pa.RecordBatch:
        """The batch as it is written: released numbers (rows, len(policy.numbers)), public columns as they are."""
        import pyarrow as pa

        if numbers.shape != (batch.num_rows, len(self.policy.numbers)):
            raise ValueError(
                f"expected released numbers of shape {(batch.num_rows, len(self.policy.numbers))}, got {numbers.shape}"
            )
        place = {n.name: i for i, n in enumerate(self.policy.numbers)}
        schema = released_schema(self.policy)
        arrays = []
        for field in schema:
            if field.name in place:
                arrays.append(pa.array(np.ascontiguousarray(numbers[:, place[field.name]], dtype=float)))
            else:
                arrays.append(batch.column(field.name).cast(field.type))
        return pa.RecordBatch.from_arrays(arrays, schema=schema)


def released_schema(policy: Policy) -> pa.Schema:
    """The columns of a release with a row for each record: doubles for private numbers, public columns as they are."""
    import pyarrow as pa

    fields: list[pa.Field] = []
    for column in policy.kept:
        if column.role == "public":
            fields.append(pa.field(column.name, type_of(column), nullable=False))
        else:
            fields += [
                pa.field(n.name, pa.float64(), nullable=False)
                for n in policy.numbers
                if n.column == column.name
            ]
    return pa.schema(fields)


def open_table(policy: Policy, table: Any = None) -> PolicyTable:
    """The table of a policy, its columns checked against the declared ones; `table` replaces the file that the policy names.

    That is a CSV or Parquet file, a folder of Parquet files, or what gives a stream of Arrow data: a table of pandas, polars or
    pyarrow, a DuckDB relation.  Raises SpecError for what cannot be read, columns that are not declared, declared columns that
    are not there, and names that stand twice.
    """
    try:
        if table is None or isinstance(table, (str, os.PathLike)):
            place = policy.table_path if table is None else Path(table)
            source, shown = _of_path(policy, place)
        else:
            place, source, shown = None, FrameSource.open(table), True
        _check_names(source.names, [c.name for c in policy.columns], source.name, shown=shown)
    except SpecError as error:
        raise error.within(file=policy.file, key="" if error.key else "table.path") from None
    return PolicyTable(policy, source, source.state(), place)


def _of_path(policy: Policy, place: Path) -> tuple[Source, bool]:
    """The file or folder, and whether its columns have names for certain."""
    if place.is_dir():
        return ParquetFolder.open(place), True
    if not place.is_file():
        raise SpecError(f"no such file: {place.name}", key="table.path")
    model = policy.model.table
    form = model.format or _form(place)
    dialect = Dialect(
        model.delimiter or delimiter_of(place),
        tuple(model.missing),
        model.encoding,
        model.title_lines,
        model.unnamed,
        WrittenNumbers(model.decimal, model.thousands),
    )
    return open_source(place, form, dialect), form == "parquet"


def _form(path: Path) -> Form:
    form = form_of(path)
    if form is None:
        raise SpecError(
            f'cannot tell the format of {path.name}: expected .csv or .tsv (.gz, .zip) or .parquet, or set format = "csv"',
            key="table.format",
        )
    return form


def _check_names(found: tuple[str, ...], declared: list[str], file: str, shown: bool) -> None:
    """Every column is declared, and every declared one is there, once.

    Unless `shown`, names that are not declared are counted only: the first line of a file may be a private record, or run
    on into one.
    """
    if not set(found) & set(declared):
        raise SpecError(
            f"{'' if shown else 'the first line of '}{file} holds none of the declared names: expected {'columns' if shown else 'a header'}, such as "
            f"{', '.join(declared[:3])}" + ("" if shown else _HEADER_HINT)
        )

    def column(name: str) -> str:
        place = found.index(name) + 1
        return (
            f"no. {place} ({name[:60]!r})"
            if shown or name in declared or is_of_place(name, place)
            else f"no. {place}"
        )

    twice = next((name for name, count in Counter(found).items() if count > 1), None)
    if twice is not None:
        raise SpecError(f"{file} has several columns with the name of column {column(twice)}; rename them")
    missing = [name for name in declared if name not in found]
    undeclared = [name for name in found if name not in declared]
    if missing:
        hint = f"; its column {column(undeclared[0])} is not declared" if undeclared else ""
        raise SpecError(f"{file} has no column {missing[0]!r}{hint}", key="columns")
    if undeclared:
        raise SpecError(
            f"{file} has {counted(len(undeclared), 'undeclared column')}, the first is column {column(undeclared[0])}: "
            'declare it, with role = "drop" if it is not to be released',
            key="columns",
        )


def _indices(column: Any) -> NDArray[np.int32]:
    return np.asarray(column.indices.to_numpy(zero_copy_only=False))
