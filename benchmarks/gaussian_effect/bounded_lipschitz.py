"""The bounded-Lipschitz distance: the largest |E f(X) - E f(Z)| over f with |f| <= 1 and |f(x) - f(y)| <= |x - y|.

By Kantorovich's duality it is the least mean of min(|x - y|, 2) over all couplings: functions with |f(x) - f(y)| <=
min(|x - y|, 2) are, but for a constant, the same.  (Meckes 2012 bounds the sum of both norms: that distance is smaller,
by a factor of at most 2.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from noiseproof.symbolic.arrays import Floats
from noiseproof.symbolic.errors import SpecError

from .inputs import line, positive, records, whole
from .line_distances import wasserstein_to_normal

CELLS = 400
CAP = 2.0


@dataclass(frozen=True)
class Interval:
    """A distance lies between `lower` and `upper`."""

    lower: float
    upper: float


def to_normal_on_line(values: ArrayLike, scale: float = 1.0, cells: int = CELLS) -> Interval:
    """The distance of the empirical law of `values` (n,) from N(0, scale^2), enclosed but for rounding.

    A linear programme gives it exactly between two laws of finitely many atoms; N(0, scale^2) is replaced by the middles of
    `cells` equally likely cells, long samples by the means of blocks.  Both moves cost at most their earth mover's
    distance, which is known and makes the interval.
    """
    from scipy.special import ndtri

    points, spread = line(values), positive(scale, "scale")
    middles = ndtri((np.arange(cells) + 0.5) / whole(cells, "cells", 2))
    moved = spread * wasserstein_to_normal(middles)
    if len(points) > cells:
        blocks = np.array_split(points, cells)
        moved += float(sum(np.abs(b - b.mean()).sum() for b in blocks) / len(points))
        points = np.array([b.mean() for b in blocks])
        weights = np.array([len(b) for b in blocks], dtype=float)
    else:
        weights = np.ones(len(points))
    found = _programme(points, weights / weights.sum(), spread * middles)
    return Interval(max(0.0, found - moved), min(CAP, found + moved))


def between_samples(A: ArrayLike, B: ArrayLike, scale: float = 1.0) -> float:
    """The exact distance of two empirical laws of equal size (n, p), by optimal assignment; `scale` multiplies both.

    For independent samples its mean is an upper bound of the distance of their laws, by Jensen's inequality.
    """
    from scipy.optimize import linear_sum_assignment
    from scipy.spatial.distance import cdist

    first, second = records(A, "A", 1), records(B, "B", 1)
    if first.shape != second.shape:
        raise SpecError(f"both samples must have one shape (n, p), got {first.shape} and {second.shape}")
    cost = np.minimum(cdist(first, second) * positive(scale, "scale"), CAP)
    return float(cost[linear_sum_assignment(cost)].mean())


def few_atoms_bound(atoms: int, p: int) -> float:
    """No law on `atoms` points of R^p is closer to N(0, I) than this, wherever the points are.

    f(x) = min(1, distance to the atoms) is 0 on them; a ball of radius r has at most the normal mass of the one around zero
    (Anderson 1955), so E f(Z) is at least the integral over r in [0, 1] of 1 - atoms P(|Z| <= r), cut at zero.
    """
    from scipy.stats import chi2

    number, dimension = whole(atoms, "atoms"), whole(p, "p")
    # Lower Riemann sum of a decreasing function.
    radii = np.linspace(0.0, 1.0, 2001)[1:]
    return float(np.mean(np.clip(1 - number * chi2.cdf(radii**2, dimension), 0.0, None)))


def witnessed(Z: ArrayLike, rng: np.random.Generator, error: float = 0.05, directions: int = 16) -> float:
    """With probability 1 - `error` the law that the rows of Z (n, p) are drawn from is at least this far from N(0, I).

    The largest gap over fixed functions of the class (clipped coordinates and norms), less Hoeffding's radius shared by all.
    """
    from scipy.special import ndtr
    from scipy.stats import chi

    rows = records(Z, "Z")
    n, p = rows.shape
    axes = rng.standard_normal((whole(directions, "directions"), p))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    views, norms = rows @ axes.T, np.linalg.norm(rows, axis=1)
    gaps: list[float] = []
    for centre in (-1.0, 0.0, 1.0):
        # E clip(Z - c, -1, 1) = 1 - the integral of Phi over [c - 1, c + 1].
        low, high = centre - 1, centre + 1
        area = (high * ndtr(high) + _density(high)) - (low * ndtr(low) + _density(low))
        gaps += list(np.abs(np.clip(views - centre, -1, 1).mean(axis=0) - (1 - area)))
        gaps += list(
            np.abs(np.clip(np.abs(views) - 1 - centre / 2, -1, 1).mean(axis=0) - _folded(1 + centre / 2))
        )
    for centre in np.sqrt(p) + np.array([-1.0, -0.5, 0.0, 0.5, 1.0]):
        radii = np.linspace(centre - 1, centre + 1, 2001)
        expected = 1 - np.trapezoid(chi.cdf(radii, p), radii)
        gaps.append(float(abs(np.clip(norms - centre, -1, 1).mean() - expected)))
    radius = np.sqrt(2 * np.log(2 * len(gaps) / positive(error, "error")) / n)
    return float(max(0.0, max(gaps) - radius))


def _density(x: float) -> float:
    return float(np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi))


def _folded(centre: float) -> float:
    """E clip(|Z| - centre, -1, 1) = 1 - the integral of P(|Z| <= r) over [centre - 1, centre + 1]."""
    from scipy.stats import chi

    radii = np.linspace(centre - 1, centre + 1, 2001)
    return float(1 - np.trapezoid(chi.cdf(radii, 1), radii))


def _programme(points: Floats, weights: Floats, middles: Floats) -> float:
    """The largest sum of f over the signed mass, |f| <= 1, steps of f no longer than the gaps."""
    from scipy.optimize import linprog
    from scipy.sparse import diags_array, vstack

    places = np.concatenate([points, middles])
    mass = np.concatenate([weights, np.full(len(middles), -1 / len(middles))])
    order = np.argsort(places, kind="stable")
    places, mass = places[order], mass[order]
    gaps, size = np.diff(places), len(places)
    steps: Any = diags_array([-np.ones(size - 1), np.ones(size - 1)], offsets=[0, 1], shape=(size - 1, size))
    stacked: Any = vstack([steps, -steps])
    solved = linprog(-mass, A_ub=stacked, b_ub=np.concatenate([gaps, gaps]), bounds=(-1, 1), method="highs")
    if solved.status != 0 or solved.fun is None:
        raise SpecError(f"the linear programme of the distance found no optimum: {solved.message}")
    return float(-solved.fun)
