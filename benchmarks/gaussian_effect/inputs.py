"""Records and projections as arrays, or an error that says what came instead."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from noiseproof.symbolic.arrays import Floats
from noiseproof.symbolic.errors import SpecError


def records(X: ArrayLike, name: str = "X", least: int = 2) -> Floats:
    """X as finite numbers of shape (n, m), n >= `least`; SpecError says what came instead."""
    try:
        rows = np.asarray(X, dtype=float)
    except (TypeError, ValueError):
        raise SpecError(f"{name} must be numbers, records as rows: encode categories first") from None
    if rows.ndim != 2 or rows.shape[1] < 1:
        raise SpecError(f"{name} must have shape (n, m), records as rows, got shape {rows.shape}")
    if len(rows) < least:
        raise SpecError(f"{name} needs at least {least} records, got {len(rows)}")
    if not np.isfinite(rows).all():
        bad = int(np.flatnonzero(~np.isfinite(rows).all(axis=1))[0])
        raise SpecError(f"{name} must be finite: record {bad} holds NaN or infinity; drop or impute it first")
    if not rows.any():
        raise SpecError(f"{name} is zero throughout: it has no scale to compare a normal law with")
    return rows


def orthonormal(W: ArrayLike, m: int) -> Floats:
    """W as an array (m, p), 1 <= p <= m, with orthonormal columns; SpecError otherwise."""
    matrix = np.asarray(W, dtype=float)
    if matrix.ndim != 2 or matrix.shape[0] != m or not 1 <= matrix.shape[1] <= m:
        raise SpecError(f"W must have shape (m, p) with m = {m} and 1 <= p <= m, got shape {matrix.shape}")
    off = float(np.abs(matrix.T @ matrix - np.eye(matrix.shape[1])).max())
    if not off < 1e-8:
        raise SpecError(
            f"W must have orthonormal columns: W'W is off the identity by {off:.2g}; use Q of a QR"
        )
    return matrix


def line(values: ArrayLike) -> Floats:
    """Finite numbers (n,), sorted; SpecError otherwise."""
    points = np.asarray(values, dtype=float)
    if points.ndim != 1 or not points.size or not np.isfinite(points).all():
        raise SpecError(f"values must be a list of finite numbers, got shape {points.shape}")
    return np.asarray(np.sort(points), dtype=float)


def positive(value: float, name: str) -> float:
    """A finite number above zero; SpecError otherwise."""
    if not (np.isfinite(value) and value > 0):
        raise SpecError(f"{name} must be a positive finite number, got {value!r}")
    return float(value)


def whole(value: int, name: str, least: int = 1) -> int:
    """A whole number, at least `least`; SpecError otherwise."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise SpecError(f"{name} must be a whole number >= {least}, got {value!r}")
    return int(value)
