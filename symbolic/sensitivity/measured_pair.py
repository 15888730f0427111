"""How far the answers to one pair of data sets are apart: in balls, and written out for a step that a person can follow."""

from __future__ import annotations

from fractions import Fraction
from itertools import groupby
from math import floor, log10

import sympy as sp
from flint import arb

from ..proof.apart import UnfinishedError, apart
from ..proof.derivation import Step, carried_out
from ..proof.enclosure import NotEnclosableError, compare, enclose
from ..proof.truth import Truth
from .answer import Dataset
from .enclosure import ends, with_precision
from .farthest import norm_of
from .moves import StatedQuery
from .pairs import written_distance

MEASURED_BITS = 200
_DIGITS, _LONGEST = 12, 600


def measured(query: StatedQuery, pair: tuple[Dataset, Dataset], norm: str) -> arb:
    """The distance of the answers to two data sets of exact records, in balls, from the query itself."""
    gap = query.answer(pair[0]).minus(query.answer(pair[1]))
    numbers = [enclose(e, bits=MEASURED_BITS) for e in gap.entries]
    if not all(n.is_finite() for n in numbers):
        raise NotEnclosableError("no finite value at a data set")
    return with_precision(lambda: norm_of(numbers, norm, gap.shape))


def measured_step(
    query: StatedQuery, pair: tuple[Dataset, Dataset], norm: str, lower: arb, exact: sp.Expr | None
) -> Step:
    """That the pair is `exact` apart, if it is; else at least a number of a few digits below the lower end."""
    said = f"the pair D = {_counted(pair[0])}, D' = {_counted(pair[1])}"
    least = _rounded_down(ends(lower)[0])

    written = _written(query, pair, norm)

    def again(left: sp.Expr, right: sp.Expr) -> Truth:
        apart = measured(query, pair, norm)
        said_so = written is None or apart.overlaps(enclose(carried_out(right), bits=MEASURED_BITS))
        return Truth.HOLDS if said_so and apart >= enclose(left) else Truth.FAILS

    if written is None:
        shown = (sp.sstr(least), "|f(D) - f(D')|")
        return Step(least, "<=", sp.Symbol("apart", nonnegative=True), said, again, shown)
    if exact is not None and _same(written, exact):
        return Step(written, "=", exact, said)
    return Step(least, "<=", written, said, again)


def _counted(data: Dataset) -> str:
    """The records of a data set, equal neighbours once with their number; cut where it is long."""
    groups = [(len(list(same)), str(record)) for record, same in groupby(data)]
    said = f"({', '.join(record if many == 1 else f'{many} records of {record}' for many, record in groups)})"
    said = said if len(data) > 8 else str(data)
    return said if len(said) <= 200 else f"{said[:200]} ..."


def _written(query: StatedQuery, pair: tuple[Dataset, Dataset], norm: str) -> sp.Expr | None:
    """|f(D) - f(D')| with the records put in; None where that is too long, or no formula of the entries."""
    try:
        one, two = (query.written(data) for data in pair)
    except ValueError:
        return None  # sympy cannot tell which of two equal numbers is larger
    if (one.shape and norm == "spectral") or sum(sp.count_ops(e) for e in one.entries) > _LONGEST:
        return None
    return written_distance(one.entries, two.entries, norm)


def _same(written: sp.Expr, exact: sp.Expr) -> bool:
    try:
        return apart(lambda: compare(written.doit(), "=", exact) is Truth.HOLDS, "the distance of a pair")
    except UnfinishedError:
        return False


def _rounded_down(value: Fraction) -> sp.Rational:
    """A decimal number of a few digits that is no larger; whole numbers stay."""
    if value <= 0 or value.denominator == 1:
        return sp.Rational(value.numerator, value.denominator)
    places = _DIGITS - 1 - floor(log10(value))
    return sp.Rational(floor(value * Fraction(10) ** places)) / sp.Integer(10) ** places
