"""Errors of adversaries of one record: floors for everyone, and what those with a prior attain."""

from __future__ import annotations

import itertools

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike
from scipy import integrate, special

from noiseproof.audit.studies.dataset_release.error_bounds import _NODES, _WEIGHTS
from noiseproof.mechanisms.dataset_noise import NullSpaceNoise
from noiseproof.symbolic.arrays import Floats
from noiseproof.symbolic.errors import SpecError
from noiseproof.symbolic.information.error_bounds import LowerBound, cramer_rao, van_trees
from noiseproof.symbolic.laws import catalogue as laws
from noiseproof.symbolic.privacy.pair import GaussianPair


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


def gaussian_two_point_error(mu: float, distance: float) -> float:
    """D^2 E[n(1 - n)], the exact error of the best adversary who knows that the record is one of two, separation mu = D/sigma."""

    def integrand(y: float) -> float:
        # Both densities times the posterior odds: n (1 - n) (p + q)/2.
        n = special.expit(mu * y)
        half = np.exp(-((y - mu / 2) ** 2) / 2) + np.exp(-((y + mu / 2) ** 2) / 2)
        return float(n * (1 - n) * half / (2 * np.sqrt(2 * np.pi)))

    end = mu / 2 + 12
    value, _ = integrate.quad(integrand, -end, end, epsabs=1e-13, epsrel=1e-11, limit=200, points=[0.0])
    return float(distance**2 * value)


def exact_delta_at_printed(mu: sp.Expr, delta: sp.Expr) -> sp.Expr:
    """The exact delta of the noise at the least epsilon that Theorem 2.5 allows, on the unit box; exact constants."""
    epsilon = mu * (1 + sp.sqrt(2 * sp.log(1 / delta)))
    return GaussianPair(mu).profile(epsilon)


def null_space_delta(alpha: ArrayLike, x: ArrayLike, other: ArrayLike) -> float | None:
    """1.0 if the null-space noise separates two records with certainty (alpha'x differs), None if this does not decide.

    The release shows alpha'x_i without noise: for no delta < 1 is it (epsilon, delta)-locally private.
    """
    a = np.asarray(alpha, dtype=float)
    gap = abs(float(a @ (np.asarray(x, dtype=float) - np.asarray(other, dtype=float))))
    return 1.0 if gap > 1e-9 * max(1.0, float(np.linalg.norm(a))) else None
