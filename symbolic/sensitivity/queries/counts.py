"""Counts of records: with a property, and in buckets."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any

import numpy as np
import sympy as sp

from ...domains.ball import Ball
from ...domains.box import Box
from ...domains.discrete import Categorical, Table
from ...domains.domain import Domain
from ...domains.simplex import Simplex
from ...errors import SpecError
from ...proof.derivation import Step
from ...proof.enclosure import rational
from ..pairs import written_length
from ..records import Column, intervals, record_of, some_record
from .sums import Farthest, SumQuery, among

_TRIED, _ENUMERATED = 2_000, 4_096
_ZERO, _ONE = sp.Matrix([0]), sp.Matrix([1])


@dataclass(frozen=True)
class Count(SumQuery):
    """How many records have a property: a relation between the numbers of a record, or one of some categories."""

    predicate: Any
    records: tuple[sp.Symbol, ...]

    def describe(self) -> str:
        if isinstance(self.predicate, frozenset):
            return f"count of {', '.join(sorted(repr(value) for _, value in self.predicate))}"
        return f"count of {self.predicate}"

    def score(self, record: Any) -> sp.Matrix:
        return _ONE if self.holds(record) else _ZERO

    def holds(self, record: Any) -> bool:
        """Whether a record has the property, exactly."""
        if isinstance(self.predicate, frozenset):
            plain = record.item() if isinstance(record, np.generic) else record
            return (type(plain).__name__, plain) in self.predicate
        value = self.predicate.subs(named_numbers(record, self.records))
        if value not in (sp.true, sp.false):
            raise SpecError(
                f"count: the predicate {self.predicate} is neither true nor false of the record {record}"
            )
        return bool(value)

    def farthest(self, domain: Domain, norm: str, effort: float) -> Farthest:
        if isinstance(self.predicate, frozenset) != isinstance(domain, Categorical):
            raise SpecError(
                f"count: give a relation for records of numbers, a list of categories for categories; the domain is {domain.describe()}"
            )
        self._check_symbols(domain)
        with_it, without, complete = None, None, True
        for record, last in candidates(domain, self.predicate):
            complete = complete and last
            if self.holds(record):
                with_it = record if with_it is None else with_it
            else:
                without = record if without is None else without
            if with_it is not None and without is not None:
                break
        scores = [(r, s) for r, s in ((with_it, _ONE), (without, _ZERO)) if r is not None]
        found = among(scores, norm)
        if len(scores) == 2 or complete:
            return found
        # Nothing was seen of the other answer, which proves nothing: the bounds that need no search.
        one = sp.Integer(1)
        step = Step(written_length(_ONE - _ZERO, norm), "<=", one, "a record counts once or not at all")
        word = "without" if without is None else "with"
        reason = f"no record {word} the property was found; not proved that there is none"
        return Farthest(one, one, found.pairs, found.singles, (step,), (), reason)

    def _check_symbols(self, domain: Domain) -> None:
        if isinstance(self.predicate, frozenset):
            return
        if isinstance(domain, Table):
            names = {s.name for s in self.records}
            if not names <= set(domain.columns):
                raise SpecError(
                    f"count: {', '.join(sorted(names - set(domain.columns)))}: no such column of the table"
                )
        elif len(intervals(domain)) != len(self.records):
            raise SpecError(
                f"count: records have {len(intervals(domain))} numbers, and records= names {len(self.records)}"
            )


def named_numbers(record: Any, symbols: tuple[sp.Symbol, ...]) -> dict[sp.Symbol, Any]:
    """The numbers of a record by their symbols."""
    if isinstance(record, dict):
        return {s: rational(record[s.name]) for s in symbols}
    values = record if isinstance(record, tuple | list) else (record,)
    return {s: rational(v) for s, v in zip(symbols, values, strict=True)}


def candidates(domain: Domain, predicate: Any) -> Iterator[tuple[Any, bool]]:
    """Records to try, and whether these are all: enumerated where there are few, else corners, numbers of the predicate, others."""
    if isinstance(domain, Categorical):
        yield from ((value, True) for value in domain.values)
        return
    if isinstance(domain, Table):
        numeric = {n: c for n, c in domain.columns.items() if not isinstance(c, Categorical)}
        base = some_record(domain)
        for row, whole in _rows(
            [intervals(c)[0] for c in numeric.values()],
            [getattr(c, "integer", False) for c in numeric.values()],
            predicate,
        ):
            yield {**base, **dict(zip(numeric, row, strict=True))}, whole
        return
    integer = isinstance(domain, Box) and domain.integer
    bounds = intervals(domain)
    for row, whole in _rows(list(bounds), [integer] * len(bounds), predicate):
        yield from ((record_of(domain, point), whole) for point in _inside(domain, row))


def _inside(domain: Domain, row: tuple[sp.Rational, ...]) -> Iterator[tuple[sp.Rational, ...]]:
    if isinstance(domain, Box):
        yield row
    elif isinstance(domain, Simplex):
        total = sum(row, sp.Integer(0))
        if total > 0:
            yield tuple(x * rational(domain.total) / total for x in row)
    elif isinstance(domain, Ball):
        size = (
            max(abs(x) for x in row)
            if domain.norm == float("inf")
            else sum((abs(x) for x in row), sp.Integer(0))
        )
        squares = sum((x * x for x in row), sp.Integer(0))
        radius = rational(domain.radius)
        if squares <= radius**2 if domain.norm == 2 else size <= radius:
            yield row


def _rows(
    bounds: list[tuple[sp.Rational, sp.Rational]], whole: list[bool], predicate: Any
) -> Iterator[tuple[tuple[sp.Rational, ...], bool]]:
    counts = [int(high - low) + 1 for low, high in bounds]
    if all(whole) and sp.prod(counts) <= _ENUMERATED:
        yield from (
            (row, True)
            for row in product(
                *([low + i for i in range(c)] for (low, _), c in zip(bounds, counts, strict=True))
            )
        )
        return
    marks = sorted(predicate.atoms(sp.Rational)) if isinstance(predicate, sp.Basic) else []
    rng = random.Random(0)
    grids = []
    for (low, high), integer in zip(bounds, whole, strict=True):
        near = [m + d for m in marks for d in (0, -1, 1, sp.Rational(-1, 100), sp.Rational(1, 100))]
        grid = [low, high, (low + high) / 2, *(x for x in near if low <= x <= high)]
        grids.append(list(dict.fromkeys(sp.floor(x) if integer else x for x in grid)))
    yield from ((row, False) for row, _ in zip(product(*grids), range(_TRIED), strict=False))
    for _ in range(_TRIED):
        shares = (sp.Rational(rng.randint(0, 1000), 1000) for _ in bounds)
        row = tuple(low + (high - low) * s for (low, high), s in zip(bounds, shares, strict=True))
        yield tuple(sp.floor(x) if w else x for x, w in zip(row, whole, strict=True)), False


def count(predicate: Any, records: Sequence[sp.Symbol] | None = None) -> Count:
    """The query: how many records satisfy a `predicate`, a sympy relation (or And, Or, Not of such), or are among the categories of a list.

    `records` names the numbers of a record in their order; of a table the symbols are the names of columns. SpecError for anything else.

    >>> x = sp.Symbol("x")
    >>> npf.sensitivity(npf.queries.count(x > 3, [x]), npf.Box(0, 9), norm="l1", n=20).exact
    1
    """
    if isinstance(predicate, sp.logic.boolalg.Boolean):
        names = sorted(predicate.free_symbols, key=lambda s: s.name) if records is None else list(records)
        if not names or not predicate.free_symbols <= set(names):
            raise SpecError(f"count: records= must name the symbols of {predicate}, got {names}")
        return Count(predicate, tuple(names))
    if isinstance(predicate, list | tuple | set | frozenset):
        return Count(frozenset((type(v).__name__, v) for v in predicate), ())
    raise SpecError(
        f"count: expected a sympy relation such as x > 3, or a list of categories, got {predicate!r}"
    )


@dataclass(frozen=True)
class Histogram(SumQuery):
    """How many records lie in each bucket: intervals [e0, e1), ..., the last one closed, or the categories of a list."""

    buckets: tuple[Any, ...]
    column: Column
    categories: bool

    def describe(self) -> str:
        return f"histogram of {len(self.buckets) - (not self.categories)} buckets"

    def score(self, record: Any) -> sp.Matrix:
        size = len(self.buckets) if self.categories else len(self.buckets) - 1
        place = self._place(record)
        return sp.Matrix([int(i == place) for i in range(size)])

    def _place(self, record: Any) -> int | None:
        if self.categories:
            value = record[self.column.place] if isinstance(record, dict) else record
            keys = [(type(v).__name__, v) for v in self.buckets]
            return (
                keys.index((type(value).__name__, value)) if (type(value).__name__, value) in keys else None
            )
        number = self.column.read(record)
        if number == self.buckets[-1]:
            return len(self.buckets) - 2
        places = (i for i in range(len(self.buckets) - 1) if self.buckets[i] <= number < self.buckets[i + 1])
        return next(places, None)

    def farthest(self, domain: Domain, norm: str, effort: float) -> Farthest:
        records = list(self._one_in_each(domain))
        scores: dict[int | None, tuple[Any, sp.Matrix]] = {}
        for record in records:
            scores.setdefault(self._place(record), (record, self.score(record)))
        # Three buckets and none show every distance that there is.
        chosen = [s for p, s in scores.items() if p is None] + [
            s for p, s in scores.items() if p is not None
        ][:3]
        return among(chosen, norm)

    def _one_in_each(self, domain: Domain) -> Iterator[Any]:
        """One record of each bucket that the domain reaches, and of those beside all buckets."""
        if self.categories:
            column = domain.columns.get(str(self.column.place)) if isinstance(domain, Table) else domain
            if not isinstance(column, Categorical):
                raise SpecError(
                    f"histogram: the buckets are categories, and the domain is {domain.describe()}"
                )
            for value in column.values:
                yield (
                    {**some_record(domain), self.column.place: value} if isinstance(domain, Table) else value
                )
            return
        low, high = self.column.interval(domain)
        whole = _whole(domain, self.column)
        edges = [low, high, *(e for e in self.buckets if low <= e <= high)]
        # An end of the domain, an edge, and numbers on both sides of it meet every bucket and each gap.
        points = sorted(
            {*edges, *((a + b) / 2 for a, b in zip(sorted(set(edges)), sorted(set(edges))[1:], strict=False))}
        )
        if whole:
            points = sorted(
                {
                    x
                    for p in points
                    for x in (sp.floor(p), sp.ceiling(p), sp.floor(p) + 1, sp.ceiling(p) - 1)
                    if low <= x <= high
                }
            )
        yield from (self.column.record(domain, p) for p in points)


def _whole(domain: Domain, column: Column) -> bool:
    held = domain.columns[str(column.place)] if isinstance(domain, Table) else domain
    return isinstance(held, Box) and held.integer


def histogram(buckets: Sequence[Any], *, column: int | str | None = None) -> Histogram:
    """The query: counts (k,) in `buckets`, ascending edges of at least one interval (the last one closed), or a list of categories as texts.

    Records in none of them are not counted; `column` names the column of a table. SpecError for other buckets.

    >>> ages = npf.queries.histogram([0, 18, 65, 120])
    >>> npf.sensitivity(ages, npf.Box(0, 120), norm="l1", n=50).exact, npf.sensitivity(ages, npf.Box(0, 120), norm="l2", n=50).exact
    (2, sqrt(2))
    """
    if isinstance(buckets, str) or not isinstance(buckets, Sequence) or len(buckets) < 2:
        raise SpecError(f"histogram: expected two edges or categories at least, got {buckets!r}")
    if all(isinstance(b, str | bool) or b is None for b in buckets):
        return Histogram(tuple(buckets), Column(column), True)
    edges = tuple(rational(b) for b in buckets)
    if any(a >= b for a, b in pairwise(edges)):
        raise SpecError(f"histogram: expected ascending edges, got {buckets!r}")
    return Histogram(edges, Column(column), False)
