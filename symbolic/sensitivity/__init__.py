"""How far one record can move an answer: sensitivities enclosed from both sides, with the pair that reaches the lower end."""

from ..domains.ball import Ball, Sphere
from ..domains.box import Box
from ..domains.exact import Product
from ..domains.polynomials import Point, PolynomialQuery
from ..domains.simplex import Simplex
from . import queries
from .enclosure import SensitivityEnclosure
from .engine import polynomial_sensitivity
from .moments import (
    augmented_second_moment_sensitivity,
    second_moment,
    second_moment_sensitivity,
)
from .sign_matrices import (
    ENUMERATION_LIMIT,
    N,
    P,
    Pair,
    Vector,
    block_signs,
    distance,
    exact_sensitivity,
    extreme_pair,
    norm_chain,
    search,
    sign_matrices,
    upper_bound,
)

__all__ = [
    "ENUMERATION_LIMIT",
    "Ball",
    "Box",
    "N",
    "P",
    "Pair",
    "Point",
    "PolynomialQuery",
    "Product",
    "SensitivityEnclosure",
    "Simplex",
    "Sphere",
    "Vector",
    "augmented_second_moment_sensitivity",
    "block_signs",
    "distance",
    "exact_sensitivity",
    "extreme_pair",
    "norm_chain",
    "polynomial_sensitivity",
    "queries",
    "search",
    "second_moment",
    "second_moment_sensitivity",
    "sign_matrices",
    "upper_bound",
]
