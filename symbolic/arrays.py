"""Arrays of doubles and of whole numbers, as types; and what counts as one number."""

from __future__ import annotations

import math
import numbers

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def is_finite(value: object) -> bool:
    """Whether this is one real number that a double can hold; text, lists and bools are none."""
    try:
        return isinstance(value, numbers.Real) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:
        return False
