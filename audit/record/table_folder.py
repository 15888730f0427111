"""A folder of Parquet files that are one table: all with the same columns, read in the order of their names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...symbolic.errors import SpecError
from .table_file import FileSource, ParquetSource, file_state, form_of

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class ParquetFolder(FileSource):
    """The Parquet files below a folder; names that begin with a dot or an underscore are left out, as elsewhere."""

    parts: tuple[ParquetSource, ...]

    @classmethod
    def open(cls, path: Path) -> ParquetFolder:
        """SpecError, with the names of the files, for one that is not readable, or whose columns are others."""
        parts = tuple(ParquetSource.open(file) for file in folder_files(path))
        if not parts:
            raise SpecError(
                f"the folder {path.name} holds no Parquet file: expected names that end in .parquet"
            )
        for part in parts[1:]:
            _require_alike(path, parts[0], part)
        return cls(path, parts)

    @property
    def names(self) -> tuple[str, ...]:
        return self.parts[0].names

    def batches(self, types: dict[str, Any], rows: int) -> Iterator[pa.RecordBatch]:
        for part in self.parts:
            try:
                yield from part.batches(types, rows)
            except SpecError as error:
                said = part.path.relative_to(self.path).as_posix()
                raise error if said in str(error) else SpecError(f"{said}: {error}") from None

    def count(self) -> int:
        return sum(part.said for part in self.parts)

    def expected(self) -> int | None:
        return self.count()

    def state(self) -> tuple[Any, ...]:
        try:
            files = folder_files(self.path)
        except SpecError:
            return ()
        return tuple((file.as_posix(), *file_state(file)) for file in files)


def folder_files(path: Path) -> list[Path]:
    """The files of a table below a folder, in the order of their names; SpecError for one of another form."""
    found = []
    for file in sorted(path.rglob("*")):
        inner = file.relative_to(path)
        if any(part.startswith((".", "_")) for part in inner.parts) or file.is_dir():
            continue
        if any("=" in part for part in inner.parts[:-1]):
            raise SpecError(
                f"the folder {inner.parts[0]!r} of {path.name} stands for a value of a column, which is not read: write that column into the files"
            )
        if form_of(file) != "parquet":
            raise SpecError(
                f"the folder {path.name} holds {inner.as_posix()!r}: expected Parquet files only, with names that end in .parquet"
            )
        found.append(file)
    return found


def _require_alike(folder: Path, first: ParquetSource, other: ParquetSource) -> None:
    one, two = (dict(zip(part.names, part.types, strict=True)) for part in (first, other))
    if one == two and len(first.names) == len(other.names):
        return
    a, b = (part.path.relative_to(folder).as_posix() for part in (first, other))
    advice = "all files of a folder have the same columns, of the same types"
    for name in [*one, *two]:
        if name not in one or name not in two:
            has, lacks = (a, b) if name in one else (b, a)
            raise SpecError(f"{has} has a column {name!r}, {lacks} has none: {advice}")
        if one[name] != two[name]:
            raise SpecError(
                f"column {name!r} is stored as {one[name][:60]} in {a}, as {two[name][:60]} in {b}: {advice}"
            )
    raise SpecError(f"{a} and {b} have a column of the same name more than once: {advice}")
