"""The ground state of -4 div(A grad) + rho |w|^2 on triangles, by conforming finite elements of degree 1 or 2."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...symbolic.arrays import Floats
from .meshing import Triangles
from .sparse import factorised, least_eigenvector

_ORDER = 8  # of quadrature: exact for |w|^2 times the square of a polynomial of degree 3


@dataclass(frozen=True, eq=False)
class Discrete:
    """u_h >= 0 on average, with integral of u_h^2 = 1; its energy is at least that of the optimal u.

    `local` (t, 6) are the Bernstein coefficients of u_h on each triangle: three corners, then the edges 01, 12, 02.
    `information` is 4 times the integral of grad u grad u'; `residual` the dual norm of the Euler-Lagrange equation
    among elements of one degree more, relative to the energy norm of u_h (nan if it was not asked for).
    """

    triangles: Triangles
    energy: float
    local: Floats
    information: Floats
    second_moment: float
    residual: float


def least_energy(
    triangles: Triangles, gram: Floats, rho: float, degree: int, residual: bool = True
) -> Discrete:
    """Minimises the energy over continuous piecewise polynomials that vanish on the boundary."""
    space = _Space(triangles, gram, rho, degree)
    if not len(space.inner):
        raise ValueError(
            "no node lies inside W: every function on these triangles vanishes; choose a smaller mesh_size"
        )
    mass = space.assembled(lambda u, v, w: u * v)
    x = np.zeros(space.basis.N)
    x[space.inner] = least_eigenvector(space.within(space.energy), space.within(mass), 0.0)
    x *= np.sign(x.sum()) / np.sqrt(x @ mass @ x)
    value = float(x @ space.energy @ x)
    field = space.basis.interpolate(x)
    u, slopes, area = np.asarray(field), np.asarray(field.grad), space.basis.dx
    w = np.asarray(space.basis.global_coordinates())
    return Discrete(
        Triangles(triangles.points, np.asarray(space.basis.mesh.t.T, dtype=np.int64)),
        value,
        _bernstein(x[space.basis.element_dofs.T]),
        4 * np.einsum("itq,jtq,tq->ij", slopes, slopes, area),
        float((u**2 * (w[0] ** 2 + w[1] ** 2) * area).sum()),
        _defect(space, _Space(triangles, gram, rho, degree + 1), x, value) if residual else float("nan"),
    )


class _Space:
    """Continuous piecewise polynomials of one degree, and the matrix of the energy."""

    def __init__(self, triangles: Triangles, gram: Floats, rho: float, degree: int) -> None:
        from skfem import Basis, ElementTriP1, ElementTriP2, ElementTriP3, MeshTri

        element = {1: ElementTriP1, 2: ElementTriP2, 3: ElementTriP3}[degree]()
        mesh = MeshTri(triangles.points.T.copy(), triangles.cells.T.copy())
        self.basis = Basis(mesh, element, intorder=_ORDER)
        self.inner = np.setdiff1d(np.arange(self.basis.N), self.basis.get_dofs().all())

        def form(u: Any, v: Any, w: Any) -> Any:
            flux = [4 * gram[i, j] * u.grad[i] * v.grad[j] for i in (0, 1) for j in (0, 1)]
            return sum(flux) + rho * (w.x[0] ** 2 + w.x[1] ** 2) * u * v

        self.form = form
        self.energy = self.assembled(form)

    def assembled(self, form: Callable[[Any, Any, Any], Any], tested: _Space | None = None) -> Any:
        """The matrix of a bilinear form, with test functions from another space if one is given."""
        from skfem import BilinearForm

        return BilinearForm(form).assemble(self.basis, (tested or self).basis)

    def within(self, matrix: Any) -> Any:
        """The part of a matrix that belongs to nodes inside W."""
        return matrix[self.inner][:, self.inner].tocsc()


def _defect(space: _Space, richer: _Space, x: Floats, value: float) -> float:
    """How far the equation fails when the richer space tests it: the energy norm of what would mend it there."""
    mixed = space.assembled(lambda u, v, w: space.form(u, v, w) - value * u * v, richer)
    load = (mixed @ x)[richer.inner]
    mend = factorised(richer.within(richer.energy)).solve(load)
    return float(np.sqrt(max(float(load @ mend), 0.0) / value))


def _bernstein(nodal: Floats) -> Floats:
    """Bernstein coefficients of degree 2 from values at corners, or at corners and midpoints."""
    corners = nodal[:, :3]
    first, second = corners, corners[:, [1, 2, 0]]
    sums = first + second  # edges 01, 12, 20: the order of the midpoints
    edges = sums / 2 if nodal.shape[1] == 3 else 2 * nodal[:, 3:6] - sums / 2
    return np.hstack([corners, edges])
