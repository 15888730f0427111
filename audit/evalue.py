"""Exact tests of a privacy curve from the counts of an event: e-values, valid at every sample size.

For an event E with k of n outcomes under P and l of m under Q, the e-value of "the whole curve holds" is the
likelihood of the counts averaged over a prior that was fixed beforehand, divided by the largest likelihood that any
(P(E), Q(E)) allowed by the curve reaches.  Its expectation under the claim is at most one, so that 1/alpha is
exceeded with probability at most alpha (Ville; Grunwald, de Heide, Koolen 2024), and averages of e-values are
e-values.  Since the allowed set is an intersection of half-planes p <= e^epsilon q + delta, the largest e-value over
any grid of epsilons is still a valid (slightly smaller) e-value of the whole curve: the grid costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

Floats = NDArray[np.float64]

_GUARD = 1e-9  # covers the rounding of the maximised likelihood


@dataclass(frozen=True)
class EventCounts:
    """Counts of J events: `k0`, `k1` (J,) of `n0`, `n1` outcomes; Beta priors learnt from `prior_*` counts; weights sum to 1."""

    k0: Floats
    n0: float
    k1: Floats
    n1: float
    prior_k0: Floats
    prior_n0: float
    prior_k1: Floats
    prior_n1: float
    weights: Floats

    def log_numerator(self) -> Floats:
        """Log of the prior-averaged likelihood of each event's counts, shape (J,)."""
        zero = _log_mixture(self.k0, self.n0, self.prior_k0, self.prior_n0)
        one = _log_mixture(self.k1, self.n1, self.prior_k1, self.prior_n1)
        return np.asarray(zero + one, dtype=float)


def _log_mixture(k: Floats, n: float, prior_k: Floats, prior_n: float) -> Floats:
    a, b = 0.5 + prior_k, 0.5 + prior_n - prior_k
    return np.asarray(special.betaln(a + k, b + n - k) - special.betaln(a, b), dtype=float)


def log_sup_half_plane(
    k: ArrayLike, n: float, m_count: ArrayLike, m: float, epsilon: ArrayLike, delta: ArrayLike
) -> Floats:
    """Largest log-likelihood of (k of n, l of m) over {p <= e^epsilon q + delta}, broadcast over the arguments."""
    k, l, eps, delta = np.broadcast_arrays(  # noqa: E741
        *(np.asarray(v, dtype=float) for v in (k, m_count, epsilon, delta))
    )
    ratio = np.exp(np.minimum(eps, 300.0))
    p_hat, q_hat = k / n, l / m
    violated = p_hat > ratio * q_hat + delta
    free = _log_likelihood(k, n, p_hat) + _log_likelihood(l, m, q_hat)
    best = np.array(free)
    if violated.any():
        best[violated] = _on_the_edge(k[violated], n, l[violated], m, ratio[violated], delta[violated])
    return np.asarray(best + _GUARD, dtype=float)


def _on_the_edge(k: Floats, n: float, l: Floats, m: float, ratio: Floats, delta: Floats) -> Floats:  # noqa: E741
    """The largest likelihood with p = ratio q + delta: concave in q, with its peak between the two estimates."""
    low = l / m
    high = np.maximum((k / n - delta) / ratio, low)
    with np.errstate(divide="ignore", invalid="ignore"):
        for _ in range(48):
            q = 0.5 * (low + high)
            p = np.minimum(ratio * q + delta, 1.0)
            slope = ratio * (_ratio(k, p) - _ratio(n - k, 1 - p)) + _ratio(l, q) - _ratio(m - l, 1 - q)
            low, high = np.where(slope > 0, q, low), np.where(slope > 0, high, q)
        q = 0.5 * (low + high)
        p = np.minimum(ratio * q + delta, 1.0)
        return _log_likelihood(k, n, p) + _log_likelihood(l, m, q)


def _ratio(count: Floats, probability: Floats) -> Floats:
    return np.where(count > 0, count / np.maximum(probability, 1e-150), 0.0)


def _log_likelihood(k: Floats, n: float, p: Floats) -> Floats:
    return np.asarray(special.xlogy(k, p) + special.xlog1py(n - k, -p), dtype=float)


def log_e_points(counts: EventCounts, epsilon: ArrayLike, delta: ArrayLike) -> Floats:
    """Log e-values against each point claim (epsilon, delta), shape (J, points): the best of the four half-planes,
    {event, complement} x {P over Q, Q over P}, all of which the claim implies."""
    eps, dlt = (np.atleast_1d(np.asarray(v, dtype=float))[None, :] for v in (epsilon, delta))
    k0, k1, n0, n1 = counts.k0[:, None], counts.k1[:, None], counts.n0, counts.n1
    sup = np.minimum.reduce(
        [
            log_sup_half_plane(k1, n1, k0, n0, eps, dlt),
            log_sup_half_plane(n0 - k0, n0, n1 - k1, n1, eps, dlt),
            log_sup_half_plane(k0, n0, k1, n1, eps, dlt),
            log_sup_half_plane(n1 - k1, n1, n0 - k0, n0, eps, dlt),
        ]
    )
    return np.asarray(counts.log_numerator()[:, None] - sup, dtype=float)


def log_e_curve(counts: EventCounts, epsilon: ArrayLike, delta: ArrayLike) -> tuple[float, int]:
    """The averaged log e-value against a whole curve given on a grid, and the grid index that contributes most."""
    table = log_e_points(counts, epsilon, delta)
    best = table.max(axis=1)
    total = float(special.logsumexp(best, b=counts.weights))
    return total, int(np.argmax(table[int(np.argmax(best + np.log(counts.weights)))]))


def log_e_average(counts: EventCounts, epsilon: ArrayLike, delta: ArrayLike) -> Floats:
    """Averaged log e-value against each point claim separately, shape (points,)."""
    return np.asarray(
        special.logsumexp(log_e_points(counts, epsilon, delta), b=counts.weights[:, None], axis=0),
        dtype=float,
    )


def delta_lower_bounds(counts: EventCounts, epsilon: ArrayLike, alpha: float) -> Floats:
    """For each epsilon the largest delta that is certainly too small: a lower confidence curve, simultaneous in epsilon."""
    eps = np.atleast_1d(np.asarray(epsilon, dtype=float))
    low, high = np.zeros_like(eps), np.ones_like(eps)
    threshold = -np.log(alpha)
    rejected_at_zero = log_e_average(counts, eps, low) >= threshold
    for _ in range(40):
        middle = 0.5 * (low + high)
        out = log_e_average(counts, eps, middle) >= threshold
        low, high = np.where(out, middle, low), np.where(out, high, middle)
    return np.where(rejected_at_zero, low, 0.0)


def epsilon_lower_bound(counts: EventCounts, delta: float, alpha: float, ceiling: float = 40.0) -> float:
    """The largest epsilon that is certainly too small at this delta, 0 if none is."""
    low, high = 0.0, ceiling
    threshold = -np.log(alpha)
    if log_e_average(counts, 0.0, delta)[0] < threshold:
        return 0.0
    for _ in range(50):
        middle = 0.5 * (low + high)
        if log_e_average(counts, middle, delta)[0] >= threshold:
            low = middle
        else:
            high = middle
    return low
