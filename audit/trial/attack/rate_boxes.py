"""Exact confidence boxes for the rates of several events on two inputs, and a privacy curve that is a lower confidence bound.

All boxes hold together with probability 1 - error, so that whatever is read off them, at every epsilon and every
delta, needs no further correction.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from ....symbolic.arrays import Floats


@dataclass(frozen=True)
class RateBoxes:
    """Rates q on input 0 and p on input 1 of J events, with Clopper-Pearson ends, each (J,)."""

    q: Floats
    q_low: Floats
    q_high: Floats
    p: Floats
    p_low: Floats
    p_high: Floats

    @classmethod
    def of(cls, k0: Floats, n0: float | Floats, k1: Floats, n1: float | Floats, error: float) -> RateBoxes:
        """From k0 of n0 and k1 of n1 outcomes in each event; `error` is split evenly over all ends."""
        each = error / (4 * max(len(k0), 1))
        return cls(k0 / n0, *_ends(k0, n0, each), k1 / n1, *_ends(k1, n1, each))

    def corners(self) -> tuple[Floats, Floats]:
        """(P, Q), confidence bounds from below and from above, for every event and its complement in both orders."""
        return (
            np.concatenate([self.p_low, 1 - self.q_high, self.q_low, 1 - self.p_high]),
            np.concatenate([self.q_high, 1 - self.p_low, self.p_high, 1 - self.q_low]),
        )

    def sharpest(self, epsilon: float) -> tuple[int, bool, int]:
        """The event that reaches the largest delta at this epsilon: its place, whether its complement does, which input is P."""
        p, q = self.corners()
        block, place = divmod(int(np.argmax(p - np.exp(min(epsilon, 700.0)) * q)), len(self.q))
        return place, block in (1, 3), int(block in (0, 3))

    def delta(self, epsilon: ArrayLike) -> Floats:
        """For each epsilon a lower confidence bound on delta, shape of epsilon."""
        eps = np.atleast_1d(np.asarray(epsilon, dtype=float))[:, None]
        p, q = self.corners()
        return np.asarray(
            np.maximum(0.0, p - np.exp(np.minimum(eps, 700.0)) * q).max(axis=1, initial=0.0), dtype=float
        )

    def seen_delta(self, epsilon: ArrayLike) -> Floats:
        """For each epsilon the delta of the observed rates, without any error."""
        return RateBoxes(self.q, self.q, self.q, self.p, self.p, self.p).delta(epsilon)

    def epsilon(self, delta: float) -> float:
        """A lower confidence bound on epsilon at this delta, 0 if there is none."""
        p, q = self.corners()
        with np.errstate(divide="ignore", invalid="ignore"):
            reached = np.log(np.maximum(p - delta, 0.0) / q)
        return float(np.max(reached, initial=0.0, where=np.isfinite(reached)))


def _ends(k: Floats, n: float | Floats, error: float) -> tuple[Floats, Floats]:
    """Clopper-Pearson ends, each with this error."""
    low = np.where(k > 0, special.betaincinv(np.maximum(k, 1e-9), n - k + 1, error), 0.0)
    high = np.where(k < n, special.betaincinv(k + 1, np.maximum(n - k, 1e-9), 1 - error), 1.0)
    return np.asarray(low, dtype=float), np.asarray(high, dtype=float)
