"""A guaranteed lower bound of the least eigenvalue of -4 div(A grad) + rho |w|^2 on triangles, u = 0 on their boundary.

For u in H^1_0 let v be its Crouzeix-Raviart interpolant (equal means on edges) and e = u - v.  Then grad v is the mean
of grad u on each triangle T, so |grad u|^2 = |grad v|^2 + |grad e|^2, and |e|_T <= 0.1893 h_T |grad e|_T with h_T the
longest edge (Liu 2015, Applied Mathematics and Computation 267).  With K_T = 4/(0.1893 h_T)^2 and d = rho |w|^2 - mu,

    energy(u) - mu |u|^2 >= 4 |grad v|^2 + sum over T of the integral of K_T e^2 + d (v + e)^2
                         >= 4 |grad v|^2 + the integral of K_T d/(K_T + d) v^2,

where the last step minimises over e at every point, which needs K_T + d > 0.  So mu is a lower bound as soon as one
sparse matrix of Crouzeix-Raviart elements is positive definite.  For rho = 0 and one h this is Liu's bound
lam/(1 + 0.1893^2 h^2 lam).  Lengths are taken in the norm of A^{-1}, in which the operator is 4 times the Laplacian.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...symbolic.arrays import Floats
from .meshing import Triangles
from .sparse import is_positive, least_eigenvector

CONSTANT = 0.1893
METHOD = "Crouzeix-Raviart elements: Liu's interpolation constant 0.1893, local mesh sizes, the potential under the integral"
CONDITIONS = (
    "Liu (2015): |u - interpolant| <= 0.1893 h |grad(u - interpolant)| on triangles with longest edge h",
    "W is contained in the triangles, as a disc is in the polygon around it",
    "a sparse factorisation in floating point has positive pivots, with a margin for its rounding",
)
_MARGIN = 1e-11  # of the diagonal, taken off before the pivots are looked at
_SHRINK = (1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3)


class Criterion:
    """The matrix whose positive definiteness makes `mu` a lower bound; `largest` bounds the mu that may be asked for."""

    def __init__(self, triangles: Triangles, gram: Floats, rho: float) -> None:
        from skfem import Basis, BilinearForm, ElementTriCR, MeshTri

        mesh = MeshTri(triangles.points.T.copy(), triangles.cells.T.copy())
        self._basis = Basis(mesh, ElementTriCR(), intorder=6)  # exact: the weight has degree 4, v^2 degree 2
        self._inner = np.setdiff1d(np.arange(self._basis.N), self._basis.get_dofs().all())
        pairs = [(i, j) for i in (0, 1) for j in (0, 1)]
        flux = BilinearForm(lambda u, v, w: sum(4 * gram[i, j] * u.grad[i] * v.grad[j] for i, j in pairs))
        self._stiff = self._within(flux.assemble(self._basis))
        self._weighted = BilinearForm(lambda u, v, w: w["weight"] * u * v)
        self.mass = self._assemble(np.ones(self._basis.dx.shape))
        x = np.asarray(self._basis.global_coordinates())
        self._potential = rho * (x[0] ** 2 + x[1] ** 2)
        h = CONSTANT * triangles.diameters(np.asarray(np.linalg.inv(gram), dtype=float)) * (1 + 1e-14)
        # K_T + d for mu = 0, from below.
        self._room = 4 / h**2 + rho * nearest_square(triangles) * (1 - 1e-14)
        self.largest = float(self._room.min()) * (1 - 1e-6)

    def matrix(self, mu: float) -> Any:
        """4 |grad v|^2 + d - d^2/(K + least d) on each triangle, which is at most K d/(K + d)."""
        d, share = self._weights(mu)
        return self._stiff + self._assemble(d * (1 - share))

    def floor(self, mu: float) -> float:
        """A number below all eigenvalues of `matrix`, relative to `mass`: the least weight."""
        d, share = self._weights(mu)
        return float((d * (1 - share)).min())

    def slope(self, mu: float) -> Any:
        """Minus the derivative of `matrix` in mu."""
        return self._assemble((1 - self._weights(mu)[1]) ** 2)

    def holds(self, mu: float) -> bool:
        """Whether elimination finds positive pivots only, with a margin for rounding."""
        from scipy.sparse import diags_array

        d, share = self._weights(mu)
        size = self._stiff.diagonal() + self._assemble(np.abs(d) * (1 + np.abs(share))).diagonal()
        tested = (self.matrix(mu) - _MARGIN * diags_array(size)).tocsc()
        return is_positive(tested)

    def _weights(self, mu: float) -> tuple[Floats, Floats]:
        d = self._potential - mu
        return d, d / (self._room - mu)[:, None]

    def _assemble(self, weight: Floats) -> Any:
        return self._within(self._weighted.assemble(self._basis, weight=weight))

    def _within(self, matrix: Any) -> Any:
        return matrix[self._inner][:, self._inner].tocsc()


def lower_bound(triangles: Triangles, gram: Floats, rho: float, guess: float) -> float:
    """A number that the least eigenvalue on any subset of the triangles is not below; `guess` is near and above it."""
    criterion = Criterion(triangles, gram, rho)
    mu = min(guess, criterion.largest)
    for _ in range(30):
        # The least eigenvalue is a concave function of mu: from the right, Newton's steps come down to its zero.
        matrix, floor = criterion.matrix(mu), criterion.floor(mu)
        v = least_eigenvector(matrix, criterion.mass, floor - 0.01 * abs(floor))
        value = float(v @ matrix @ v)
        step = value / float(v @ criterion.slope(mu) @ v)
        mu = min(mu + step, criterion.largest)
        if abs(step) <= 1e-13 * mu or mu <= 0:
            break
    for shrink in _SHRINK:
        if mu > 0 and criterion.holds(mu * (1 - shrink)):
            return mu * (1 - shrink)
    return 0.0


def nearest_square(triangles: Triangles) -> Floats:
    """The squared distance of each triangle from 0, shape (t,)."""
    corners, edges = triangles.points[triangles.cells], triangles.edges
    along = np.clip(-(corners * edges).sum(axis=2) / (edges**2).sum(axis=2), 0, 1)
    away = ((corners + along[..., None] * edges) ** 2).sum(axis=2).min(axis=1)
    turns = corners[..., 0] * edges[..., 1] - corners[..., 1] * edges[..., 0]
    inside = np.all(turns >= 0, axis=1) | np.all(turns <= 0, axis=1)
    return np.asarray(np.where(inside, 0.0, away), dtype=float)
