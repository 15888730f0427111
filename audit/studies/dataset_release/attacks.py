"""Errors of adversaries on simulated releases of a data set, record by record, with standard errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ....symbolic.arrays import Floats
from ....symbolic.errors import SpecError
from .estimators import Estimator

Draw = Callable[[np.random.Generator], Floats]


@dataclass(frozen=True, eq=False)
class RecordErrors:
    """Mean squared errors per record `error` (q,) with `standard_error` (q,), and the mean over records with its own."""

    estimator: str
    samples: int
    error: Floats
    standard_error: Floats
    mean: float
    mean_standard_error: float

    def below(self, bound: float | Floats, deviations: float = 5.0) -> NDArray[np.bool_]:
        """Records (q,) whose measured error lies below the bound by more than so many standard errors."""
        return np.asarray(self.error + deviations * self.standard_error < np.asarray(bound) * (1 - 1e-9))


def record_errors(
    x: Floats, draw: Draw, estimators: Sequence[Estimator], *, samples: int = 200, seed: int = 0
) -> list[RecordErrors]:
    """All estimators on the same `samples` releases x + draw(rng) of the records x (q, p)."""
    if samples < 2:
        raise SpecError(f"expected at least two releases, got {samples}")
    streams = np.random.SeedSequence(seed).spawn(samples)
    sums = np.zeros((len(estimators), 2, len(x)))
    totals = np.zeros((len(estimators), samples))
    for n, stream in enumerate(streams):
        y = x + draw(np.random.default_rng(stream))
        for k, estimator in enumerate(estimators):
            square = np.sum((estimator(y) - x) ** 2, axis=1)
            sums[k] += square, square**2
            totals[k, n] = square.mean()
    out = []
    for k, estimator in enumerate(estimators):
        mean, second = sums[k] / samples
        spread = np.sqrt(np.maximum(second - mean**2, 0.0) / (samples - 1))
        name = str(getattr(estimator, "name", "estimator"))
        error = float(totals[k].std(ddof=1) / np.sqrt(samples))
        out.append(RecordErrors(name, samples, mean, spread, float(totals[k].mean()), error))
    return out
