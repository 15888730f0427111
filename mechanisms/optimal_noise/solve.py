"""One entry for all supports: the noise on W that minimises Tr(A K) + rho E|w|^2, A = C C^T.

With density u^2 the cost is the integral of 4 grad u' A grad u + rho |w|^2 u^2: the least eigenvalue of
-4 div(A grad) + rho |w|^2 with u = 0 on the boundary of W, which is simple and belongs to a positive u.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from .certificate import OptimalityCertificate, added
from .line import line
from .polygon import Polygon
from .query import Query
from .result import OptimalNoise
from .supports import Box, Disc, HalfLine, Interval, Support, WholeSpace, fraction, number
from .triangulation import Mesh
from .vector_noise import Gaussian, Independent

PLANAR = (Disc, Polygon, Mesh)


def optimal_noise(
    support: Support, rho: float = 0, query: Any = None, *, mesh_size: float | None = None, degree: int = 2
) -> OptimalNoise:
    """The noise on W = `support` of least Tr I + rho E|w|^2 for the answer C x + w: law, sampler and certificate.

    `support` is an Interval, HalfLine, Box, WholeSpace, Disc, Polygon or Mesh of noiseproof.mechanisms.optimal_noise.
    `query` is C (m, n) of full row rank, m the dimension of W; None is the identity. `mesh_size` (largest edge, in
    the units of w) and `degree` (1 or 2) are those of finite elements, used in the plane only. ValueError where
    the problem has no solution or none is known here; the message says which mathematics is missing.

    >>> from noiseproof.mechanisms.optimal_noise import Interval
    >>> npf.optimal_noise(Interval(0, 1)).cost / 4 / np.pi**2  # the cosine noise of Farokhi, Sandberg 2019
    1.0
    """
    if not isinstance(support, Support):
        raise ValueError(
            f"support must be one of Interval, HalfLine, Box, WholeSpace, Disc, Polygon, Mesh, got {support!r}"
        )
    if number(rho, "rho") < 0:
        raise ValueError(f"rho must be >= 0, got {rho!r}: a negative price rewards noise for being large")
    if not support.bounded and rho == 0:
        raise ValueError(
            f"W = {support} is unbounded and rho = 0: noise that is spread wider and wider sends Tr I to its infimum 0, "
            "which no density attains. Give rho > 0 (Problem 3), bound E|w|^2 (optimal_noise_within), or bound W"
        )
    c = Query.of(query, support.dimension)
    price = fraction(rho)
    if isinstance(support, PLANAR):
        return _planar(support, price, c, mesh_size, degree)
    if mesh_size is not None and not (isinstance(support, Box) and not c.diagonal):
        raise ValueError(
            "mesh_size is for discs, polygons and meshes: the noise on this support needs no mesh"
        )
    if isinstance(support, Interval | HalfLine):
        return _product(support, (support,), price, c)
    if isinstance(support, WholeSpace):
        sides = tuple(WholeSpace(1) for _ in range(support.dimension))
        return _product(support, sides, price, c) if c.diagonal else _normal(support, price, c)
    if not isinstance(support, Box):
        raise ValueError(f"no solver for the support {support!r}")
    if c.diagonal:
        return _product(support, support.factors, price, c)
    if support.dimension == 2 and support.bounded:
        (x0, y0), (x1, y1) = support.lower, support.upper
        rectangle = Polygon(((x0, y0), (x1, y0), (x1, y1), (x0, y1)))
        return _planar(rectangle, price, c, mesh_size, degree)
    raise ValueError(
        f"C C^T is not diagonal, so that -4 div(C C^T grad u) does not separate in a box of R^{support.dimension}; "
        "finite elements are provided for bounded sets in the plane only. Give C orthogonal rows, or a box in the plane"
    )


def _product(support: Support, sides: tuple[Support, ...], rho: Fraction, query: Query) -> OptimalNoise:
    asked = [(side, query.weight(i)) for i, side in enumerate(sides)]
    known = {key: line(*key, rho) for key in dict.fromkeys(asked)}
    lines = [known[key] for key in asked]
    return OptimalNoise(
        support,
        float(rho),
        query,
        Independent(tuple(part.scalar for part in lines)),
        np.diag([part.information for part in lines]),
        float(sum(part.second_moment for part in lines)),
        added(tuple(part.certificate for part in lines)),
    )


def _normal(support: WholeSpace, rho: Fraction, query: Query) -> OptimalNoise:
    """Covariance A^{1/2}/sqrt(rho): `symbolic.optimal_noise` proves that it is optimal."""
    price = float(rho) ** 0.5
    covariance = query.root / price
    inverse = np.linalg.inv(covariance)
    cost = 2 * price * float(np.trace(query.root))
    score = inverse @ query.gram @ inverse - float(rho) * np.eye(support.dimension)
    residual = np.abs(score).max() / float(rho) + abs(2 * np.trace(query.gram @ inverse) - cost) / cost
    proof = OptimalityCertificate(
        cost,
        cost * (1 - 1e-14 * support.dimension),
        "completing the square: Tr(A K) + rho E|w|^2 >= 2 sqrt(rho) Tr A^{1/2} (Stein's identity)",
        ("the trace is a sum of singular values of C, rounded down by their errors",),
        True,
        float(residual),
        "the coefficients of -Tr(A (2 grad s + s s')) + rho |w|^2 - cost, a quadratic polynomial",
    )
    moment = float(np.trace(covariance))
    return OptimalNoise(support, float(rho), query, Gaussian(covariance), inverse, moment, proof)


def _planar(
    support: Support, rho: Fraction, query: Query, mesh_size: float | None, degree: int
) -> OptimalNoise:
    from .plane import planar_noise

    return planar_noise(support, float(rho), query, mesh_size, degree)
