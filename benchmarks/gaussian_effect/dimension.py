"""The Gaussian effect as a function of the dimension p: means over random projections with their standard errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from noiseproof.mechanisms.ron_gauss.projection import uniform_projection
from noiseproof.symbolic.errors import SpecError

from .gaussianity import FEWEST_DRAWS, gaussianity
from .inputs import records, whole


@dataclass(frozen=True)
class EffectAtDimension:
    """Means over `projections` uniform W of the figures of `Gaussianity`, `_error` their standard errors over W.

    `rejected` is the share of W whose projection fails a moment test at 2.5 % each (nan if the tests could not run).
    """

    p: int
    projections: int
    sliced_wasserstein: float
    sliced_wasserstein_error: float
    sliced_wasserstein_null: float
    lower: float
    transport: float
    transport_error: float
    transport_null: float
    rejected: float


def effect_of_dimension(
    X: ArrayLike,
    ps: Sequence[int],
    rng: np.random.Generator,
    *,
    projections: int = 6,
    directions: int = 20,
    draws: int = FEWEST_DRAWS,
    compared: int = 200,
) -> list[EffectAtDimension]:
    """One row for each p of `ps`: records X (n, m) as they are projected, W uniform, distances in units of sigma."""
    rows = records(X)
    m, number = rows.shape[1], whole(projections, "projections", 2)
    if not ps:
        raise SpecError("ps is empty: name at least one dimension p")
    wanted = [whole(p, "p") for p in ps]
    if max(wanted) > m:
        raise SpecError(f"p must be at most m = {m}, got {max(wanted)}")
    whole(draws, "draws", FEWEST_DRAWS)
    found = []
    for p in wanted:
        seen = [
            gaussianity(
                rows,
                uniform_projection(m, p, rng),
                rng,
                directions=directions,
                draws=draws,
                compared=compared,
            )
            for _ in range(number)
        ]
        moved = np.array([g.sliced_wasserstein for g in seen])
        transport = np.array([g.transport for g in seen])
        tests = [g.moments for g in seen if g.moments is not None]
        failed = [min(t.skewness_p, t.kurtosis_p) <= 0.025 for t in tests]
        found.append(
            EffectAtDimension(
                p,
                number,
                float(moved.mean()),
                _error(moved),
                float(np.mean([g.sliced_wasserstein_null for g in seen])),
                float(np.mean([g.lower for g in seen])),
                float(transport.mean()),
                _error(transport),
                float(np.mean([g.transport_null for g in seen])),
                float(np.mean(failed)) if failed else float("nan"),
            )
        )
    return found


def _error(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values)))
