"""The quality D of a released data set: the probability that the model moves by at most a tolerance, with exact intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ....symbolic.arrays import Floats
from ....symbolic.errors import SpecError
from ...trial.attack.event_bound import clopper_pearson


@dataclass(frozen=True)
class Quality:
    """D at one tolerance: `hits` of `repeats`, the estimate, and a Clopper-Pearson interval of the stated error probability."""

    tolerance: float
    hits: int
    repeats: int
    low: float
    high: float

    @property
    def estimate(self) -> float:
        """The share of hits."""
        return self.hits / self.repeats

    @property
    def standard_error(self) -> float:
        """Of the estimate, by the binomial variance."""
        return float(np.sqrt(self.estimate * (1 - self.estimate) / self.repeats))

    def below(self, bound: float) -> bool:
        """Whether the whole interval lies below a claimed lower bound: the bound is then false or its constant too small."""
        return self.high < bound


def qualities(
    distances: Sequence[float] | Floats, tolerances: Sequence[float], error: float = 0.05
) -> list[Quality]:
    """D at each tolerance from distances |dz| of independent repeats; the intervals hold together but for `error`."""
    d = np.asarray(distances, dtype=float)
    if d.ndim != 1 or len(d) == 0 or not np.all(np.isfinite(d)):
        raise SpecError("expected finite distances, one per repeat")
    if not 0 < error < 1 or not tolerances or min(tolerances) <= 0:
        raise SpecError(f"expected tolerances > 0 and an error in (0, 1), got {list(tolerances)} and {error}")
    out = []
    for tolerance in tolerances:
        hits = int(np.count_nonzero(d <= tolerance))
        low, high = clopper_pearson(hits, len(d), error / (2 * len(tolerances)))
        out.append(Quality(float(tolerance), hits, len(d), low, high))
    return out
