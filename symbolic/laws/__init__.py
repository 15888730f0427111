"""Laws: one density and its support, written exactly; everything else is derived from that density."""

from . import given as given
from .catalogue import (
    cosine_squared,
    discrete,
    gumbel,
    laplace,
    logistic,
    mixture,
    normal,
    student_t,
    triangular,
    truncated,
    uniform,
)
from .law import Law

__all__ = [
    "Law",
    "cosine_squared",
    "discrete",
    "gumbel",
    "laplace",
    "logistic",
    "mixture",
    "normal",
    "student_t",
    "triangular",
    "truncated",
    "uniform",
]
