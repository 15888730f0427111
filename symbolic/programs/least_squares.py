"""Least squares with values that are not negative, in floating point: a first guess, which others check."""

from __future__ import annotations

import numpy as np

from ..arrays import Floats


def nonnegative_least_squares(a: Floats, b: Floats) -> tuple[Floats, float]:
    """The values and the miss; zeros with an infinite miss where numbers are too large for floats, or the search does not end."""
    from scipy.optimize import nnls

    nothing = np.zeros(a.shape[1])
    if not (np.all(np.isfinite(a)) and np.all(np.isfinite(b))):
        return nothing, np.inf
    try:
        values, miss = nnls(a, b)
    except RuntimeError:  # its limit on iterations
        return nothing, np.inf
    return np.asarray(values, dtype=float), float(miss)
