"""How many samples would decide what an audit leaves open, in words."""

from __future__ import annotations

import math
from collections.abc import Callable

MOST = 1e10  # per input: what no audit draws


def would_decide(samples: float, otherwise: str) -> str:
    """What to say of so many samples per input, NaN if unknown; `otherwise`: why no number would do."""
    if math.isnan(samples):
        return "these are too few to say how many samples per input would decide it: draw ten times as many"
    if samples == math.inf:
        return f"no number of samples that can be drawn would decide it: {otherwise}"
    if samples > MOST:
        return f"it would take about {samples:.0e} samples per input, more than can be drawn: {otherwise}"
    digit = 10 ** max(math.floor(math.log10(max(samples, 1.0))) - 1, 0)
    return f"about {math.ceil(samples / digit) * digit:,} samples per input would decide it"


def smallest_size(enough: Callable[[float], bool], size: float) -> float:
    """About the smallest of 1.5, 1.5^2, ... times `size` that is enough; infinite beyond 10^15."""
    while not enough(size):
        size *= 1.5
        if size > 1e15:
            return math.inf
    return size
