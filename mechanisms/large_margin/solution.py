"""A classifier found by a solver, with its certificate: what it costs, and a bound below which no other gets."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ...symbolic.arrays import Floats
from ...symbolic.programs.symmetric import coordinates, matrices, positive_part
from .dual import feasible_weights, shrunk
from .objective import Objective
from .reduced import lifted, reach


@dataclass(frozen=True, eq=False)
class Solution:
    """Positive semidefinite `phi` (C, k, k) with the objective attained and a lower bound for all others.

    The bound holds for every positive semidefinite parameter where the objective has a ridge; without one, for those up to
    `radius`, ten times the size of what was found, as `Objective.lower_bound` reads it.
    """

    phi: Floats = field(repr=False)
    objective: float
    lower_bound: float
    radius: float
    steps: int
    solver: str

    @property
    def gap(self) -> float:
        """(objective - lower bound)/max(1, |objective|)."""
        return (self.objective - self.lower_bound) / max(1.0, abs(self.objective))

    def holds(self, tolerance: float = 1e-6) -> bool:
        """Whether the gap is at most `tolerance`."""
        return bool(self.gap <= tolerance)


def certified(
    objective: Objective, phi: Floats, multipliers: tuple[Floats, ...], steps: int, solver: str
) -> Solution:
    """The solution of coordinates (C, s), made positive semidefinite; `multipliers` are weights (n, C) to try in the dual.

    Where the objective is free of ridge and tilt the last rows of `phi` are taken as free, too.
    """
    full = matrices(phi)
    if objective.free:
        found, value = lifted(objective, full)
        vector = phi
    else:
        found = positive_part(full)
        vector = coordinates(found)
        value = float(objective.value(vector))
    size = reach(found) if objective.free else float(np.trace(found, axis1=-2, axis2=-1).max())
    radius = np.inf if objective.ridge > 0 else 10 * max(1.0, size)
    tried = [np.clip(w, 0.0, 1.0) for w in (objective.weights(vector), *multipliers)]
    if objective.free:
        tried = [feasible_weights(objective, w) for w in tried]
    elif objective.ridge == 0:
        tried += [shrunk(objective, w) for w in tried]
    bound = max(objective.lower_bound(w, radius) for w in tried)
    return Solution(found, value, bound, radius, steps, solver)
