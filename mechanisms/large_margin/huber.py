"""The smoothed hinge of Pathak and Raj (2010), equation 6: as it must read, and as it is printed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...symbolic.arrays import Floats
from ..additive import positive


@dataclass(frozen=True)
class Huber:
    """A convex, continuously differentiable loss of the lead t: 0 from margin + h on, a parabola, then margin - t.

    The lead of the right class y over a class c is t = x'(Phi_c - Phi_y) x.  As h falls to 0 the loss becomes the hinge
    [margin - t]_+; margin 1 is that of the paper's constraint, 0 that of its equation 6.  The slope lies in [-1, 0] and
    is Lipschitz with constant 1/(2h).
    """

    width: float = 0.5
    margin: float = 1.0

    def __post_init__(self) -> None:
        positive("width", self.width, "h, half the width of the parabola")
        if not (np.isfinite(self.margin) and self.margin >= 0):
            raise ValueError(f"margin must be a finite number >= 0, got {self.margin!r}")

    def value(self, lead: Floats) -> Floats:
        """The loss at each lead."""
        short = self.margin + self.width - lead
        bent = np.clip(short, 0.0, 2 * self.width)
        return np.asarray(bent**2 / (4 * self.width) + np.maximum(short - 2 * self.width, 0.0))

    def pull(self, lead: Floats) -> Floats:
        """Minus the slope at each lead, a weight in [0, 1]."""
        return np.asarray(np.clip((self.margin + self.width - lead) / (2 * self.width), 0.0, 1.0))

    def curvature(self, lead: Floats) -> Floats:
        """The second derivative where it exists: 1/(2h) on the parabola, 0 off it."""
        return np.asarray((np.abs(lead - self.margin) < self.width) / (2 * self.width))

    def conjugate(self, weight: Floats) -> Floats:
        """The largest (margin + h - t) w - h w^2 is the loss; this is (margin + h) w - h w^2 at weights w in [0, 1]."""
        return np.asarray((self.margin + self.width) * weight - self.width * weight**2)
