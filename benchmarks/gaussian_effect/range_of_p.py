"""The bound 2 log(m)/log(log(m)) on the dimension of nearly normal projections, in any base."""

from __future__ import annotations

import math

from noiseproof.symbolic.errors import SpecError

from .inputs import positive, whole


def meckes_bound(m: int, base: float = math.e) -> float:
    """2 log(m)/log(log(m)) with logarithms to `base`; needs log(m) > 1.

    The theorem is about the limit of large m, where the base does not matter: at any m that occurs, it does.
    """
    number, b = whole(m, "m", 2), positive(base, "base")
    if b <= 1:
        raise SpecError(f"base must be above 1, got {base!r}")
    log = math.log(number) / math.log(b)
    if log <= 1:
        raise SpecError(f"log(log(m)) must be positive: m must be above the base {b:.4g}, got m = {number}")
    return 2 * log / (math.log(log) / math.log(b))


def largest_p(m: int, base: float = math.e) -> int:
    """The largest whole p < 2 log(m)/log(log(m)), and at most m."""
    return min(m, math.ceil(meckes_bound(m, base)) - 1)
