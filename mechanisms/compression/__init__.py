"""Compression of a table by a Gaussian matrix (Zhou, Ligett, Wasserman 2009)."""

from .columns import normalised_columns, second_moments
from .compression import Compression, NeverAcceptedError
from .reference import ReferenceCovariance
from .streaming import MomentStream, compress_stream
