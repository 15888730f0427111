"""New pairs from old ones: mutations of records, of their number and place, and crossover."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ....symbolic.domains.candidate import Candidate
from ....symbolic.domains.domain import Record
from .space import PairSpace

Operator = Callable[[Candidate, Candidate, PairSpace, np.random.Generator, float], Candidate]


def _any(records: tuple[Record, ...], rng: np.random.Generator) -> Record:
    return records[int(rng.integers(len(records)))]


def _with(records: tuple[Record, ...], i: int, record: Record) -> tuple[Record, ...]:
    return (*records[:i], record, *records[i + 1 :])


def _changed(c: Candidate, rng: np.random.Generator) -> tuple[str, tuple[Record, ...]]:
    """One of the two differing parts that is not empty."""
    sides = [(name, part) for name, part in (("left", c.left), ("right", c.right)) if part]
    return sides[int(rng.integers(len(sides)))]


def vary_changed(
    c: Candidate, _: Candidate, space: PairSpace, rng: np.random.Generator, step: float
) -> Candidate:
    """A differing record moves a little."""
    side, part = _changed(c, rng)
    i = int(rng.integers(len(part)))
    moved = _with(part, i, space.domain.vary(part[i], rng, step))
    return replace(c, left=moved) if side == "left" else replace(c, right=moved)


def vary_together(
    c: Candidate, _: Candidate, space: PairSpace, rng: np.random.Generator, step: float
) -> Candidate:
    """All differing records of both inputs vary."""
    left = tuple(space.domain.vary(r, rng, step) for r in c.left)
    return replace(c, left=left, right=tuple(space.domain.vary(r, rng, step) for r in c.right))


def renew_changed(
    c: Candidate, _: Candidate, space: PairSpace, rng: np.random.Generator, step: float
) -> Candidate:
    """A differing record is replaced by a landmark or a new one."""
    side, part = _changed(c, rng)
    marks = space.domain.landmarks(rng, 16)
    new = marks[int(rng.integers(len(marks)))] if rng.random() < 0.5 else space.domain.draw(rng)
    moved = _with(part, int(rng.integers(len(part))), new)
    return replace(c, left=moved) if side == "left" else replace(c, right=moved)


def vary_common(
    c: Candidate, _: Candidate, space: PairSpace, rng: np.random.Generator, step: float
) -> Candidate:
    """A shared record moves a little, or is drawn anew."""
    if not c.common:
        return c
    i = int(rng.integers(len(c.common)))
    new = space.domain.vary(c.common[i], rng, step) if rng.random() < 0.6 else space.domain.draw(rng)
    return replace(c, common=_with(c.common, i, new))


def level_common(
    c: Candidate, _: Candidate, space: PairSpace, rng: np.random.Generator, step: float
) -> Candidate:
    """All shared records become alike: a landmark, one of them, or one of those that differ."""
    pool = (*c.left, *c.right, *c.common[:4], *space.domain.landmarks(rng, 6))
    return replace(c, common=(_any(pool, rng),) * len(c.common))


def change_size(
    c: Candidate, _: Candidate, space: PairSpace, rng: np.random.Generator, step: float
) -> Candidate:
    """Shared records are added, doubled or dropped."""
    low, high = space.sizes or (0, 0)
    if low == high or not space.adjacency.of_datasets:
        return c
    count = (
        int(rng.integers(max(0, high - 1) + 1))
        if rng.random() < 0.3
        else len(c.common) + int(rng.choice([-1, 1]))
    )
    extra = tuple(
        _any(c.common, rng) if c.common and rng.random() < 0.5 else space.domain.draw(rng)
        for _ in range(count - len(c.common))
    )
    return replace(c, common=(*c.common[: max(0, count)], *extra), place=min(c.place, max(0, count)))


def change_count(
    c: Candidate, _: Candidate, space: PairSpace, rng: np.random.Generator, step: float
) -> Candidate:
    """One more or one less of the differing records, where the relation admits several."""
    side, part = _changed(c, rng)
    if rng.random() < 0.6 or len(part) == 1:
        base = _any(part, rng)
        new = base if rng.random() < 0.5 else space.domain.vary(base, rng, step)
        part = (*part, new)
    else:
        part = _with(part, int(rng.integers(len(part))), part[0])[1:]
    return replace(c, left=part) if side == "left" else replace(c, right=part)


def move(c: Candidate, _: Candidate, space: PairSpace, rng: np.random.Generator, step: float) -> Candidate:
    """The differing records stand at another place."""
    return replace(c, place=int(rng.integers(len(c.common) + 1)))


def copy_across(
    c: Candidate, _: Candidate, space: PairSpace, rng: np.random.Generator, step: float
) -> Candidate:
    """A shared record becomes equal to a differing one, or the other way round."""
    side, part = _changed(c, rng)
    if not c.common:
        return c
    i, j = int(rng.integers(len(c.common))), int(rng.integers(len(part)))
    if rng.random() < 0.5:
        return replace(c, common=_with(c.common, i, part[j]))
    moved = _with(part, j, c.common[i])
    return replace(c, left=moved) if side == "left" else replace(c, right=moved)


def cross_surroundings(
    c: Candidate, other: Candidate, space: PairSpace, rng: np.random.Generator, step: float
) -> Candidate:
    """The differing records of one pair in the surroundings of another."""
    return replace(c, common=other.common, place=other.place)


def cross_changed(
    c: Candidate, other: Candidate, space: PairSpace, rng: np.random.Generator, step: float
) -> Candidate:
    """The differing records of two pairs are crossed, record by record."""

    def crossed(a: tuple[Record, ...], b: tuple[Record, ...]) -> tuple[Record, ...]:
        return tuple(space.domain.cross(x, _any(b, rng), rng) for x in a) if b else a

    return replace(c, left=crossed(c.left, other.left), right=crossed(c.right, other.right))


def cross_common(
    c: Candidate, other: Candidate, space: PairSpace, rng: np.random.Generator, step: float
) -> Candidate:
    """Each shared record comes from one of two pairs."""
    count = min(len(c.common), len(other.common))
    shared = tuple((c, other)[int(i)].common[at] for at, i in enumerate(rng.integers(2, size=count)))
    return replace(c, common=(*shared, *c.common[len(shared) :]))


# How often each is used before anything is known: the records that differ matter most.
OPERATORS: dict[Operator, float] = {
    vary_changed: 3.0,
    renew_changed: 2.0,
    vary_together: 1.0,
    change_count: 1.0,
    vary_common: 2.0,
    level_common: 1.0,
    change_size: 1.0,
    move: 0.5,
    copy_across: 1.0,
    cross_surroundings: 1.0,
    cross_changed: 1.0,
    cross_common: 0.5,
}
_CROSSING = (cross_surroundings, cross_changed, cross_common)
_SMOOTHING = 20.0  # uses of an operator that say as much as the average of all


class Breeder:
    """Makes children and learns which operators make better ones.

    An operator is chosen in proportion to its weight and to the share of its children that surpassed their parent.
    Children that merely equal their parent teach nothing: what changes nothing would always do well.
    """

    def __init__(self, space: PairSpace, rng: np.random.Generator) -> None:
        self.space, self.rng = space, rng
        self.uses = np.zeros(len(OPERATORS))
        self.better = np.zeros(len(OPERATORS))

    def child(self, parent: Candidate, other: Candidate, step: float) -> tuple[Candidate, tuple[int, ...]]:
        """A repaired child of one to three operators, and their numbers."""
        average = (self.better.sum() + 1) / (self.uses.sum() + 10)
        share = (
            (self.better + _SMOOTHING * average)
            / (self.uses + _SMOOTHING)
            * np.array(list(OPERATORS.values()))
        )
        count = int(self.rng.choice([1, 2, 3], p=[0.6, 0.25, 0.15]))
        used = tuple(int(i) for i in self.rng.choice(len(share), size=count, p=share / share.sum()))
        child, operators = parent, list(OPERATORS)
        for i in used:
            child = operators[i](child, other, self.space, self.rng, step)
        origin = parent.origin
        if not origin.startswith("evolution"):
            origin = f"evolution from: {origin}"
        if any(operators[i] in _CROSSING for i in used) and not origin.endswith("(crossed)"):
            origin += " (crossed)"
        return replace(self.space.repaired(child, self.rng), origin=origin, root=parent.root), used

    def credit(self, used: tuple[int, ...], better: bool) -> None:
        """Tell whether a child of these operators surpassed its parent."""
        for i in used:
            self.uses[i] += 1
            self.better[i] += better
