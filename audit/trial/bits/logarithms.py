"""Logarithms bit for bit as samplers compute them.

The C library and numpy's vectorised loops round differently (on processors with AVX-512 about 3 results in 1,000
differ), and one wrong bit decides whether a double can come out of a sampler.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ....symbolic.arrays import Floats

Logarithm = Callable[[Floats], Floats]


def c_library(v: Floats) -> Floats:
    """log(v) of the C library, which `Generator.laplace`, `math.log` and `random.expovariate` call."""
    from scipy import special

    # The product with one is exact, and xlogy calls the C library for each entry.
    return np.asarray(special.xlogy(1.0, v), dtype=float)


def vectorised(v: Floats) -> Floats:
    """np.log(v), for samplers written with arrays."""
    return np.asarray(np.log(v), dtype=float)


def of_the_complement(v: Floats) -> Floats:
    """np.log1p(-(1 - v)), for samplers that draw 1 - v; v is a multiple of 2^-53, so that 1 - v is exact."""
    return np.asarray(np.log1p(-(1 - v)), dtype=float)


LOGARITHMS: dict[str, Logarithm] = {
    "C library": c_library,
    "vectorised": vectorised,
    "log1p": of_the_complement,
}
