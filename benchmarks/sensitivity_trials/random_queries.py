"""Random small queries: formulas of one to three records over the functions that a query may use, each from its own seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from sensitivity_trials.query import Floats, Norm, Query
from sensitivity_trials.relations import AddRemove, Near, Relation, Replace
from sensitivity_trials.spaces import BallOf, BoxOf, Space, WholeOf
from sensitivity_trials.trees import Between, Tree

_ENDS = [Fraction(v) for v in ("-2", "-1", "-1/2", "0", "1/3", "1/2", "1", "3/2", "2", "3")]
_NUMBERS = ("1/2", "2", "-1", "3", "1/3", "-3/2", "1")
_UNARY = ("square", "cube", "exp", "log", "sqrt", "abs", "sin", "cos", "tanh")
_BINARY = ("+", "-", "*", "/", "max", "min")
_LARGEST = 1e4


@dataclass(frozen=True)
class Drawn:
    """A random query, the trees of its entries (of one record, if `query.per` says so), and whether it has a pole by design."""

    query: Query
    entries: tuple[Tree, ...]
    singular: bool


def drawn(seed: int) -> Drawn:
    """The query of this seed."""
    rng = np.random.default_rng([24, seed])
    form = str(rng.choice(["several", "sum", "mean", "near"], p=[0.5, 0.2, 0.15, 0.15]))
    d = int(rng.integers(1, 3)) if form != "near" else int(rng.integers(2, 4))
    n = (
        1
        if form == "near"
        else int(rng.integers(1, 4 if d == 1 else 3))
        if form == "several"
        else int(rng.integers(2, 7))
    )
    space = _space(rng, d, form)
    records = tuple(tuple(f"{'xyz'[j]}{k + 1}" for j in range(d)) for k in range(n))
    entries = _entries(rng, form, records, space)
    singular = isinstance(space, BoxOf) and form != "near" and bool(rng.random() < 0.1)
    if singular:
        entries = (Tree("+", (entries[0], _pole(rng, records[0][0], space))), *entries[1:])
        if form == "several":
            records, n = records[:1], 1
            entries = _entries(rng, form, records, space)
            entries = (Tree("+", (entries[0], _pole(rng, records[0][0], space))), *entries[1:])
    per: Literal["", "sum", "mean"] = "sum" if form == "sum" else "mean" if form == "mean" else ""
    query = Query(
        name=f"random {seed}",
        records=records,
        space=space,
        relation=_relation(rng, form, n),
        norm=_norm(rng),
        value=lambda data: valued(entries, records, data, per),
        truth="",
        number="inf" if singular else "",
        why="a pole by design" if singular else "",
        kind="infinite" if singular else "search",
        expression=tuple(str(e) for e in entries),
        per=per,
    )
    return Drawn(query, entries, singular)


def valued(entries: Sequence[Tree], records: Sequence[Sequence[str]], data: Floats, per: str) -> Floats:
    """The answers (m, k) at data sets (m, n, d)."""
    with np.errstate(all="ignore"):
        if per:
            places = {name: data[..., j] for j, name in enumerate(records[0])}
            rows = np.stack([np.broadcast_to(e.at(places), data.shape[:2]) for e in entries], axis=-1)
            return np.asarray(rows.sum(axis=1) if per == "sum" else rows.mean(axis=1))
        places = {name: data[:, k, j] for k, who in enumerate(records) for j, name in enumerate(who)}
        return np.stack([np.broadcast_to(e.at(places), (len(data),)) for e in entries], axis=-1)


def one_record(space: Space) -> list[Between]:
    """Between which ends each coordinate lies."""
    if isinstance(space, BallOf):
        radius = np.array(float(Fraction(space.radius)))
        return [(-radius, radius)] * space.dimension
    if isinstance(space, BoxOf | WholeOf):
        return [
            (np.array(float(Fraction(a))), np.array(float(Fraction(b))))
            for a, b in zip(space.low, space.high, strict=True)
        ]
    raise ValueError(f"expected a box or a ball, got {space!r}")


def _space(rng: np.random.Generator, d: int, form: str) -> Space:
    if d == 2 and form != "near" and rng.random() < 0.35:
        return BallOf(str(rng.choice(["1/2", "1", "2"])), 2)
    whole = form != "near" and rng.random() < 0.1
    lows, highs = [], []
    for _ in range(d):
        low, high = sorted(rng.choice(len(_ENDS), size=2, replace=False))
        if whole:
            low, high = (0, 3) if rng.random() < 0.5 else (1, 6)
            lows.append(str({0: -2, 1: -1}[low])), highs.append(str({3: 0, 6: 1}[high]))
        else:
            lows.append(str(_ENDS[low])), highs.append(str(_ENDS[high]))
    return WholeOf(tuple(lows), tuple(highs)) if whole else BoxOf(tuple(lows), tuple(highs))


def _relation(rng: np.random.Generator, form: str, n: int) -> Relation:
    if form == "near":
        return Near(str(rng.choice(["1/4", "1/2", "1"])))
    if form == "several":
        return Replace(n, 2) if n > 1 and rng.random() < 0.12 else Replace(n)
    kind = rng.random()
    return AddRemove(n) if kind < 0.4 else Replace(n)


def _norm(rng: np.random.Generator) -> Norm:
    chosen: Norm = ("l1", "l2", "max")[int(rng.integers(3))]
    return chosen


def _entries(
    rng: np.random.Generator, form: str, records: Sequence[Sequence[str]], space: Space
) -> tuple[Tree, ...]:
    count = 2 if rng.random() < 0.3 else 1
    found: list[Tree] = []
    while len(found) < count:
        if form == "several" and len(records) > 1 and rng.random() < 0.85:
            tree = _symmetric(rng, records, space)
        else:
            who = records[0] if form in ("sum", "mean") else [name for record in records for name in record]
            tree = grown(rng, [Tree(name) for name in who], _ranges(records, space), int(rng.integers(2, 5)))
        if (
            tree is not None
            and _bounded(tree, _ranges(records, space))
            and any(n in str(tree) for n in records[0])
        ):
            found.append(tree)
    return tuple(found)


def _ranges(records: Sequence[Sequence[str]], space: Space) -> dict[str, Between]:
    ends = one_record(space)
    return {name: ends[j] for who in records for j, name in enumerate(who)}


def _bounded(tree: Tree, ranges: dict[str, Between]) -> bool:
    low, high = tree.between(ranges)
    return bool(np.isfinite(low) and np.isfinite(high) and abs(low) < _LARGEST and abs(high) < _LARGEST)


def _symmetric(rng: np.random.Generator, records: Sequence[Sequence[str]], space: Space) -> Tree | None:
    """A tree over sums, products, largest and smallest of one function of each record: the order of the records is all one."""
    ranges = _ranges(records, space)
    features = []
    for _ in range(int(rng.integers(1, 4))):
        own = grown(rng, [Tree(name) for name in records[0]], ranges, int(rng.integers(0, 3)))
        terms = [_renamed(own, dict(zip(records[0], who, strict=True))) for who in records]
        gathered = terms[0]
        how = str(rng.choice(["+", "+", "*", "max", "min"]))
        for term in terms[1:]:
            gathered = Tree(how, (gathered, term))
        features.append(gathered)
    if not all(_bounded(f, ranges) for f in features):
        return None
    return grown(rng, features, ranges, int(rng.integers(0, 3)))


def _renamed(tree: Tree, names: dict[str, str]) -> Tree:
    if not tree.arguments:
        return Tree(names.get(tree.name, tree.name))
    return Tree(tree.name, tuple(_renamed(a, names) for a in tree.arguments))


def grown(rng: np.random.Generator, leaves: Sequence[Tree], ranges: dict[str, Between], depth: int) -> Tree:
    """A tree that is defined on the whole domain: arguments of log and sqrt and denominators are kept above 0."""
    if depth == 0:
        return (
            Tree(str(rng.choice(_NUMBERS))) if rng.random() < 0.15 else leaves[int(rng.integers(len(leaves)))]
        )
    one = grown(rng, leaves, ranges, depth - 1)
    kind = rng.random()
    if kind < 0.06:
        return Tree("piecewise", (one, *(grown(rng, leaves, ranges, depth - 1) for _ in range(2))))
    if kind < 0.5:
        return _guarded(rng, str(rng.choice(_UNARY)), one, ranges)
    two = grown(rng, leaves, ranges, int(rng.integers(depth)))
    name = str(rng.choice(_BINARY))
    return Tree(name, (one, _above_zero(rng, two, ranges, 0.05) if name == "/" else two))


def _guarded(rng: np.random.Generator, name: str, one: Tree, ranges: dict[str, Between]) -> Tree:
    low, high = one.between(ranges)
    if name in ("log", "sqrt"):
        return Tree(name, (_above_zero(rng, one, ranges, 0.05 if name == "log" else 0.0),))
    if name == "exp" and not high < 5:
        return Tree("exp", (Tree("-", (Tree("0"), Tree("abs", (one,)))),))
    del low
    return Tree(name, (one,))


def _above_zero(rng: np.random.Generator, one: Tree, ranges: dict[str, Between], least: float) -> Tree:
    low, _ = one.between(ranges)
    if low >= least:
        return one
    size = Tree(str(rng.choice(["abs", "square"])), (one,))
    return size if least == 0 else Tree("+", (Tree(str(rng.choice(["1", "1/2", "1/10"]))), size))


def _pole(rng: np.random.Generator, name: str, space: Space) -> Tree:
    """A term that grows without end at an end or in the middle of the first coordinate."""
    if not isinstance(space, BoxOf):
        raise ValueError("expected a box")
    low, high = Fraction(space.low[0]), Fraction(space.high[0])
    at = (low, high, (low + high) / 2)[int(rng.integers(3))]
    gap = Tree("-", (Tree(name), Tree(str(at))))
    if at == high:
        gap = Tree("-", (Tree(str(at)), Tree(name)))
    kind = int(rng.integers(3))
    if kind == 0:
        return Tree("log", (gap if at in (low, high) else Tree("abs", (gap,)),))
    return Tree(
        "/", (Tree(str(rng.choice(["1", "1/2", "-1"]))), gap if kind == 1 else Tree("square", (gap,)))
    )
