"""How far neighbours' answers may come apart: the differences of a query's entries, where their symbols may lie, and the pair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import sympy as sp

from ..domains.adjacency import Adjacency, AnyTwo, Distance
from ..domains.discrete import Table
from ..domains.domain import Domain
from ..errors import SpecError, counted
from ..proof.as_written import total, value_at, weighted
from ..proof.enclosure import rational
from .answer import Dataset
from .changes import change_of
from .farthest import Vector
from .regions import Point, Region, region_of

COPIES = (
    "a sum moves by the sum of what comes minus that of what goes; by the triangle inequality k records move it by at most "
    "k times as far as one can, and k copies of the farthest record do"
)
PLACES = "neighbours differ at one place: the largest over all places"


@dataclass(frozen=True)
class Move:
    """`vector` times `factor` is the difference of the answers of the two data sets that `pair` makes of a point of the region."""

    vector: Vector
    region: Region
    pair: Callable[[Mapping[sp.Symbol, sp.Expr]], tuple[Dataset, Dataset]]
    two_sided: bool
    factor: sp.Rational = field(default_factory=lambda: sp.Integer(1))
    near: Distance | None = None


@dataclass(frozen=True)
class StatedQuery:
    """Entries in the symbols of `records`; with `each`, those of one record, summed or averaged over `n` records."""

    vector: Vector
    records: tuple[tuple[sp.Symbol, ...], ...]
    bare: bool
    domain: Any
    each: str | None = None
    n: int | None = None

    def record(self, symbols: Sequence[sp.Symbol], point: Mapping[sp.Symbol, sp.Expr]) -> Any:
        """A record of these symbols as data sets hold it: a number, a tuple, or a dict of a table's columns."""
        values = tuple(point[s] for s in symbols)
        if isinstance(self.domain, Table):
            return dict(zip(self.domain.columns, values, strict=True))
        return values[0] if self.bare else values

    def numbers(self, record: Any) -> tuple[sp.Rational, ...]:
        """The numbers of a record; SpecError for one of another length."""
        if isinstance(record, Mapping):
            record = tuple(record.values())
        values = (record,) if self.bare else tuple(record)
        if len(values) != len(self.records[0]):
            raise SpecError(f"a record has {counted(len(self.records[0]), 'number')}, got {record!r}")
        return tuple(rational(v) for v in values)

    def answer(self, dataset: Dataset) -> Vector:
        """The value at a data set of exact records."""
        if self.each is None:
            if len(dataset) != len(self.records):
                raise SpecError(
                    f"the query is of {len(self.records)} records, and the data set has {len(dataset)}"
                )
            rows = [self.numbers(record) for record in dataset]
            at = {
                s: v
                for symbols, row in zip(self.records, rows, strict=True)
                for s, v in zip(symbols, row, strict=True)
            }
            return self.vector.mapped(lambda e: e.xreplace(at))
        maps, share = self._counted(dataset)
        return self.vector.mapped(lambda e: share * sp.Add(*(m * e.xreplace(at) for m, at in maps)))

    def written(self, dataset: Dataset) -> Vector:
        """The same with the records put in and nothing carried out."""
        if self.each is None:
            rows = zip(self.records, map(self.numbers, dataset), strict=True)
            at = {s: v for symbols, row in rows for s, v in zip(symbols, row, strict=True)}
            return self.vector.mapped(lambda e: value_at(e, at))
        maps, share = self._counted(dataset)
        return self.vector.mapped(
            lambda e: weighted(share, total(*(weighted(m, value_at(e, at)) for m, at in maps)))
        )

    def _counted(
        self, dataset: Dataset
    ) -> tuple[list[tuple[int, dict[sp.Symbol, sp.Rational]]], sp.Rational]:
        """The records, each with its number, and the factor of their sum."""
        counts = Counter(self.numbers(record) for record in dataset)
        maps = [(m, dict(zip(self.records[0], row, strict=True))) for row, m in counts.items()]
        return maps, sp.Rational(1, len(dataset)) if self.each == "mean" and dataset else sp.Integer(1)


def renamed(symbols: Sequence[sp.Symbol], mark: str) -> dict[sp.Symbol, sp.Symbol]:
    """New real symbols, named after the old ones."""
    return {s: sp.Symbol(f"{s.name}{mark}", real=True) for s in symbols}


def moves(query: StatedQuery, adjacency: str | Adjacency, places: Sequence[int]) -> list[Move]:
    """The questions whose largest answer is the sensitivity; SpecError where the adjacency makes no sense for the query."""
    if isinstance(adjacency, Distance):
        return [_near(query, adjacency)]
    if query.each is not None:
        return _of_sum(query, adjacency)
    if not isinstance(adjacency, AnyTwo) and adjacency != "any-two":
        change = change_of(adjacency, query.domain if isinstance(query.domain, Domain) else None)
        if change.kind == "resize":
            raise SpecError(
                f"an expression of {counted(len(query.records), 'record')} has no value with one record more or less "
                f'({change.name}): give one record\'s expression with each="sum" or each="mean", or take "replace-one"'
            )
        if change.most > 1:
            raise SpecError(
                f'{change.name} may change the number of records: give one record\'s expression with each="sum"'
            )
    elif len(query.records) != 1:
        raise SpecError(f"any-two compares single records, the query has {len(query.records)}")
    return [_replaced(query, place) for place in places]


