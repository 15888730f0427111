"""Adversaries who estimate the private record, and the attack that measures them against a claimed bound."""

from .attack import Attacked, attack
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
from .location import CensoredLaplace, LocalScore, MaximumLikelihood, Pitman, efficiency, efficient_exists

__all__ = [
    "Attacked",
    "CensoredLaplace",
    "LinearEstimator",
    "LocalScore",
    "MaximumLikelihood",
    "Pitman",
    "Split",
    "attack",
    "claims",
    "efficiency",
    "efficient_exists",
    "informed",
    "least_squares",
    "linearised",
    "smoother",
    "weighted_least_squares",
]
