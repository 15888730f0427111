"""The release of a whole training set with independent noise on its records; labels are released as they are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...symbolic.arrays import Floats
from ..learning.training_set import TrainingSet


def released(
    data: TrainingSet, draw: Callable[[int, np.random.Generator], Floats], rng: np.random.Generator
) -> TrainingSet:
    """The set with features x_i + n_i; `draw(size, rng)` gives noise of shape (size, p), one record per row.

    `OptimalGaussian.draw`, `LaplaceNoise.draw` and `OptimalNoise.sample` are such functions.
    """
    noise = np.asarray(draw(data.size, rng), dtype=float)
    if noise.shape != data.features.shape:
        raise ValueError(
            f"expected noise of shape {data.features.shape}, one row per record, got {noise.shape}"
        )
    return data.with_features(data.features + noise)
