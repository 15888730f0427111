"""Upper ends of sensitivities by branch and bound over boxes of floats rounded outwards: honest, and seldom tight."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from sensitivity_trials.query import Floats, Norm
from sensitivity_trials.relations import AddRemove, Near, Relation, Replace
from sensitivity_trials.spaces import BallOf, BoxOf, IntervalOf, SimplexOf, Space, WholeOf
from sensitivity_trials.trees import Between, Tree

_BATCH, _MOST = 4000, 120_000


def bound(
    entries: Sequence[Tree],
    records: Sequence[Sequence[str]],
    space: Space,
    relation: Relation,
    norm: Norm,
    found: float,
) -> float:
    """No distance of neighbours of the formulas `entries` of all records passes this; inf where nothing is known.

    Boxes that cannot pass `found`, a distance that was found, by more than 1 % are dropped.  With AddRemove the formulas
    are those of one record, and what is bounded is their length.
    """
    if isinstance(relation, AddRemove):
        return _one_place(entries, records, space, relation, norm, range(0), found)
    highest = 0.0
    for changed in places(relation, len(records)):
        highest = max(highest, _one_place(entries, records, space, relation, norm, changed, found))
    return highest


def places(relation: Relation, size: int) -> list[range]:
    """Which records a neighbour changes."""
    if isinstance(relation, Near):
        return [range(1)]
    count = relation.count if isinstance(relation, Replace) else 1
    return [range(k, k + count) for k in range(size - count + 1)]


def _one_place(
    entries: Sequence[Tree],
    records: Sequence[Sequence[str]],
    space: Space,
    relation: Relation,
    norm: Norm,
    changed: range,
    found: float,
) -> float:
    d, n = space.dimension, len(records)
    lows, highs = _ends(space)
    low, high = np.tile(lows, n + len(changed))[None], np.tile(highs, n + len(changed))[None]
    done, examined = 0.0, 0
    while len(low):
        take = min(len(low), _BATCH)
        one, two = low[-take:], high[-take:]
        low, high = low[:-take], high[:-take]
        keep = _inside(one, two, space, relation, n, d)
        one, two = one[keep], two[keep]
        tops = _tops(entries, records, one, two, changed, d, norm)
        examined += take
        open_ = tops > found * 1.01 + 1e-9
        done = max([done, *tops[~open_].tolist()])
        one, two = one[open_], two[open_]
        if examined > _MOST:
            rest = [tops[open_], _tops(entries, records, low, high, changed, d, norm)]
            return max([done, *np.concatenate(rest).tolist()])
        one, two = _halved(one, two, highs - lows)
        low, high = np.concatenate([low, one]), np.concatenate([high, two])
    return max(done, found)


def _ends(space: Space) -> tuple[Floats, Floats]:
    if isinstance(space, BoxOf | WholeOf):
        low, high = ([float(Fraction(v)) for v in side] for side in (space.low, space.high))
        return np.array(low), np.array(high)
    if isinstance(space, BallOf):
        radius = np.full(space.dimension, float(Fraction(space.radius)))
        return -radius, radius
    if isinstance(space, SimplexOf):
        return np.zeros(space.dimension), np.full(space.dimension, float(Fraction(space.total)))
    if isinstance(space, IntervalOf) and "oo" not in space.low + space.high:
        return np.array([float(Fraction(space.low))]), np.array([float(Fraction(space.high))])
    raise ValueError(f"expected a bounded domain of numbers, got {space!r}")


def _inside(low: Floats, high: Floats, space: Space, relation: Relation, n: int, d: int) -> Floats:
    """Whether boxes can hold neighbours: not all outside of the ball, not all too far apart."""
    keep = np.ones(len(low), dtype=bool)
    if isinstance(space, BallOf):
        nearest = np.maximum(np.maximum(low, -high), 0.0).reshape(len(low), -1, d)
        keep &= np.all((nearest**2).sum(axis=-1) <= float(Fraction(space.radius)) ** 2 * (1 + 1e-12), axis=-1)
    if isinstance(relation, Near):
        gap = np.maximum(np.maximum(low[:, :d] - high[:, d:], low[:, d:] - high[:, :d]), 0.0)
        keep &= relation.length(gap) <= float(Fraction(relation.apart)) * (1 + 1e-12)
    return keep


def _tops(
    entries: Sequence[Tree],
    records: Sequence[Sequence[str]],
    low: Floats,
    high: Floats,
    changed: range,
    d: int,
    norm: Norm,
) -> Floats:
    if not len(low):
        return np.zeros(0)
    whole: dict[str, Between] = {}
    for k, who in enumerate(records):
        for j, name in enumerate(who):
            whole[name] = (low[:, k * d + j], high[:, k * d + j])
    other = dict(whole)
    for i, k in enumerate(changed):
        for j, name in enumerate(records[k]):
            at = (len(records) + i) * d + j
            other[name] = (low[:, at], high[:, at])
    with np.errstate(all="ignore"):
        gaps = []
        for entry in entries:
            a, b = entry.between(whole)
            # Nothing is changed: the length of the answer itself.
            c, e = entry.between(other) if changed else (np.zeros(1), np.zeros(1))
            gaps.append(np.broadcast_to(np.maximum(b - c, e - a), (len(low),)))
        stacked = np.stack(gaps)
        stacked = np.where(np.isnan(stacked), np.inf, np.maximum(stacked, 0.0))
        if norm == "l1":
            return np.asarray(stacked.sum(axis=0) * (1 + 1e-14))
        if norm == "max":
            return np.asarray(stacked.max(axis=0))
        # The spectral norm is at most the Frobenius norm.
        return np.asarray(np.sqrt((stacked**2).sum(axis=0)) * (1 + 1e-14))


def _halved(low: Floats, high: Floats, widths: Floats) -> tuple[Floats, Floats]:
    """Both halves of each box along its relatively longest edge."""
    if not len(low):
        return low, high
    longest = np.argmax((high - low) / np.tile(widths, low.shape[1] // len(widths)), axis=1)
    rows = np.arange(len(low))
    middle = (low[rows, longest] + high[rows, longest]) / 2
    first, second = high.copy(), low.copy()
    first[rows, longest], second[rows, longest] = middle, middle
    return np.concatenate([low, second]), np.concatenate([first, high])
