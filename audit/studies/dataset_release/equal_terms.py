"""Laplace noise on equal terms with normal noise for Pi = I, and both made of the same normal numbers.

What "the same privacy guarantee" means decides which noise looks worse: at equal Cramer-Rao bounds Laplace noise has
twice the variance, although no unbiased adversary attains its bound; see `mechanisms.dataset_noise.laplace`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from ....mechanisms.dataset_noise import LaplaceNoise
from ....mechanisms.gaussian import OptimalGaussian
from ....symbolic.arrays import Floats
from ....symbolic.errors import SpecError

Terms = Literal["bound", "variance", "epsilon"]
TERMS: tuple[Terms, ...] = get_args(Terms)
NAMES: dict[Terms, str] = {
    "bound": "Laplace, equal Cramer-Rao bound",
    "variance": "Laplace, equal variance",
    "epsilon": "Laplace, equal epsilon",
}


@dataclass(frozen=True)
class LaplaceTerms:
    """Laplace noise of one `scale` b on `entries` p numbers, with what it forces on unbiased adversaries."""

    scale: float
    entries: int

    @property
    def bound(self) -> float:
        """p b^2: the Cramer-Rao bound on E|x_i - xhat_i|^2."""
        return self.entries * self.scale**2

    @property
    def raw_error(self) -> float:
        """2 p b^2: E|x_i - xbar_i|^2, the least error that an unbiased adversary attains from one response."""
        return 2 * self.bound


def noise_variance(lam: float) -> float:
    """The variance 1/sqrt(lambda) of each entry under Theorem 2.4 of Farokhi (2020) with Pi = I, lambda > 0."""
    if not (np.isfinite(lam) and lam > 0):
        raise SpecError(f"lambda is a finite number > 0, got {lam}")
    return float(lam**-0.5)


def laplace_on(terms: Terms, lam: float, widths: ArrayLike, delta: float = 1e-6) -> LaplaceTerms:
    """The Laplace noise on equal terms with the normal noise of this lambda on a box of `widths` (p,), all > 0.

    The widths matter for "epsilon" only: that of the normal noise at `delta`, by the exact curve.
    """
    if terms not in TERMS:
        raise SpecError(f"terms is one of {', '.join(TERMS)}, got {terms!r}")
    w = np.atleast_1d(np.asarray(widths, dtype=float))
    try:
        normal = OptimalGaussian(lam, (np.zeros(len(w)), w))
        noise = LaplaceNoise.matching(normal, terms, delta if terms == "epsilon" else None)
    except ValueError as error:
        raise SpecError(str(error)) from error
    return LaplaceTerms(float(noise.scales[0]), len(w))


def laplace_of_normal(g: ArrayLike) -> Floats:
    """Laplace numbers of scale one (variance two), increasing in the standard normal numbers g: noises of paired repeats."""
    z = np.asarray(g, dtype=float)
    # The tail by log_ndtr: 1 - Phi would round to zero.
    return np.asarray(-np.sign(z) * (np.log(2) + special.log_ndtr(-np.abs(z))), dtype=float)
