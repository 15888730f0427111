"""Problem 4: the least Tr I among noises on W with E|w|^2 at most theta; its multiplier is the rho of Problem 3."""

from __future__ import annotations

from typing import Any

import numpy as np

from noiseproof.mechanisms.optimal_noise.query import Query
from noiseproof.mechanisms.optimal_noise.result import OptimalNoise
from noiseproof.mechanisms.optimal_noise.solve import optimal_noise
from noiseproof.mechanisms.optimal_noise.supports import (
    Box,
    Disc,
    HalfLine,
    Interval,
    Support,
    WholeSpace,
    number,
)

_DIGITS = 1e-11


def gaussian_within(theta: float, query: Any = None, dimension: int = 1) -> OptimalNoise:
    """The optimum on R^m: normal with covariance theta A^{1/2}/Tr A^{1/2}, A = C C^T; its rho is (Tr A^{1/2}/theta)^2."""
    limit = _limit(theta)
    c = Query.of(
        query, dimension if query is None else np.atleast_2d(np.asarray(query, dtype=float)).shape[0]
    )
    rho = (float(np.trace(c.root)) / limit) ** 2
    return optimal_noise(WholeSpace(len(c.matrix)), rho, c.matrix)


def optimal_noise_within(
    support: Support, theta: float, query: Any = None, *, mesh_size: float | None = None, degree: int = 2
) -> OptimalNoise:
    """The noise on W of least Tr I with E|w|^2 <= theta, found as that of Problem 3 with the right rho (0 if slack).

    No noise with E|w|^2 <= theta has a Tr I below certificate.lower_bound - rho theta (weak duality).
    E|w|^2 falls as rho grows (it is the slope of the least cost, which is concave in rho).  ValueError if W does
    not come close enough to 0 for any noise to satisfy the bound.
    """
    from scipy.optimize import brentq

    limit = _limit(theta)
    if isinstance(support, WholeSpace):
        return gaussian_within(theta, query, support.dimension)
    nearest = _nearest(support)
    if limit <= nearest * (1 + 1e-9):
        raise ValueError(
            f"E|w|^2 <= {limit:g} is out of reach: every point of W has |w|^2 >= {nearest:g}, and a density that "
            "vanishes on the boundary stays above it. Raise theta, or choose W around 0"
        )

    def solved(rho: float) -> OptimalNoise:
        return optimal_noise(support, rho, query, mesh_size=mesh_size, degree=degree)

    if support.bounded:
        slack = solved(0.0)
        if slack.second_moment <= limit:
            return slack
    # On the whole space rho would be (Tr A^{1/2}/theta)^2; from there the bracket is widened.
    scale = float(np.trace(Query.of(query, support.dimension).root)) / (limit - nearest)

    def excess(t: float) -> float:
        return float(np.log(solved(scale**2 * np.exp(t)).second_moment / limit))

    low, high = -1.0, 1.0
    while excess(low) < 0:
        low -= 2 * (high - low)
        if low < -200:
            raise ValueError("no rho was found below which E|w|^2 exceeds theta")
    while excess(high) > 0:
        high += 2 * (high - low)
        if high > 60:
            raise ValueError("E|w|^2 <= theta was not reached: theta is too close to the least |w|^2 on W")
    t = brentq(excess, low, high, xtol=_DIGITS, rtol=1e-15)
    return solved(float(scale**2 * np.exp(t)))


def _limit(theta: float) -> float:
    limit = number(theta, "theta")
    if not limit > 0:
        raise ValueError(f"theta must be > 0, got {theta!r}: a noise without spread has infinite information")
    return limit


def _nearest(support: Support) -> float:
    """The least |w|^2 on W."""
    if isinstance(support, Interval):
        return max(float(support.lower), -float(support.upper), 0.0) ** 2
    if isinstance(support, HalfLine):
        return max(float(support.end) if support.upwards else -float(support.end), 0.0) ** 2
    if isinstance(support, WholeSpace):
        return 0.0
    if isinstance(support, Box):
        return sum(_nearest(side) for side in support.factors)
    if isinstance(support, Disc):
        return max(float(np.hypot(*support.centre)) - float(support.radius), 0.0) ** 2
    from noiseproof.mechanisms.optimal_noise.crouzeix_raviart import nearest_square
    from noiseproof.mechanisms.optimal_noise.meshing import coarse

    return float(nearest_square(coarse(support)[0]).min())