def replaced_records(
    query: StatedQuery, place: int, known: Mapping[sp.Symbol, sp.Expr]
) -> tuple[Vector, dict[sp.Symbol, sp.Symbol]]:
    """The difference of the answers where one record is replaced, other symbols known."""
    new = renamed(query.records[place], "'")
    after = query.vector.mapped(lambda e: e.xreplace(new))
    return query.vector.minus(after).mapped(lambda e: e.xreplace(dict(known))), new


def _replaced(query: StatedQuery, place: int) -> Move:
    vector, new = replaced_records(query, place, {})
    region = region_of(query.domain, list(new.values()))
    for symbols in query.records:
        region = region.joined(region_of(query.domain, symbols))

    def pair(point: Mapping[sp.Symbol, sp.Expr]) -> tuple[Dataset, Dataset]:
        one = [query.record(symbols, point) for symbols in query.records]
        two = list(one)
        two[place] = query.record([new[s] for s in query.records[place]], point)
        return tuple(one), tuple(two)

    return Move(vector, region, pair, two_sided=True)


def _near(query: StatedQuery, adjacency: Distance) -> Move:
    if len(query.records) != 1 or query.each is not None:
        raise SpecError("distance compares two vectors: give one record with all of its symbols")
    move = _replaced(query, 0)
    symbols = query.records[0]
    new = renamed(symbols, "'")
    gaps, apart = [s - new[s] for s in symbols], rational(adjacency.apart)
    if adjacency.norm == 1:
        bounds = [sp.Add(*map(sp.Abs, gaps)) - apart]
    elif adjacency.norm == 2:
        bounds = [sp.Add(*(g**2 for g in gaps)) - apart**2]
    else:
        bounds = [s * g - apart for g in gaps for s in (1, -1)]
    expressed = dict(move.region.expressed)
    near = Region(at_most_zero=tuple(b.xreplace(expressed) for b in bounds))
    # The blocks know nothing of how near the vectors are: closed forms over them would be those of any two.
    region = replace(move.region.joined(near), blocks=())
    return Move(move.vector, region, move.pair, two_sided=True, near=adjacency)


def _of_sum(query: StatedQuery, adjacency: str | Adjacency) -> list[Move]:
    change = change_of(adjacency, query.domain if isinstance(query.domain, Domain) else None)
    n, k = query.n, change.most
    if query.each == "mean" and n is None:
        raise SpecError(
            "a mean needs n, the number of records (of the smaller data set, where neighbours differ in it)"
        )
    if change.kind == "replace" and n is not None and n < k:
        raise SpecError(f"{k} records cannot be replaced in a data set of {n}")
    if query.each == "mean" and change.kind == "both":
        raise SpecError(
            "the mean of neighbours that differ in their number of records in both directions is not known here"
        )
    share = sp.Integer(1)
    if query.each == "mean" and n is not None:
        share = sp.Rational(1, n + k if change.resizes else n)
    move = _replaced(query, 0)
    old, new = query.records[0], [renamed(query.records[0], "'")[s] for s in query.records[0]]
    others = max((n or 1) - (k if change.kind == "replace" else 0), 0)

    if query.each == "mean" and change.resizes:

        def grown(point: Mapping[sp.Symbol, sp.Expr]) -> tuple[Dataset, Dataset]:
            base = (query.record(new, point),) * (n or 1)
            return base, (*base, *(query.record(old, point),) * k)

        return [Move(move.vector, move.region, grown, True, k * share)]

    def swapped(point: Mapping[sp.Symbol, sp.Expr]) -> tuple[Dataset, Dataset]:
        common = (query.record(old, point),) * others
        return ((*(query.record(old, point),) * k, *common), (*(query.record(new, point),) * k, *common))

    swap = Move(move.vector, move.region, swapped, True, k * share)
    alone = Move(query.vector, region_of(query.domain, old), _grown(query, old, k, n), False, sp.Integer(k))
    return {"replace": [swap], "resize": [alone], "both": [swap, alone]}[change.kind]


def _grown(
    query: StatedQuery, symbols: Sequence[sp.Symbol], k: int, n: int | None
) -> Callable[[Mapping[sp.Symbol, sp.Expr]], tuple[Dataset, Dataset]]:
    def pair(point: Mapping[sp.Symbol, sp.Expr]) -> tuple[Dataset, Dataset]:
        record = query.record(symbols, point)
        base = (record,) * (1 if n is None else n)
        return base, (*base, *(record,) * k)

    return pair


def completed(move: Move, point: Point) -> Point:
    """A point of the region that a search may have left open in some symbols."""
    return move.region.completed(move.region.inward(point))
