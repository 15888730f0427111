"""A policy to be filled in, from the header and the types of a table: what only a person may declare is left open."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from ....symbolic.errors import SpecError, nearest_name
from ...record.csv_dialect import delimiter_of
from ...record.table_file import form_of
from . import statistics_template
from .table_guess import MISSING, Guess, guess
from .template_text import named, text

ROWS = "laplace"
KINDS = (ROWS, statistics_template.KIND)

_HEAD = """\
# A noiseproof policy: what is released of a table, and what the release must meet.
# Names are those in the first line of the table, types those of its columns; no other value of it stands here. Bounds and categories are
# DECLARED: what anyone could have written down without the table. Read off the data they would be a release of their own.
# Fill in what is left open, then: noiseproof calibrate, noiseproof release.

title = {title}

[table]
path = {path}
{written}missing = {missing}   # texts of a CSV file that mean a missing value
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
kind = "laplace"                 # or gaussian, optimal, constrained, null-space, ron-gauss, compression: docs/reference/release.md;
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
        raise SpecError(
            "expected a table that ends in .csv or .tsv (with .gz or .zip after it), .parquet or .pq",
            file=str(table),
        )
    found = guess(table, form)
    of_rows = kind == ROWS
    head = _HEAD + (_ROWS_PUBLIC + _ROLES if of_rows else statistics_template.ROLES)
    head = head.format(
        title=text(Path(path).name),
        path=text(path),
        missing=json.dumps(list(MISSING)),
        written="".join(_written(found, table)),
    )
    if of_rows:
        return "".join([head, *(_column(found, i) for i in range(len(found.names))), _TAIL])
    columns, asked = statistics_template.columns(found), statistics_template.statistics(found)
    return "".join([head, *columns, *asked, statistics_template.TAIL])


def _column(found: Guess, i: int) -> str:
    name, kind = found.names[i], found.kinds[i]
    fields = _OTHER if kind is None or name in found.nameless else _NUMBER.format(kind=kind)
    return f"\n[[columns]]\n{named(found, name)}{fields}"


def _written(found: Guess, table: Path) -> Iterator[str]:
    """How a CSV file is written, where that is not as usual."""
    one, usual = found.dialect, delimiter_of(table)
    said = {
        "delimiter": (one.delimiter, usual),
        "encoding": (one.encoding, "utf-8"),
        "title_lines": (one.title_lines, 0),
        "unnamed": (one.unnamed, None),
        "decimal": (one.numbers.decimal, None),
        "thousands": (one.numbers.thousands, None),
    }
    for key, (value, default) in said.items():
        if value != default:
            point = (
                "                    # so that 1.234 is no 1234" if (key, value) == ("decimal", ".") else ""
            )
            yield f"{key} = {json.dumps(value)}{point}\n"
    if any("may be" in remark for remark in found.remarks.values()):
        yield '# decimal = "."                # some numbers can be read in two ways: declare it, or decimal = "," and thousands = "."\n'
