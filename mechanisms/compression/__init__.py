"""Compression of a table by a Gaussian matrix (Zhou, Ligett, Wasserman 2009)."""

from .binary_game import BinaryGame
from .columns import normalised_columns, second_moments
from .compression import Compression, NeverAcceptedError
from .models import Components, components, released_moments, ridge_regression, sparse_regression
from .reference import Reference
from .streaming import MomentStream, compress_stream

__all__ = [
    "BinaryGame",
    "Components",
    "Compression",
    "MomentStream",
    "NeverAcceptedError",
    "Reference",
    "components",
    "compress_stream",
    "normalised_columns",
    "released_moments",
    "ridge_regression",
    "second_moments",
    "sparse_regression",
]
