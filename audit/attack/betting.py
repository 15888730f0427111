"""Bets against a privacy claim: capital that a true claim lets grow past 1/alpha with probability at most alpha, ever.

A pair is one outcome of either input.  With x, y telling whether they fall into the event, a claim
P(E) <= e^epsilon Q(E) + delta makes the payoff x - e^epsilon y - delta worth nothing on average, so that
1 + fraction * payoff, multiplied over the pairs, is a nonnegative supermartingale: by Ville's inequality one may look
at it as often as one likes (Shafer and Vovk 2019; Waudby-Smith and Ramdas 2024).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

_FRACTIONS = np.linspace(0.02, 0.98, 49)  # of the largest fraction that cannot go bankrupt


@dataclass(frozen=True)
class PairCounts:
    """How many pairs fall into the event on both sides, under P only, under Q only, on neither."""

    both: float = 0.0
    only_p: float = 0.0
    only_q: float = 0.0
    neither: float = 0.0

    @classmethod
    def of(cls, x: NDArray[np.bool_], y: NDArray[np.bool_]) -> PairCounts:
        """From memberships under P and under Q, pair by pair, shapes (n,)."""
        both, p, q = (float(np.count_nonzero(v)) for v in (x & y, x, y))
        return cls(both, p - both, q - both, len(x) - p - q + both)

    def __add__(self, other: PairCounts) -> PairCounts:
        return PairCounts(*(a + b for a, b in zip(vars(self).values(), vars(other).values(), strict=True)))

    def array(self) -> Floats:
        """The four counts (4,)."""
        return np.array([self.both, self.only_p, self.only_q, self.neither])


def payoffs(epsilon: ArrayLike, delta: ArrayLike) -> Floats:
    """Payoff of each kind of pair, in the order of `PairCounts`, shape (..., 4)."""
    ratio, d = np.broadcast_arrays(np.exp(np.asarray(epsilon, dtype=float)), np.asarray(delta, dtype=float))
    each = np.stack([1 - ratio, np.ones_like(ratio), -ratio, np.zeros_like(ratio)], axis=-1)
    return np.asarray(each - d[..., None], dtype=float)


def log_capital(counts: Floats, epsilon: ArrayLike, delta: ArrayLike, fraction: ArrayLike) -> Floats:
    """Log capital after pairs counted (..., 4), `fraction` relative to the largest that cannot go bankrupt."""
    pay = payoffs(epsilon, delta)
    stake = np.asarray(fraction, dtype=float) / (
        np.exp(np.asarray(epsilon, dtype=float)) + np.asarray(delta, dtype=float)
    )
    return np.asarray((counts * np.log1p(stake[..., None] * pay)).sum(axis=-1), dtype=float)


def best_fraction(p: ArrayLike, q: ArrayLike, epsilon: ArrayLike, delta: ArrayLike) -> tuple[Floats, Floats]:
    """The fraction that makes capital grow fastest if the event has rates p and q, and that growth per pair; broadcast.

    Fraction 0 and growth 0 where nothing is to be won.
    """
    p, q, epsilon, delta = np.broadcast_arrays(*(np.asarray(v, dtype=float) for v in (p, q, epsilon, delta)))
    cells = np.stack([p * q, p * (1 - q), (1 - p) * q, (1 - p) * (1 - q)], axis=-1)
    growth = log_capital(cells[..., None, :], epsilon[..., None], delta[..., None], _FRACTIONS)
    best = np.argmax(growth, axis=-1)
    top = np.take_along_axis(growth, best[..., None], axis=-1)[..., 0]
    return np.where(top > 0, _FRACTIONS[best], 0.0), np.maximum(top, 0.0)


def pairs_needed(p: float, q: float, epsilon: float, delta: float, alpha: float) -> float:
    """The expected number of pairs after which the best bet on a known event has multiplied its capital by 1/alpha."""
    _, growth = best_fraction(p, q, epsilon, delta)
    return float(np.log(1 / alpha) / growth) if growth > 0 else float("inf")
