"""A policy to be filled in, from the header and the types of a table: what only a person may declare is left open."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ....symbolic.errors import SpecError, nearest_name
from ...record.table_file import Form, described_errors, form_of, open_source
from . import statistics_template
from .template_text import text

ROWS = "laplace"
KINDS = (ROWS, statistics_template.KIND)
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
"""
_ROWS_PUBLIC = """\
rows_public = true               # a row for each record is released, which tells their number
"""
_ROLES = """
# role: "private" goes through the noise, "public" is released as it is, "drop" is not released.
"""

_TAIL = """
[mechanism]
kind = "laplace"                 # or gaussian, optimal, constrained, null-space, ron-gauss, compression: docs/release.md;
                                 # counts, means, ... by group and no rows: noiseproof policy init TABLE --kind statistics
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


def policy_template(table: Path, path: str, kind: str = ROWS) -> str:
    """TOML of a policy for `table`, named `path` in it, that releases noisy rows or statistics.

    SpecError for a table that cannot be read, or another kind.
    """
    if kind not in KINDS:
        raise SpecError(
            f"no policy to begin with for {kind!r:.40}; {nearest_name(kind, KINDS)}", key="--kind"
        )
    form = form_of(table)
    if form is None:
        raise SpecError("expected a table that ends in .csv, .csv.gz, .parquet or .pq", file=str(table))
    delimiter, names = _names(table, form)
    of_rows = kind == ROWS
    head = _HEAD + (_ROWS_PUBLIC + _ROLES if of_rows else statistics_template.ROLES)
    head = head.format(title=text(Path(path).name), path=text(path), missing=json.dumps(list(_MISSING)))
    if delimiter != ",":
        head = head.replace("missing =", f"delimiter = {text(delimiter)}\nmissing =")
    kinds = list(_kinds(table, names, _types(table, form, delimiter)))
    if of_rows:
        return "".join([head, *map(_column, kinds), _TAIL])
    columns, asked = statistics_template.columns(kinds), statistics_template.statistics(kinds)
    return "".join([head, *columns, *asked, statistics_template.TAIL])


def _column(named: tuple[str, str | None]) -> str:
    name, kind = named
    fields = _OTHER if kind is None else _NUMBER.format(kind=kind)
    return f"\n[[columns]]\nname = {text(name)}\n{fields}"


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
