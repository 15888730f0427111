"""From an exact privacy curve to the epsilon at one delta, on the safe side."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ....mechanisms.grid_noise.pair import GridPair

# One call of the curve costs the same for many epsilons: few calls, each with many.
_POINTS = 33
_ROUNDS = 3
_FIRST = (0.0, *(2.0**k for k in range(-8, 12)))


@lru_cache(maxsize=64)
def epsilon_at(pair: GridPair, delta: float, near: float | None = None) -> float | None:
    """An epsilon at which the curve is certainly at most `delta`, the least to about 1e-5; None if none up to 2,048 is.

    `near` is a guess, which saves a search.
    """
    first = _FIRST if near is None else (0.0, near * (1 - 1e-3), near * (1 + 1e-3), near * 1.02, *_FIRST[9:])
    bracket = _bracket(pair, delta, np.unique(np.array(first)))
    for _ in range(_ROUNDS):
        if bracket is None or bracket[1] - bracket[0] <= 1e-6 * bracket[1]:
            break
        bracket = _bracket(pair, delta, np.linspace(*bracket, _POINTS))
    return None if bracket is None else bracket[1]


def _bracket(
    pair: GridPair, delta: float, epsilons: np.ndarray[tuple[int], np.dtype[np.float64]]
) -> tuple[float, float] | None:
    """The last point above `delta` and the first at or below it."""
    below = np.flatnonzero(pair.bounds(epsilons)[1] <= delta)
    if not len(below):
        return None
    at = int(below[0])
    return (float(epsilons[at]),) * 2 if at == 0 else (float(epsilons[at - 1]), float(epsilons[at]))
