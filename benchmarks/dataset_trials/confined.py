"""Noise on a record that stays in a given set: the problem with constrained support (farokhi2020, (10)).

min Tr(Pi^{-1} I) + lambda E|n|^2 over densities on N is the problem that `optimal_noise` solves for the query
C = Pi^{-1/2}: its cost is Tr(C C' I) + rho E|n|^2.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from noiseproof.mechanisms.additive import positive
from noiseproof.mechanisms.gaussian import positive_definite
from noiseproof.mechanisms.optimal_noise import OptimalNoise, Support, optimal_noise


def confined_noise(
    support: Support, lam: float, weight: ArrayLike | None = None, *, mesh_size: float | None = None
) -> OptimalNoise:
    """The noise on N = `support` of least Tr(Pi^{-1} I) + lambda E|n|^2, lambda > 0, Pi (p, p) positive definite.

    Boxes with diagonal Pi separate into entries and are exact in any dimension; discs, polygons, meshes and boxes with
    any Pi are solved in the plane with a certified gap.  The mean need not be zero where 0 is not the centre of N.
    ValueError says what is missing.
    """
    price = positive("lambda", lam, "the price of variance")
    if weight is None:
        return optimal_noise(support, price, mesh_size=mesh_size)
    pi = positive_definite("weight", weight)
    if len(pi) != support.dimension:
        raise ValueError(
            f"weight must be {support.dimension} x {support.dimension} like the support, got {pi.shape}"
        )
    if not np.any(pi - np.diag(np.diag(pi))):
        return optimal_noise(support, price, np.diag(np.diag(pi) ** -0.5), mesh_size=mesh_size)
    values, vectors = np.linalg.eigh(pi)
    return optimal_noise(support, price, (vectors * values**-0.5) @ vectors.T, mesh_size=mesh_size)
