"""Events on the bits of what is written: reachable sets, grids, collisions; calls that repeat; time."""

from .fitting import Fitted, fit
from .logarithms import LOGARITHMS
from .patterns import decimals, exponents, granules
from .reachable import NUMPY_LAPLACE, SAMPLERS, Sampler

__all__ = [
    "LOGARITHMS",
    "NUMPY_LAPLACE",
    "SAMPLERS",
    "Fitted",
    "Sampler",
    "decimals",
    "exponents",
    "fit",
    "granules",
]
