"""The soft-margin program handed to clarabel as a sparse quadratic program: a route of its own to the same optimum."""

from __future__ import annotations

import numpy as np

from ...symbolic.arrays import Floats
from ...symbolic.programs.conic import solved
from .interior_point import Interior


def clarabel_point(z: Floats, d: Floats, theta: float, s: float, tolerance: float = 1e-9) -> Interior:
    """The optimum as found by clarabel; arguments as for `interior_point`.  ArithmeticError if it gives up."""
    from scipy import sparse

    q, n = z.shape
    cost = sparse.diags_array(np.concatenate([d, np.full(q, s)]))
    linear = np.concatenate([np.zeros(n), np.full(q, theta)])
    one = sparse.eye_array(q)
    margins = sparse.hstack([-sparse.csr_array(z), -one])
    slacks = sparse.hstack([sparse.csr_array((q, n)), -one])
    bounds = np.concatenate([-np.ones(q), np.zeros(q)])
    matrix = sparse.vstack([margins, slacks], format="csc")
    found = solved(linear, matrix, bounds, nonnegative=2 * q, quadratic=cost, tolerance=tolerance)
    x, dual, room = (np.asarray(a, dtype=float) for a in (found.x, found.z, found.s))
    return Interior(x[:n], x[n:], room[:q], dual[:q], dual[q:], int(found.iterations))
