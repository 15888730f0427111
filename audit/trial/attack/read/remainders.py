"""Plain numbers as a person reads them: even or odd, the last digit before the point, what stands after it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .....symbolic.arrays import Floats
from ...outcomes import Kinds, Outcomes, widen
from ..scores import Score

_COLUMNS = 16  # of an outcome, the first
_MANY, _FEW = (
    0.1,
    0.02,
)  # of the outcomes: distinct numbers from which on, distinct parts after the point up to which, these are read


@dataclass(frozen=True)
class Remainders:
    """The columns whose remainders are read: those of many numbers that are whole, or that share a few parts after the point."""

    columns: tuple[int, ...]

    @classmethod
    def of(cls, zero: Outcomes, one: Outcomes) -> Remainders | None:
        """From outcomes of both inputs; None if no column is of this sort."""
        width = max(zero.values.shape[1], one.values.shape[1])
        values = np.concatenate([widen(s, width).values[:, :_COLUMNS] for s in (zero, one)])
        found = tuple(j for j, column in enumerate(values.T) if _of_few_parts(column))
        return cls(found) if found else None

    def read(self, sample: Outcomes) -> Outcomes:
        """The same outcomes with remainders instead of numbers."""
        values = widen(sample, max(self.columns) + 1).values[:, self.columns]
        whole = np.floor(values)
        return Outcomes(
            np.concatenate([whole % 2, whole % 10, values - whole], axis=1),
            Kinds.same("remainders", len(sample)),
        )

    def on(self, score: Score | None) -> Score | None:
        """A score of remainders as one of outcomes."""
        return score and score.after(self.read, "remainders")


def _of_few_parts(column: Floats) -> bool:
    if len(np.unique(column)) < _MANY * len(column):
        return False  # the numbers themselves repeat, and are seen as they are
    return len(np.unique(column - np.floor(column))) <= max(2.0, _FEW * len(column))
