"""Figure 2 of Farokhi and Sandberg (2019), and the exact delta of normal noise as a ball."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from flint import arb
from numpy.typing import ArrayLike, NDArray

from .....symbolic.arrays import Floats
from .....symbolic.privacy.pair import gaussian_delta


def exact_delta(epsilon: arb, mu: arb) -> arb:
    """A ball around the exact delta of N(0, 1) against N(mu, 1) at epsilon."""
    root = arb(2).sqrt()
    upper = ((epsilon / mu - mu / 2) / root).erfc() / 2
    return upper - epsilon.exp() * ((epsilon / mu + mu / 2) / root).erfc() / 2


@dataclass(frozen=True)
class Figure2:
    """Figure 2 as arrays: `epsilon` (k,), `delta` (l,), and (k, l) grids of what holds there.

    `white`: condition (16) with ratio 1 (1 yes, 0 no, -1 not defined: delta > 1/2).  `private`: whether the noise meant
    by the ratio theta/S = 1 (variance S) is (epsilon, delta)-private at this sensitivity, by the exact curve.
    `private_deviation`: the same for the corrected ratio sqrt(theta)/S = 1, which needs no sensitivity.
    """

    epsilon: Floats
    delta: Floats
    white: NDArray[np.int8]
    private: NDArray[np.bool_]
    private_deviation: NDArray[np.bool_]

    def broken(self) -> NDArray[np.bool_]:
        """White points with delta <= 1/2 whose noise is not as private as the caption says."""
        return np.asarray((self.white == 1) & ~self.private, dtype=np.bool_)


def white_boundary(epsilon: ArrayLike, ratio: float = 1.0) -> Floats:
    """The least delta at which condition (16) holds for theta/S = ratio, nan where it holds for no delta <= 1/2."""
    e = np.asarray(epsilon, dtype=float)
    k = e * ratio - np.sqrt(e / 2)
    return np.where(k >= 0, np.exp(-(k**2) / 2) / 2, np.nan)


def figure_2(points: int = 121, sensitivity: float = 1.0, lower: float = 1e-3, upper: float = 1.0) -> Figure2:
    """The grid of figure 2, logarithmic on both axes between `lower` and `upper`."""
    if points < 2 or not 0 < lower < upper or not sensitivity > 0:
        raise ValueError("figure 2 needs points >= 2, 0 < lower < upper and sensitivity > 0")
    axis = np.geomspace(lower, upper, points)
    e, d = axis[:, None], axis[None, :]
    with np.errstate(invalid="ignore"):
        ratio = np.sqrt(2 * np.log(1 / (2 * np.minimum(d, 0.5)))) / e + 1 / np.sqrt(2 * e)
    white = np.where(d > 0.5, -1, np.where(ratio <= 1, 1, 0)).astype(np.int8)
    printed, deviation = (gaussian_delta(mu, axis)[:, None] <= d for mu in (math.sqrt(sensitivity), 1.0))
    return Figure2(axis, axis, white, printed, deviation)
