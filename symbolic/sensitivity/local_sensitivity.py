"""How far the answer to one data set can move: local sensitivity of expressions, and their smooth sensitivity."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import sympy as sp
from flint import arb

from ..proof.enclosure import compare
from ..proof.truth import Truth
from ..proof.work import spent, units_of
from .answer import Dataset
from .enclosure import ends
from .farthest import Vector, farthest
from .moves import StatedQuery, replaced_records
from .regions import Region, region_of
from .supremum import Supremum, largest

EFFORT, MOST_RECORDS = 0.7, 4


def locally(query: StatedQuery, relation: str, dataset: Dataset, norm: str, tolerance: float) -> sp.Expr:
    """The largest distance to a neighbour: exact where its supremum has a closed form, else a rational bound that is no less.

    ValueError where a data set has another number of records, or no bound was found.
    """
    return _number(largest(list(_moves_of(query, relation, dataset, norm, tolerance))))


def smoothly(
    query: StatedQuery,
    relation: str,
    dataset: Dataset,
    norm: str,
    tolerance: float,
    beta: sp.Expr,
    upper: arb | None,
) -> sp.Expr:
    """max over k of exp(-beta k) times the local sensitivity at distance k; ValueError where that is not known."""
    if upper is None:
        raise ValueError("no smooth sensitivity: the sensitivity itself has no bound")
    top = ends(upper)[1]
    bound = sp.Rational(top.numerator, top.denominator)
    near = locally(query, relation, dataset, norm, tolerance)
    if query.each is not None:
        # One changed record brings the farthest one in: from distance 1 on nothing is larger than the whole.
        return _larger([near, sp.exp(-beta) * bound])
    if len(query.records) > MOST_RECORDS:
        raise ValueError(f"smooth sensitivity of an expression is given for at most {MOST_RECORDS} records")
    farther = [
        sp.exp(-beta * k)
        * (bound if k == len(query.records) else _at_distance(query, dataset, k, norm, tolerance))
        for k in range(1, len(query.records) + 1)
    ]
    return _larger([near, *farther])


def _larger(values: Iterable[sp.Expr]) -> sp.Expr:
    best: sp.Expr = sp.Integer(0)
    for value in values:
        answer = compare(value, "<=", best)
        if answer is not Truth.HOLDS:
            best = value if compare(value, ">=", best) is Truth.HOLDS else sp.Max(value, best)
    return best


def _number(found: Supremum) -> sp.Expr:
    if found.exact is not None and found.exact is not sp.oo:
        return sp.simplify(found.exact)
    if found.upper is None:
        raise ValueError(f"no local sensitivity was found: {found.stuck or 'it is infinite'}")
    top = ends(found.upper)[1]
    return sp.Rational(top.numerator, top.denominator)


def _moves_of(
    query: StatedQuery, relation: str, dataset: Dataset, norm: str, tolerance: float
) -> Iterable[Supremum]:
    rows = [query.numbers(record) for record in dataset]
    if relation not in ("replace-one", "add-or-remove") or (query.each is None and relation != "replace-one"):
        raise ValueError(f"local sensitivity of expressions is given for one record, not for {relation}")
    if not rows or (query.each is None and len(rows) != len(query.records)):
        raise ValueError(f"expected {len(query.records)} records, got {len(rows)}")
    deadline = spent() + units_of(EFFORT)
    for vector, region in _changes(query, relation, dataset):
        yield farthest(vector, norm, region, False, tolerance, deadline)


def _changes(query: StatedQuery, relation: str, dataset: Dataset) -> Iterable[tuple[Vector, Region]]:
    """The difference to each kind of neighbour, in the symbols of the record that comes."""
    before, n = query.answer(dataset), len(dataset)
    if query.each is None:
        rows = [query.numbers(record) for record in dataset]
        at = {
            s: v
            for symbols, row in zip(query.records, rows, strict=True)
            for s, v in zip(symbols, row, strict=True)
        }
        for place in range(len(query.records)):
            vector, new = replaced_records(query, place, at)
            yield vector, region_of(query.domain, list(new.values()))
        return
    symbols = query.records[0]
    region = region_of(query.domain, symbols)
    mean = query.each == "mean"
    comes = query.vector
    if relation == "add-or-remove":
        rest = before.mapped(lambda e: e * n) if mean else before
        after = rest.minus(comes.mapped(lambda e: -e))
        yield before.minus(after.mapped(lambda e: e / (n + 1)) if mean else after), region
        for i in {query.numbers(r): k for k, r in enumerate(dataset)}.values():
            if n > 1 or not mean:
                less = (
                    query.answer(dataset[:i] + dataset[i + 1 :])
                    if n > 1
                    else before.mapped(lambda e: sp.Integer(0))
                )
                yield before.minus(less), Region()
        return
    for row in {query.numbers(record) for record in dataset}:
        at = dict(zip(symbols, row, strict=True))
        gone = comes.mapped(lambda e, at=at: e.xreplace(at))  # type: ignore[misc]
        yield gone.minus(comes).mapped(lambda e: e / n if mean else e), region


def _at_distance(query: StatedQuery, dataset: Dataset, k: int, norm: str, tolerance: float) -> sp.Expr:
    """The largest local sensitivity of data sets that differ from this one in up to k records."""
    rows = [query.numbers(record) for record in dataset]
    places = range(len(query.records))
    deadline = spent() + units_of(EFFORT)
    found = []
    for changed, place in itertools.product(itertools.combinations(places, k), places):
        known = {
            s: v for i in places if i not in changed for s, v in zip(query.records[i], rows[i], strict=True)
        }
        vector, new = replaced_records(query, place, known)
        region = region_of(query.domain, list(new.values()))
        for i in changed:
            region = region.joined(region_of(query.domain, query.records[i]))
        found.append(farthest(vector, norm, region, place in changed, tolerance, deadline))
    return _number(largest(found))
