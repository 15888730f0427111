"""Lower bounds on E|x_i - xhat_i|^2 for each record of a released data set, by what the adversary knows.

Independent noise: no unbiased adversary gains from the other records.  Null-space noise: the release shows alpha'x_i of
every record and sum_i omega_i y_i x_i without noise; on what is left it is normal with information I/m.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from ....mechanisms.dataset_noise import NullSpaceNoise
from ....symbolic.arrays import Floats
from ....symbolic.errors import SpecError
from ....symbolic.information.error_bounds import LowerBound, cramer_rao, van_trees
from ....symbolic.laws import catalogue as laws

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


def null_space_bound(noise: NullSpaceNoise, record: int) -> LowerBound:
    """The unbiased bound of one record by the Cramer-Rao inequality along the null space; for small q p only.

    x = x_0 + Psi v with information I/m about v: a regular family on what the noise hides; record i is e_i'x.
    """
    q, p = len(noise.coefficients), len(noise.direction)
    if q * p > 60:
        raise SpecError(f"exact matrices are for q p <= 60, got {q * p}: use null_space_bounds")
    basis = np.linalg.svd(np.array([noise.project(e.reshape(q, p)).ravel() for e in np.eye(q * p)]))[0]
    psi = basis[:, : (q - 1) * (p - 1)]
    rows = psi[record * p : (record + 1) * p]
    return cramer_rao(np.eye(psi.shape[1]) / noise.m, contrast=rows)


def bounded_minimax(covariance: ArrayLike, widths: ArrayLike) -> float:
    """A floor for every adversary, biased or not, in the worst case over a box of these widths (p,): van Trees, cosine-squared priors.

    Sum of 1/(1/V_jj + 4 pi^2/w_j^2) for diagonal V (p, p); at most the quarter of the squared diagonal of the box.
    """
    v, w = np.atleast_2d(np.asarray(covariance, dtype=float)), np.atleast_1d(np.asarray(widths, dtype=float))
    if np.count_nonzero(v - np.diag(np.diag(v))) or v.shape != (len(w), len(w)) or np.any(w <= 0):
        raise SpecError("expected a diagonal covariance (p, p) and p widths > 0")
    pairs = dict.fromkeys(zip(np.diag(v).tolist(), w.tolist(), strict=True))
    one = {
        pair: van_trees(float(1 / pair[0]), laws.cosine_squared(-pair[1] / 2, pair[1] / 2)).numeric
        for pair in pairs
    }
    return float(sum(one[pair] or 0.0 for pair in zip(np.diag(v).tolist(), w.tolist(), strict=True)))


def normal_prior_error(variance: float, prior_variance: float) -> float:
    """The error per entry of the best adversary with prior N(., t^2) against noise of variance s^2: t^2 s^2/(t^2 + s^2)."""
    return variance * prior_variance / (variance + prior_variance)


def uniform_prior_error(variance: float, width: float) -> float:
    """The error per entry of the posterior mean under a uniform prior of this width, normal noise; by quadrature, to 1e-9 relative.

    The best that an adversary who knows only the bounds attains on average over them; at most min(variance, width^2/12).
    """
    if not (variance > 0 and width > 0):
        raise SpecError(f"expected variance and width > 0, got {variance} and {width}")
    s, h = np.sqrt(variance), width / 2
    ends = np.array([-h - 10 * s, -h + min(10 * s, h), h - min(10 * s, h), h + 10 * s])
    total = 0.0
    for a, b in itertools.pairwise(ends):
        if b <= a:
            continue
        y = (a + b) / 2 + (b - a) / 2 * _NODES
        mass = (special.ndtr((y + h) / s) - special.ndtr((y - h) / s)) / width
        total += float((b - a) / 2 * np.sum(_WEIGHTS * mass * posterior_variance(y, s, h)))
    return total


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


def posterior_variance(y: ArrayLike, deviation: float, half: float) -> Floats:
    """Var[x | y] of the same, by Gauss-Legendre quadrature over the part of the interval within 12 deviations of y."""
    z = np.asarray(y, dtype=float)[:, None]
    low = np.clip(z - 12 * deviation, -half, half)
    high = np.clip(z + 12 * deviation, -half, half)
    t = (low + high) / 2 + (high - low) / 2 * _NODES
    # The largest weight is one, so that no row underflows as a whole.
    exponent = -((z - t) ** 2) / (2 * deviation**2)
    weight = _WEIGHTS * np.exp(exponent - exponent.max(axis=1, keepdims=True))
    weight /= weight.sum(axis=1, keepdims=True)
    mean = (weight * t).sum(axis=1, keepdims=True)
    return np.asarray((weight * (t - mean) ** 2).sum(axis=1), dtype=float)
