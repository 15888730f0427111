"""Lower bounds on E|x_i - xhat_i|^2 for each record of a released data set, by what the adversary knows.

Independent noise: no unbiased adversary gains from the other records.  Null-space noise: the release shows alpha'x_i of
every record and sum_i omega_i y_i x_i without noise; on what is left it is normal with information I/m.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from ....mechanisms.dataset_noise import NullSpaceNoise
from ....symbolic.arrays import Floats
from ....symbolic.errors import SpecError
from ....symbolic.information.error_bounds import LowerBound, cramer_rao

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(200)


@dataclass(frozen=True, eq=False)
class RecordBounds:
    """Least errors per record (q,): `unbiased` knows nothing else, `informed` knows all other records; both are attained.

    `pseudo_inverse` is what the block of the singular matrix Psi Psi'/m gives if it is inverted by its pseudo-inverse, as
    the middle term of (13) in Farokhi (2020) asks for: no bound, the raw release lies below it where a share is positive.
    """

    unbiased: Floats
    informed: Floats
    pseudo_inverse: Floats

    @property
    def unprotected(self) -> NDArray[np.intp]:
        """Indices of the records that someone who knows all others recovers exactly."""
        return np.flatnonzero(self.informed == 0)


def independent_bound(covariance: ArrayLike, weight: ArrayLike | None = None) -> LowerBound:
    """Tr(Pi V) for independent N(0, V) noise (p, p): the error of every record, whatever else is known; xbar_i attains it."""
    v = np.atleast_2d(np.asarray(covariance, dtype=float))
    if v.ndim != 2 or v.shape[0] != v.shape[1] or np.linalg.eigvalsh((v + v.T) / 2)[0] <= 0:
        raise SpecError(f"expected a positive definite covariance (p, p), got shape {v.shape}")
    return cramer_rao(np.linalg.inv(v), weight=weight)


def trace_bound(covariance: ArrayLike, weight: ArrayLike | None = None) -> float:
    """1/Tr(Pi^{-1} I) for independent normal noise: the weaker bound that the optimisation of (8) maximises."""
    information = np.linalg.inv(np.atleast_2d(np.asarray(covariance, dtype=float)))
    pi = np.eye(len(information)) if weight is None else np.atleast_2d(np.asarray(weight, dtype=float))
    return float(1 / np.trace(np.linalg.solve(pi, information)))


def null_space_bounds(noise: NullSpaceNoise) -> RecordBounds:
    """m (p - 1)(1 - c_i^2) against those who know the noise only; 0 for support vectors, else m (p - 1), if all others are known.

    The bounds hold for unbiased adversaries who know Omega, which anyone computes from the release itself; Pi = I.
    """
    with np.errstate(divide="ignore"):
        free = noise.errors().max() / (1 - noise.shares[np.argmax(noise.errors())])
        printed = np.where(noise.shares < 1, free / (1 - noise.shares), 0.0)
    return RecordBounds(noise.errors(), noise.errors_given_others(), printed)


def posterior_mean(y: ArrayLike, deviation: float | Floats, half: float | Floats) -> Floats:
    """E[x | y] for x uniform on [-half, half] and y = x + N(0, deviation^2): the mean of a normal law cut to the interval."""
    z = np.asarray(y, dtype=float)
    a, b = (-half - z) / deviation, (half - z) / deviation
    # By symmetry both ends are taken on the side where the tails do not cancel.
    flip = np.where(a + b > 0, -1.0, 1.0)
    low, high = np.where(flip < 0, -b, a), np.where(flip < 0, -a, b)
    with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
        log_mass = special.log_ndtr(high) + np.log1p(-np.exp(special.log_ndtr(low) - special.log_ndtr(high)))
        log_phi = -0.5 * np.log(2 * np.pi)
        shift = np.exp(log_phi - low**2 / 2 - log_mass) - np.exp(log_phi - high**2 / 2 - log_mass)
    inside = z + deviation * flip * shift
    return np.asarray(np.clip(np.where(np.isfinite(inside), inside, np.clip(z, -half, half)), -half, half))
