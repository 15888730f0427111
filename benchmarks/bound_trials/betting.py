"""A mean bounded from above by betting, and how many pairs a bet on one event needs."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from noiseproof.audit.trial.attack.betting import best_fraction
from noiseproof.audit.trial.attack.rare.bounded_mean import counted_numbers, lower_bound
from noiseproof.symbolic.errors import SpecError


def upper_bound(values: ArrayLike, top: float, alpha: float, counts: ArrayLike | None = None) -> float:
    """A number below the mean with probability at most `alpha`; values in [0, top] (n,).

    Raises SpecError as `lower_bound` does, and for values above `top`.
    """
    v, c = counted_numbers(values, counts)
    if not np.all(v <= top):
        raise SpecError(f"values must be at most top = {top!r}, got {float(v.max())!r}")
    return float(top - lower_bound(top - v, alpha, c))


def pairs_needed(p: float, q: float, epsilon: float, delta: float, alpha: float) -> float:
    """The expected number of pairs after which the best bet on a known event has multiplied its capital by 1/alpha."""
    _, growth = best_fraction(p, q, epsilon, delta)
    return float(np.log(1 / alpha) / growth) if growth > 0 else float("inf")
