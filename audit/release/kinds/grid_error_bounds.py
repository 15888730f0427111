"""The error bound of one private number: re-derived for the grid, against every adversary, over its declared interval."""

from __future__ import annotations

from functools import lru_cache

from ....mechanisms.grid_noise import GridNoise
from ....symbolic.information.error_bounds import LowerBound
from ....symbolic.information.grid_error import weiss_weinstein


@lru_cache(maxsize=512)
def error_bound(noise: GridNoise, span: int) -> LowerBound:
    """The least mean squared error of any adversary in squared units, for records of span + 1 steps, with its derivation."""
    return weiss_weinstein(noise, domain=(0, span))
