"""A plain private synthesiser to compare with: normal columns without any correlation, on the unit sphere."""

from __future__ import annotations

import numpy as np

from ....mechanisms.ron_gauss import on_sphere
from ....symbolic.arrays import Floats


def independent_columns(
    X: Floats, epsilon_mean: float, epsilon_squares: float, size: int, rng: np.random.Generator
) -> Floats:
    """Synthetic records (size, m) from independent normal columns; X (n, m) is put on the sphere first, n is public.

    (epsilon_mean + epsilon_squares)-private when one record is replaced.  The column means have the L1 sensitivity
    2 sqrt(m)/n; the means of the squares lie on the simplex, where two points are at most 2 apart: 2/n, whatever m is.
    """
    rows = on_sphere(X)
    n, m = rows.shape
    mean = rows.mean(axis=0) + rng.laplace(scale=2 * np.sqrt(m) / (n * epsilon_mean), size=m)
    scale = 2 / (n * epsilon_squares)
    squares = (rows**2).mean(axis=0) + rng.laplace(scale=scale, size=m)
    # Below its own noise a variance is not known.  Both lines are post-processing.
    variance = np.maximum(squares - mean**2, scale)
    return np.asarray(mean + np.sqrt(variance) * rng.standard_normal((size, m)))
