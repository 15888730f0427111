"""Distances on the line between a sample and N(0, 1), in closed form, and the same along many directions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from noiseproof.symbolic.arrays import Floats
from noiseproof.symbolic.errors import SpecError

from .inputs import line, records


def kolmogorov_to_normal(values: ArrayLike) -> float:
    """sup |F_n - Phi| over the line, exact for the empirical law of `values` (n,)."""
    return float(_largest_steps(line(values)[None])[0])


def wasserstein_to_normal(values: ArrayLike) -> float:
    """The integral of |F_n - Phi|, in units of `values` (n,): the earth mover's distance to N(0, 1), exact."""
    return float(_areas_between(line(values)[None])[0])


def sliced(Z: ArrayLike, directions: ArrayLike) -> tuple[Floats, Floats]:
    """Earth mover's and Kolmogorov distances (k,) to N(0, 1) of Z (n, p) along each row of `directions` (k, p)."""
    rows, along = records(Z, "Z"), np.asarray(directions, dtype=float)
    if along.ndim != 2 or along.shape[1] != rows.shape[1] or not (along.any(axis=1)).all():
        raise SpecError(
            f"directions must have shape (k, {rows.shape[1]}) and no zero row, got shape {along.shape}"
        )
    along = along / np.linalg.norm(along, axis=1, keepdims=True)
    views = np.sort((rows @ along.T).T, axis=1)
    return _areas_between(views), _largest_steps(views)


def _largest_steps(views: Floats) -> Floats:
    """Kolmogorov's distance of each sorted row (k, n)."""
    from scipy.special import ndtr

    at, n = ndtr(views), views.shape[1]
    steps = np.arange(n)
    return np.asarray(np.maximum(at - steps / n, (steps + 1) / n - at).max(axis=1), dtype=float)


def _areas_between(views: Floats) -> Floats:
    """The integral of |F_n - Phi| of each sorted row (k, n).

    Between two order statistics F_n is a constant c, and the integral of Phi is x Phi(x) + phi(x); where Phi crosses c
    the piece is split.
    """
    from scipy.special import ndtri

    n = views.shape[1]
    level = np.arange(1, n) / n
    left, right = views[:, :-1], views[:, 1:]
    middle = np.clip(ndtri(level), left, right)
    areas, inner = _area(views), _area(middle)
    pieces = level * (2 * middle - left - right) + areas[:, :-1] + areas[:, 1:] - 2 * inner
    # Below the least value Phi itself, above the largest 1 - Phi, which is Phi of the mirror image.
    return np.asarray(pieces.sum(axis=1) + areas[:, 0] + _area(-views[:, -1]), dtype=float)


def _area(x: Floats) -> Floats:
    """The integral of Phi from -infinity to x."""
    from scipy.special import ndtr

    return np.asarray(x * ndtr(x) + np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi), dtype=float)
