"""Exact noise on the whole numbers: laws that can be enclosed, and draws from random words by whole numbers alone."""

from .choice import WholeChoice, choice_rho, choose, uniform_below
from .choice_mechanism import WholeChoiceMechanism
from .gaussian import WholeGaussian
from .laplace import WholeLaplace
from .mechanism import WholeNoiseMechanism
from .noise import WholeNoise

__all__ = [
    "WholeChoice",
    "WholeChoiceMechanism",
    "WholeGaussian",
    "WholeLaplace",
    "WholeNoise",
    "WholeNoiseMechanism",
    "choice_rho",
    "choose",
    "uniform_below",
]
