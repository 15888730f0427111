"""The limit rho -> 0 of the regularised machine: of all optima of the usual one, that of least beta^2 + |xi|^2.

Let f be the cost of (1), g = (beta^2 + |xi|^2)/2 and z(rho) the optimum of f + rho g.  For every optimum z0 of (1),
f(z(rho)) >= f(z0) gives g(z(rho)) <= g(z0): the points stay bounded, every cluster point is an optimum of (1) with
the least g, and there is one such point since alpha is the same for all optima and g is strictly convex in the rest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ...symbolic.arrays import Floats
from .svm import SvmProgram, SvmSolution

_SAME = 1e-9


@dataclass(frozen=True, eq=False)
class SvmLimit:
    """lim (alpha, beta, xi) as rho -> 0+; `offsets` are the ends of the interval of all optimal beta of the program with rho = 0."""

    alpha: Floats
    beta: float
    xi: Floats
    offsets: tuple[float, float]
    solution: SvmSolution


def svm_limit(features: ArrayLike, labels: ArrayLike, theta: float = 1.0) -> SvmLimit:
    """The limit, from one solution with rho = 0: its alpha is right, and beta follows from a problem on a line."""
    solution = SvmProgram(0.0, theta).solve(features, labels)
    data = solution.data
    reach = data.features @ solution.alpha
    low, high = _optimal_offsets(reach, data.labels)
    beta = float(np.clip(_least_norm_offset(reach, data.labels), low, high))
    xi = np.maximum(1 - data.labels * (reach + beta), 0)
    if high - low <= _SAME * (1 + abs(beta)):
        beta, xi = solution.beta, solution.xi
    return SvmLimit(solution.alpha, beta, xi, (low, high), solution)


def _optimal_offsets(reach: Floats, y: Floats) -> tuple[float, float]:
    """The minimisers of sum max(0, 1 - y_i (reach_i + beta)): where the classes have equally many records with slack."""
    corners = y - reach
    order = np.argsort(corners, kind="stable")
    # Passing its corner, a record of class +1 loses its slack, one of class -1 gets some: the slope rises by one.
    slope = -int((y > 0).sum()) + np.arange(1, len(y) + 1)
    first = int(np.argmax(slope >= 0))
    last = first + 1 if slope[first] == 0 else first
    return float(corners[order[first]]), float(corners[order[last]])


def _least_norm_offset(reach: Floats, y: Floats) -> float:
    """The minimiser of beta^2 + sum max(0, 1 - y_i (reach_i + beta))^2: the zero of an increasing, piecewise linear slope."""
    corners = np.sort(y - reach)

    def slope(beta: float) -> tuple[float, int]:
        active = 1 - y * (reach + beta) > 0
        return beta - float((y - reach - beta)[active].sum()), int(active.sum())

    below, above = 0, len(corners)
    while below < above:
        middle = (below + above) // 2
        below, above = (middle + 1, above) if slope(float(corners[middle]))[0] < 0 else (below, middle)
    # One Newton step from inside the right piece is exact.
    left = corners[below - 1] if below else corners[0] - 1
    right = corners[below] if below < len(corners) else corners[-1] + 1
    start = float(left + right) / 2
    value, count = slope(start)
    return start - value / (1 + count)
