"""The conditions of the projection theorem (Meckes 2012), measured on records with their standard errors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .inputs import records


@dataclass(frozen=True)
class Regularity:
    """What the conditions ask about records (n, m); errors are standard errors for independent records.

    `variance` is sigma^2 = mean |x|^2/m.  `top` is the largest second moment in a direction, sup_v mean <v, x>^2; the largest over
    all directions of a sample is too large on average, so `top_held_out` measures on the odd records the direction
    that the even ones choose: its mean is at most the true value.  `constant` is the least c with
    mean | |x|^2/sigma^2 - m | <= c sqrt(m).  `mean_share` is |mean|^2/mean |x|^2.
    """

    n: int
    m: int
    variance: float
    variance_error: float
    top: float
    top_error: float
    top_held_out: float
    constant: float
    constant_error: float
    mean_share: float

    @property
    def sigma(self) -> float:
        """The scale of the normal law that projections are compared with."""
        return float(np.sqrt(self.variance))

    @property
    def relative_top(self) -> float:
        """top/sigma^2, from 1 (isotropic) to m (one direction): what condition (ii) bounds once records are divided by sigma."""
        return self.top / self.variance

    @property
    def relative_top_error(self) -> float:
        """The standard error of `relative_top`, as if sigma^2 were known."""
        return self.top_error / self.variance

    def meets(self, c: float, bound: float = 1.0) -> bool:
        """Whether top <= `bound` and constant <= `c`, as printed: records on the sphere meet it with any c, whatever they are."""
        return self.top <= bound * (1 + 1e-9) and self.constant <= c + 1e-9

    def meets_scaled(self, c: float, bound: float = 1.0) -> bool:
        """The same for the records divided by sigma, as the theorem needs it: top <= `bound` sigma^2."""
        return self.relative_top <= bound * (1 + 1e-9) and self.constant <= c + 1e-9


def regularity(X: ArrayLike) -> Regularity:
    """The conditions on the records X (n, m) as they are projected: prepare (centre, normalise) them first."""
    rows = records(X)
    n, m = rows.shape
    squares = np.sum(rows**2, axis=1)
    variance = float(squares.mean() / m)
    direction = _direction(rows)
    along = (rows @ direction) ** 2
    off = np.abs(squares / variance - m) / np.sqrt(m)
    return Regularity(
        n,
        m,
        variance,
        _error(squares) / m,
        float(along.mean()),
        _error(along),
        float(np.mean((rows[1::2] @ _direction(rows[::2])) ** 2)),
        float(off.mean()),
        _error(off),
        float(np.sum(rows.mean(axis=0) ** 2) / squares.mean()),
    )


def _direction(
    rows: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.asarray(np.linalg.eigh(rows.T @ rows)[1][:, -1], dtype=float)


def _error(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values)))
