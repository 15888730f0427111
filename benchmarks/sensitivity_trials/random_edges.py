"""Random queries where closed forms are tempting and edges matter: polynomials of near vectors, jumps at open ends, matrices, lines without end."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from sensitivity_trials.query import Floats, Norm, Query
from sensitivity_trials.random_queries import Drawn, grown, valued
from sensitivity_trials.relations import AddRemove, Near, Relation, Replace
from sensitivity_trials.spaces import BallOf, BoxOf, IntervalOf, SimplexOf, Space
from sensitivity_trials.trees import Between, Tree

_ENDS = [Fraction(v) for v in ("-2", "-1", "-1/2", "0", "1/3", "1/2", "1", "3/2", "2", "3")]
_NUMBERS = ("1", "2", "-1", "1/2", "3", "-3/2")
KINDS = ("near", "jumps", "matrix", "line")


def drawn_edge(seed: int) -> Drawn:
    """The query of this seed."""
    rng = np.random.default_rng([243, seed])
    kind = KINDS[seed % len(KINDS)]
    space, d = _space(rng, kind)
    records = (tuple("xyz"[j] + "1" for j in range(d)),)
    entries = _entries(rng, kind, records[0], space)
    relation: Relation = Replace(1)
    per = ""
    if kind == "near":
        relation = Near(str(rng.choice(["1/4", "1/2", "1", "3/2", "2"])), float(rng.choice([1, 2, np.inf])))
    elif kind in ("jumps", "line") and rng.random() < 0.6:
        n = int(rng.integers(1, 5))
        records = tuple((f"x{k + 1}",) for k in range(n))
        relation, per = (AddRemove(n) if rng.random() < 0.5 else Replace(n)), str(rng.choice(["sum", "mean"]))
    norms: tuple[Norm, ...] = ("frobenius", "spectral", "max") if kind == "matrix" else ("l1", "l2", "max")

    def value(data: Floats) -> Floats:
        found = valued(entries, records, data, per)
        return found.reshape(len(found), 2, 2) if kind == "matrix" else found

    query = Query(
        name=f"random edge {seed}",
        records=records,
        space=space,
        relation=relation,
        norm=norms[int(rng.integers(3))],
        value=value,
        truth="",
        number="",
        why="",
        kind="search",
        expression=tuple(str(e) for e in entries),
        per=per,  # type: ignore[arg-type]
    )
    return Drawn(query, entries, False)


def _space(rng: np.random.Generator, kind: str) -> tuple[Space, int]:
    def two() -> tuple[str, str]:
        low, high = sorted(rng.choice(len(_ENDS), size=2, replace=False))
        return str(_ENDS[low]), str(_ENDS[high])

    if kind == "jumps":
        opened = rng.random(2) < 0.6
        return IntervalOf(*two(), bool(opened[0]), bool(opened[1])), 1
    if kind == "line":
        start = str(_ENDS[int(rng.integers(len(_ENDS)))])
        return (
            IntervalOf("-oo", "oo", True, True)
            if rng.random() < 0.5
            else IntervalOf(start, "oo", False, True)
        ), 1
    d = 2 if kind == "matrix" else int(rng.integers(2, 4))
    shape = rng.random()
    if shape < 0.3:
        return BallOf(str(rng.choice(["1/2", "1", "2"])), d), d
    if shape < 0.5:
        return SimplexOf(str(rng.choice(["1", "2"])), d), d
    ends = [two() for _ in range(d)]
    return BoxOf(tuple(e[0] for e in ends), tuple(e[1] for e in ends)), d


def _entries(rng: np.random.Generator, kind: str, names: Sequence[str], space: Space) -> tuple[Tree, ...]:
    leaves = [Tree(name) for name in names]
    if kind == "jumps":
        return tuple(_jump(rng, leaves[0]) for _ in range(1 if rng.random() < 0.8 else 2))
    if kind == "line":
        return tuple(_on_line(rng, leaves[0]) for _ in range(1 if rng.random() < 0.8 else 2))
    count = 4 if kind == "matrix" else 1 if rng.random() < 0.7 else 2
    return tuple(
        _polynomial(rng, leaves) if rng.random() < 0.7 else _smooth(rng, leaves, space) for _ in range(count)
    )


def _number(rng: np.random.Generator) -> Tree:
    return Tree(str(rng.choice(_NUMBERS)))


def _polynomial(rng: np.random.Generator, leaves: Sequence[Tree]) -> Tree:
    """One to three monomials of degree up to three; often linear."""
    degree = 1 if rng.random() < 0.35 else 3
    total: Tree | None = None
    for _ in range(int(rng.integers(1, 4))):
        term = _number(rng)
        for _ in range(int(rng.integers(1, degree + 1))):
            term = Tree("*", (term, leaves[int(rng.integers(len(leaves)))]))
        total = term if total is None else Tree("+", (total, term))
    assert total is not None
    return total


def _smooth(rng: np.random.Generator, leaves: Sequence[Tree], space: Space) -> Tree:
    """A tree of the other generator, on a box that holds the domain."""
    ends: list[Between] = []
    for j in range(space.dimension):
        if isinstance(space, BoxOf):
            ends.append((np.array(float(Fraction(space.low[j]))), np.array(float(Fraction(space.high[j])))))
        else:
            size = float(Fraction(space.total if isinstance(space, SimplexOf) else space.radius))  # type: ignore[union-attr]
            ends.append((np.array(0.0 if isinstance(space, SimplexOf) else -size), np.array(size)))
    return grown(
        rng, leaves, dict(zip((str(leaf) for leaf in leaves), ends, strict=True)), int(rng.integers(1, 3))
    )


def _jump(rng: np.random.Generator, x: Tree) -> Tree:
    """A piecewise function of one symbol whose pieces end at numbers that may be ends of the domain."""
    cut = Tree(str(_ENDS[int(rng.integers(len(_ENDS)))]))
    side = Tree("-", (x, cut)) if rng.random() < 0.5 else Tree("-", (cut, x))
    form = int(rng.integers(5))
    if form == 0:
        return Tree("floor", (Tree("*", (_number(rng), x)),))
    if form == 1:
        return Tree("*", (_number(rng), Tree("sign", (side,))))
    if form == 2:
        return Tree("+", (Tree("sign", (side,)), _polynomial(rng, [x])))
    if form == 3:
        return Tree("piecewise", (side, _polynomial(rng, [x]), _number(rng)))
    return Tree("piecewise", (side, _polynomial(rng, [x]), Tree("exp", (x,))))


def _on_line(rng: np.random.Generator, x: Tree) -> Tree:
    """A function on a line without end, bounded or not."""
    below = Tree("+", (Tree(str(rng.choice(["1", "1/2", "2"]))), Tree("square", (x,))))
    forms = (
        Tree("/", (_polynomial(rng, [x]), below)),
        Tree("tanh", (_polynomial(rng, [x]),)),
        Tree("exp", (Tree("-", (Tree("0"), Tree("abs", (_polynomial(rng, [x]),)))),)),
        Tree("*", (x, Tree("exp", (Tree("-", (Tree("0"), Tree("square", (x,)))),)))),
        Tree("-", (Tree("sqrt", (below,)), Tree("abs", (x,)))),
        Tree("/", (Tree("sin", (x,)), below)),
        Tree("min", (Tree("abs", (x,)), _number(rng))),
        Tree("cos", (x,)),
        Tree("log", (below,)),
        _polynomial(rng, [x]),
    )
    one = forms[int(rng.integers(len(forms)))]
    return one if rng.random() < 0.7 else Tree("+", (one, forms[int(rng.integers(8))]))
