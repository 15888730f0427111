"""The numbers of a release folder for a notebook: a table of Arrow, a frame of pandas, a page of HTML."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...symbolic.errors import SpecError, counted
from ..record.csv_dialect import Dialect
from ..record.reading.strict_json import MAX_BYTES, read_strict
from ..record.seal.folder import read_file
from ..record.table_file import open_source
from ..record.written_numbers import WrittenNumbers
from .manifest import NAME
from .spreadsheet import READ_BACK, unguarded

if TYPE_CHECKING:
    import pyarrow as pa

KIND = "statistics"
_ROWS_AT_ONCE, _SHOWN = 1 << 16, 40
_NUMBERS = ("value", "low", "high")
WRITTEN = Dialect(missing=("",), numbers=WrittenNumbers("."))  # how a release writes CSV files


@dataclass(frozen=True, eq=False)
class StatisticsTable:
    """The released numbers, a row each: statistic, quantity, groups, value, low, high, noise, suppressed.

    `table` is a pyarrow Table, `guarantee` the privacy of the whole release in words. `of(statistic)` selects the rows of one and
    raises SpecError for an unknown name; `to_pandas()` needs pandas.

    >>> import pyarrow as pa
    >>> rows = pa.table({"statistic": ["mean age", "people"], "value": [41.2, 812.0], "noise": ["laplace", "laplace"]})
    >>> npf.StatisticsTable(rows, "Ages", "epsilon = 1").of("people")
    Ages: 1 number, epsilon = 1
    """

    table: pa.Table
    title: str
    guarantee: str

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def of(self, statistic: str) -> StatisticsTable:
        """The numbers of one statistic, without the group columns that it has not; SpecError for an unknown name."""
        import pyarrow.compute as pc

        names = self.table["statistic"].unique().to_pylist()
        if statistic not in names:
            raise SpecError(f"no statistic {statistic!r}: the release has {', '.join(map(repr, names))}")
        found = self.table.filter(pc.equal(self.table["statistic"], statistic))
        kept = [n for n in found.column_names if n in _NUMBERS or found[n].null_count < found.num_rows]
        return StatisticsTable(found.select(kept), self.title, self.guarantee)

    def to_pandas(self) -> Any:
        """A DataFrame; ImportError without pandas."""
        return self.table.to_pandas()

    def __repr__(self) -> str:
        return f"{self.title}: {counted(len(self), 'number')}, {self.guarantee}"

    def _repr_html_(self) -> str:
        names = self.table.column_names
        head = "".join(f"<th scope='col'>{escape(n)}</th>" for n in names)
        rows = "".join(
            f"<tr>{''.join(f'<td>{_cell(row[n])}</td>' for n in names)}</tr>"
            for row in self.table.slice(0, _SHOWN).to_pylist()
        )
        more = f"<p>{len(self) - _SHOWN:,} more</p>" if len(self) > _SHOWN else ""
        return f"<table><caption>{escape(repr(self))}</caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{more}"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) and abs(value) < 1e6 else escape(str(value))


def read_statistics(folder: str | Path) -> StatisticsTable:
    """The numbers of a release of statistics, from its `folder`, as a StatisticsTable; SpecError for a folder that is none.

    It reads what lies there: whether that is what was released, `noiseproof verify` says.

    >>> try:
    ...     npf.read_statistics("no-such-folder")
    ... except npf.SpecError as error:
    ...     print(error)
    no-such-folder: expected a folder written by `noiseproof release`
    """
    directory = Path(folder)
    if not (directory / NAME).is_file():
        raise SpecError("expected a folder written by `noiseproof release`", file=str(directory))
    manifest = read_strict(read_file(directory, NAME, MAX_BYTES))
    try:
        kind, sentence = manifest["mechanism"]["kind"], str(manifest["guarantees"][0]["sentence"])
        title, form = str(manifest["title"]), manifest["policy"]["output"]["format"]
    except (KeyError, TypeError, IndexError):
        raise SpecError(f"{NAME} is not as a release writes it", file=str(directory)) from None
    if kind != KIND or form not in ("csv", "parquet"):
        raise SpecError(
            f"expected a release of statistics, this is one of {kind!r:.40}: read its data.{form!s:.10} as a table",
            file=str(directory),
        )
    return StatisticsTable(numbers_table(directory / f"data.{form}"), title, sentence)


def numbers_table(path: Path) -> pa.Table:
    """The data file of a release of statistics with the types that its columns have; SpecError for another one."""
    import pyarrow as pa

    source = open_source(path, "csv" if path.suffix == ".csv" else "parquet", WRITTEN)
    types: dict[str, Any] = {name: pa.string() for name in source.names}
    types |= {name: pa.float64() for name in _NUMBERS} | {"suppressed": pa.bool_()}
    if set(types) != set(source.names):
        raise SpecError(f"expected the columns {', '.join((*_NUMBERS, 'suppressed'))}", file=path.name)
    table = pa.Table.from_batches(_batches(source, types), pa.schema(list(types.items())))
    return _as_named(table) if path.suffix == ".csv" else table


def _as_named(table: pa.Table) -> pa.Table:
    """The texts of a CSV file as they are named in the policy."""
    import pyarrow as pa
    import pyarrow.compute as pc

    columns = [
        pc.replace_substring_regex(column, READ_BACK, "", max_replacements=1)
        if pa.types.is_string(column.type)
        else column
        for column in table.columns
    ]
    return pa.table(columns, names=[unguarded(name) for name in table.column_names])


def _batches(source: Any, types: dict[str, Any]) -> Iterator[pa.RecordBatch]:
    yield from source.batches(types, _ROWS_AT_ONCE)
