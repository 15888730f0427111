"""The cost of null-space noise as theorem 2.10 of Farokhi (2020) counts it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from noiseproof.mechanisms.dataset_noise import NullSpaceNoise
from noiseproof.mechanisms.dataset_noise.null_space import feature_weight


def printed_trace(noise: NullSpaceNoise, weight: ArrayLike | None = None) -> float:
    """Tr((I x Pi^{-1}) Psi Psi')/m = (q - 1) Tr(Pi^{-1}(I - a a'))/m: the least cost (16a) as theorem 2.10 counts it.

    That matrix is zero in the directions that are seen without noise, where the information is infinite.
    """
    pi = np.eye(noise.shape[1]) if weight is None else np.linalg.inv(feature_weight(weight, noise.shape[1]))
    q = noise.shape[0] - float(noise.shares.sum())
    return q * float(np.trace(pi) - noise.direction @ pi @ noise.direction) / noise.m
