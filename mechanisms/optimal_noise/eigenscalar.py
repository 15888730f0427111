"""The noise u^2 whose root u is the ground state of an interval, evaluated in floating point from its Taylor panels."""

from __future__ import annotations

import math
from bisect import bisect_right
from functools import cached_property

import numpy as np
from flint import arb, ctx

from ...symbolic.arrays import Floats
from .scalar import Inverted
from .shooting import BITS, GroundState
from .taylor import Panel

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)


class EigenScalar(Inverted):
    """Density u^2 for -u'' + k2 w^2 u = lam u, u = 0 at the ends.

    Beyond a cut (u^2 < e^-700 of its largest value) the logarithm is continued by the first two terms of WKB.
    `second_moment` and `information` (the integral of (density')^2/density) are integrals of the density.
    """

    def __init__(self, state: GroundState) -> None:
        with ctx.workprec(BITS):
            left, right = state.sweeps
            shift = _log_ratio(left.value, right.value)
            rows = [_row(p, 0.0) for p in left.panels] + [_row(p, shift) for p in right.panels[::-1]]
            self.lam = float(state.lam)
            # Two halves of one function have one slope where they meet.
            self._kink = float((left.slope / left.value + right.slope / right.value).mid())
        self.problem = state.problem
        self.k2, self.cut = float(state.problem.k2), state.cut
        self._start, self._step, self._scale = (np.array([row[i] for row in rows]) for i in range(3))
        self._coefficients = _trimmed(np.array([row[3] for row in rows]))
        low, high = (
            np.minimum(self._start, self._start + self._step),
            np.maximum(self._start, self._start + self._step),
        )
        self._edges = np.append(low, high[-1])
        problem = state.problem
        self.ends = (
            -np.inf if problem.lower is None else float(problem.lower),
            np.inf if problem.upper is None else float(problem.upper),
        )
        self._normalise()

    def _normalise(self) -> None:
        half = np.diff(self._edges) / 2
        w = (self._edges[:-1] + half)[:, None] + half[:, None] * _NODES
        root, slope, bend = self._panel(w.ravel())
        top = float(root.max())
        u = np.exp(root - top).reshape(w.shape)
        weight = half[:, None] * _WEIGHTS * u**2
        mass = float(weight.sum())
        self._log_constant = -2 * top - math.log(mass)
        weight /= mass
        self.mean = float((weight * w).sum())
        self.deviation = float(np.sqrt((weight * (w - self.mean) ** 2).sum()))
        self.second_moment = self.mean**2 + self.deviation**2
        self.information = float(4 * (weight * slope.reshape(w.shape) ** 2).sum())
        wrong = np.abs((bend.reshape(w.shape) - (self.k2 * w**2 - self.lam)) * u).max()
        self.residual = max(float(wrong) / self.lam, abs(self._kink) / math.sqrt(self.lam))

    def log_pdf(self, w: Floats) -> Floats:
        at = np.asarray(w, dtype=float)
        inside = (at > self.ends[0]) & (at < self.ends[1])
        flat = np.where(inside, at, self.mean).ravel()
        out = 2 * self._anywhere(flat)[0] + self._log_constant
        return np.asarray(np.where(inside, out.reshape(at.shape), -np.inf), dtype=float)

    def pdf_at(self, w: float) -> float:
        edges, rows = self._plain
        if not edges[0] < w < edges[-1]:
            return 0.0  # outside, or where the density is below e^-700 of its largest value
        at = bisect_right(edges, w) - 1
        start, step, scale, coefficients = rows[at]
        x, value = (w - start) / step, 0.0
        for c in coefficients:
            value = value * x + c
        return math.exp(2 * (math.log(value) + scale) + self._log_constant) if value > 0 else 0.0

    @cached_property
    def _plain(self) -> tuple[list[float], list[tuple[float, float, float, list[float]]]]:
        """Edges and panels as plain lists, the coefficients from the highest power down."""
        columns = (self._start, self._step, self._scale, self._coefficients[:, ::-1])
        return self._edges.tolist(), list(zip(*(c.tolist() for c in columns), strict=True))

    def score(self, w: Floats) -> Floats:
        at = np.asarray(w, dtype=float)
        inside = (at > self.ends[0]) & (at < self.ends[1])
        out = 2 * self._anywhere(np.where(inside, at, self.mean).ravel())[1]
        return np.asarray(np.where(inside, out.reshape(at.shape), np.nan), dtype=float)

    def _anywhere(self, w: Floats) -> tuple[Floats, Floats]:
        """log u and its slope, up to a constant, at points w (size,) of the support."""
        held = np.clip(w, self._edges[0], self._edges[-1])
        root, slope, _ = self._panel(held)
        beyond = held != w
        if np.any(beyond):
            r, s = self._tail(w[beyond], held[beyond])
            root[beyond] += r
            slope[beyond] = s
        return root, slope

    def _tail(self, w: Floats, edge: Floats) -> tuple[Floats, Floats]:
        """What WKB adds to log u from the cut `edge` to w, and the slope at w."""
        p, p0 = (np.sqrt(self.k2 * x**2 - self.lam) for x in (w, edge))
        k = math.sqrt(self.k2)
        a, a0 = np.abs(w), np.abs(edge)
        action = (a * p - a0 * p0) / 2 - self.lam / (2 * k) * np.log((k * a + p) / (k * a0 + p0))
        slope = -np.sign(w) * (p + self.k2 * a / (2 * p**2))
        return -action - np.log(p / p0) / 2, slope

    def _panel(self, w: Floats) -> tuple[Floats, Floats, Floats]:
        """log u, u'/u and u''/u inside the panels, by Horner's rule."""
        at = np.clip(np.searchsorted(self._edges, w, side="right") - 1, 0, len(self._start) - 1)
        x = (w - self._start[at]) / self._step[at]
        value, first, second = np.zeros_like(x), np.zeros_like(x), np.zeros_like(x)
        for column in self._coefficients[:, ::-1].T:
            second = second * x + 2 * first
            first = first * x + value
            value = value * x + column[at]
        with np.errstate(divide="ignore", invalid="ignore"):
            return (
                np.log(value) + self._scale[at],
                first / (self._step[at] * value),
                second / (self._step[at] ** 2 * value),
            )


def _row(panel: Panel, shift: float) -> tuple[float, float, float, list[float]]:
    top = max(abs(c) for c in panel.coefficients[:2]).mid()
    return (
        float(panel.start.mid()),
        float(panel.step.mid()),
        float(top.log().mid()) + shift,
        [float((c / top).mid()) for c in panel.coefficients],
    )


def _log_ratio(a: arb, b: arb) -> float:
    return float((a.log() - b.log()).mid())


def _trimmed(coefficients: Floats) -> Floats:
    """Without the trailing columns that no float would feel."""
    felt = np.flatnonzero(np.abs(coefficients).max(axis=0) > 1e-20)
    return coefficients[:, : felt[-1] + 1]
