"""Exact statements about y = centre + scale * w, w of a known shape, from counts below fixed thresholds.

Write u_i = centre_i / scale for the two inputs and v = 1 / scale.  The probability that an outcome on input i is at
most t is F(v t - u_i), so its quantile transform v t - u_i is linear in (v, u_0, u_1), and an exact binomial bound on
a probability is a half-space of these three numbers.  Hence

- any weights with sum w = 1 on input 0, -1 on input 1 and sum w t = 0 give u_1 - u_0 = sum w_k F^{-1}(p_k): the
  distance of the centres in scales, bounded from below by one binomial bound per event (Clopper, Pearson 1934);
- if the half-spaces of many events have no common point, then no centres and no common scale explain the counts.

Both hold at every sample size.  The weights are chosen on other outcomes, by a linear programme; any choice is valid.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from .....symbolic.arrays import Floats

Ints = NDArray[np.intp]

_ROUNDING = 1e-9  # relative: covers the arithmetic of a bound
_LEVELS = np.array([0.004, 0.02, 0.06, 0.13, 0.23, 0.36, 0.5, 0.64, 0.77, 0.87, 0.94, 0.98, 0.996])


@dataclass(frozen=True)
class Shape:
    """A law symmetric about zero: its distribution function, quantiles, log density and deviation at scale one."""

    name: str
    word: str
    cdf: Callable[[Floats], Floats]
    quantile: Callable[[Floats], Floats]
    log_density: Callable[[Floats], Floats]
    deviation: float
    median: bool = False

    def fit(self, values: Floats) -> tuple[Floats, Floats]:
        """Centre and scale of each column of values (n, d), for choosing where to look; nothing rests on them."""
        if self.median:
            centre = np.median(values, axis=0)
            return centre, np.abs(values - centre).mean(axis=0)
        return values.mean(axis=0), values.std(axis=0) / self.deviation


def _laplace_quantile(p: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.where(p < 0.5, np.log(2 * p), -np.log(2 * (1 - p)))


SHAPES = {
    shape.name: shape
    for shape in (
        Shape(
            "laplace",
            "Laplace",
            lambda z: np.where(z < 0, 0.5 * np.exp(-np.abs(z)), 1 - 0.5 * np.exp(-np.abs(z))),
            _laplace_quantile,
            lambda z: -np.abs(z) - np.log(2),
            np.sqrt(2.0),
            median=True,
        ),
        Shape(
            "gaussian",
            "Gaussian",
            special.ndtr,
            special.ndtri,
            lambda z: -z * z / 2 - 0.5 * np.log(2 * np.pi),
            1.0,
        ),
        Shape(
            "logistic",
            "logistic",
            special.expit,
            special.logit,
            lambda z: -np.abs(z) - 2 * np.log1p(np.exp(-np.abs(z))),
            np.pi / np.sqrt(3.0),
        ),
    )
}


@dataclass(frozen=True)
class Weights:
    """A lower bound on u_1 - u_0: weight `w` (K,) of the quantile of P(y <= threshold) on the named input."""

    side: Ints
    threshold: Floats
    w: Floats

    def valid(self) -> bool:
        """Whether the weighted quantiles are u_1 - u_0 whatever centres and scale are."""
        t = self.threshold - self.threshold.mean()
        sums = np.array([self.w[self.side == 0].sum() - 1, self.w[self.side == 1].sum() + 1])
        largest = 1 + np.abs(self.w).max()
        return bool(np.isin(self.side, (0, 1)).all() and np.all(np.abs(sums) < 1e-9 * largest)) and bool(
            abs(self.w @ t) <= 1e-9 * largest * np.abs(t).max()
        )

    def bound(self, shape: Shape, below: ArrayLike, n: ArrayLike, alpha: float) -> Floats:
        """A number that exceeds u_1 - u_0 with probability at most alpha, -inf if there is none.

        `below` (..., K) of `n` (2,) outcomes on the inputs lie below the thresholds.
        """
        trials = np.asarray(n, dtype=float)[self.side]
        low, high = quantile_bounds(shape, below, trials, alpha / len(self.w))
        chosen = np.where(self.w > 0, low, high)
        certain = np.isfinite(chosen).all(axis=-1)
        chosen = np.where(np.isfinite(chosen), chosen, 0.0)
        total = (self.w * chosen).sum(axis=-1) - _ROUNDING * (np.abs(self.w) * (1 + np.abs(chosen))).sum(
            axis=-1
        )
        return np.asarray(np.where(certain, total, -np.inf), dtype=float)


def binomial_bounds(k: ArrayLike, n: ArrayLike, alpha: float) -> tuple[Floats, Floats]:
    """Clopper-Pearson bounds on a probability, each wrong with probability at most alpha."""
    k, n = np.asarray(k, dtype=float), np.asarray(n, dtype=float)
    low = np.where(k > 0, special.betaincinv(np.where(k > 0, k, 1.0), n - k + 1, alpha), 0.0)
    high = np.where(k < n, special.betaincinv(k + 1, np.where(k < n, n - k, 1.0), 1 - alpha), 1.0)
    return low, high


def quantile_bounds(shape: Shape, k: ArrayLike, n: ArrayLike, alpha: float) -> tuple[Floats, Floats]:
    """The same bounds on the quantile transform of the probability."""
    low, high = binomial_bounds(k, n, alpha)
    return shape.quantile(low), shape.quantile(high)


def thresholds(shape: Shape, centres: ArrayLike, scale: float) -> Floats:
    """Where to count on both inputs: quantiles of both laws and the middle between the centres."""
    c = np.asarray(centres, dtype=float)
    z = shape.quantile(_LEVELS)
    return np.sort(np.concatenate([c[0] + scale * z, c[1] + scale * z, [c.mean()]]))


def best_weights(
    shape: Shape, centres: ArrayLike, scale: float, at: Floats, n: float, alpha: float
) -> Weights | None:
    """The weights with the largest bound that n outcomes per input are expected to give; None if none is finite."""
    from scipy.optimize import linprog

    c = np.asarray(centres, dtype=float)
    side, at = np.repeat([0, 1], len(at)), np.tile(at, 2)
    t = (at - c.mean()) / scale  # weights do not depend on the unit
    p = shape.cdf((at - c[side]) / scale)
    low, high = quantile_bounds(shape, n * p, n, alpha / 3)
    sums, target = np.stack([side == 0, side == 1, t]), np.array([1.0, -1.0, 0.0])
    # An event enters with a positive weight on its lower bound or a negative one on its upper bound.
    gain, usable = np.concatenate([low, -high]), np.isfinite(np.concatenate([low, high]))
    found = linprog(
        -gain[usable], A_eq=np.concatenate([sums, -sums], axis=1)[:, usable], b_eq=target, method="highs"
    )
    if found.x is None:
        return None
    parts = np.zeros(len(gain))
    parts[usable] = found.x
    w = parts[: len(at)] - parts[len(at) :]
    keep = np.abs(w) > 1e-7
    kept, w = sums[:, keep], w[keep]
    weights = Weights(side[keep], at[keep], w + np.linalg.pinv(kept) @ (target - kept @ w))
    return weights if weights.valid() else None


def explained(shape: Shape, at: Floats, below: Floats, n: Floats, alpha: float) -> bool:
    """False if no centres and no common scale explain how many of n (2,) outcomes lie below the thresholds, `below` (2, T).

    Says False of outcomes that have them with probability at most alpha.
    """
    from scipy.optimize import linprog

    low, high = quantile_bounds(shape, below, n[:, None], alpha / (2 * below.size))
    t = (at - at.mean()) / max(float(np.ptp(at)), 1e-300)
    rows = [np.stack([t, -(i == 0) * np.ones_like(t), -(i == 1) * np.ones_like(t)], axis=1) for i in (0, 1)]
    a = np.concatenate(rows)
    upper, lower = np.isfinite(high.ravel()), np.isfinite(low.ravel())
    sides = np.concatenate([a[upper], -a[lower]])
    limits = np.concatenate([high.ravel()[upper], -low.ravel()[lower]])
    found = linprog(
        np.zeros(3), A_ub=sides, b_ub=limits + _ROUNDING, bounds=[(0, None), (None, None), (None, None)]
    )
    return bool(found.status != 2)
