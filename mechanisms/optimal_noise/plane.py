"""Optimal noise on discs, polygons and meshes: conforming finite elements above, Crouzeix-Raviart elements below."""

from __future__ import annotations

from .certificate import OptimalityCertificate
from .crouzeix_raviart import CONDITIONS, METHOD, lower_bound
from .elements import least_energy
from .meshing import circumscribed, extent, fine
from .piecewise import PiecewiseNoise
from .query import Query
from .result import OptimalNoise
from .supports import Disc, Support, number

RESIDUAL = "the weak Euler-Lagrange equation, tested with elements of one degree more: its dual norm over the energy norm of u"
_DEFAULT_SIZE = 1 / 32  # of the extent of W


def planar_noise(
    support: Support, rho: float, query: Query, mesh_size: float | None, degree: int
) -> OptimalNoise:
    """The noise u_h^2 that is least among piecewise polynomials u_h: inside W, with exactly the cost that it states."""
    if degree not in (1, 2):
        raise ValueError(f"degree must be 1 or 2, got {degree!r}")
    size = extent(support) * _DEFAULT_SIZE if mesh_size is None else number(mesh_size, "mesh_size")
    if not size > 0:
        raise ValueError(f"mesh_size must be > 0, got {mesh_size!r}")
    triangles = fine(support, size)
    state = least_energy(triangles, query.gram, rho, degree)
    around = circumscribed(support, triangles) if isinstance(support, Disc) else triangles
    below = lower_bound(around, query.gram, rho, state.energy)
    if not below > 0:
        raise ValueError(
            f"triangles of size {size:.3g} are too coarse for a lower bound: choose a smaller mesh_size"
        )
    proof = OptimalityCertificate(state.energy, below, METHOD, CONDITIONS, False, state.residual, RESIDUAL)
    return OptimalNoise(
        support, rho, query, PiecewiseNoise.of(state), state.information, state.second_moment, proof
    )
