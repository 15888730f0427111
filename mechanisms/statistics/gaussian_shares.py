"""The best shares of measurements with Gaussian noise: a convex program, solved by multiplicative steps and by cones."""

from __future__ import annotations

import numpy as np

from ...symbolic.arrays import Floats
from .share_program import ShareProgram

_STEPS, _GAP = 4_000, 1e-9
_SMALL, _ALLOWED = (
    (1e-3, 1e-4, 1e-5, 1e-6),
    2e-7,
)  # shares to leave out, and what that may cost as a part of the optimum


def gaussian_shares(program: ShareProgram) -> Floats:
    """The optimal shares of 1, zeros included: multiplicative steps, or clarabel where these are slow."""
    k = len(program.price)
    shares = multiplied(program, np.full(k, 1 / k))
    if program.gap(shares) > _GAP:
        other = by_cones(program, shares)
        shares = other if program.gap(other) < program.gap(shares) else shares
    return pruned(program, shares)


def multiplied(program: ShareProgram, shares: Floats, steps: int = _STEPS) -> Floats:
    """Shares times the root of their gain, over and over: the objective falls with each step (Silvey, Titterington and Torsney 1978)."""
    for _ in range(steps):
        gains, value = program.gains(shares), program.value(shares)
        if gains.max() <= (1 + _GAP) * value:
            break
        shares = shares * np.sqrt(gains / value)
        shares = shares / shares.sum()
    return shares


def pruned(program: ShareProgram, shares: Floats) -> Floats:
    """Without small shares, where the optimum does not need them: less is measured."""
    for small in _SMALL:
        kept = np.where(shares > small, shares, 0.0)
        if np.isfinite(program.value(kept / kept.sum())):
            kept = multiplied(program, kept / kept.sum())
            if program.gap(kept) <= max(program.gap(shares), _ALLOWED):
                return kept
    return shares


def by_cones(program: ShareProgram, near: Floats) -> Floats:
    """The same program as second-order cones for clarabel: t_S p_S >= 1, a route of its own.

    `near` are shares with positive precisions, in whose units t and p are written; where clarabel gives up they are the answer.
    """
    from scipy import sparse

    from ...symbolic.programs.conic import solved

    m, k = program.incidence.shape
    unit = program.precision(near)
    linear = np.concatenate([np.zeros(k), program.cost / unit / program.value(near)])
    p = sparse.csr_array(program.incidence / program.price / unit[:, None])
    one = sparse.eye_array(m)
    # (t + p, t - p, 2) in the cone says t p >= 1.
    rows = [sparse.hstack([-p, -one]), sparse.hstack([p, -one]), sparse.csr_array((m, k + m))]
    order = np.arange(3 * m).reshape(3, m).T.ravel()
    cones = sparse.vstack(rows, format="csr")[order]
    total = sparse.csr_array(np.concatenate([np.ones(k), np.zeros(m)])[None, :])
    signs = sparse.hstack([-sparse.eye_array(k), sparse.csr_array((k, m))])
    bound = np.concatenate([[1.0], np.zeros(k), np.tile([0.0, 0.0, 2.0], m)])
    matrix = sparse.vstack([total, signs, cones])
    try:
        found = solved(linear, matrix, bound, zero=1, nonnegative=k, lorentz=(3,) * m, tolerance=1e-10)
    except ArithmeticError:
        return near
    shares = np.maximum(np.array(found.x[:k]), 0.0)
    return np.asarray(shares / shares.sum())
