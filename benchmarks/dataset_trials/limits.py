"""How near the regularised machine comes to its limit rho -> 0, and whether that limit is the only optimum."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from noiseproof.mechanisms.learning.svm import SvmProgram, SvmSolution
from noiseproof.mechanisms.learning.svm_limit import SvmLimit
from noiseproof.mechanisms.learning.training_set import TrainingSet


def unique(limit: SvmLimit) -> bool:
    """Whether the program with rho = 0 has one optimum only, to nine digits."""
    return limit.offsets[1] - limit.offsets[0] <= 1e-9 * (1 + abs(limit.beta))


def distance(limit: SvmLimit, other: SvmSolution) -> float:
    """The Euclidean distance of (alpha, beta, xi) from another solution."""
    parts = (other.alpha - limit.alpha, [other.beta - limit.beta], other.xi - limit.xi)
    return float(np.linalg.norm(np.concatenate(parts)))


def svm_path(
    features: ArrayLike, labels: ArrayLike, rhos: Sequence[float], theta: float = 1.0
) -> tuple[SvmSolution, ...]:
    """The solutions of the regularised program for several rho."""
    programs = [SvmProgram(rho, theta) for rho in rhos]
    data = TrainingSet.of(features, labels)
    return tuple(program.solve_set(data) for program in programs)
