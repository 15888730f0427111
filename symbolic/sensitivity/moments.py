"""Sensitivities of second moments: each function states its query and asks the engine."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from ..domains.ball import Ball
from ..domains.box import Box
from ..domains.exact import exact
from ..domains.polynomials import PolynomialQuery
from .enclosure import SensitivityEnclosure
from .engine import polynomial_sensitivity


def second_moment_sensitivity(
    p: int,
    norm: str = "l1",
    *,
    symmetric: bool = False,
    adjacency: str = "replace-one",
    tolerance: float = 0.01,
) -> SensitivityEnclosure:
    """sup |u u' - v v'| over the unit ball of R^p: n times the sensitivity of the second moment (1/n) sum x x'.

    All p^2 entries are released; with `symmetric` only the upper triangle.
    """
    x = _symbols(p, "p")
    return polynomial_sensitivity(
        second_moment(x, symmetric), Ball(1, p), norm, adjacency=adjacency, tolerance=tolerance
    )


def augmented_second_moment_sensitivity(
    p: int,
    a: float | int | Fraction,
    norm: str = "l1",
    *,
    symmetric: bool = False,
    adjacency: str = "replace-one",
    tolerance: float = 0.01,
) -> SensitivityEnclosure:
    """sup |u u' - v v'| over u = (x, y) with |x| <= 1 and |y| <= a: n times the sensitivity of the augmented second moment.

    All (p + 1)^2 entries are released; with `symmetric` only the upper triangle.
    """
    x = _symbols(p, "p")
    bound = exact(a, "the bound a of the labels")
    if bound <= 0:
        raise ValueError(f"the bound a of the labels must be positive, got {a}")
    query = second_moment((*x, sp.Symbol("y")), symmetric)
    domain = (Ball(1, p), Box((-bound,), (bound,)))
    return polynomial_sensitivity(query, domain, norm, adjacency=adjacency, tolerance=tolerance)


def second_moment(x: tuple[sp.Symbol, ...], symmetric: bool = False) -> PolynomialQuery:
    """The entries of x x', those off the diagonal counted twice unless `symmetric`."""
    pairs = [(i, j) for i in range(len(x)) for j in range(i, len(x))]
    multiplicities = tuple(Fraction(1 if i == j or symmetric else 2) for i, j in pairs)
    return PolynomialQuery(x, tuple(x[i] * x[j] for i, j in pairs), multiplicities)


def _symbols(count: int, name: str) -> tuple[sp.Symbol, ...]:
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise ValueError(f"{name} must be a whole number of at least 1, got {count!r}")
    return tuple(sp.Symbol(f"x{i}") for i in range(1, count + 1))
