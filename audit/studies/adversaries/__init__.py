"""Linear adversaries who estimate the private record, with exact errors."""

from .claims import claims
from .linear import LinearEstimator, Split, smoother, weighted_least_squares

__all__ = [
    "LinearEstimator",
    "Split",
    "claims",
    "smoother",
    "weighted_least_squares",
]
