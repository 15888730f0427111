"""The release of one record with grid noise as a mechanism: the exact law, and the code that releases."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from ...symbolic.arrays import Floats
from ...symbolic.information.error_bounds import LowerBound
from ...symbolic.information.grid_error import weiss_weinstein
from ...symbolic.laws.vector import OutcomeLaw
from ..additive import positive
from ..mechanism import Mechanism, WorstCase
from .laws import default_exponent, grid_noise
from .outcome import GridOutcome
from .release import GridRelease
from .secure_bits import seeded_bits


class GridMechanism(Mechanism):
    """One record, clamped, on a grid, plus grid noise in each column.

    Local model: every record of a table is released on its own, so that neighbours are any two records inside the bounds.
    """

    name = "grid-noise"
    summary = "adds noise of exactly known law to one record, in whole steps of powers of two"

    def __init__(self, release: GridRelease) -> None:
        self.released = release
        self.dimension = release.dimension

    def parameters(self) -> dict[str, Any]:
        return {"columns": self.released.description()}

    def _record(self, data: Any) -> Floats:
        record = np.atleast_1d(np.asarray(data, dtype=float))
        if record.shape != (self.dimension,):
            raise ValueError(
                f"{self.name} expects a record of {self.dimension} numbers, got shape {record.shape}"
            )
        return record

    def law(self, data: Any) -> OutcomeLaw:
        record = self._record(data)
        centres = [
            # The nearest step by fractions, another way than the code's; halves go to the even step in both.
            max(first, min(last, round(Fraction(x) / Fraction(2) ** noise.exponent)))
            for x, noise, (first, last) in zip(
                record.tolist(), self.released.noises, self.released.ends, strict=True
            )
        ]
        return GridOutcome(self.released.noises, tuple(centres))

    def release(self, data: Any, size: int, rng: np.random.Generator) -> Floats:
        block = np.broadcast_to(self._record(data), (size, self.dimension))
        return self.released.apply(block, seeded_bits(rng))

    def neighbours(self) -> tuple[tuple[Any, Any], ...]:
        return ((np.array(self.released.lows), np.array(self.released.highs)),)

    def worst_case(self) -> WorstCase:
        return WorstCase(
            self.released.pair(),
            lemmas=(
                "log-concave noise: the likelihood ratio of two shifts is monotone, the best events are half-lines, and the power of "
                "each grows with the distance: of all pairs of records in the bounds, low against high dominates (Blackwell order)",
                "a product of pairs is dominated by the product of pairs that dominate them",
            ),
        )

    def error_bounds(self) -> tuple[LowerBound, ...]:
        """For each column the least mean squared error of any adversary about the worst record in the bounds."""
        return tuple(
            weiss_weinstein(noise, domain=ends)
            for noise, ends in zip(self.released.noises, self.released.ends, strict=True)
        )

    def with_noise_divided_by(self, factor: float) -> GridMechanism:
        noises = []
        for noise in self.released.noises:
            parameter = positive("parameter", noise.parameter / factor, "of the noise after the division")
            # The same grid, unless larger noise does not fit a table on it.
            noises.append(grid_noise(noise.kind, parameter, max(noise.exponent, default_exponent(parameter))))
        return GridMechanism(GridRelease(tuple(noises), self.released.lows, self.released.highs))
