"""How the classifier moves when the data move: the implicit function theorem on the active constraints.

Where every active constraint has a positive multiplier and their gradients are independent, the optimum is a smooth
function of the features nearby, and its derivative solves the linearised conditions (Fiacco 1976).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from noiseproof.mechanisms.learning.svm import SvmSolution
from noiseproof.symbolic.arrays import Floats

_INDEPENDENT = 1e-10


@dataclass(frozen=True, eq=False)
class SvmSensitivity:
    """Derivatives of (alpha, beta) in the features; ValueError where the optimum need not be differentiable.

    `margin` is the least of all inactive slacks and active multipliers (relative to theta): how strict the guess of
    the active constraints is.
    """

    solution: SvmSolution

    def __post_init__(self) -> None:
        edge = self._signed[self.solution.edge]
        values = np.linalg.svd(edge, compute_uv=False)
        dependent = len(edge) > edge.shape[1] or (len(edge) and values[-1] <= _INDEPENDENT * values[0])
        if dependent or self.margin <= 0:
            raise ValueError(
                "the classifier need not be differentiable in the data here: "
                + (
                    f"the {len(edge)} records on the margin have dependent constraints"
                    if dependent
                    else "a record on the margin has a multiplier of 0 or theta"
                )
            )
        if not self.solution.program.rho and not np.any(self.solution.edge):
            raise ValueError(
                "with rho = 0 and no record on the margin the offset is not unique: give rho > 0"
            )

    @property
    def margin(self) -> float:
        """The least distance of a constraint from changing between active and inactive; 0 if one is at the change."""
        found, theta = self.solution, self.solution.program.theta
        h = 1 - found.data.labels * found.decision(found.data.features)
        off = np.abs(h[~found.edge]).min(initial=np.inf)
        on = np.minimum(found.omega, theta - found.omega)[found.edge].min(initial=np.inf) / theta
        tight = np.where(found.edge, np.inf, np.abs(h)) <= 1e-12
        return 0.0 if tight.any() else float(min(off, on))

    @cached_property
    def _signed(self) -> Floats:
        data = self.solution.data
        return np.asarray(
            data.labels[:, None] * np.column_stack([data.features, np.ones(data.size)]), dtype=float
        )

    @cached_property
    def _factors(self) -> Any:
        from scipy.linalg import lu_factor

        found, (offset, s) = self.solution, self.solution.program.prices
        inside, on = self._signed[found.inside], self._signed[found.edge]
        hessian = np.diag(np.append(np.ones(len(found.alpha)), offset)) + s * inside.T @ inside
        return lu_factor(np.block([[hessian, -on.T], [on, np.zeros((len(on), len(on)))]]))

    def of(self, record: int) -> Floats:
        """d(alpha, beta)/dx_i for record i, shape (p + 1, p); zero for records beyond the margin."""
        from scipy.linalg import lu_solve

        found = self.solution
        q, p = found.data.features.shape
        if not 0 <= record < q:
            raise ValueError(f"record must be a number from 0 to {q - 1}, got {record!r}")
        if not found.support[record]:
            return np.zeros((p + 1, p))
        y, on = found.data.labels[record], np.flatnonzero(found.edge)
        change = np.zeros((p + 1 + len(on), p))
        change[:p] = -found.omega[record] * y * np.eye(p)
        if found.inside[record]:
            change[: p + 1] += found.program.prices[1] * y * np.outer(self._signed[record], found.alpha)
        else:
            change[p + 1 + int(np.searchsorted(on, record))] = y * found.alpha
        return np.asarray(-lu_solve(self._factors, change)[: p + 1], dtype=float)
