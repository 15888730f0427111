"""A limited-memory quasi-Newton method on square roots of the parameters, for many records: one pass over the data a step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ...symbolic.arrays import Floats
from ...symbolic.programs.symmetric import coordinates, matrices, outer_products
from .objective import Objective
from .solution import Solution, certified


def first_order_solution(
    objective: Objective,
    tolerance: float = 1e-6,
    steps: int = 5_000,
    progress: Callable[[int, float], None] | None = None,
) -> Solution:
    """The minimum over Phi_c = R_c R_c' with square R_c, by L-BFGS on R.

    A local minimum in square roots R of full size is a minimum over the cone (Burer, Monteiro 2005); whether it was
    reached says the certificate, not the method.  Without a ridge the features are centred and whitened first, which leaves
    the cone as it is, and without a tilt last rows are free (see `reduced`).
    """
    from scipy.optimize import minimize

    inner, root = _whitened(objective) if objective.ridge == 0 else (objective, None)
    c, k = objective.classes, matrices(objective.outer[:1]).shape[-1]
    order = k - 1 if objective.free else k

    def split(flat: Floats) -> tuple[Floats, Floats]:
        roots, last = flat[: c * order**2].reshape(c, order, order), flat[c * order**2 :].reshape(c, -1)
        full = np.zeros((c, k, k))
        full[:, :order, :order] = roots @ np.swapaxes(roots, -1, -2)
        if objective.free:
            full[:, -1, :], full[:, :, -1] = last, last
        return roots, full

    def of_roots(flat: Floats) -> tuple[float, Floats]:
        roots, full = split(flat)
        phi = coordinates(full)
        slope = matrices(inner.gradient(phi))
        rest = slope[:, -1, :] * np.append(np.full(k - 1, 2.0), 1.0) if objective.free else slope[:, :0, 0]
        return float(inner.value(phi)), np.append(2 * slope[:, :order, :order] @ roots, rest)

    def solution(flat: Floats, used: int) -> Solution:
        return certified(objective, _back(coordinates(split(flat)[1]), root), (), used, "first-order")

    start = np.tile(np.eye(order), (c, 1, 1)).ravel()
    roots, used, share = np.append(start, np.zeros(c * k if objective.free else 0)), 0, 200
    best = solution(roots, 0)
    while used < steps:
        limit = min(share, steps - used)
        found = minimize(
            of_roots,
            roots,
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": limit, "maxcor": 30, "ftol": 1e-16, "gtol": 1e-12, "maxfun": 10 * share},
        )
        roots, used = found.x, used + max(1, int(found.nit))
        best = min(best, solution(roots, used), key=lambda s: s.gap)
        if progress is not None:
            progress(used, best.gap)
        if best.holds(tolerance) or found.nit < limit:
            break
    return best


def _whitened(objective: Objective) -> tuple[Objective, Floats]:
    """The objective for records L^-1 (x, 1), their features centred and of unit covariance, and L."""
    moments = matrices(objective.outer.mean(axis=0))
    k, mean = len(moments), moments[:-1, -1]
    covariance = moments[:-1, :-1] - np.outer(mean, mean)
    root = np.eye(k)
    root[:-1, :-1] = np.linalg.cholesky(covariance + 1e-10 * np.trace(moments) * np.eye(k - 1))
    root[:-1, -1] = mean
    records = np.asarray(np.linalg.solve(root, matrices(objective.outer)[:, -1, :].T).T, dtype=float)
    half = np.linalg.solve(root, matrices(objective.linear))
    tilt = coordinates(np.asarray(np.linalg.solve(root, np.swapaxes(half, -1, -2)), dtype=float))
    return replace(objective, outer=outer_products(records), price=0.0, tilt=tilt), root


def _back(phi: Floats, root: Floats | None) -> Floats:
    if root is None:
        return phi
    half = np.linalg.solve(root.T, matrices(phi))
    return coordinates(np.asarray(np.linalg.solve(root.T, np.swapaxes(half, -1, -2)), dtype=float))
