"""The objective without ridge and tilt, where last rows are free: only the blocks Psi_c need to be positive semidefinite.

Adding one number to all corners changes no lead and costs nothing, and a large corner makes [[Psi, q], [q', r]] positive
semidefinite for every q as soon as Psi is positive definite.  So the infimum is that over Psi_c >= 0 with free q_c, r_c.
"""

from __future__ import annotations

import numpy as np

from ...symbolic.arrays import Floats
from ...symbolic.programs.symmetric import coordinates, positive_part
from .objective import Objective

WIDENINGS = (0.0, *np.logspace(-11, -5, 13).tolist())
ROUNDING = 1e-16


def lifted(objective: Objective, free: Floats) -> tuple[Floats, float]:
    """Positive semidefinite matrices (C, k, k) that cost little more than `free` (C, k, k), whose last rows are free; the cost.

    Psi_c + t I, and corners raised by one number.  Less t costs less, but the corners grow like 1/t and leads lose digits; t
    balances the two.  The cost is taken before corners are raised, which changes nothing but rounding.
    """
    psi, last = positive_part(free[:, :-1, :-1]), free[:, -1, :-1]
    unit = np.eye(psi.shape[-1])
    found, best, least = free, psi, np.inf
    for t in WIDENINGS:
        wide = psi + t * unit
        heights = np.einsum("ci,cij,cj->c", last, np.linalg.pinv(wide, rcond=1e-15, hermitian=True), last)
        rise = max(0.0, float((heights - free[:, -1, -1]).max()))
        trial = free.copy()
        trial[:, :-1, :-1] = wide
        trial[:, -1, -1] += rise
        lack = -float(np.minimum(np.linalg.eigvalsh(trial), 0.0).sum())
        loss = objective.share * len(objective.labels) * (ROUNDING * rise + lack)
        cost = objective.price * t * psi.shape[0] * psi.shape[-1] + loss
        if cost < least:
            found, least, best = trial, cost, wide
    found = positive_part(found)
    before = free.copy()
    before[:, :-1, :-1] = best
    return found, float(objective.value(coordinates(before)))


def reach(phi: Floats) -> float:
    """The largest trace of Psi_c, length of a last column, or corner less the mean of the corners, of (C, k, k)."""
    corners = phi[:, -1, -1]
    traces = np.trace(phi[:, :-1, :-1], axis1=-2, axis2=-1)
    lengths = np.linalg.norm(phi[:, :-1, -1], axis=-1)
    return float(max(traces.max(), lengths.max(), np.abs(corners - corners.mean()).max()))
