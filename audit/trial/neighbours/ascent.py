"""Uphill steps in the numbers of a pair, along a gradient that is estimated from calls alone.

The gradient is that of simultaneous perturbation (Spall, IEEE Trans. Automatic Control 37, 1992): all coordinates move
at once, up and down along a few random directions.  Both ends of a direction are drawn from the same streams, so that
most of the noise of the release cancels in their difference.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from ....symbolic.arrays import Floats
from ....symbolic.domains.candidate import Candidate
from ....symbolic.domains.domain import Record
from .space import PairSpace

Assess = Callable[[Sequence[Candidate]], list[float | None]]
_DIRECTIONS = 4
_SURROUNDINGS = 8  # shared records that move along
_STRIDES = (1.0, 3.0, 10.0, 100.0)


def climb(
    start: Candidate, space: PairSpace, assess: Assess, rng: np.random.Generator, step: float
) -> Candidate | None:
    """The best of a few strides along one gradient, None if there is none or none leads above the neighbourhood.

    Everything tried goes through `assess`, which returns the score of each candidate, None for those it did not take.
    """
    count = min(len(start.common), _SURROUNDINGS)
    moving = tuple(sorted(int(i) for i in rng.permutation(len(start.common))[:count]))
    here = _coordinates(start, moving, space)
    if not here.size:
        return None
    origin = start.origin if start.origin.startswith("evolution") else f"evolution from: {start.origin}"

    def at(point: Floats) -> Candidate:
        moved = replace(
            _moved(start, moving, space, np.clip(point, 0.0, 1.0)), origin=origin, root=start.root
        )
        return space.repaired(moved, rng)

    directions = rng.choice([-1.0, 1.0], size=(_DIRECTIONS, len(here)))
    scores = assess([at(here + sign * step * d) for sign in (1.0, -1.0) for d in directions])
    slopes, around = [], []
    for up, down, direction in zip(scores[:_DIRECTIONS], scores[_DIRECTIONS:], directions, strict=True):
        if up is not None and down is not None:
            slopes.append((up - down) / (2 * step) * direction)
            around += [up, down]
    if not slopes:
        return None
    gradient = np.mean(slopes, axis=0)
    largest = float(np.max(np.abs(gradient)))
    if not (largest > 0 and np.isfinite(largest)):
        return None
    strides = [at(here + stride * step * gradient / largest) for stride in _STRIDES]
    reached = [(score, i) for i, score in enumerate(assess(strides)) if score is not None]
    if not reached or max(reached)[0] <= max(around):
        return None
    return strides[max(reached)[1]]


def _coordinates(c: Candidate, moving: tuple[int, ...], space: PairSpace) -> Floats:
    records = (*c.left, *c.right, *(c.common[i] for i in moving))
    return np.concatenate([space.domain.numbers(r) for r in records])


def _moved(c: Candidate, moving: tuple[int, ...], space: PairSpace, point: Floats) -> Candidate:
    """The candidate with the numbers of its differing records and of some shared ones put in place."""
    at = 0

    def take(record: Record) -> Record:
        nonlocal at
        count = len(space.domain.numbers(record))
        at += count
        return space.domain.with_numbers(record, point[at - count : at])

    left, right = tuple(map(take, c.left)), tuple(map(take, c.right))
    common = list(c.common)
    for i in moving:
        common[i] = take(common[i])
    return replace(c, left=left, right=right, common=tuple(common))
