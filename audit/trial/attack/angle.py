"""Exact lower bounds on Fisher information from counts: events that move too fast with the parameter.

Between parameters theta and theta + h, whatever is observed, the Bhattacharyya angle obeys
arccos sum_j sqrt(p_j q_j) <= (1/2) integral of sqrt(I): the information is a speed, the angle a distance
(Rao 1945; it sharpens (dP(E)/dtheta)^2 / (P(1-P)) <= I to finite steps).  A lower confidence bound on the angle of two
histograms therefore bounds the information of the code from below, with no assumption on tails.

The bound inverts an e-value: prior-averaged likelihood over the largest likelihood with angle <= c.  The latter is a
concave problem; for every multiplier lam its Lagrangian dual G(lam) - lam cos(c) is an upper bound, so that
cos(angle) >= (log(1/alpha) - log numerator + G(lam)) / lam rejects, for the best lam, at no cost.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from ....symbolic.arrays import Floats

_LOG_MULTIPLIERS = (np.log(1e-3), np.log(1e3))
_SECTIONS = 14
_ROUNDS = 400


def angle_lower_bounds(k: Floats, l: Floats, prior_k: Floats, prior_l: Floats, alpha: float) -> Floats:  # noqa: E741
    """Lower confidence bounds (rows,) on the angle between the laws of two histograms `k`, `l` (rows, cells).

    `prior_k`, `prior_l` (rows, cells) are counts of earlier outcomes that chose the cells; each bound is exceeded by the
    truth with probability at least 1 - alpha.
    """
    numerator = _log_mixture(k, prior_k) + _log_mixture(l, prior_l)
    total = k.sum(axis=1) + l.sum(axis=1)
    needed = np.log(1 / alpha) - numerator

    def cosine(log_multiplier: Floats) -> Floats:
        lam = np.maximum(np.exp(log_multiplier) * total, 1e-300)
        return np.asarray((needed + _dual(k, l, lam)) / lam, dtype=float)

    # Every multiplier gives a valid bound; golden sections look for the best one, row by row.
    golden = (np.sqrt(5) - 1) / 2
    low, high = (np.full(len(k), v) for v in _LOG_MULTIPLIERS)
    left, right = high - golden * (high - low), low + golden * (high - low)
    at_left, at_right = cosine(left), cosine(right)
    best = np.minimum(at_left, at_right)
    for _ in range(_SECTIONS):
        lower = at_left < at_right
        low, high = np.where(lower, low, left), np.where(lower, right, high)
        fresh = np.where(lower, high - golden * (high - low), low + golden * (high - low))
        value = cosine(fresh)
        left, right = np.where(lower, fresh, right), np.where(lower, left, fresh)
        at_left, at_right = np.where(lower, value, at_right), np.where(lower, at_left, value)
        best = np.minimum(best, value)
    return np.asarray(np.arccos(np.clip(best, 0.0, 1.0)), dtype=float)


def _log_mixture(k: Floats, prior: Floats) -> Floats:
    """Log of the average likelihood of a sequence with counts k under a Dirichlet(prior + 1/2) law of the cells."""
    a = prior + 0.5
    value = special.gammaln(a + k).sum(axis=1) - special.gammaln(a).sum(axis=1)
    return np.asarray(
        value + special.gammaln(a.sum(axis=1)) - special.gammaln((a + k).sum(axis=1)), dtype=float
    )


def _dual(k: Floats, l: Floats, lam: Floats) -> Floats:  # noqa: E741
    """An upper bound on max over p, q of sum k log p + l log q + lam sum sqrt(p q), rows at once.

    Alternating ascent finds a point; concavity turns its gradient into a bound (the Frank-Wolfe gap).
    """
    n, m, lam = k.sum(axis=1, keepdims=True), l.sum(axis=1, keepdims=True), lam[:, None]
    a, b = (
        np.sqrt((k + 0.5) / (k + 0.5).sum(axis=1, keepdims=True)),
        np.sqrt((l + 0.5) / (l + 0.5).sum(axis=1, keepdims=True)),
    )
    for _ in range(_ROUNDS):
        previous = a
        a = _ascend(a, b, k, n, lam)
        b = _ascend(b, a, l, m, lam)
        if np.max(np.abs(a - previous)) < 1e-11:
            break
    p, q = np.maximum(a * a, 1e-290), np.maximum(b * b, 1e-290)
    value = (special.xlogy(k, p) + special.xlogy(l, q)).sum(axis=1) + lam[:, 0] * np.sqrt(p * q).sum(axis=1)
    grad_p = k / p + 0.5 * lam * np.sqrt(q / p)
    grad_q = l / q + 0.5 * lam * np.sqrt(p / q)
    gap = grad_p.max(axis=1) - (p * grad_p).sum(axis=1) + grad_q.max(axis=1) - (q * grad_q).sum(axis=1)
    return np.asarray(value + np.maximum(gap, 0.0), dtype=float)


def _ascend(a: Floats, b: Floats, k: Floats, n: Floats, lam: Floats) -> Floats:
    """One step for a = sqrt(p) at fixed b: the stationarity condition k/a^2 + lam b/(2a) = mu, then normalisation."""
    mu = n + 0.5 * lam * (a * b).sum(axis=1, keepdims=True)
    half = 0.25 * lam * b
    new = (half + np.sqrt(half * half + mu * k)) / mu
    return np.asarray(new / np.sqrt((new * new).sum(axis=1, keepdims=True)), dtype=float)
