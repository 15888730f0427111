"""The smallest departure that a check finds with the stated power."""

from __future__ import annotations

from collections.abc import Callable

_NEAR, _FAR = 1.0625, 1.25  # tried first: of large samples, of smaller ones


def smallest_factor(
    power: Callable[[float], float], target: float = 0.95, ceiling: float = 64.0
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
