"""What is known of a random query without the instrument: two neighbours in exact numbers, their distance, and an upper end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import sympy as sp
from sympy.parsing.sympy_parser import parse_expr

from sensitivity_trials.query import Floats, Query
from sensitivity_trials.random_queries import Drawn
from sensitivity_trials.relations import AddRemove, PersonOf, Replace
from sensitivity_trials.search import distances, searched
from sensitivity_trials.spaces import IntervalOf
from sensitivity_trials.upper_bounds import bound


@dataclass(frozen=True)
class Known:
    """`least` is the distance of `pair`, evaluated to 30 digits; `most` is an upper end, inf where none is known."""

    least: float
    most: float
    pair: tuple[Floats, Floats]


def known(drawn: Drawn, steps: int = 500) -> Known:
    """Search from below and, for formulas without a pole, branch and bound from above."""
    query = drawn.query
    relation = query.relation
    parts = relation.parts() if isinstance(relation, PersonOf) else [relation]
    with np.errstate(all="ignore"):
        # A minimiser costs as much as sixty values.
        steps, points = (200, 20_000) if query.per == "risk" else (steps, 100_000)
        every = [searched(replace(query, relation=part), 1, steps, points) for part in parts]
    found = max(every, key=lambda f: f.distance)
    least = exact_distance(query, found.one.tolist(), found.two.tolist())
    most = float("inf") if drawn.singular or not drawn.entries else _most(drawn, least)
    return Known(least, most, (found.one, found.two))


def _most(drawn: Drawn, found: float) -> float:
    """Sums and means are bounded by what one record can change, the records of a neighbour that change all alike."""
    query = drawn.query
    if isinstance(query.space, IntervalOf) and "oo" in query.space.low + query.space.high:
        return float("inf")
    if not query.per:
        return bound(drawn.entries, query.records, query.space, query.relation, query.norm, found)
    n, one = len(query.records), query.records[:1]
    relation = query.relation
    times = float(relation.count) if isinstance(relation, Replace) else 1.0
    if query.per == "mean":
        # The mean moves by (g(x) - mean of n values of g)/(n + 1) when x is added, which is largest where all n are equal.
        times /= n + 1 if isinstance(relation, AddRemove) else n
    length = isinstance(relation, AddRemove) and query.per == "sum"
    alone = relation if length else Replace(1)
    return times * bound(drawn.entries, one, query.space, alone, query.norm, found / times) * (1 + 1e-14)


def exact_distance(query: Query, one: Sequence[Sequence[object]], two: Sequence[Sequence[object]]) -> float:
    """The distance of the answers of two data sets, to 30 digits; in floats without a formula; nan where it is undefined."""
    if not query.expression or query.per == "risk":
        sides = [np.array([[[float(Fraction(v)) for v in row] for row in data]]) for data in (one, two)]  # type: ignore[arg-type]
        return float(distances(query.value(sides[0]), query.value(sides[1]), query.norm)[0])
    answers, others = (_answers(query, data) for data in (one, two))
    gaps = [abs(a - b) for a, b in zip(answers, others, strict=True)]
    if not all(g.is_finite and g.is_real for g in gaps):
        return float("nan")
    if query.norm == "l1":
        return float(sum(gaps))
    if query.norm == "spectral":
        matrix = np.array([float(a - b) for a, b in zip(answers, others, strict=True)]).reshape(2, 2)
        return float(np.linalg.norm(matrix, 2))
    return float(max(gaps)) if query.norm == "max" else float(sp.sqrt(sum(g**2 for g in gaps)))


def _answers(query: Query, data: Sequence[Sequence[object]]) -> list[sp.Expr]:
    rows = [[sp.Rational(Fraction(v)) for v in row] for row in data]  # type: ignore[arg-type]
    formulas = [parse_expr(text) for text in query.expression]
    if not query.per:
        whole = {
            n: v for who, row in zip(query.records, rows, strict=True) for n, v in zip(who, row, strict=True)
        }
        return [_number(f, whole) for f in formulas]
    each = [[_number(f, dict(zip(query.records[0], row, strict=True))) for row in rows] for f in formulas]
    return [sp.Add(*values) / (len(rows) if query.per == "mean" else 1) for values in each]


def _number(formula: sp.Expr, places: Mapping[str, sp.Rational]) -> sp.Expr:
    return sp.N(formula.subs({sp.Symbol(name): v for name, v in places.items()}), 30)
