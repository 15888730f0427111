"""Integrals against Laplace noise: Gauss-Legendre on unit panels, whose edges hold every kink of the integrand."""

from __future__ import annotations

from functools import cache

import numpy as np

from noiseproof.symbolic.arrays import Floats

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(14)


def cdf(x: Floats, scale: float) -> Floats:
    """P(Laplace(scale) < x); a step at 0 for scale 0."""
    if scale == 0:
        return np.asarray(x > 0, dtype=float)
    tail = 0.5 * np.exp(-np.abs(x) / scale)
    return np.where(x < 0, tail, 1 - tail)


def pdf(x: Floats, scale: float) -> Floats:
    """Density of Laplace(scale)."""
    return np.asarray(np.exp(-np.abs(x) / scale) / (2 * scale))


@cache
def nodes(scale: float) -> tuple[Floats, Floats]:
    """Nodes (J,) and weights (J,) for integrals over Laplace(scale) noise, the density included; e^-40 is cut off."""
    reach = int(np.ceil(40 * scale)) + 4
    start = np.arange(-reach, reach).astype(np.float64)
    z, w = panel(start, start + np.float64(1))
    return z.ravel(), (w * pdf(z, scale)).ravel()


def panel(low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Nodes and weights (n, 14) on the intervals [low, high], each without a kink inside."""
    half = 0.5 * (high - low)[:, None]
    return 0.5 * (low + high)[:, None] + half * _NODES, half * _WEIGHTS
