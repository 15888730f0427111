"""How a CSV file is written, as declared: marks, encoding, lines above its header, columns without a name."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...symbolic.errors import SpecError
from .written_numbers import WrittenNumbers

LONGEST_HEADER = 4_000_000
_NOT_TEXT = (
    'is not text in UTF-8: declare table.encoding, "cp1252" or "latin-1" for files of Western Europe, '
    '"utf-16" where every second byte is 0'
)


@dataclass(frozen=True)
class Dialect:
    """`unnamed`: where a line has one field more than the header, "first" or "last"; `numbers`: the marks in them."""

    delimiter: str = ","
    missing: tuple[str, ...] = ()
    encoding: str = "utf-8"
    title_lines: int = 0
    unnamed: str | None = None
    numbers: WrittenNumbers = field(default_factory=WrittenNumbers)


def delimiter_of(path: Path) -> str:
    """The delimiter that the ending of a file names."""
    return "\t" if ".tsv" in "".join(path.suffixes[-2:]).lower() else ","


@contextmanager
def utf8_stream(path: Path, encoding: str = "utf-8") -> Iterator[Any]:
    """The text of a file, .gz, .zip or neither, as an Arrow stream of UTF-8."""
    import pyarrow as pa

    with ExitStack() as stack:
        if path.suffix.lower() == ".zip":
            archive = stack.enter_context(zipfile.ZipFile(path))
            held = stack.enter_context(archive.open(_only_member(archive, path)))
            stream = stack.enter_context(pa.PythonFile(held, mode="r"))
        else:
            stream = stack.enter_context(pa.input_stream(path, compression="detect"))
        yield (
            stream
            if encoding == "utf-8"
            else stack.enter_context(pa.transcoding_input_stream(stream, encoding, "utf-8"))
        )


def _only_member(archive: zipfile.ZipFile, path: Path) -> zipfile.ZipInfo:
    found = [m for m in archive.infolist() if not m.is_dir() and not m.filename.startswith("__MACOSX/")]
    if len(found) != 1 or found[0].flag_bits & 1:
        raise SpecError(
            f"cannot read {path.name}: it is damaged or not in that format: expected an archive with one file that needs no password; unpack it"
        )
    return found[0]


def read_header(path: Path, dialect: Dialect) -> tuple[tuple[str, ...], int, int]:
    """The names of the columns, how many lines end with them, and how many of these hold something; a column without a name is called after its place: column 1.

    pyarrow tells them only once a block of records was read without a fault.
    """
    with utf8_stream(path, dialect.encoding) as stream:
        head = stream.read(LONGEST_HEADER)
    text = io.StringIO(head.decode("utf-8-sig", errors="surrogateescape"), newline="")
    for _ in range(dialect.title_lines):
        text.readline()
    reader = csv.reader(text, delimiter=dialect.delimiter, strict=True)
    try:
        row = next(reader, None)
    except csv.Error:
        row = None
    if not row:
        raise SpecError(
            f"cannot read {path.name} as CSV: expected a first line with the names of the columns; lines above it are declared as table.title_lines"
        )
    if any("\udc80" <= c <= "\udcff" for name in row for c in name):
        raise SpecError(f"the first line of {path.name} {_NOT_TEXT}")
    more = {"first": ["", *row], "last": [*row, ""]}
    above = re.findall(r"[^\r\n]+", text.getvalue()[: text.tell()])
    return named(more.get(dialect.unnamed or "", row)), dialect.title_lines + reader.line_num, len(above)


def is_of_place(name: str, place: int) -> bool:
    """Whether a name is that of a column without one."""
    return name.removesuffix(" (no name)") == f"column {place}"


def named(row: Sequence[str]) -> tuple[str, ...]:
    """The names, and for each that is empty one that says its place and that no other column has."""
    out = list(row)
    for i, name in enumerate(out):
        if not name.strip():
            out[i] = f"column {i + 1}"
            if out[i] in row:
                out[i] += " (no name)"
    return tuple(out)
