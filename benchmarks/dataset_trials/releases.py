"""Whole data sets as releases: with independent noise, read by one adversary, repeated, and Omega as printed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from noiseproof.audit.studies.dataset_release.estimators import Estimator
from noiseproof.mechanisms.dataset_noise import NullSpaceNoise
from noiseproof.mechanisms.learning.svm import SvmSolution
from noiseproof.mechanisms.learning.training_set import TrainingSet
from noiseproof.symbolic.arrays import Floats
from noiseproof.symbolic.errors import SpecError


def seen_without_noise(noise: NullSpaceNoise, y: ArrayLike) -> Floats:
    """alpha'x_i/|alpha| of every record (q,), read off a null-space release (q, p) by anyone who trains the classifier on it."""
    return np.asarray(np.asarray(y, dtype=float) @ noise.direction, dtype=float)


def for_record(estimator: Estimator, record: int, shape: tuple[int, int]) -> Callable[[Floats], Floats]:
    """The estimator of one record on rows of flattened releases (size, q p), for `adversaries.attack`."""
    if not 0 <= record < shape[0]:
        raise SpecError(f"records are numbered 0 to {shape[0] - 1}, got {record}")

    def of_rows(y: Floats) -> Floats:
        return np.stack([estimator(row.reshape(shape))[record] for row in y])

    of_rows.name = getattr(estimator, "name", "estimator")  # type: ignore[attr-defined]
    return of_rows


def simulate(move: Callable[[np.random.Generator], float], repeats: int, seed: int = 0) -> Floats:
    """The distances (repeats,) of independent repeats; `move` draws a noise, trains again and measures."""
    streams = np.random.SeedSequence(seed).spawn(repeats)
    return np.array([move(np.random.default_rng(s)) for s in streams])


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
    return TrainingSet.of(data.features + noise, data.labels)


def dense_omega(solution: SvmSolution) -> Floats:
    """Omega as printed, (p + q) x (q p), for small sets: the route that the projection is checked against."""
    q, p = solution.data.features.shape
    if (p + q) * q * p > 5_000_000:
        raise ValueError(
            f"Omega would have {p + q} x {q * p} entries: use NullSpaceNoise, which never forms it"
        )
    top = np.kron(solution.omega * solution.data.labels, np.eye(p))
    return np.vstack([top, np.kron(np.eye(q), solution.alpha)])
