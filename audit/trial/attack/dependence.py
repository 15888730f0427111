"""Whether the outcomes of one call depend on each other: then counts vary more between calls than any test allows for.

The tail is that of chi-squared, an approximation; it is asked for at so small a level, and only ever leads to
UNDECIDED, that its error costs nobody a false alarm.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from ....symbolic.arrays import Floats

_LEVEL = 1e-9


def depends(k: Floats, squares: Floats, n: float, calls: float, least: float = 5.0) -> bool:
    """Whether the counts of one of J events vary too much between calls.

    `k` (J,) outcomes in each event of `n` in all, `squares` (J,) the sum over the calls of count^2/size; events with
    fewer than `least` expected outcomes per call, inside or outside, are left out.
    """
    rate = k / max(n, 1.0)
    usable = np.minimum(rate, 1 - rate) * n >= least * calls
    if calls < 2 or not usable.any():
        return False
    k, squares, rate = k[usable], squares[usable], rate[usable]
    tail = special.chdtrc(calls - 1, (squares - k * k / n) / (rate * (1 - rate)))
    return bool(tail.min() < _LEVEL / len(usable))
