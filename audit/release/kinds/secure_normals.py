"""Normal numbers from secure words, for what is post-processing or has no grid: doubles, so nothing is said about their bits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....mechanisms.grid_noise import Bits


class SecureNormals:
    """Stands in for a numpy Generator where only `standard_normal` is called.

    The inverse distribution function at the middle of one of 2^53 cells: the law is that of the normal up to 2^-53 in every
    distribution function, and has no value beyond 8.3 deviations.
    """

    def __init__(self, bits: Bits) -> None:
        self._bits = bits

    def standard_normal(self, size: Any = None) -> Any:
        """Independent N(0, 1) numbers of shape `size`; one number for None."""
        from scipy import special

        shape = () if size is None else (size,) if isinstance(size, int | np.integer) else tuple(size)
        words = self._bits(math.prod(shape))
        uniform = ((words >> np.uint64(11)).astype(float) + 0.5) * 2.0**-53
        normal = special.ndtri(uniform).reshape(shape)
        return float(normal) if size is None else normal
