"""Adversaries who know the shape of the noise, and estimators of any kind measured against a claimed bound."""

from .attack import Attacked, attack
from .location import CensoredLaplace, LocalScore, MaximumLikelihood, Pitman, efficiency, efficient_exists

__all__ = [
    "Attacked",
    "CensoredLaplace",
    "LocalScore",
    "MaximumLikelihood",
    "Pitman",
    "attack",
    "efficiency",
    "efficient_exists",
]
