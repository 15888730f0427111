"""A primal-dual interior-point method for soft-margin programs: many records, few features.

    min (1/2) v'Dv + sum_i theta xi_i + (s/2) xi_i^2   with  t = Zv + xi - 1 >= 0,  xi >= 0,

Z (q, n) with rows y_i (x_i, 1).  Slacks and multipliers are eliminated, so that each step solves an n x n system
D + Z'WZ with a positive diagonal W (Mehrotra's predictor and corrector; Ferris and Munson 2002 for this elimination).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...symbolic.arrays import Floats

_MOST_STEPS = 200
_LONGEST = 1 - 1e-6  # of the way to zero


@dataclass(frozen=True, eq=False)
class Interior:
    """A point near the optimum with all of xi, t, omega, varsigma positive; `steps` is how many it took."""

    v: Floats
    xi: Floats
    t: Floats
    omega: Floats
    varsigma: Floats
    steps: int


def interior_point(z: Floats, d: Floats, theta: float, s: float, tolerance: float = 1e-9) -> Interior:
    """The optimum to `tolerance`, relative to the cost (gap) and to v (stationarity); d (n,) is the diagonal of D >= 0.

    Stops earlier where floating point allows no further progress: the caller certifies what came out.
    """
    # Columns of size one: the price d of a coefficient changes instead, and elimination is better conditioned.
    scale = np.sqrt((z**2).mean(axis=0))
    z, d = z / scale, d / scale**2
    q, n = z.shape
    weighted = np.empty_like(z)
    v, xi, t = np.zeros(n), np.full(q, 2.0), np.ones(q)
    omega = np.full(q, theta / 2)
    varsigma = theta + s * xi - omega
    steps = 0
    while steps < _MOST_STEPS:
        dual = d * v - z.T @ omega
        slack = theta + s * xi - omega - varsigma
        primal = z @ v + xi - 1 - t
        gap = float(omega @ t + varsigma @ xi)
        cost = float(d @ v**2) / 2 + theta * float(xi.sum()) + s * float(xi @ xi) / 2
        stationary = np.abs(dual).max() <= tolerance * max(1.0, np.abs(d * v).max())
        if gap <= tolerance * max(theta, cost) and stationary and np.abs(primal).max() <= tolerance:
            break
        g = s + varsigma / xi
        w = 1 / (1 / g + t / omega)
        np.multiply(z, np.sqrt(w)[:, None], out=weighted)
        matrix = weighted.T @ weighted
        matrix[np.diag_indices(n)] += d
        try:
            root = np.asarray(np.linalg.cholesky(matrix), dtype=float)
        except np.linalg.LinAlgError:
            break
        newton = _Newton(z, root, w, g, dual, slack, primal, (xi, t, omega, varsigma))
        products = omega * t, varsigma * xi
        guess = newton.step(*products)
        length = _longest(guess[1:], newton.point)
        ahead = [x + length * dx for x, dx in zip(newton.point, guess[1:], strict=True)]
        reached = float(ahead[2] @ ahead[1] + ahead[3] @ ahead[0])
        target = (reached / gap) ** 3 * gap / (2 * q)
        step = newton.step(
            products[0] + guess[3] * guess[2] - target, products[1] + guess[4] * guess[1] - target
        )
        length = min(_LONGEST, max(0.99, 1 - gap / (2 * q))) * _longest(step[1:], newton.point)
        if not length > 1e-10:
            break
        steps += 1
        v = v + length * step[0]
        xi, t, omega, varsigma = (x + length * dx for x, dx in zip(newton.point, step[1:], strict=True))
    return Interior(v / scale, xi, t, omega, varsigma, steps)


@dataclass(frozen=True, eq=False)
class _Newton:
    """The linearised conditions at one point (xi, t, omega, varsigma), ready for several right-hand sides."""

    z: Floats
    root: Floats
    w: Floats
    g: Floats
    dual: Floats
    slack: Floats
    primal: Floats
    point: tuple[Floats, Floats, Floats, Floats]

    def step(self, first: Floats, second: Floats) -> tuple[Floats, ...]:
        """Changes of v, xi, t, omega, varsigma that take omega t and varsigma xi down by `first` and `second`."""
        from scipy.linalg import cho_solve

        xi, t, omega, varsigma = self.point
        a = self.slack + second / xi
        e = a / self.g - self.primal - first / omega
        dv = cho_solve((self.root, True), self.z.T @ (self.w * e) - self.dual)
        domega = self.w * (e - self.z @ dv)
        dxi = (domega - a) / self.g
        return dv, dxi, (-first - t * domega) / omega, domega, (-second - varsigma * dxi) / xi


def _longest(step: tuple[Floats, ...], point: tuple[Floats, ...]) -> float:
    """The largest part <= 1 of the step that keeps every number of `point` from becoming negative."""
    most = max(float((-dx / x).max()) for x, dx in zip(point, step, strict=True))
    return 1.0 if most <= 1 else 1 / most
