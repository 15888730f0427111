"""Records on the unit sphere, and records centred by a mean: both act on each record by itself."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ...symbolic.arrays import Floats


def records(X: ArrayLike, least: int = 0) -> Floats:
    """X as an array (n, m) of finite numbers with n >= `least` and m >= 1; ValueError says what came instead."""
    try:
        rows = np.asarray(X, dtype=float)
    except (TypeError, ValueError):
        raise ValueError("X must be numbers, records as rows: encode categories as numbers first") from None
    if rows.ndim != 2 or rows.shape[1] < 1:
        raise ValueError(f"X must have shape (n, m), records as rows, got shape {rows.shape}")
    if len(rows) < least:
        raise ValueError(f"X must have at least {least} records, got {len(rows)}")
    bad = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    if bad.size:
        raise ValueError(f"X must be finite: record {bad[0]} holds NaN or infinity; drop or impute it first")
    return rows


def on_sphere(X: ArrayLike) -> Floats:
    """The records (n, m) divided by their Euclidean norms; ValueError names the first record that is zero."""
    rows = records(X)
    zero = np.flatnonzero(~rows.any(axis=1))
    if zero.size:
        raise ValueError(
            f"record {zero[0]} of X is zero and has no direction: drop it, or shift the data by a public constant"
        )
    return _divided(rows)


def centred(X: ArrayLike, mean: ArrayLike) -> Floats:
    """The records (n, m) less one mean (m,)."""
    rows, centre = records(X), np.asarray(mean, dtype=float)
    if centre.shape != rows.shape[1:]:
        raise ValueError(f"mean must have shape {rows.shape[1:]} like the records, got {centre.shape}")
    return np.asarray(rows - centre, dtype=float)


def renormalised(X: ArrayLike, mean: ArrayLike) -> Floats:
    """The records centred by `mean`, then divided by their norms; a record equal to the mean stays zero.

    Records on the sphere after it, or zero: in the unit ball, which is all that sensitivities ask for.  No error can
    tell that a private record met the noisy mean.
    """
    return _divided(centred(X, mean))


def _divided(rows: Floats) -> Floats:
    # The largest entry first: squares of large or tiny entries would leave the range of doubles.
    largest = np.abs(rows).max(axis=1, keepdims=True)
    scaled = rows / np.where(largest > 0, largest, 1.0)
    norms = np.sqrt(np.einsum("ij,ij->i", scaled, scaled))[:, None]
    return np.asarray(scaled / np.where(norms > 0, norms, 1.0), dtype=float)
