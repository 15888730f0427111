"""Eigenvalues on meshes that are halved again and again, and the order of convergence that they show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from noiseproof.mechanisms.optimal_noise.crouzeix_raviart import lower_bound
from noiseproof.mechanisms.optimal_noise.elements import least_energy
from noiseproof.mechanisms.optimal_noise.meshing import circumscribed, coarse, rounded
from noiseproof.mechanisms.optimal_noise.query import Query
from noiseproof.mechanisms.optimal_noise.supports import Disc, Support


@dataclass(frozen=True)
class Convergence:
    """Costs from above and bounds from below on meshes of sizes h; `orders[i]` is that between meshes i and i + 1.

    Orders are those of cost - `reference`, or of successive differences where no reference was given (nan: too few).
    """

    sizes: tuple[float, ...]
    triangles: tuple[int, ...]
    costs: tuple[float, ...]
    lower_bounds: tuple[float, ...]
    orders: tuple[float, ...]
    reference: float | None

    @property
    def extrapolated(self) -> float:
        """Aitken's limit of the last three costs: more digits, but no bound."""
        a, b, c = self.costs[-3:]
        return c - (c - b) ** 2 / ((c - b) - (b - a))


def convergence(
    support: Support,
    levels: int = 4,
    rho: float = 0,
    query: Any = None,
    *,
    degree: int = 1,
    first: int = 2,
    reference: float | None = None,
) -> Convergence:
    """The least cost on uniform meshes: the coarsest one halved `first`, ..., `first + levels - 1` times.

    `reference` is the exact cost (4 times the Dirichlet eigenvalue for rho = 0 and no query), where it is known.
    """
    if levels < 3 or first < 1 or degree not in (1, 2):
        raise ValueError(
            f"expected levels >= 3, first >= 1 and degree 1 or 2, got {levels}, {first} and {degree}"
        )
    gram = Query.of(query, 2).gram
    triangles, _ = coarse(support)
    sizes, counts, costs, bounds = [], [], [], []
    for level in range(first + levels):
        if level:
            triangles = triangles.refined()
            triangles = rounded(support, triangles) if isinstance(support, Disc) else triangles
        if level < first:
            continue
        state = least_energy(triangles, gram, float(rho), degree, residual=False)
        around = circumscribed(support, triangles) if isinstance(support, Disc) else triangles
        sizes.append(float(triangles.diameters().max()))
        counts.append(len(triangles.cells))
        costs.append(state.energy)
        bounds.append(lower_bound(around, gram, float(rho), state.energy))
    return Convergence(
        tuple(sizes), tuple(counts), tuple(costs), tuple(bounds), _orders(sizes, costs, reference), reference
    )


def _orders(sizes: list[float], costs: list[float], reference: float | None) -> tuple[float, ...]:
    h, values = np.array(sizes), np.array(costs)
    errors = values - reference if reference is not None else np.append(values[:-1] - values[1:], np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        rates = np.log(errors[:-1] / errors[1:]) / np.log(h[:-1] / h[1:])
    return tuple(float(rate) for rate in rates)
