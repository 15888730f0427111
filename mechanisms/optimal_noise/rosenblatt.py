"""The Rosenblatt transform of a density u_h^2 on triangles: F(w_1) and F(w_2 | w_1), by exact integration of polynomials."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...symbolic.arrays import Floats
from .meshing import Triangles

Whole = NDArray[np.int64]

# Exact for u_h^2, which has degree 4 along a line.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(3)
_PLACES = (1 + np.polynomial.legendre.leggauss(6)[0]) / 2
_CHUNK = 20_000


class Rosenblatt:
    """The map of w to two independent uniform numbers; `square(cells, points)` is u_h^2, up to a constant."""

    def __init__(self, triangles: Triangles, square: Callable[[Whole, Floats], Floats]) -> None:
        corners = triangles.points[triangles.cells]
        order = np.argsort(corners[..., 0], axis=1)
        self._corners = np.take_along_axis(corners, order[..., None], axis=1)
        self._floor = corners[..., 1].min(axis=1)
        self._square = square
        # Between neighbouring abscissas of corners the lines meet the same triangles, in segments with linear ends.
        self._slabs = np.unique(triangles.points[:, 0])
        first = np.searchsorted(self._slabs, self._corners[:, 0, 0])
        counts = np.searchsorted(self._slabs, self._corners[:, 2, 0]) - first
        owner = np.repeat(np.arange(len(corners)), counts)
        slab = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts) + first[owner]
        by_slab = np.argsort(slab, kind="stable")
        self._owner = owner[by_slab]
        self._start = np.searchsorted(slab[by_slab], np.arange(len(self._slabs)))
        # The mass of lines is a polynomial of degree 5 between neighbouring abscissas.
        width = np.diff(self._slabs)
        places = self._slabs[:-1, None] + width[:, None] * _PLACES
        values = self._below(places.ravel(), None).reshape(places.shape)
        self._line = values @ np.linalg.inv(np.vander(_PLACES, increasing=True)).T
        self._mass = np.column_stack([np.zeros(len(width)), width[:, None] * self._line / np.arange(1, 7)])
        self._before = np.concatenate([[0.0], np.cumsum(self._mass.sum(axis=1))])

    def uniforms(self, w: Floats) -> Floats:
        """Shape (size, 2); outside W, numbers between 0 and 1 that mean nothing."""
        slab, share = self._place(w[:, 0])
        total = _polynomial(self._line[slab], share)
        with np.errstate(divide="ignore", invalid="ignore"):
            second = np.where(total > 0, self._below(w[:, 0], w[:, 1]) / total, 0.5)
        return np.column_stack([self.marginal(w[:, 0]), np.clip(second, 0.0, 1.0)])

    def marginal(self, x: Floats) -> Floats:
        """P(w_1 <= x)."""
        slab, share = self._place(x)
        part = self._before[slab] + _polynomial(self._mass[slab], share)
        return np.asarray(np.clip(part / self._before[-1], 0.0, 1.0), dtype=float)

    def marginal_quantile(self, u: Floats) -> Floats:
        """The x with P(w_1 <= x) = u, by bisection."""
        low, high = np.full(np.shape(u), self._slabs[0]), np.full(np.shape(u), self._slabs[-1])
        for _ in range(60):
            middle = (low + high) / 2
            left = self.marginal(middle) < u
            low, high = np.where(left, middle, low), np.where(left, high, middle)
        return np.asarray(high, dtype=float)

    def _place(self, x: Floats) -> tuple[Whole, Floats]:
        """The slab of each abscissa, and where in it, from 0 to 1."""
        held = np.clip(x, self._slabs[0], self._slabs[-1])
        slab = np.clip(np.searchsorted(self._slabs, held, side="right") - 1, 0, len(self._slabs) - 2)
        return slab, (held - self._slabs[slab]) / (self._slabs[slab + 1] - self._slabs[slab])

    def _below(self, x: Floats, y: Floats | None) -> Floats:
        """The integral of u_h^2 over the line with abscissa x below y; over the whole line without y."""
        out = np.zeros(len(x))
        for begin in range(0, len(x), _CHUNK):
            rows = slice(begin, begin + _CHUNK)
            out[rows] = self._chunk(x[rows], None if y is None else y[rows])
        return out

    def _chunk(self, x: Floats, y: Floats | None) -> Floats:
        slab = self._place(x)[0]
        counts = self._start[slab + 1] - self._start[slab]
        counts = np.where((x >= self._slabs[0]) & (x <= self._slabs[-1]), counts, 0)
        point = np.repeat(np.arange(len(x)), counts)
        place = (
            np.arange(len(point)) - np.repeat(np.cumsum(counts) - counts, counts) + self._start[slab][point]
        )
        cell = self._owner[place]
        if y is not None:
            reached = self._floor[cell] < y[point]
            cell, point = cell[reached], point[reached]
        at = x[point]
        a, b, c = self._corners[cell].transpose(1, 0, 2)
        early = (at < b[:, 0])[:, None]
        ends = np.stack([_ordinate(a, c, at), _ordinate(np.where(early, a, b), np.where(early, b, c), at)])
        low, high = ends.min(axis=0), ends.max(axis=0)
        stop = high if y is None else np.clip(y[point], low, high)
        parts = self._segment(cell, at, low, stop)
        return np.asarray(np.bincount(point, weights=parts, minlength=len(x)), dtype=float)

    def _segment(self, cell: Whole, x: Floats, low: Floats, high: Floats) -> Floats:
        half = (high - low) / 2
        values = [
            weight * self._square(cell, np.column_stack([x, low + half * (1 + node)]))
            for node, weight in zip(_NODES, _WEIGHTS, strict=True)
        ]
        return np.asarray(half * np.sum(values, axis=0), dtype=float)


def _polynomial(coefficients: Floats, x: Floats) -> Floats:
    """Rows of coefficients, lowest power first, each at its own x."""
    value = np.zeros_like(x)
    for column in coefficients.T[::-1]:
        value = value * x + column
    return value


def _ordinate(a: Floats, b: Floats, x: Floats) -> Floats:
    """Where the line through a and b has abscissa x."""
    width = b[:, 0] - a[:, 0]
    share = (x - a[:, 0]) / np.where(width > 0, width, 1.0)
    return np.asarray(a[:, 1] + share * (b[:, 1] - a[:, 1]), dtype=float)
