"""Noise for the release of a whole data set: independent per record, or blind to a classifier."""

from .laplace import LaplaceNoise
from .null_space import NullSpaceNoise

__all__ = ["LaplaceNoise", "NullSpaceNoise"]
