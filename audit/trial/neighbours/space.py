"""The set of all pairs of neighbours: domain, adjacency and sizes together."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ....symbolic.domains.adjacency import Adjacency, Person, Size
from ....symbolic.domains.candidate import Candidate
from ....symbolic.domains.domain import Domain, Record
from ....symbolic.errors import SpecError

_DIFFERENT = 100  # records of a random data set that differ: more only cost time


@dataclass(frozen=True)
class PairSpace:
    """Pairs of inputs of `domain` related by `adjacency`, data sets of `sizes` = (smallest, largest) records."""

    domain: Domain
    adjacency: Adjacency
    sizes: tuple[int, int] | None

    @classmethod
    def of(cls, domain: Any, adjacency: Any, size: Size) -> PairSpace:
        """The space, or a SpecError that says what does not fit."""
        if not isinstance(domain, Domain):
            raise SpecError(f"domain must be a Box, Ball, Simplex, Categorical or Table, got {domain!r}")
        if not isinstance(adjacency, Adjacency):
            raise SpecError(
                f"adjacency must be ReplaceOne(), AddOrRemove(), Person(...), AnyTwo() or Distance(...), got {adjacency!r}"
            )
        adjacency.check(domain)
        return cls(domain, adjacency, adjacency.sizes(size))

    def sentence(self) -> str:
        """Relation and domain in words."""
        text = f"{self.adjacency.sentence()}; each record: {self.domain.describe()}"
        if self.sizes is None:
            return text
        low, high = self.sizes
        return f"{text}; {low if low == high else f'{low} to {high}'} records"

    def inputs(self, candidate: Candidate) -> tuple[Any, Any]:
        """The two inputs as the release receives them; new objects at every call."""
        if not self.adjacency.of_datasets:
            (one,), (two,) = candidate.left, candidate.right
            return _copy(one), _copy(two)
        one, two = candidate.sides()
        return self.domain.dataset(one), self.domain.dataset(two)

    def key(self, inputs: tuple[Any, Any]) -> Hashable:
        """Equal for equal pairs of inputs."""
        if not self.adjacency.of_datasets:
            return tuple(self.domain.cell(x) for x in inputs)
        return tuple(tuple(self.domain.cells(x)) for x in inputs)

    def admits(self, one: Any, two: Any) -> bool:
        """Whether two inputs are neighbours of this space, judged on the inputs themselves."""
        if not self.adjacency.of_datasets:
            possible = self.domain.contains(one) and self.domain.contains(two)
            return possible and self.adjacency.holds(one, two, self.domain)
        if not (self.domain.contains_all(one) and self.domain.contains_all(two)):
            return False
        low, high = self.sizes or (0, 0)
        fits = all(low <= len(self.domain.rows(x)) <= high for x in (one, two))
        return fits and self.adjacency.holds(one, two, self.domain)

    def random(self, rng: np.random.Generator) -> Candidate:
        """A pair from all over the space: records of its own, or few different ones."""
        low, high = self.sizes or (0, 0)
        count = int(rng.integers(low, high + 1))
        few = count if rng.random() < 0.5 else 1 + int(rng.integers(3))
        pool = [self.domain.draw(rng) for _ in range(min(few, _DIFFERENT))]
        own = (
            list(range(count)) if few == count <= _DIFFERENT else rng.integers(max(len(pool), 1), size=count)
        )
        common = [pool[int(i)] for i in own]
        place = int(rng.integers(count + 1))
        changed = [tuple(self.domain.draw(rng) for _ in range(self._changed(rng))) for _ in range(2)]
        # Against an extreme record an odd one shows best.
        if not isinstance(self.adjacency, Person) and rng.random() < 0.3:
            marks = self.domain.landmarks(rng, 12)
            changed[int(rng.integers(2))] = (marks[int(rng.integers(len(marks)))],)
        return self.repaired(Candidate(tuple(common), place, changed[0], changed[1], "a random pair"), rng)

    def _changed(self, rng: np.random.Generator) -> int:
        if not isinstance(self.adjacency, Person) or self.sizes is None:
            return 1
        most = min(self.sizes[1], self.adjacency.most or self.sizes[1])
        return 1 + int(rng.integers(most))

    def repaired(self, candidate: Candidate, rng: np.random.Generator) -> Candidate:
        """The candidate brought back into the space: relation first, then sizes."""
        if self.sizes is None:
            return self.adjacency.repair(candidate, self.domain, rng)
        low, high = self.sizes
        c = self.adjacency.repair(candidate, self.domain, rng)
        for _ in range(8):
            shorter = min(len(c.left), len(c.right))
            longest = high - max(
                0, low - shorter
            )  # else the smaller input is too small or the larger too large
            left, right = c.left[:longest], c.right[:longest]
            common = c.common[: max(0, high - max(len(left), len(right)))]
            common += tuple(self.domain.draw(rng) for _ in range(low - shorter - len(common)))
            trimmed = replace(c, left=left, right=right, common=common, place=min(c.place, len(common)))
            c = self.adjacency.repair(trimmed, self.domain, rng)
            if [len(part) for part in (c.common, c.left, c.right)] == [len(common), len(left), len(right)]:
                return c
        return c

    def split(self, one: Any, two: Any, origin: str) -> Candidate:
        """A given pair as a candidate; SpecError if the two are no neighbours of this space."""
        if not self.admits(one, two):
            raise SpecError(f"the given inputs are not neighbours: expected {self.sentence()}")
        if not self.adjacency.of_datasets:
            return Candidate((), 0, (one,), (two,), origin)
        a, b = self.domain.rows(one), self.domain.rows(two)
        cells = [self.domain.cells(x) for x in (one, two)]
        shortest = min(len(a), len(b))
        head = next((i for i in range(shortest) if cells[0][i] != cells[1][i]), shortest)
        tail = next(
            (i for i in range(shortest - head) if cells[0][-1 - i] != cells[1][-1 - i]), shortest - head
        )
        left, right = a[head : len(a) - tail], b[head : len(b) - tail]
        common = a[:head] + a[len(a) - tail :]
        if isinstance(self.adjacency, Person):
            return self._split_person(a, b, self.adjacency.key, origin)
        return Candidate(tuple(common), head, tuple(left), tuple(right), origin)

    def _split_person(self, a: list[Record], b: list[Record], key: str, origin: str) -> Candidate:
        """The records of the person brought together, at the place of the first."""
        for who in dict.fromkeys(r[key] for r in (*a, *b)):
            others = [r for r in a if r[key] != who]
            if list(map(self.domain.cell, others)) == [self.domain.cell(r) for r in b if r[key] != who]:
                mine = [tuple(r for r in side if r[key] == who) for side in (a, b)]
                mine.sort(key=len, reverse=True)
                place = min(next((i for i, r in enumerate(s) if r[key] == who), len(s)) for s in (a, b))
                return Candidate(tuple(others), place, mine[0], mine[1], origin)
        raise SpecError("the given inputs are not neighbours: they differ in the records of several persons")


def _copy(record: Any) -> Any:
    return record.copy() if isinstance(record, np.ndarray | dict) else record
