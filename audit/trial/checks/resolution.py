"""The smallest departure that a check finds with the stated power."""

from __future__ import annotations

import math
from collections.abc import Callable

from ...record.evidence import HALF, SCALED_FAMILY, Resolution

_NEAR, _FAR = 1.0625, 1.25  # tried first: of large samples, of smaller ones
LARGEST_FACTOR = 64.0


def smallest_factor(
    power: Callable[[float], float], target: float = 0.95, ceiling: float = LARGEST_FACTOR
) -> float | None:
    """The smallest factor c in [1, ceiling] with power(c) >= target, to 3 % of its excess; None if even the ceiling is not found."""
    low, high = 1.0, _NEAR
    if power(high) < target:
        high = _FAR
        while power(high) < target:
            low, high = high, 1 + 2 * (high - 1)
            if high > ceiling:
                return None
    while (high - low) > 0.03 * (high - 1) + 0.001:
        middle = 0.5 * (low + high)
        if power(middle) >= target:
            high = middle
        else:
            low = middle
    return round(high, 4)


def smaller_scale(factor: float) -> Resolution:
    """For information `factor` times that which was found for certain, which a family of a scale smaller by its root has; none is looked for beyond 64."""
    value = round(math.sqrt(factor), 4) if factor <= LARGEST_FACTOR else None
    # Checks of information ask for power of their own: where half the noise would be missed after that, it meets the claim.
    loose = value is None or value > HALF
    return Resolution(SCALED_FAMILY, value, limit=math.sqrt(min(factor, LARGEST_FACTOR)) if loose else None)
