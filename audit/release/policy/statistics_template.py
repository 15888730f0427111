"""The parts of a policy of statistics to be filled in: columns, one count, one mean, and what they may cost."""

from __future__ import annotations

from collections.abc import Iterator

from .table_guess import Guess
from .template_text import named, text

KIND = "statistics"

ROLES = """
# role: "private" may be counted and summed, "drop" is not looked at. What no statistic below needs is dropped: declare what yours need.
# A value that is none of the categories, misspelt perhaps, stops the release before anything is spent (undeclared = "refuse"). It may count as
# a category ({{ value = "other" }}), or be left out unseen ("skip"): `noiseproof policy check` counts such values, for your eyes only.
"""
_NUMBER = """\
kind = "{kind}"
role = "private"
# low =                          # ends between which anyone would expect it: values beyond them count as the end, and the wider
# high =                         # they are, the more noise a sum or a mean of it gets
missing = "skip"                 # a record without this number is left out of the statistics that use it; or "refuse"
"""
_OTHER_NUMBER = """\
role = "drop"                    # or "private" with the lines below, to sum it or to select records by it:
# kind = "{kind}"
# low =
# high =
# missing = "skip"
"""
_OTHER = """\
role = "drop"                    # or "private" with the lines below, to count by its values or to select records by them:
# kind = "category"
# categories = []                # all values that are counted; they are declared, never found in the table
"""
_CODE = """\
role = "drop"                    # it seems to be a code, a year or a key, of which a mean says nothing: count by it instead ("private"),
# kind = "category"              # or name it as [table] person_key, with unit_of_privacy = "person"
# categories = []                # all values that are counted; groups = {{ north = ["01", "02"] }} puts many codes into few
"""
_DATE = """\
role = "drop"                    # or "private" with the lines below, to count by month or to select records by it:
# kind = "category"
# date = {{ form = "{form}", part = "month" }}{doubt}
# categories = ["01", "02", "03", "04", "05", "06", "07", "08", "09", "10", "11", "12"]
"""
# Left out unseen, misspelt values end as a green page of zeros.
_OUTSIDE = """\
# missing = "skip"               # a record without a value is left out; or "refuse"
# undeclared = "refuse"
"""
_STATISTICS = """
[[statistics]]
name = "records"
measure = "count"                # also: sum, mean, variance, quantiles, histogram, marginals, distinct, top, regression
# by = ["COLUMN"]                # categories whose declared values are the groups
# size = 100                     # records of the smallest group that matters: only for what is said beforehand
"""
_MEAN = """
[[statistics]]
name = {name}
measure = "mean"
column = {column}
# by = ["COLUMN"]
# size = 100
"""
TAIL = """
[mechanism]
kind = "statistics"
noise = "gaussian"               # or "laplace", for an epsilon at delta = 0
adjacency = "add-or-remove"      # the number of records is private; or "replace-one", where it is known

[limits]
# epsilon =                      # what one record may lose by all statistics together, such as 1.0: somebody has to decide it
delta = 1e-6                     # far below one over the number of records; leave it out with Laplace noise

# [ledger]                       # what all releases of this table have spent: noiseproof ledger create
# path = "table.ledger"
# table_id = "NAME"

# [signing]
# key = "officer.pem"            # noiseproof keygen officer.pem

"""


def columns(found: Guess) -> Iterator[str]:
    """The columns, each with the kind of number that it holds, if it does."""
    averaged = _first_number(found)
    for name, kind in zip(found.names, found.kinds, strict=True):
        forms, category = found.dates.get(name, []), _CODE if name in found.codes else _OTHER
        fields = (
            _NUMBER
            if name == averaged
            else _OTHER_NUMBER
            if kind and name not in found.codes
            else (_DATE if forms else category) + _OUTSIDE
        )
        doubt = f'   # or "{forms[1]}": every date can be read both ways' if forms[1:] else ""
        yield f"\n[[columns]]\n{named(found, name)}{fields.format(kind=kind, form=(*forms, '')[0], doubt=doubt)}"


def statistics(found: Guess) -> Iterator[str]:
    """A count, and the mean of the first number that is no code."""
    yield _STATISTICS
    number = _first_number(found)
    if number is not None:
        yield _MEAN.format(name=text(f"mean of {number}"[:100]), column=text(number))


def _first_number(found: Guess) -> str | None:
    pairs = zip(found.names, found.kinds, strict=True)
    return next((name for name, kind in pairs if kind is not None and name not in found.codes), None)
