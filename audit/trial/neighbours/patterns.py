"""Pairs to begin with: extreme points and the patterns that published auditors try.

For vectors of answers the patterns are those of Ding, Wang, Wang, Zhang, Kifer (Detecting Violations of Differential
Privacy, CCS 2018, Table 1); for data sets the canaries of the auditing literature: one extreme record against
another, or against none, in a data set that is constant, halved, mixed, empty or as large as may be.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import cast

import numpy as np

from ....symbolic.arrays import Floats
from ....symbolic.domains.adjacency import Distance, Person
from ....symbolic.domains.candidate import Candidate
from ....symbolic.domains.domain import Record
from ....symbolic.domains.numeric import Numeric
from .space import PairSpace

_MARKS = 12


def patterns(space: PairSpace, rng: np.random.Generator, most: int) -> list[Candidate]:
    """Up to `most` distinct neighbours, the best known patterns first, each admitted by the space."""
    groups = list(_vectors(space, rng) if isinstance(space.adjacency, Distance) else _records(space, rng))
    found: dict[object, Candidate] = {}
    # One of each group in turn: whatever the budget, every kind of pattern gets its share.
    for candidate in itertools.chain.from_iterable(itertools.zip_longest(*groups)):
        if candidate is None:
            continue
        candidate = space.repaired(candidate, rng)
        inputs = space.inputs(candidate)
        if space.admits(*inputs):
            found.setdefault(space.key(inputs), candidate)
        if len(found) == most:
            break
    return list(found.values())


def _records(space: PairSpace, rng: np.random.Generator) -> Iterator[Iterator[Candidate]]:
    """Groups of pairs: which two records differ (the outer loop), and what surrounds them."""
    marks = space.domain.landmarks(rng, _MARKS)
    pairs = list(itertools.permutations(range(len(marks)), 2))
    # Two opposite extreme points first, then the others in random order.
    pairs = pairs[:1] + [pairs[i] for i in rng.permutation(np.arange(1, len(pairs)))]
    chosen = [(marks[i], marks[j]) for i, j in pairs]
    if space.sizes is None:
        yield (Candidate((), 0, (a,), (b,), "extreme against extreme record") for a, b in chosen)
        return
    low, high = space.sizes

    def placed(common: Sequence[Record], a: Record, b: Record, what: str) -> Candidate:
        return Candidate(tuple(common), 0, (a,), (b,), what)

    def mixed(count: int) -> list[Record]:
        return [marks[int(i)] for i in rng.integers(len(marks), size=count)]

    yield (placed([a] * high, a, b, "largest data set, constant but for one record") for a, b in chosen)
    yield (placed([b] * low, a, b, "smallest data set, all alike after the change") for a, b in chosen)
    if low <= 1 < high:
        yield (placed([], a, b, "data set of one record, or of none") for a, b in chosen)
    if high > 1:
        yield (placed([a] * (high // 2) + [b] * high, a, b, "half and half") for a, b in chosen)
        yield (placed(mixed(high), a, b, "one extreme record among mixed ones") for a, b in chosen)
        yield (
            placed([marks[int(rng.integers(len(marks)))]] * high, a, b, "one odd record on constant data")
            for a, b in chosen
        )
        yield (
            Candidate(tuple([a] * high), high, (a,), (b,), "the last record of constant data")
            for a, b in chosen
        )
    if isinstance(space.adjacency, Person):
        yield from _persons(space.adjacency, high, chosen, rng)


def _persons(
    relation: Person, high: int, chosen: Sequence[tuple[Record, Record]], rng: np.random.Generator
) -> Iterator[Iterator[Candidate]]:
    """One person with a single record up to as many as may be, alone or among others."""
    most = min(high, relation.most or high)

    def alone(count: int) -> Iterator[Candidate]:
        text = f"one person alone with {count} records"
        return (Candidate((), 0, (a,) * count, (b,) * (count - 1), text) for a, b in chosen)

    def among_others(count: int) -> Iterator[Candidate]:
        text = f"one person with {count} records among others"
        return (Candidate((b,) * (high - count), 0, (a,) * count, (), text) for a, b in chosen)

    for count in sorted({1, min(2, most), most, *(int(n) for n in rng.integers(1, most + 1, size=2))}):
        yield alone(count)
        yield among_others(count)


def _vectors(space: PairSpace, rng: np.random.Generator) -> Iterator[Iterator[Candidate]]:
    """Patterns of answers to queries around several base vectors, and pairs of landmarks brought together."""
    domain, relation = cast(Numeric, space.domain), cast(Distance, space.adjacency)
    marks = domain.landmarks(rng, _MARKS)
    d = domain.dimension_of_records
    bases = [domain.centre, *(domain.vector(m) for m in marks)]
    half, first = np.arange(d) < (d + 1) // 2, np.arange(d) == 0
    none, up = np.zeros(d), np.where(half, 1.0, 0.0)
    # What is added to the base, in units of one step: to the left input, to the right input.
    shapes: dict[str, tuple[Floats, Floats]] = {
        "one above": (none, np.where(first, 1.0, 0.0)),
        "one below": (none, np.where(first, -1.0, 0.0)),
        "one above, rest below": (none, np.where(first, 1.0, -1.0)),
        "one below, rest above": (none, np.where(first, -1.0, 1.0)),
        "half and half": (none, np.where(half, -1.0, 1.0)),
        "all above": (none, np.ones(d)),
        "all below": (none, -np.ones(d)),
        "X shape": (up, 1.0 - up),
        "X shape, reversed": (-up, up - 1.0),
    }

    def around_bases(name: str, left: Floats, right: Floats) -> Iterator[Candidate]:
        step = relation.apart / float(np.linalg.norm(right - left, relation.norm))
        if domain.integer:
            step = max(1.0, np.floor(step + 1e-9))
        for base in bases:
            one, two = (domain.record(domain.project(base + step * move)) for move in (left, right))
            yield Candidate((), 0, (one,), (two,), f"{name} (pattern)")

    for name, (left, right) in shapes.items():
        yield around_bases(name, left, right)
    yield (
        Candidate((), 0, (a,), (b,), "from one extreme point towards another")
        for a, b in itertools.permutations(marks, 2)
    )
