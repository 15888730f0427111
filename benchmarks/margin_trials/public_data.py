"""Iris, Wine and Digits in the unit ball, scaled and projected by public constants only: nothing is read off the records.

The boxes are round numbers for flowers in centimetres, for the chemistry of wine, and 0 to 16 for pixels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noiseproof.symbolic.arrays import Floats
from noiseproof.symbolic.errors import SpecError

BOXES: dict[str, tuple[list[float], list[float]]] = {
    "iris": ([4, 2, 1, 0], [8, 5, 7, 3]),
    "wine": ([11, 0, 1, 10, 70, 0, 0, 0, 0, 0, 0, 1, 200], [15, 6, 4, 30, 170, 5, 6, 1, 4, 15, 2, 5, 2000]),
    "digits": ([0] * 64, [16] * 64),
}


@dataclass(frozen=True, eq=False)
class PublicData:
    """Records `features` (n, d) of length at most 1 and `labels` (n,) of `classes` declared classes."""

    name: str
    features: Floats
    labels: NDArray[np.int64]
    classes: int

    def split(self, seed: int, share: float = 0.7) -> tuple[Any, Any]:
        """Training and test records by a random split."""
        order = np.random.default_rng(seed).permutation(len(self.labels))
        cut = int(share * len(order))
        one, two = order[:cut], order[cut:]
        return (self.features[one], self.labels[one]), (self.features[two], self.labels[two])


def public_data(name: str, dimension: int | None = None) -> PublicData:
    """ "iris", "wine" or "digits", mapped from the box to [-1, 1], projected to `dimension` by a random orthogonal map of fixed seed.

    Records longer than 1 are clipped to length 1; projected ones are stretched by sqrt(p/dimension) first, which keeps their mean length.
    """
    if name not in BOXES:
        raise SpecError(f"name must be one of {', '.join(BOXES)}, got {name!r}")
    from sklearn import datasets

    raw, labels = getattr(datasets, f"load_{name}")(return_X_y=True)
    low, high = (np.array(v, dtype=float) for v in BOXES[name])
    x = np.clip((2 * raw - low - high) / (high - low), -1.0, 1.0) / np.sqrt(raw.shape[1])
    if dimension is not None:
        p = raw.shape[1]
        if not 1 <= dimension < p:
            raise SpecError(f"expected a dimension of 1 to {p - 1}, got {dimension}")
        basis = np.linalg.qr(np.random.default_rng(0).standard_normal((p, dimension)))[0]
        x = x @ basis * np.sqrt(p / dimension)
    lengths = np.linalg.norm(x, axis=1, keepdims=True)
    return PublicData(name, x / np.maximum(lengths, 1.0), labels.astype(np.int64), len(np.unique(labels)))
