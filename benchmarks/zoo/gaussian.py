"""y = x + normal noise, with the deviation of the classical Gaussian mechanism and with half of it."""

from __future__ import annotations

import numpy as np
from scipy import special

from noiseproof.mechanisms.black_box import BlackBox
from noiseproof.symbolic.arrays import Floats
from noiseproof.symbolic.privacy.guarantees import ApproxDP
from noiseproof.symbolic.privacy.pair import gaussian_epsilon

from .entry import EPSILON, ZooEntry

DELTA = 1e-5
SIGMA = float(np.sqrt(2 * np.log(1.25 / DELTA)) / EPSILON)


def _entry(name: str, sigma: float) -> ZooEntry:
    def release(data: float, size: int, rng: np.random.Generator) -> Floats:
        return np.asarray(data + rng.normal(0.0, sigma, size=size))

    def log_density(y: Floats, data: float) -> Floats:
        return np.asarray(
            -0.5 * ((np.ravel(y) - data) / sigma) ** 2 - np.log(sigma) - 0.5 * np.log(2 * np.pi)
        )

    def log_ratio(y: Floats) -> Floats:
        return np.asarray((np.ravel(y) - 0.5) / sigma**2)

    def rates() -> tuple[Floats, Floats]:
        t = np.linspace(-8.0, 8.0 + 1 / sigma, 8193)
        return np.asarray(special.ndtr(-t)), np.asarray(special.ndtr(1 / sigma - t))

    return ZooEntry(
        name,
        BlackBox(release, (0.0, 1.0), log_density, name=name),
        ApproxDP(EPSILON, DELTA),
        DELTA,
        gaussian_epsilon(1 / sigma, DELTA),
        log_ratio,
        rates,
    )


GAUSSIANS = (_entry("gauss_classic", SIGMA), _entry("gauss_half_sigma", SIGMA / 2))
