"""The time of a call as what an observer sees: which of two interleaved calls took longer.

If the durations on two inputs obey a claimed privacy curve, an independent call on input 1 takes longer than one on
input 0 with a probability that the curve bounds: the area under the largest trade-off curve that it allows, which is
e^epsilon/(1 + e^epsilon) for pure privacy.  The order inside a pair of calls is drawn at random, so that drifts and
other load of the machine favour neither input: the count of longer calls has an exact binomial bound.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ..attack.claimed_curve import ClaimedCurve

_GRID = 20_000
_WARM = 20  # calls before any is timed


def largest_area(claimed: ClaimedCurve) -> float:
    """An upper bound, to 1/20,000, on P(T1 > T0) + P(T1 = T0)/2 of independent durations that the curve allows."""
    u = np.linspace(0.0, 1.0, _GRID + 1)[1:, None]
    usable = np.isfinite(claimed.delta)
    if not usable.any():
        return 1.0
    ratio, delta = np.exp(claimed.epsilon[usable]), claimed.delta[usable]
    power = np.minimum(ratio * u + delta, 1 - np.maximum(1 - u - delta, 0.0) / ratio).min(axis=1)
    # The power rises with u: its right ends bound the area from above.
    return float(np.clip(power, 0.0, 1.0).mean())


def longer_calls(subject: Any, pair: tuple[Any, Any], rounds: int, rng: np.random.Generator) -> int:
    """In how many of `rounds` interleaved pairs of calls the one on input 1 took longer; ties are drawn by lot."""
    for _ in range(_WARM):
        for x in pair:
            _seconds(subject, x, rng)
    longer = 0
    for first in rng.integers(0, 2, size=rounds):
        took = [0, 0]
        for side in (first, 1 - first):
            took[side] = _seconds(subject, pair[side], rng)
        longer += int(rng.integers(0, 2)) if took[0] == took[1] else int(took[1] > took[0])
    return longer


def _seconds(subject: Any, index: Any, rng: np.random.Generator) -> int:
    """Nanoseconds of one call; an exception ends it like a result."""
    start = time.perf_counter_ns()
    try:
        subject.sample(index, 1, rng)
    except Exception:  # foreign code: how long it takes to fail is what is measured
        return time.perf_counter_ns() - start
    return time.perf_counter_ns() - start


def p_value(longer: int, rounds: int, allowed: float) -> float:
    """The two-sided exact p-value of so many longer calls if either order has at most the allowed probability."""
    from scipy import stats

    most = max(longer, rounds - longer)
    return float(min(1.0, 2 * stats.binom.sf(most - 1, rounds, allowed)))
