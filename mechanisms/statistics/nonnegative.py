"""Estimates without negative counts: a projection that uses released values only and keeps the total."""

from __future__ import annotations

import numpy as np

from ...symbolic.arrays import Floats
from .marginal_space import Marginal


def with_total(table: Floats, total: float) -> Floats:
    """The nearest table with entries >= 0 that add up to the total (>= 0): one number is taken from all, and negative ones become 0.

    The Euclidean projection on a simplex (Held, Wolfe and Crowder 1974).
    """
    flat = np.asarray(table, dtype=float).ravel()
    if total <= 0:
        return np.zeros_like(np.asarray(table, dtype=float))
    sorted_ = np.sort(flat)[::-1]
    excess = (np.cumsum(sorted_) - total) / np.arange(1, flat.size + 1)
    level = excess[np.flatnonzero(sorted_ > excess)[-1]]
    return np.asarray(np.maximum(flat - level, 0.0).reshape(np.shape(table)))


def marginal_of(table: Floats, columns: Marginal, marginal: Marginal) -> Floats:
    """The sums of a table over the columns that the marginal lacks."""
    return np.asarray(table.sum(axis=tuple(i for i, name in enumerate(columns) if name not in marginal)))
