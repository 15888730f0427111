"""A policy to be filled in, from the header and the types of a table: what only a person may declare is left open."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ....symbolic.errors import SpecError
from ...record.table_file import Form, described_errors, form_of, open_source

# Texts that tables often write for a missing value: types are found without them.
_MISSING = ("", "?", "NA", "N/A", "NULL")

_HEAD = """\
# A noiseproof policy: what is released of a table, and what the release must meet.
# Names are those in the first line of the table, types those of its columns; no other value of it stands here. Bounds and categories are
# DECLARED: what anyone could have written down without the table. Read off the data they would be a release of their own.
# Fill in what is left open, then: noiseproof calibrate, noiseproof release.

title = {title}

[table]
path = {path}
missing = {missing}   # texts of a CSV file that mean a missing value
unit_of_privacy = "record"       # or "person", with person_key = "COLUMN" and rows_per_person = 5
rows_public = true               # a row for each record is released, which tells their number

# role: "private" goes through the noise, "public" is released as it is, "drop" is not released.
"""

_TAIL = """
[mechanism]
kind = "laplace"                 # or gaussian, optimal, constrained, null-space, ron-gauss, compression: docs/release.md;
                                 # "statistics" publishes counts, means, ... by group and no rows: docs/how-to/release-statistics.md
calibrate = true                 # the noise is found from the limits

[limits]
# epsilon =                      # largest epsilon of one record, such as 3.0: somebody has to decide it
# utility = { measure = "relative-error", at_most = 0.5 }

# [ledger]                       # what all releases of this table have spent: noiseproof ledger create
# path = "table.ledger"
# table_id = "NAME"

# [signing]
# key = "officer.pem"            # noiseproof keygen officer.pem

"""

_NUMBER = """\
kind = "{kind}"
role = "private"
# low =                          # least value of the public domain
# high =                         # largest value of the public domain
# missing = {{ value = 0 }}        # what counts where a value is missing; without it such a record is refused
"""
_OTHER = """\
role = "drop"                    # or declare it: kind = "category", role = "public" or "private" (with encode = "one-hot"),
# categories = []                # all values that it may hold
"""


def policy_template(table: Path, path: str) -> str:
    """TOML of a policy for `table`, named `path` in it; SpecError for a table that cannot be read."""
    form = form_of(table)
    if form is None:
        raise SpecError("expected a table that ends in .csv, .csv.gz, .parquet or .pq", file=str(table))
    delimiter, names = _names(table, form)
    head = _HEAD.format(title=_text(Path(path).name), path=_text(path), missing=json.dumps(list(_MISSING)))
    if delimiter != ",":
        head = head.replace("missing =", f"delimiter = {_text(delimiter)}\nmissing =")
    parts = [head]
    for name, kind in _kinds(table, names, _types(table, form, delimiter)):
        fields = _OTHER if kind is None else _NUMBER.format(kind=kind)
        parts.append(f"\n[[columns]]\nname = {_text(name)}\n{fields}")
    return "".join([*parts, _TAIL])


def _names(table: Path, form: Form) -> tuple[str, tuple[str, ...]]:
    """What stands between the values, a comma unless something else makes more columns of the first line, and their names."""
    found = {}
    for delimiter in ",;\t|":
        with suppress(SpecError):
            found[delimiter] = open_source(table, form, delimiter).names
    best = max(found, key=lambda one: len(found[one]), default=",")
    return best, open_source(table, form, best).names


def _kinds(table: Path, names: Sequence[str], types: Sequence[Any]) -> Iterator[tuple[str, str | None]]:
    """Each column, and the kind of number that it holds, if it does."""
    import pyarrow as pa

    for i, name in enumerate(names):
        if not name or not name.isprintable():
            raise SpecError(
                f"the name of column {i + 1} is empty, or holds control characters or what is not UTF-8; rename the column",
                file=str(table),
            )
        if name in names[:i]:
            raise SpecError(f"{name!r} is the name of a column twice; rename one", file=str(table))
        if pa.types.is_integer(types[i]):
            yield name, "integer"
        else:
            number = pa.types.is_floating(types[i]) or pa.types.is_decimal(types[i])
            yield name, "number" if number else None


def _types(table: Path, form: Form, delimiter: str) -> list[Any]:
    """The types of the columns: those of a Parquet file, or those that the beginning of a CSV file fits."""
    import pyarrow.csv as reader
    import pyarrow.parquet

    with described_errors(table.name, form):
        if form == "parquet":
            return list(pyarrow.parquet.read_schema(table).types)
        convert = reader.ConvertOptions(null_values=list(_MISSING), strings_can_be_null=True)
        parse = reader.ParseOptions(delimiter=delimiter)
        with reader.open_csv(table, convert_options=convert, parse_options=parse) as stream:
            return list(stream.schema.types)


def _text(text: str) -> str:
    """A printable text as it is written in TOML."""
    return json.dumps(text, ensure_ascii=False)
