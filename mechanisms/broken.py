"""Planted faults: releases that claim a guarantee they do not have, each the kind of mistake that real code makes.

>>> fault = npf.BROKEN_MECHANISMS[0]
>>> fault.what, npf.examine(fault.subject, fault.claim, samples=5_000).verdict
('the code uses half of the declared deviation', Verdict.REFUTED)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..symbolic.arrays import Floats
from ..symbolic.information.fisher import Information
from ..symbolic.information.noise import independent_information
from ..symbolic.laws import catalogue as laws
from ..symbolic.laws.vector import IndependentNoise, OutcomeLaw
from ..symbolic.predicates import ErrorBound, Predicate
from ..symbolic.privacy.guarantees import ApproxDP, GaussianDP, PureDP
from .additive import Additive
from .black_box import BlackBox
from .cosine import CosineMechanism
from .gaussian import GaussianMechanism, OptimalGaussian
from .laplace import LaplaceMechanism
from .mechanism import WorstCase
from .mutant import Mutant
from .queries import BoundedMean
from .randomised_response import RandomisedResponse


@dataclass(frozen=True, eq=False)
class PlantedFault:
    """A subject, the claim that it falsely makes, and what is wrong."""

    name: str
    subject: Any
    claim: Predicate
    what: str


class UniformNoise(Additive):
    """y = x + w with w uniform on [-half, half]: an irregular family, for which no Cramer-Rao bound exists."""

    name = "uniform"
    summary = "adds uniform noise"

    def __init__(self, half: float, dimension: int = 1) -> None:
        self.half, self.dimension = float(half), dimension

    def noise_law(self, centre: Floats) -> OutcomeLaw:
        return IndependentNoise(laws.uniform(-self.half, self.half), tuple(centre))

    def draw(self, size: int, rng: np.random.Generator) -> Floats:
        return rng.uniform(-self.half, self.half, size=(size, self.dimension))

    def neighbours(self) -> tuple[tuple[Any, Any], ...]:
        return ((np.zeros(self.dimension), np.full(self.dimension, self.half / 4)),)

    def worst_case(self) -> WorstCase | None:
        return None

    def noise_information(self) -> Information:
        return independent_information(laws.uniform(-self.half, self.half), self.dimension)


class ReplaceOneForgotten(BoundedMean):
    """A bounded mean whose noise is calibrated to half of its sensitivity."""

    name = "bounded-mean, half sensitivity"

    def sensitivity(self) -> Any:
        return super().sensitivity() / 2


def _half_noise() -> PlantedFault:
    declared = GaussianMechanism(sigma=1.0, sensitivity=1.0)
    return PlantedFault(
        "half-noise",
        Mutant.noise_divided_by(declared, 2.0),
        GaussianDP(1.0),
        "the code uses half of the declared deviation",
    )


def _variance_for_deviation() -> PlantedFault:
    declared = GaussianMechanism(sigma=0.5, sensitivity=1.0)

    def release(data: Any, size: int, rng: np.random.Generator) -> Any:
        return declared.query(data) + rng.normal(0.0, 0.5**2, size=(size, 1))

    return PlantedFault(
        "variance-for-deviation",
        Mutant(declared, release, "variance taken for deviation"),
        GaussianDP(2.0),
        "the variance is passed where the deviation belongs",
    )


def _inverted_scale() -> PlantedFault:
    declared = LaplaceMechanism(epsilon=1.0, sensitivity=2.0)

    def release(data: Any, size: int, rng: np.random.Generator) -> Any:
        return declared.query(data) + rng.laplace(0.0, 1.0 / 2.0, size=(size, 1))

    return PlantedFault(
        "inverted-laplace-scale",
        Mutant(declared, release, "scale inverted"),
        PureDP(1.0),
        "epsilon/sensitivity instead of sensitivity/epsilon",
    )


def _sensitivity_off_by_two() -> PlantedFault:
    subject = ReplaceOneForgotten(lower=0.0, upper=1.0, count=50, epsilon=1.0)
    return PlantedFault(
        "sensitivity-off-by-2",
        subject,
        PureDP(1.0),
        "the sensitivity of the mean is halved: (upper - lower)/(2n)",
    )


def _noise_reused() -> PlantedFault:
    declared = LaplaceMechanism(epsilon=1.0, sensitivity=1.0, dimension=2)

    def release(data: Any, size: int, rng: np.random.Generator) -> Any:
        return declared.query(data) + rng.laplace(0.0, 1.0, size=(size, 1))

    return PlantedFault(
        "noise-reused",
        Mutant(declared, release, "one draw for both entries"),
        PureDP(1.0),
        "both entries get the same noise: their difference is released exactly",
    )


def _fixed_seed() -> PlantedFault:
    def release(data: float, size: int, rng: np.random.Generator) -> Any:
        return data + np.random.default_rng(7).laplace(0.0, 1.0, size=size)

    return PlantedFault(
        "fixed-seed",
        BlackBox(release, (0.0, 1.0), name="fixed-seed laplace"),
        PureDP(1.0),
        "the generator is reseeded at every call",
    )


def _budget_not_split() -> PlantedFault:
    def release(data: Any, size: int, rng: np.random.Generator) -> Any:
        return np.asarray(data) + rng.laplace(0.0, 1.0, size=(size, 2))

    return PlantedFault(
        "budget-not-split",
        BlackBox(release, (np.zeros(2), np.ones(2)), name="two queries, one budget"),
        PureDP(1.0),
        "two queries of sensitivity 1 at epsilon = 1 each, total claimed 1",
    )


def _uniform_cramer_rao() -> PlantedFault:
    return PlantedFault(
        "uniform-cramer-rao",
        UniformNoise(half=1.0),
        ErrorBound(1 / 3),
        "the variance of uniform noise is claimed as a Cramer-Rao bound, which does not exist",
    )


def _error_bound_half_noise() -> PlantedFault:
    declared = OptimalGaussian(1.0, (np.zeros(4), np.ones(4)))
    return PlantedFault(
        "error-bound-half-noise",
        Mutant.noise_divided_by(declared, 2.0),
        ErrorBound(4.0),
        "an error bound derived for twice the noise that is added",
    )


def _bounded_noise_pure() -> PlantedFault:
    return PlantedFault(
        "bounded-noise-pure-dp",
        CosineMechanism(-4.0, 4.0),
        PureDP(2.0),
        "bounded noise cannot be pure: its support moves",
    )


def _response_too_honest() -> PlantedFault:
    declared = RandomisedResponse(epsilon=1.0, categories=4)

    def release(data: Any, size: int, rng: np.random.Generator) -> Any:
        # The truth with the binary probability; uniform over all k otherwise, the truth included.
        truth = rng.random(size) < np.e / (1 + np.e)
        return np.where(truth, int(data), rng.integers(0, 4, size=size)).astype(float)

    return PlantedFault(
        "response-too-honest",
        Mutant(declared, release, "binary probability for four categories"),
        PureDP(1.0),
        "the keep probability of two categories is used for four",
    )


def _missing_is_not_noised() -> PlantedFault:
    def release(data: Any, size: int, rng: np.random.Generator) -> Any:
        if data is None:
            return np.full(size, np.nan)
        return data + rng.normal(0.0, 4.0, size=size)

    return PlantedFault(
        "missing-value-leaks",
        BlackBox(release, (0.0, None), name="NaN for a missing record"),
        ApproxDP(1.0, 1e-6),
        "a missing record is released as NaN",
    )


#: The planted faults, each with `name`, `subject`, `claim` and `what` is wrong: an audit refutes every one.
BROKEN_MECHANISMS: tuple[PlantedFault, ...] = tuple(
    plant()
    for plant in (
        _half_noise,
        _variance_for_deviation,
        _inverted_scale,
        _sensitivity_off_by_two,
        _noise_reused,
        _fixed_seed,
        _budget_not_split,
        _uniform_cramer_rao,
        _error_bound_half_noise,
        _bounded_noise_pure,
        _response_too_honest,
        _missing_is_not_noised,
    )
)
