"""A claimed privacy curve on a grid of epsilons, and what it allows at a given delta."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....symbolic.arrays import Floats
from ....symbolic.privacy.guarantees import Curve, Guarantee

_CEILINGS, _HIGHEST = np.array([1.0, 2.0, 5.0, 10.0, 20.0]), 30.0  # where a grid may end
_NEXT_TO_NOTHING = 1e-9  # of delta
_PARTS = np.arange(32) / 32


@dataclass(frozen=True)
class ClaimedCurve:
    """delta(epsilon) as claimed, at ascending epsilons (g,), and the function itself.

    `fixed` is the delta at which a point claim stands, None for a claim that is a whole curve.
    """

    epsilon: Floats
    delta: Floats
    fixed: float | None
    curve: Curve

    @classmethod
    def of(cls, guarantee: Guarantee, points: int = 60) -> ClaimedCurve:
        """A grid up to where next to nothing is allowed."""
        curve = guarantee.curve()
        enough = np.asarray(curve(_CEILINGS), dtype=float) < _NEXT_TO_NOTHING
        ceiling = float(_CEILINGS[np.argmax(enough)]) if enough.any() else _HIGHEST
        knots, point = guarantee.knots(), guarantee.point()
        epsilon = np.unique([*np.linspace(0.0, max([ceiling, *knots]), points), *knots])
        fixed = None if point is None else point[1]
        return cls(epsilon, np.asarray(curve(epsilon), dtype=float), fixed, curve)

    def allowed_epsilon(self, delta: float) -> float:
        """The smallest epsilon at which no more than `delta` is allowed, to a thousandth of a grid step; infinite if there is none."""
        enough = np.flatnonzero(self.delta <= delta * (1 + 1e-12))
        # A claim that is a whole curve allows a positive delta everywhere; floating point rounds it to zero.
        if not enough.size or (delta <= 0 and self.fixed is None):
            return float("inf")
        low, high = float(self.epsilon[max(enough[0] - 1, 0)]), float(self.epsilon[enough[0]])
        for _ in range(2):
            fine = low + (high - low) * _PARTS
            first = int(np.argmax(np.append(self.curve(fine) <= delta * (1 + 1e-12), True)))
            low, high = float(fine[max(first - 1, 0)]), float(fine[first]) if first < len(fine) else high
        return high
