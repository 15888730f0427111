"""From a nearly optimal point to the exact one: guess which constraints are active, solve, and repair the guess.

With records S inside the margin (xi > 0), E exactly on it and the rest beyond it, the optimality conditions are linear:

    D v - sum_S (theta + s xi_i) z_i - sum_E omega_i z_i = 0,   z_i'v = 1 on E.

Residuals are summed in extended precision, so that what remains is the rounding of the numbers returned.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...symbolic.arrays import Floats
from .interior_point import Interior

Flags = NDArray[np.bool_]

_REPAIRS = 60
_BLOCK = 8192
_RANK = 1e-11


@dataclass(frozen=True, eq=False)
class Finished:
    """Coefficients v (n,), slacks and both multipliers (q,); zero where zero is meant.  `settled`: no constraint is violated."""

    v: Floats
    xi: Floats
    omega: Floats
    varsigma: Floats
    settled: bool


def finish(z: Floats, d: Floats, theta: float, s: float, start: Interior) -> Finished:
    """The point at which the active constraints guessed from `start` hold exactly, the guess repaired where it violates others."""
    inside = start.xi > start.varsigma / theta
    edge = ~inside & (start.omega / theta > start.t)
    v, omega = start.v, start.omega.copy()
    settled = False
    best: tuple[int, Floats, Floats, Flags, Flags] | None = None
    for _ in range(_REPAIRS):
        v, omega = _solve(z, d, theta, s, inside, edge, v, omega)
        h = 1 - z @ v
        tolerance = 1e-11 * (1 + float(np.abs(h).max())) ** 0.5
        below, above = edge & (omega < -tolerance * theta), edge & (omega > theta * (1 + tolerance))
        enter = ~edge & np.where(inside, h < -tolerance, h > tolerance)
        wrong = int(below.sum() + above.sum() + enter.sum())
        if best is None or wrong < best[0]:
            best = wrong, v, omega.copy(), inside.copy(), edge.copy()
        if not wrong:
            settled = True
            break
        edge = (edge & ~below & ~above) | enter
        inside = (inside & ~enter) | above
        omega = np.where(edge, np.clip(omega, 0, theta), omega)
    assert best is not None
    _, v, omega, inside, edge = best
    xi = np.where(inside, np.maximum(1 - z @ v, 0), 0.0)
    omega = np.where(inside, theta + s * xi, np.where(edge, np.clip(omega, 0, theta), 0.0))
    return Finished(v, xi, omega, np.where(inside, 0.0, theta - omega), settled)


def _solve(
    z: Floats, d: Floats, theta: float, s: float, inside: Flags, edge: Flags, v: Floats, omega: Floats
) -> tuple[Floats, Floats]:
    """v and omega for one guess of the active constraints: Newton's correction of the given ones, applied twice.

    Where multipliers on the edge are not unique, the smallest correction is taken.
    """
    on, rows = z[edge], z[inside]
    hessian = np.diag(d) + s * (rows.T @ rows) if s else np.diag(d)
    left, values, right = np.linalg.svd(on, full_matrices=True) if len(on) < len(d) else _thin(on)
    rank = int((values > _RANK * max(values.max(initial=0), 1e-300)).sum())
    u, sv, along, free = left[:, :rank], values[:rank], right[:rank], right[rank:].T
    omega = np.where(edge, omega, 0.0)
    for _ in range(2):
        v = v + along.T @ ((u.T @ (1 - on @ v)) / sv)
        omega = np.where(inside, theta + s * (1 - z @ v), omega)
        lacking = -_gradient(z, d, v, omega)
        if free.shape[1]:
            reduced = free.T @ hessian @ free
            change = np.linalg.lstsq(reduced, free.T @ lacking, rcond=1e-15)[0]
            v = v + free @ change
            lacking = lacking - hessian @ (free @ change)
            omega = np.where(inside, theta + s * (1 - z @ v), omega)
        omega[edge] -= u @ ((along @ lacking) / sv)
    return v, omega


def _thin(on: Floats) -> tuple[Floats, Floats, Floats]:
    left, values, right = np.linalg.svd(on, full_matrices=False)
    return left, values, right


def _gradient(z: Floats, d: Floats, v: Floats, omega: Floats) -> Floats:
    """D v - Z' omega, summed in extended precision."""
    used = np.flatnonzero(omega)
    total = np.zeros(len(d), dtype=np.longdouble)
    for k in range(0, len(used), _BLOCK):
        part = used[k : k + _BLOCK]
        total += omega[part].astype(np.longdouble) @ z[part].astype(np.longdouble)
    return np.asarray(d * v.astype(np.longdouble) - total, dtype=float)
