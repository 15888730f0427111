"""Linear adversaries who estimate the private record, with exact errors."""

from .claims import claims
from .linear import (
    LinearEstimator,
    Split,
    informed,
    least_squares,
    linearised,
    smoother,
    weighted_least_squares,
)

__all__ = [
    "LinearEstimator",
    "Split",
    "claims",
    "informed",
    "least_squares",
    "linearised",
    "smoother",
    "weighted_least_squares",
]
