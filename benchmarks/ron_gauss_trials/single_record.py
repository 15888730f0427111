"""What one synthetic record far out tells: the loss log p(z)/q(z) of z = t (1, ..., 1), by simulation.

Given z, the matrix behind it grows with t, all its entries to the same side of both centres: the loss tends to the sum of
the entries of (u u' - v v')/(n scale), p/(n scale) for u constant and v of alternating sign.  At the printed scale that
is sqrt(p)/2 times epsilon, for one record.  A Markov chain estimates the loss at finite t: an indication, not a proof.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import sympy as sp

from noiseproof.symbolic.arrays import Floats
from noiseproof.symbolic.errors import SpecError
from ron_gauss_trials.covariance import checked, covariance_attack
from ron_gauss_trials.symmetrised import entry_losses, log_density, on_diagonal

_WARM_UP = 0.4
_ACCEPTED = 0.25
_MOVED = 0.15  # share of the entries that a step changes


@dataclass(frozen=True)
class FarRecord:
    """The estimated loss at the record, with the spread of the chains' estimates over their root, and its exact limit."""

    loss: float
    error: float
    limit: sp.Expr


def far_record(
    p: int,
    distance: float,
    epsilon: float,
    sensitivity: str = "printed",
    chains: int = 48,
    steps: int = 3_000,
    seed: int = 0,
) -> FarRecord:
    """One synthetic record `distance` x sqrt(scale) x (1, ..., 1), noise on all entries, the released mean fixed; even p >= 2."""
    checked(p, 2, epsilon, sensitivity)
    if p % 2 or not (np.isfinite(distance) and distance > 0):
        raise SpecError(f"expected an even p and a finite distance > 0, got {p!r} and {distance!r}")
    attack = covariance_attack(p, 2, epsilon, sensitivity)
    limit = p / (2 * attack.scale)
    signs = np.repeat([1.0, -1.0], p // 2)
    diagonal, upper = on_diagonal(p), np.triu_indices(p)
    moved = (1 - np.outer(signs, signs))[upper] / (p * 2 * float(attack.scale))
    rng = np.random.default_rng(seed)
    d = len(moved)

    def log_posterior(s: Floats) -> Floats:
        """Of the symmetrised matrix (chains, d) under the second data set, centred at -moved/2."""
        matrix = np.zeros((len(s), p, p))
        matrix[:, *upper] = s
        matrix = matrix + np.swapaxes(np.triu(matrix, 1), 1, 2)
        values, vectors = np.linalg.eigh(matrix)
        inside = values[:, 0] > 0
        along = vectors.sum(axis=1) * distance
        safe = np.where(inside[:, None], values, 1.0)
        likelihood = -(np.log(safe) + along**2 / safe).sum(axis=1) / 2
        prior = log_density(s + moved / 2, diagonal).sum(axis=1)
        return np.where(inside, likelihood + prior, -np.inf)

    start = distance / np.sqrt(2) * (0.5 * np.eye(p) + 0.5 / p)
    state = np.tile(start[upper], (chains, 1))
    value, size = log_posterior(state), np.full(chains, 0.5 * np.sqrt(distance))
    total, kept = np.zeros(chains), 0
    for step in range(steps):
        trial = state + size[:, None] * rng.standard_normal((chains, d)) * (rng.random((chains, d)) < _MOVED)
        new = log_posterior(trial)
        taken = np.log(rng.random(chains)) < new - value
        state, value = np.where(taken[:, None], trial, state), np.where(taken, new, value)
        if step < _WARM_UP * steps:
            size *= np.exp(0.05 * (taken - _ACCEPTED))
        else:
            total += np.exp(entry_losses(state - moved / 2, -moved, diagonal).sum(axis=1))
            kept += 1
    each = total / kept
    mean = float(each.mean())
    return FarRecord(float(np.log(mean)), float(each.std() / np.sqrt(chains) / mean), limit)
