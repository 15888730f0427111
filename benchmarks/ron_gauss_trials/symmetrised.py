"""The noise that is left of a matrix of Laplace numbers once it is made symmetric, drawn where the loss is large.

In scales, entries of (Z + Z')/2 are Laplace on the diagonal and the mean of two Laplace numbers off it, with density
(1 + 2|z|) e^(-2|z|)/2 and tail (1 + z) e^(-2z)/2.  The line of an entry is cut into cells; each cell is made likelier by a
factor of its own, so that the ratio to the unchanged law depends on the cells alone, and is exact.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from noiseproof.symbolic.arrays import Floats

_STEEPEST = 2.0**20
_NEARLY = 0.85  # closer to the largest loss nearly all noise is rejected
_OUTWARDS = np.array([0.05, 0.12, 0.2, 0.3, 0.45, 0.65, 0.9, 1.2, 1.6, 2.2, 3.0, 4.5])
EDGES = np.concatenate([-_OUTWARDS[::-1], [0.0], _OUTWARDS])


def on_diagonal(p: int) -> NDArray[np.bool_]:
    """Which entries of the upper triangle (p (p + 1)/2,), row by row, lie on the diagonal."""
    rows, columns = np.triu_indices(p)
    return np.asarray(rows == columns)


def log_density(z: Floats, diagonal: NDArray[np.bool_]) -> Floats:
    """Log density up to a constant at z (..., d), entry by entry; `diagonal` (d,) says which entries are Laplace."""
    size = np.abs(z)
    return np.asarray(np.where(diagonal, -size, np.log1p(2 * size) - 2 * size), dtype=float)


def entry_losses(z: Floats, shift: Floats, diagonal: NDArray[np.bool_]) -> Floats:
    """log p/q of each entry at noise z of input 1, input 2 at `shift`; both (..., d)."""
    return log_density(z, diagonal) - log_density(z - shift, diagonal)


def plain_noise(many: int, diagonal: NDArray[np.bool_], rng: np.random.Generator) -> Floats:
    """The symmetrised noise itself (many, d)."""
    one, two = (rng.laplace(size=(many, len(diagonal))) for _ in range(2))
    return np.asarray(np.where(diagonal, one, (one + two) / 2), dtype=float)


@dataclass(frozen=True, eq=False)
class CellTilt:
    """Independent entries whose cells are `log_factor` (d, cells) likelier; `sign` (d,) orients cells away from input 2."""

    diagonal: NDArray[np.bool_]
    sign: Floats
    log_factor: Floats

    @classmethod
    def of(cls, shift: Floats, diagonal: NDArray[np.bool_], steepness: float) -> CellTilt:
        """Factors e^(steepness x loss) of a typical point of each cell, for input 2 at a typical `shift` (d,)."""
        loss, mass = _typical(shift, diagonal)
        exponent = steepness * loss
        exponent -= exponent.max(axis=1, keepdims=True)
        return cls(
            diagonal,
            np.where(shift > 0, -1.0, 1.0),
            exponent - np.log((mass * np.exp(exponent)).sum(axis=1, keepdims=True)),
        )

    def draw(self, many: int, rng: np.random.Generator) -> Floats:
        """Noise (many, d): plain noise, accepted with a probability in proportion to the factor of its cell."""
        out = plain_noise(many, self.diagonal, rng)
        accept = np.exp(self.log_factor - self.log_factor.max(axis=1, keepdims=True))
        rows, columns = np.nonzero(np.ones_like(out, dtype=bool))
        while len(rows):
            cell = np.searchsorted(EDGES, out[rows, columns] * self.sign[columns])
            missed = rng.random(len(rows)) > accept[columns, cell]
            rows, columns = rows[missed], columns[missed]
            one, two = rng.laplace(size=(2, len(rows)))
            out[rows, columns] = np.where(self.diagonal[columns], one, (one + two) / 2)
        return out

    def log_ratio(self, z: Floats) -> Floats:
        """log of the density of `draw` over that of plain noise at z (k, d): shape (k,)."""
        cell = np.searchsorted(EDGES, z * self.sign)
        return np.asarray(self.log_factor[np.arange(z.shape[1]), cell].sum(axis=1), dtype=float)


def steepness_for(shift: Floats, diagonal: NDArray[np.bool_], target: float) -> float:
    """The steepness at which the typical losses of the cells reach `target` on average, or nearly the largest there is."""
    loss, mass = _typical(shift, diagonal)

    def mean(s: float) -> float:
        weight = mass * np.exp(s * loss - (s * loss).max(axis=1, keepdims=True))
        return float(((weight * loss).sum(axis=1) / weight.sum(axis=1)).sum())

    aim = min(target, _NEARLY * float(loss.max(axis=1).sum()))
    low, high = 0.0, 1.0
    while mean(high) < aim and high < _STEEPEST:
        low, high = high, 2 * high
    for _ in range(30):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if mean(middle) < aim else (low, middle)
    return high


def _typical(shift: Floats, diagonal: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Losses at a point of each cell, counted outwards from input 2, and the cells' masses: (d, cells) each."""
    points = np.concatenate([[EDGES[0] - 0.7], (EDGES[1:] + EDGES[:-1]) / 2, [EDGES[-1] + 0.7]])
    size = np.abs(shift)[:, None]
    loss = entry_losses(points[None, :], -size, diagonal[:, None])
    beyond = (
        np.where(diagonal[:, None], np.exp(-np.abs(EDGES)), (1 + np.abs(EDGES)) * np.exp(-2 * np.abs(EDGES)))
        / 2
    )
    below = np.where(EDGES > 0, 1 - beyond, beyond)
    return loss, np.diff(np.pad(below, ((0, 0), (1, 1)), constant_values=((0, 0), (0, 1))), axis=1)
