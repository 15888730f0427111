"""The minimiser of a smooth loss, and its derivative in the data by the implicit function theorem (farokhi2020, appendix G)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from ...symbolic.arrays import Floats
from .losses import Loss
from .training_set import as_floats, finite_matrix, refuse_constant_columns

_MOST_STEPS = 200
_SINGULAR = 1e-10


@dataclass(frozen=True, eq=False)
class Minimiser:
    """A stationary point phi of a loss on data, with what is known about it.

    `gradient` is the largest entry of the gradient over max(1, its size at phi = 0); `curvature` the least eigenvalue of
    the Hessian and `condition` that over the largest absolute one at start or end: positive, with no gradient, makes phi a strict local minimiser.
    """

    loss: Loss = field(repr=False)
    features: Floats = field(repr=False)
    targets: Floats = field(repr=False)
    phi: Floats
    value: float
    gradient: float
    curvature: float
    condition: float

    def holds(self, tolerance: float = 1e-8) -> bool:
        """Whether the gradient vanishes to `tolerance` and the Hessian is positive definite."""
        return self.gradient <= tolerance and self.condition > _SINGULAR

    def sensitivity(self, record: int) -> Floats:
        """d phi / d x_j = -(Hessian)^{-1} (mixed derivative), shape (k, p), for record j.

        ValueError where the Hessian is singular: the minimiser need not be differentiable in the data then, nor even
        Lipschitz (phi^4/4 - x phi has the minimiser x^(1/3)).
        """
        from scipy.linalg import cho_factor, cho_solve

        if not 0 <= record < len(self.features):
            raise ValueError(f"record must be a number from 0 to {len(self.features) - 1}, got {record!r}")
        if not self.condition > _SINGULAR:
            raise ValueError(
                f"the Hessian is not positive definite (least eigenvalue {self.curvature:.3g}): the implicit function "
                "theorem does not apply, and the minimiser need not be Lipschitz in the data"
            )
        data = self.phi, self.features, self.targets
        mixed = self.loss.mixed(*data, record)
        return np.asarray(-cho_solve(cho_factor(self.loss.hessian(*data)), mixed), dtype=float)


def minimise(
    loss: Loss, features: ArrayLike, targets: ArrayLike, start: ArrayLike | None = None
) -> Minimiser:
    """A minimiser by Newton's method with a line search, from `start` (k,), zero by default.

    For a loss that is not convex it is a local one and depends on `start`.  ValueError for unusable data; ArithmeticError
    if the loss has no minimiser that the iteration can find (it decreases without end).
    """
    x, y = finite_matrix("features", features), as_floats("targets", targets)
    if y.shape != (len(x),) or not np.all(np.isfinite(y)):
        raise ValueError(f"targets must be {len(x)} finite numbers, one per record, got shape {y.shape}")
    refuse_constant_columns(x)
    k = loss.parameters(x.shape[1])
    phi = np.zeros(k) if start is None else as_floats("start", start)
    if phi.shape != (k,) or not np.all(np.isfinite(phi)):
        raise ValueError(f"start must be {k} finite numbers, got shape {phi.shape}")
    steepest = float(np.abs(np.linalg.eigvalsh(loss.hessian(phi, x, y))).max())
    scale = max(1.0, float(np.abs(loss.gradient(np.zeros(k), x, y)).max()))
    value, slope = loss.value(phi, x, y), loss.gradient(phi, x, y)
    for _ in range(_MOST_STEPS):
        if np.abs(slope).max() <= 1e-15 * scale:
            break
        step = _descent(loss.hessian(phi, x, y), slope)
        found = _search(loss, phi, step, value, slope, x, y)
        if found is None:
            break
        phi, value, slope = found
    values = np.linalg.eigvalsh(loss.hessian(phi, x, y))
    size = float(np.abs(slope).max()) / scale
    if size > 1e-4 or not np.all(np.abs(phi) < 1e12):
        raise ArithmeticError(
            f"no stationary point was found (gradient {size:.1e} relative): the loss may decrease without end; add a price on phi"
        )
    # A loss that flattens out has no minimiser: the curvature is compared with that at the start.
    largest = max(float(np.abs(values).max()), steepest)
    return Minimiser(
        loss, x, y, phi, value, size, float(values[0]), float(values[0]) / largest if largest else 0.0
    )


def _descent(hessian: Floats, slope: Floats) -> Floats:
    """Newton's step; where the Hessian is not positive definite, with its eigenvalues replaced by their size."""
    values, vectors = np.linalg.eigh(hessian)
    sizes = np.maximum(np.abs(values), 1e-13 * max(float(np.abs(values).max()), 1e-300))
    return np.asarray(-vectors @ ((vectors.T @ slope) / sizes), dtype=float)


def _search(
    loss: Loss, phi: Floats, step: Floats, value: float, slope: Floats, x: Floats, y: Floats
) -> tuple[Floats, float, Floats] | None:
    """The first of the steps 1, 1/2, 1/4, ... that lowers the loss enough, or the gradient where rounding hides the loss."""
    fall = float(slope @ step)
    for halvings in range(60):
        length = 0.5**halvings
        ahead = phi + length * step
        try:
            reached = loss.value(ahead, x, y)
            slope_there = loss.gradient(ahead, x, y)
        except ArithmeticError:
            continue
        lower = reached <= value + 1e-4 * length * fall and reached < value
        flat = abs(reached - value) <= 1e-13 * max(1.0, abs(value))
        if lower or (flat and np.abs(slope_there).max() < np.abs(slope).max()):
            return ahead, reached, slope_there
    return None
