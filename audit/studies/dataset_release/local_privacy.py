"""(epsilon, delta)-local privacy of a released record by the exact curve, under a stated domain of records.

Without a bounded domain no additive noise is (epsilon, delta)-locally private for delta < 1: x - x' grows without limit.
Theorem 2.5 of Farokhi (2020) names no domain; its norm max |A x|_2/|x|_inf fits entries that differ by at most one.
"""

from __future__ import annotations

import itertools

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike
from scipy import optimize

from ....symbolic.errors import SpecError
from ....symbolic.privacy.normal_tail import tail_steps
from ....symbolic.privacy.pair import GaussianPair, Phi, gaussian_delta
from ....symbolic.proof.as_written import applied, difference, power, quotient
from ....symbolic.proof.derivation import Derivation, Step
from ....symbolic.proof.symmetric_matrix import SymmetricMatrix

_CORNERS = 18


def separation(covariance: ArrayLike, widths: ArrayLike) -> float:
    """max |V^{-1/2} (x - x')|_2 over records whose entries j differ by at most widths[j]; V (p, p) positive definite.

    The maximum of a convex function lies at a corner; for diagonal V it is closed, else corners are enumerated (p <= 18).
    """
    w = np.atleast_1d(np.asarray(widths, dtype=float))
    try:
        v = SymmetricMatrix.positive_definite("covariance", covariance).values
    except ValueError as error:
        raise SpecError(str(error)) from None
    if v.shape != (len(w), len(w)):
        raise SpecError(
            f"expected a positive definite covariance of {len(w)} x {len(w)}, got shape {v.shape}"
        )
    if not np.all(np.isfinite(w) & (w >= 0)) or not np.any(w > 0):
        raise SpecError(
            "widths are finite, >= 0 and not all zero: without a bounded domain there is no epsilon"
        )
    if np.count_nonzero(v - np.diag(np.diag(v))) == 0:
        return float(np.sqrt(np.sum(w**2 / np.diag(v))))
    if len(w) > _CORNERS:
        raise SpecError(
            f"corners are enumerated for at most {_CORNERS} entries, got {len(w)}: use a diagonal Pi"
        )
    signs = np.array(list(itertools.product((1.0, -1.0), repeat=len(w) - 1)))
    corners = np.column_stack([np.ones(len(signs)), signs]) * w
    return float(np.sqrt(np.max(np.einsum("ij,ij->i", corners, np.linalg.solve(v, corners.T).T))))


def gaussian_mu(epsilon: float, delta: float) -> float:
    """The largest mu for which N(0,1) against N(mu,1) is (epsilon, delta)-private: the noise exactly needed."""
    _probability(delta)
    if not (np.isfinite(epsilon) and epsilon >= 0):
        raise SpecError(f"epsilon is a finite number >= 0, got {epsilon}")
    high = 1.0
    while float(gaussian_delta(high, epsilon)) < delta:
        high *= 2
    return float(
        optimize.brentq(lambda m: float(gaussian_delta(m, epsilon)) - delta, 1e-12, high, xtol=1e-14)
    )


def printed_norm(weight: ArrayLike, lam: float) -> float:
    """lambda^{1/4} max_x |Pi^{1/4} x|_2/|x|_inf for Pi (p, p), p <= 18: the separation on the unit box."""
    pi = np.atleast_2d(np.asarray(weight, dtype=float))
    values, vectors = np.linalg.eigh(pi)
    if values[0] <= 0:
        raise SpecError("Pi is symmetric positive definite")
    covariance = vectors @ np.diag(values**-0.5) @ vectors.T / np.sqrt(lam)
    return separation((covariance + covariance.T) / 2, np.ones(len(pi)))


def printed_epsilon(norm: float, delta: float) -> float:
    """The least epsilon that Theorem 2.5 allows: norm (1 + sqrt(2 ln(1/delta)))."""
    _probability(delta)
    return float(norm * (1 + np.sqrt(-2 * np.log(delta))))


def printed_condition_small() -> Derivation:
    """On the unit box the condition of Theorem 2.5 is enough whenever its norm mu is at most 2, for every delta in (0, 1)."""
    t, u, gap, extra = sp.symbols("t u g r", nonnegative=True)
    mu, eps, delta = sp.symbols("mu epsilon delta", positive=True)
    root = sp.sqrt(2 * sp.log(1 / delta))
    steps = (
        *GaussianPair(mu).steps(),
        Step(
            difference(GaussianPair(mu).profile(eps), Phi(mu / 2 - eps / mu)),
            "=",
            -sp.exp(eps) * Phi(-mu / 2 - eps / mu),
            "the second term of the exact curve only takes away: delta(epsilon) <= Phi(mu/2 - epsilon/mu)",
        ),
        Step(
            difference(mu / 2, quotient(mu * (1 + t) + mu * extra, mu)),
            "=",
            mu / 2 - 1 - t - extra,
            "at any epsilon >= mu (1 + t) the argument is at most mu/2 - 1 - t",
        ),
        Step((2 - gap) / 2 - 1 - t, "<=", -t, "which is at most -t for mu = 2 - g <= 2"),
        *tail_steps(t, u, "so that Phi(-t) <= exp(-t^2/2)/2 for t >= 0"),
        Step(
            quotient(applied(sp.exp, -quotient(power(root, 2), 2)), 2),
            "=",
            delta / 2,
            "at t = sqrt(2 ln(1/delta)) this is delta/2",
        ),
    )
    return Derivation(
        "norm <= 2 and norm (1 + sqrt(2 ln(1/delta))) <= epsilon are enough on the unit box",
        steps,
        ("Neyman-Pearson: the exact curve of two normal laws",),
    )


def _probability(delta: float) -> None:
    if not 0 < delta < 1:
        raise SpecError(f"delta lies in (0, 1), got {delta}")
