"""Weights that are feasible in the dual of the objective without a ridge, made from weights that nearly are.

The dual asks that every slope be positive semidefinite.  Their corners add up to zero over the classes, so that each corner,
and with it each last row, must vanish: the feasible weights lie in a thin face, which a solver only comes near to.
"""

from __future__ import annotations

import numpy as np

from ...symbolic.arrays import Floats
from ...symbolic.programs.symmetric import matrices
from .objective import Objective


def feasible_weights(objective: Objective, weights: Floats, rounds: int = 10) -> Floats:
    """Weights (n, C) near `weights` in [0, 1] whose slopes have last rows 0 up to rounding and are positive semidefinite.

    The last rows are mended by the least change, most where weights are far from 0 and 1; then all weights shrink until
    the rest is positive semidefinite.  For an objective without tilt.
    """
    from scipy import sparse

    n, c = weights.shape
    record, wrong = np.nonzero(objective.labels[:, None] != np.arange(c))
    own, size = objective.labels[record], len(record)
    last = matrices(objective.outer)[:, -1, :]
    k = last.shape[1]
    # Row (i, c) of the map to last rows: + x_i for the own class of the record, - x_i for the wrong one.
    columns = np.concatenate([own[:, None] * k + np.arange(k), wrong[:, None] * k + np.arange(k)], axis=1)
    entries = np.concatenate([last[record], -last[record]], axis=1)
    rows = sparse.csr_array(
        (entries.ravel(), columns.ravel(), np.arange(0, 2 * k * size + 1, 2 * k)), shape=(size, c * k)
    )
    w = np.clip(weights[record, wrong], 0.0, 1.0)
    for _ in range(rounds):
        missing = rows.T @ w
        if np.abs(missing).max() <= 1e-15 * n:
            break
        room = np.minimum(w, 1 - w) ** 2 + 1e-18
        normal = (rows.T @ sparse.diags_array(room) @ rows).toarray()
        w = np.clip(w - room * (rows @ np.linalg.lstsq(normal, missing, rcond=1e-12)[0]), 0.0, 1.0)
    full = np.zeros((n, c))
    full[record, wrong] = w
    return shrunk(objective, full)


def shrunk(objective: Objective, weights: Floats) -> Floats:
    """The weights times the largest factor <= 1 for which the linear part plus the pull is positive semidefinite.

    Without a tilt the last rows do not count; they have to vanish.  Weights as they came if the linear part is not definite.
    """
    kept = slice(0, -1) if objective.free else slice(None)
    linear = matrices(objective.linear)[:, kept, kept]
    pull = matrices(objective.slope(weights))[:, kept, kept] - linear
    values, vectors = np.linalg.eigh(linear)
    if values.min() <= 0:
        return weights
    root = vectors / np.sqrt(values)[:, None, :]
    lowest = float(np.linalg.eigvalsh(np.swapaxes(root, -1, -2) @ pull @ root).min())
    return weights * min(1.0, (1 - 1e-15) / -lowest) if lowest < 0 else weights
