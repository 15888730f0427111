"""How often the objective perturbed as Pathak and Raj (2010) print it has a minimiser at all: at most half of the time.

It has one if lambda I_Phi + (b + b')/2 is positive definite, and none if that has a negative direction; the data do not matter.
The corner of the noise decides alone in half of all draws.  The probability depends on d and epsilon lambda only, grows with
epsilon lambda, and tends to 1/2; as epsilon lambda falls to 0 it tends to that of a Gaussian orthogonal matrix.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from margin_trials.perturbed import printed_noise
from noiseproof.audit.trial.attack.event_bound import clopper_pearson
from noiseproof.symbolic.arrays import Floats
from noiseproof.symbolic.errors import SpecError

# P[a Gaussian orthogonal matrix of order d + 1 is positive definite], d = 1, 2 (Dedieu, Malajovich 2008).
WITHOUT_PRICE = {1: (2 - sp.sqrt(2)) / 4, 2: (sp.pi - 2 * sp.sqrt(2)) / (4 * sp.pi)}


@dataclass(frozen=True)
class Existence:
    """Of `draws` noises `found` left a minimiser; `low`, `high` is the exact interval of the probability (error `alpha`)."""

    dimension: int
    epsilon: float
    price: float
    found: int
    draws: int
    low: float
    high: float

    @property
    def rate(self) -> float:
        """The share of draws with a minimiser."""
        return self.found / self.draws


def definite(noise: Floats, price: float) -> NDArray[np.bool_]:
    """Whether price I_Phi + (b + b')/2 is positive definite in floating point, for noises (B, k, k), shape (B,)."""
    shifted = (noise + np.swapaxes(noise, -1, -2)) / 2
    inner = np.arange(noise.shape[-1] - 1)
    shifted[:, inner, inner] += price
    return np.asarray(np.linalg.eigvalsh(shifted)[:, 0] > 0)


def existence(
    d: int, epsilon: float, price: float, draws: int = 10_000, seed: int = 0, alpha: float = 0.05
) -> Existence:
    """The rate of noises for which the printed objective has a minimiser, for d features."""
    if draws < 1:
        raise SpecError(f"expected at least one draw, got {draws}")
    if not (np.isfinite(price) and price > 0):
        raise SpecError(f"the price lambda is a finite number > 0, got {price}")
    found = int(definite(printed_noise(d, epsilon, draws, np.random.default_rng(seed)), price).sum())
    return Existence(d, epsilon, price, found, draws, *clopper_pearson(found, draws, alpha))
