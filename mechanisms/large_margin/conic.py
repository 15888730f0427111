"""The objective as a conic program for clarabel: quadratic and linear slacks, positive semidefinite matrices."""

from __future__ import annotations

import numpy as np

from ...symbolic.programs.conic import solved
from ...symbolic.programs.symmetric import order_of
from .objective import Objective
from .solution import Solution, certified


def conic_solution(objective: Objective, tolerance: float = 1e-9) -> Solution:
    """The minimum over positive semidefinite parameters; ArithmeticError if clarabel gives up.

    Each loss is min u^2/(4h) + v with u + v >= margin + h - t and v >= 0.  Without ridge and tilt: see `reduced`.
    """
    from scipy import sparse

    n, s = objective.outer.shape
    c, loss = objective.classes, objective.loss
    record, wrong = np.nonzero(objective.labels[:, None] != np.arange(c))
    own = objective.labels[record]
    m, size = len(record), c * s
    # Row (i, c): x_i'(Phi_c - Phi_y) x_i, blocks of s columns.
    columns = np.concatenate([wrong[:, None] * s + np.arange(s), own[:, None] * s + np.arange(s)], axis=1)
    entries = np.concatenate([objective.outer[record], -objective.outer[record]], axis=1)
    starts = np.arange(0, 2 * s * m + 1, 2 * s)
    leads = sparse.csr_array((entries.ravel(), columns.ravel(), starts), shape=(m, size))
    one = sparse.eye_array(m)
    margins = sparse.hstack([-leads, -one, -one])
    slacks = sparse.hstack([sparse.csr_array((m, size + m)), -one])
    k = order_of(s)
    # Coordinates go row by row, so that Psi_c has the first of them; where last rows are free, they are left out.
    order = k - 1 if objective.free else k
    kept = np.flatnonzero(np.tile(np.arange(s) < order * (order + 1) // 2, c))
    psd = sparse.hstack([-sparse.eye_array(size, format="csr")[kept], sparse.csr_array((len(kept), 2 * m))])
    matrix = sparse.vstack([margins, slacks, psd], format="csc")
    right = np.concatenate([np.full(m, -(loss.margin + loss.width)), np.zeros(m + len(kept))])
    quadratic = np.concatenate(
        [np.full(size, objective.ridge), np.full(m, objective.share / (2 * loss.width)), np.zeros(m)]
    )
    linear = np.concatenate([objective.linear.ravel(), np.zeros(m), np.full(m, objective.share)])
    found = solved(
        linear,
        matrix,
        right,
        nonnegative=2 * m,
        semidefinite=(order,) * c,
        quadratic=sparse.diags_array(quadratic),
        tolerance=tolerance,
    )
    phi = np.asarray(found.x, dtype=float)[:size].reshape(c, s)
    weights = np.zeros((n, c))
    weights[record, wrong] = np.asarray(found.z, dtype=float)[:m] / objective.share
    return certified(objective, phi, (weights,), int(found.iterations), "conic")
