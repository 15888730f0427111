"""Pairs of records that lie far apart: projected gradient ascent from many starts, best pair made rational."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from flint import arb

from ..arrays import Floats
from ..domains.exact import Product
from ..domains.polynomials import Batch, Point, PolynomialQuery, value
from ..proof.exact_numbers import ball
from .enclosure import with_precision

Pair = tuple[Point, Point | None]

STARTS = 60
STEPS = 300
PATIENCE = 60


def exact_distance(query: PolynomialQuery, domain: Product, pair: Pair, norm: str) -> arb:
    """||f(u) - f(v)||, or ||f(u)|| where the second point is None, from rational arithmetic; ValueError outside."""
    points = [point for point in pair if point is not None]
    if not points or not all(domain.holds(point) for point in points):
        raise ValueError("expected points of the domain, got one outside: round it with domain.rounded")
    signed = list(zip((1, -1), points, strict=False))
    moved = [sum((s * value(f, x) for s, x in signed), Fraction(0)) for f in query.polynomials]
    weighted = list(zip(query.multiplicities, moved, strict=True))
    if norm == "max":
        total = max(abs(d) for d in moved)
    elif norm == "l1":
        total = sum((w * abs(d) for w, d in weighted), Fraction(0))
    else:
        total = sum((w * d * d for w, d in weighted), Fraction(0))

    return with_precision(lambda: ball(total).sqrt() if norm == "l2" else ball(total))


def climb(
    query: PolynomialQuery,
    domain: Product,
    norm: str,
    one_sided: bool,
    rng: np.random.Generator,
    hints: Sequence[tuple[Floats, Floats]] = (),
) -> Pair:
    """The best pair found, rational; all starts move at the same time, each with its own step length."""
    # Constants cancel in differences; kept, a large one would drown the rest.
    kept = (
        query.polynomials
        if one_sided
        else ({m: c for m, c in f.items() if any(m)} for f in query.polynomials)
    )
    batch = Batch(kept, domain.dimension)
    weights = np.array([float(w) for w in query.multiplicities])
    starts = STARTS if domain.dimension <= 6 else 12
    u, v = (domain.sample(starts, rng) for _ in range(2))
    vertices = domain.vertices()
    if vertices is not None and len(vertices) <= 4096:
        corners = np.array([[float(x) for x in vertex] for vertex in vertices])
        u = np.concatenate([u, corners[rng.integers(len(corners), size=starts)]])
        v = np.concatenate([v, corners[rng.integers(len(corners), size=starts)]])
    if hints:
        u = np.concatenate([np.array([h[0] for h in hints]), u])
        v = np.concatenate([np.array([h[1] for h in hints]), v])
    keep = 0.0 if one_sided else 1.0

    def move(a: Floats, b: Floats) -> Floats:
        return batch.values(a) - keep * batch.values(b)

    scale = max(block.size() for block in domain.blocks)
    size = np.full((len(u), 1), 0.3 * scale)
    current = _norms(move(u, v), weights, norm)
    stalled = 0
    for _ in range(STEPS):
        slope = _slopes(move(u, v), weights, norm)
        up, down = batch.gradient(u, slope), -keep * batch.gradient(v, slope)
        length = np.sqrt((up**2).sum(axis=1) + (down**2).sum(axis=1))[:, None] + 1e-300
        new_u, new_v = domain.nearest(u + size * up / length), domain.nearest(v + size * down / length)
        reached = _norms(move(new_u, new_v), weights, norm)
        better = (reached > current)[:, None]
        u, v = np.where(better, new_u, u), np.where(better, new_v, v)
        stalled = stalled + 1 if reached.max() <= current.max() * (1 + 1e-14) else 0
        current = np.maximum(current, reached)
        if stalled > PATIENCE:
            break
        size = np.clip(np.where(better, size * 1.5, size * 0.5), 1e-13 * scale, 1e3 * scale)
    best = int(np.argmax(current))
    return domain.rounded(u[best]), None if one_sided else domain.rounded(v[best])


def _norms(moved: Floats, weights: Floats, norm: str) -> Floats:
    if norm == "l1":
        return np.asarray((weights * np.abs(moved)).sum(axis=1))
    if norm == "l2":
        return np.asarray(np.sqrt((weights * moved**2).sum(axis=1)))
    return np.asarray(np.abs(moved).max(axis=1))


def _slopes(moved: Floats, weights: Floats, norm: str) -> Floats:
    """The gradient of the norm at `moved`, up to a positive factor."""
    signs = np.where(moved >= 0, 1.0, -1.0)
    if norm == "l1":
        return np.asarray(weights * signs)
    if norm == "l2":
        return np.asarray(np.where(np.any(moved != 0, axis=1, keepdims=True), weights * moved, signs))
    top = np.abs(moved).argmax(axis=1)
    return np.asarray(signs * np.eye(moved.shape[1])[top])
