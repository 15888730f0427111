"""The noise u_h^2 of a piecewise polynomial u_h on triangles: exact density, score, masses and draws."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...symbolic.arrays import Floats
from .elements import Discrete
from .meshing import Triangles
from .rosenblatt import Rosenblatt
from .vector_noise import Noise

Whole = NDArray[np.int64]

# Powers of the barycentric coordinates, and binomials, of the Bernstein polynomials: corners, then edges 01, 12, 02.
_POWERS = np.array([[2, 0, 0], [0, 2, 0], [0, 0, 2], [1, 1, 0], [0, 1, 1], [1, 0, 1]])
_BINOMIALS = np.array([1.0, 1.0, 1.0, 2.0, 2.0, 2.0])


def _products() -> Floats:
    """The integrals of products of two Bernstein polynomials over a triangle of area one."""
    factorial = np.array([1.0, 1.0, 2.0, 6.0, 24.0])
    powers = _POWERS[:, None, :] + _POWERS[None, :, :]
    integrals = 2 * factorial[powers].prod(axis=2) / 720  # a! b! c! 2 / (a + b + c + 2)!
    return np.asarray(np.outer(_BINOMIALS, _BINOMIALS) * integrals, dtype=float)


@dataclass(frozen=True, eq=False)
class PiecewiseNoise(Noise):
    """Density u_h^2; `local` (t, 6) are Bernstein coefficients of u_h, whose largest one bounds |u_h| on a triangle."""

    triangles: Triangles
    local: Floats
    dimension = 2

    @classmethod
    def of(cls, state: Discrete) -> PiecewiseNoise:
        """The noise of a discrete ground state."""
        return cls(state.triangles, state.local)

    @cached_property
    def masses(self) -> Floats:
        """P(triangle), shape (t,), by exact integration of the polynomials u_h^2; they sum to one."""
        raw = self.triangles.areas * np.einsum("ti,ij,tj->t", self.local, _products(), self.local)
        return np.asarray(raw / raw.sum(), dtype=float)

    @cached_property
    def _frames(self) -> tuple[Floats, Floats]:
        """First corners (t, 2), and the matrices (t, 2, 2) that take w - corner to its coordinates 1 and 2."""
        corners = self.triangles.points[self.triangles.cells]
        sides = np.stack([corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]], axis=2)
        return corners[:, 0], np.asarray(np.linalg.inv(sides), dtype=float)

    @cached_property
    def _buckets(self) -> _Buckets:
        return _Buckets(self.triangles)

    def locate(self, w: Floats) -> tuple[Whole, Floats]:
        """The triangle of each row of w, -1 outside W, and its barycentric coordinates (size, 3)."""
        found, coordinates = np.full(len(w), -1, dtype=np.int64), np.zeros((len(w), 3))
        first, frames = self._frames
        rows, at, end = self._buckets.lists(w)
        while len(rows):
            cells = self._buckets.owner[np.minimum(at, len(self._buckets.owner) - 1)]
            inner = np.einsum("nij,nj->ni", frames[cells], w[rows] - first[cells])
            bary = np.column_stack([1 - inner.sum(axis=1), inner])
            hit = np.all(bary >= -1e-12, axis=1) & (at < end)
            found[rows[hit]], coordinates[rows[hit]] = cells[hit], np.maximum(bary[hit], 0)
            left = ~hit & (at + 1 < end)
            rows, at, end = rows[left], at[left] + 1, end[left]
        return found, coordinates

    def _root(self, cells: Whole, bary: Floats) -> Floats:
        (b0, b1, b2), c = bary.T, self.local[cells].T
        corners = c[0] * b0**2 + c[1] * b1**2 + c[2] * b2**2
        return np.asarray(corners + 2 * (c[3] * b0 * b1 + c[4] * b1 * b2 + c[5] * b0 * b2), dtype=float)

    def log_density(self, w: Floats) -> Floats:
        cells, bary = self.locate(np.asarray(w, dtype=float))
        with np.errstate(divide="ignore"):
            log_root = np.log(np.abs(self._root(cells, bary)))
        return np.asarray(np.where(cells >= 0, 2 * log_root, -np.inf), dtype=float)

    def score(self, w: Floats) -> Floats:
        """2 grad u_h / u_h; on edges, where the gradient may jump, that of one of the two triangles."""
        cells, bary = self.locate(np.asarray(w, dtype=float))
        (b0, b1, b2), c = bary.T, self.local[cells].T
        # Derivatives of the Bernstein form in the three barycentric coordinates.
        d0 = 2 * (c[0] * b0 + c[3] * b1 + c[5] * b2)
        d1 = 2 * (c[1] * b1 + c[3] * b0 + c[4] * b2)
        d2 = 2 * (c[2] * b2 + c[4] * b1 + c[5] * b0)
        frames = self._frames[1][cells]
        gradient = (d1 - d0)[:, None] * frames[:, 0] + (d2 - d0)[:, None] * frames[:, 1]
        with np.errstate(divide="ignore", invalid="ignore"):
            score = 2 * gradient / self._root(cells, bary)[:, None]
        return np.asarray(np.where(cells[:, None] >= 0, score, np.nan), dtype=float)

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """A triangle by its exact mass, then rejection under the largest Bernstein coefficient, which |u_h| never exceeds."""
        out = np.empty((size, 2))
        below = np.cumsum(self.masses)
        cells = np.minimum(np.searchsorted(below, rng.random(size) * below[-1], side="right"), len(below) - 1)
        roof = np.abs(self.local).max(axis=1)
        waiting = np.arange(size)
        corners = self.triangles.points[self.triangles.cells]
        while len(waiting):
            at = cells[waiting]
            # Uniform on the triangle: the unit square folded along its diagonal.
            u, v = rng.random((2, len(waiting)))
            u, v = np.where(u + v > 1, 1 - u, u), np.where(u + v > 1, 1 - v, v)
            bary = np.column_stack([1 - u - v, u, v])
            kept = rng.random(len(waiting)) * roof[at] ** 2 < self._root(at, bary) ** 2
            out[waiting[kept]] = np.einsum("ni,nij->nj", bary[kept], corners[at[kept]])
            waiting = waiting[~kept]
        return out

    @cached_property
    def _transform(self) -> Rosenblatt:
        first, frames = self._frames

        def square(cells: Whole, w: Floats) -> Floats:
            inner = np.einsum("nij,nj->ni", frames[cells], w - first[cells])
            return self._root(cells, np.column_stack([1 - inner.sum(axis=1), inner])) ** 2

        return Rosenblatt(self.triangles, square)

    def uniforms(self, w: Floats, rng: np.random.Generator) -> Floats:
        """F(w_1) and F(w_2 | w_1), exact up to rounding."""
        return self._transform.uniforms(np.asarray(w, dtype=float))

    def uniforms_if_scaled(self, levels: Floats, factor: float) -> Floats:
        """Of the first coordinate; W must hold 0 for the scaled noise to stay in it."""
        transform = self._transform
        return transform.marginal(factor * transform.marginal_quantile(np.asarray(levels, dtype=float)))


class _Buckets:
    """A grid over the triangles: each square knows the triangles whose upright rectangles touch it."""

    def __init__(self, triangles: Triangles) -> None:
        corners = triangles.points[triangles.cells]
        low, high = corners.min(axis=1), corners.max(axis=1)
        self._origin, self._top = low.min(axis=0), high.max(axis=0)
        self._side = max(1, int(np.sqrt(len(corners))))
        self._width = (self._top - self._origin) / self._side * (1 + 1e-12)
        first, last = self._index(low), self._index(high)
        spans = last - first + 1
        counts = spans.prod(axis=1)
        owner = np.repeat(np.arange(len(corners)), counts)
        offset = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
        square = first[owner] + np.column_stack([offset // spans[owner, 1], offset % spans[owner, 1]])
        flat = square @ np.array([self._side, 1])
        order = np.argsort(flat, kind="stable")
        self.owner = owner[order]
        self._start = np.searchsorted(flat[order], np.arange(self._side**2 + 1))

    def _index(self, w: Floats) -> Whole:
        return np.asarray(np.clip((w - self._origin) // self._width, 0, self._side - 1), dtype=np.int64)

    def lists(self, w: Floats) -> tuple[Whole, Whole, Whole]:
        """The rows of w inside the grid, and where in `owner` the list of each begins and ends."""
        rows = np.flatnonzero(np.all((w >= self._origin) & (w <= self._top), axis=1))
        flat = self._index(w[rows]) @ np.array([self._side, 1])
        return rows, self._start[flat], self._start[flat + 1]
