"""Minimisers over all symmetric matrices, for many tilts at once: Newton's method on a piecewise quadratic objective."""

from __future__ import annotations

import numpy as np

from ...symbolic.arrays import Floats
from .objective import Objective


def tilted_minimisers(
    objective: Objective, tilts: Floats, tolerance: float = 1e-10, steps: int = 200
) -> Floats:
    """The minimisers (B, C, s) of objective + <tilt, phi> for tilts (B, C, s); the objective needs a ridge.

    Stops when every gradient is below `tolerance` times 1 + |tilt|; ArithmeticError if that takes more than `steps`.
    """
    if objective.ridge <= 0:
        raise ValueError(
            "without a ridge the minimiser over symmetric matrices need not exist: give ridge > 0"
        )
    shape = tilts.shape
    phi = np.zeros(shape)
    open_ = np.arange(len(tilts))
    scale = tolerance * (1 + np.sqrt((tilts**2).sum(axis=(1, 2))))
    for _ in range(steps):
        here, tilt = phi[open_], tilts[open_]
        gradient = objective.gradient(here) + tilt
        left = np.sqrt((gradient**2).sum(axis=(1, 2))) > scale[open_]
        open_, here, tilt, gradient = open_[left], here[left], tilt[left], gradient[left]
        if not len(open_):
            return phi
        flat = gradient.reshape(len(open_), -1)
        move = -np.linalg.solve(objective.hessian(here), flat[..., None])[..., 0]
        fall = (move * flat).sum(axis=1)
        move = move.reshape(here.shape)
        value = objective.value(here) + (tilt * here).sum(axis=(1, 2))
        length = np.ones(len(open_))
        for _ in range(40):
            new = here + length[:, None, None] * move
            rise = objective.value(new) + (tilt * new).sum(axis=(1, 2)) - value
            short = rise > 1e-4 * length * fall + 1e-14 * np.abs(value)
            if not short.any():
                break
            length = np.where(short, length / 2, length)
        phi[open_] = here + length[:, None, None] * move
    raise ArithmeticError(f"{len(open_)} minimisers of {len(tilts)} were not reached in {steps} steps")
