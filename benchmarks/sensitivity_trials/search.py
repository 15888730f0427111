"""The farthest answers of neighbours that a grid and a climb find, in floats: a sensitivity from below, without the instrument."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sensitivity_trials.query import Floats, Norm, Query

_GRID, _CLIMBERS, _STEPS = 100_000, 600, 1200
_SMALLEST = 1e-12


@dataclass(frozen=True)
class Found:
    """The largest distance, the two neighbours (n, d) that have it, and how many pairs were tried."""

    distance: float
    one: Floats
    two: Floats
    tried: int


def distances(answers: Floats, others: Floats, norm: Norm) -> Floats:
    """Norms (m,) of the differences of answers (m,), (m, k) or (m, k, k)."""
    gap = np.asarray(answers, dtype=float) - others
    if norm == "spectral":
        return np.asarray(np.linalg.norm(gap, ord=2, axis=(1, 2)))
    flat = np.abs(gap.reshape(len(gap), -1))
    if norm == "l1":
        return np.asarray(flat.sum(axis=1))
    if norm == "max":
        return np.asarray(flat.max(axis=1))
    return np.asarray(np.sqrt((flat**2).sum(axis=1)))


def searched(query: Query, seed: int, steps: int = _STEPS, points: int = _GRID) -> Found:
    """Grid with the corners of the cube, random points, then climbers that change some unknowns and adapt their step."""
    rng = np.random.default_rng(seed)
    width = query.relation.unknowns(query.space.dimension)
    cubes = np.concatenate([_grid(width, rng, points), rng.random((points // 4, width))])
    found = measured(query, cubes)
    best = np.argsort(-found)[: _CLIMBERS // 2]
    chosen = np.concatenate([best, rng.integers(len(cubes), size=_CLIMBERS - len(best))])
    here, height, step = cubes[chosen], found[chosen], np.full(_CLIMBERS, 0.3)
    for _ in range(steps):
        moved = rng.random(here.shape) < rng.choice([0.2, 0.5, 1.0])
        there = np.clip(here + step[:, None] * rng.standard_normal(here.shape) * moved, 0, 1)
        reached = measured(query, there)
        higher = reached > height
        here[higher], height = there[higher], np.where(higher, reached, height)
        step = np.clip(np.where(higher, step * 1.6, step * 0.9), _SMALLEST, 0.5)
        step = np.where(rng.random(_CLIMBERS) < 0.01, 0.3, step)
    top = int(np.argmax(height))
    one, two = query.relation.pairs(here[top : top + 1], query.space)
    return Found(float(height[top]), one[0], two[0], len(cubes) + steps * _CLIMBERS)


def measured(query: Query, cubes: Floats) -> Floats:
    """The distances (m,) of the pairs that points (m, k) of the cube stand for."""
    one, two = query.relation.pairs(cubes, query.space)
    return distances(query.value(one), query.value(two), query.norm)


def _grid(width: int, rng: np.random.Generator, points: int) -> Floats:
    """All points of the finest grid of at most `points`, at least two to an edge; a sample of the corners where even those are more."""
    edge = int(points ** (1 / width) + 1e-9)
    if edge < 2:
        return rng.integers(0, 2, size=(points, width)).astype(float)
    axes = np.meshgrid(*[np.linspace(0, 1, edge)] * width, indexing="ij")
    return np.stack([a.ravel() for a in axes], axis=-1)
