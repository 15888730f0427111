"""Confidence bounds for the mean of bounded numbers by betting, valid at every sample size and however they are spread.

If independent numbers v >= 0 have mean at most m, the capital prod (1 - k + k v/m) of a gambler who stakes a
fixed share k of what he has on each is a nonnegative supermartingale for every k in [0, 1], and so is an average over
shares.  It exceeds 1/alpha at any time with probability at most alpha (Ville), so the means at which it does are ruled
out (Waudby-Smith and Ramdas 2024, hedged capital; the average over shares in place of predicted ones makes the bound
indifferent to the order of the numbers).  No upper end of the numbers enters the lower bound: rare large values only
widen it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from .....symbolic.arrays import Floats
from .....symbolic.errors import SpecError

_DIGITS = 1e-9  # of the bound, relative
_GUARD = 1e-9  # nats: covers the rounding of the logarithm of the capital


def log_capital(values: ArrayLike, mean: float, counts: ArrayLike | None = None) -> float:
    """Log capital against "the mean is at most `mean`" > 0 after all values >= 0 (n,), each seen `counts` times (n,)."""
    v, c = counted_numbers(values, counts)
    if not mean > 0:
        raise SpecError(f"mean must be > 0, got {mean!r}")
    shares = _shares(float(c.sum()))
    with np.errstate(divide="ignore", over="ignore"):
        growth = np.log1p(shares[:, None] * (v[None, :] / mean - 1.0)) @ c
    return float(special.logsumexp(growth) - np.log(len(shares))) - _GUARD


def lower_bound(values: ArrayLike, alpha: float, counts: ArrayLike | None = None) -> float:
    """A number that exceeds the mean with probability at most `alpha`; values >= 0 (n,), each seen `counts` times.

    Raises SpecError for negative or non-finite values and for alpha outside (0, 1).
    """
    v, c = counted_numbers(values, counts)
    if not 0 < alpha < 1:
        raise SpecError(f"alpha must lie strictly between 0 and 1, got {alpha!r}")
    total = float(c.sum())
    if total == 0 or not np.any(v[c > 0] > 0):
        return 0.0
    threshold = -np.log(alpha)
    # Equal values are bet on together.
    v, where = np.unique(v, return_inverse=True)
    c = np.asarray(np.bincount(where, weights=c), dtype=float)
    # At the observed mean the capital is at most one (Jensen); towards zero it grows without limit.
    high = np.log(float(v @ c) / total)
    low = high - 1.0
    while log_capital(v, np.exp(low), c) < threshold:
        high, low = low, low - 2 * (high - low)
        if low < -650:
            return 0.0
    while high - low > _DIGITS:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if log_capital(v, np.exp(middle), c) >= threshold else (low, middle)
    return float(np.exp(low))


def _shares(total: float) -> Floats:
    """Shares of the capital from half of it down to what one value among all would call for."""
    return np.asarray(0.5 ** np.arange(1, max(2, int(np.ceil(np.log2(total + 2)))) + 1), dtype=float)


def counted_numbers(values: ArrayLike, counts: ArrayLike | None) -> tuple[Floats, Floats]:
    v = np.atleast_1d(np.asarray(values, dtype=float))
    c = np.ones(v.shape) if counts is None else np.atleast_1d(np.asarray(counts, dtype=float))
    if v.ndim != 1 or v.shape != c.shape:
        raise SpecError(f"expected as many counts as values, got shapes {c.shape} and {v.shape}")
    if not (np.all(np.isfinite(v)) and np.all(v >= 0)):
        raise SpecError("values must be finite numbers >= 0: subtract their lower end first")
    if not (np.all(np.isfinite(c)) and np.all(c >= 0)):
        raise SpecError("counts must be finite numbers >= 0")
    return v, c
