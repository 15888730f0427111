"""Exact noise on the whole numbers: laws that can be enclosed, and draws from random words by whole numbers alone."""

from .gaussian import WholeGaussian
from .laplace import WholeLaplace
from .noise import WholeNoise

__all__ = ["WholeGaussian", "WholeLaplace", "WholeNoise"]
