"""How the instrument is asked for a sensitivity, as its user would, and what it answers in plain words and numbers."""

from __future__ import annotations

import time
from fractions import Fraction
from typing import Any

import sympy as sp
from sympy.parsing.sympy_parser import parse_expr

import noiseproof as npf
from sensitivity_trials.named_queries import LETTERS, named
from sensitivity_trials.query import Query
from sensitivity_trials.relations import AddRemove, Near, PersonOf, Relation, Replace
from sensitivity_trials.spaces import BallOf, Categories, IntervalOf, SimplexOf, Space, WholeOf

SECONDS = 30.0


def ask(query: Query) -> dict[str, Any]:
    """The answer as plain data: rational ends, the exact formula, the pair; or the words of a refusal."""
    start = time.perf_counter()
    try:
        found = answered(query)
    except ValueError as error:
        return {"refused": str(error), "seconds": time.perf_counter() - start}
    seconds = time.perf_counter() - start
    return {
        "lower": None if found.lower is None else str(found.at_least()),
        "upper": None if found.upper is None else str(found.at_most()),
        "exact": None if found.exact is None else str(found.exact),
        "infinite": bool(found.infinite),
        "pair": None if found.attained_at is None else [_plain(data) for data in found.attained_at],
        "ray": None if found.ray is None else [_plain(data) for data in found.ray],
        "checks": found.derivation.check().name,
        "method": found.method,
        "reason": found.reason,
        "seconds": seconds,
    }


def answered(query: Query) -> Any:
    domain, adjacency = domain_of(query.space), adjacency_of(query.relation)
    size = len(query.records)
    if query.structure or query.per == "risk":
        return npf.sensitivity(named(query), domain, norm=query.norm, adjacency=adjacency, n=size)
    known = symbols_of(query)
    entries = expressions_of(query)
    matrix = query.norm in ("frobenius", "spectral")
    order = int(len(entries) ** 0.5) if matrix else 0
    asked = sp.Matrix(order, order, entries) if matrix else entries if len(entries) > 1 else entries[0]
    records = [tuple(known[name] for name in who) for who in query.records]
    written = [who[0] if len(who) == 1 else who for who in records]
    if query.per:
        return npf.sensitivity(
            asked, domain, records=written[:1], norm=query.norm, adjacency=adjacency, each=query.per, n=size
        )
    # Only the formulas that change with the order of the records need the word.
    return npf.sensitivity(asked, domain, records=written, norm=query.norm, adjacency=adjacency, ordered=True)


def domain_of(space: Space) -> Any:
    """The domain as a user writes it; records of one number are numbers."""
    if isinstance(space, Categories):
        return npf.Categorical(LETTERS[: space.count])
    if isinstance(space, BallOf):
        return npf.Ball(Fraction(space.radius), space.dimension)
    if isinstance(space, SimplexOf):
        return npf.Simplex(space.dimension, Fraction(space.total))
    if isinstance(space, IntervalOf):
        return sp.Interval(sp.sympify(space.low), sp.sympify(space.high), space.open_low, space.open_high)
    if any("oo" in v for v in (*space.low, *space.high)):
        lines = [
            sp.Interval(*(sp.sympify(v) for v in ends)) for ends in zip(space.low, space.high, strict=True)
        ]
        return lines if len(lines) > 1 else lines[0]
    low, high = (tuple(Fraction(v) for v in ends) for ends in (space.low, space.high))
    whole = isinstance(space, WholeOf)
    if space.dimension == 1:
        return npf.Box(low[0], high[0], integer=whole)
    return npf.Box(low, high, integer=whole)


def adjacency_of(relation: Relation) -> Any:
    """The relation as a user writes it."""
    if isinstance(relation, Near):
        return npf.Distance(float(Fraction(relation.apart)), relation.norm)
    if isinstance(relation, AddRemove):
        return npf.AddOrRemove()
    if isinstance(relation, PersonOf):
        return npf.Person("person", change=relation.change, most=relation.most)
    if not isinstance(relation, Replace):
        raise ValueError(f"no adjacency is written for {relation!r}")
    return (
        npf.ReplaceOne()
        if relation.count == 1
        else npf.Person("person", change="replace", most=relation.count)
    )


def symbols_of(query: Query) -> dict[str, sp.Symbol]:
    """The symbols of all records."""
    return {name: sp.Symbol(name, real=True) for who in query.records for name in who}


def expressions_of(query: Query) -> list[sp.Expr]:
    """The entries of the answer."""
    known = symbols_of(query) | {name: sp.Symbol(name, real=True) for name in query.over}
    return [parse_expr(text, local_dict=known) for text in query.expression]


def _plain(data: Any) -> list[list[str]]:
    """Records as lists of numbers; a category as its place."""
    rows = [row if isinstance(row, tuple | list) else [row] for row in data]
    return [[str(LETTERS.index(v)) if isinstance(v, str) else str(v) for v in row] for row in rows]
