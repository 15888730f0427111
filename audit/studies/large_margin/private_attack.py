"""Attacks on the private large-margin classifier: its worst neighbours, its largest privacy loss, and a version with too little noise."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ....mechanisms.large_margin import PrivacyTerms, PrivateLargeMarginGaussian
from ....mechanisms.large_margin.newton import tilted_minimisers
from ....symbolic.arrays import Floats
from ....symbolic.errors import SpecError
from ....symbolic.programs.symmetric import matrices

Sample = tuple[Floats, NDArray[np.int64]]


class PrintedScale(PrivateLargeMarginGaussian):
    """The private variant with the noise density exp(-(epsilon/2)|b|) of Pathak and Raj (2010): sensitivity 2, no Jacobian.

    Not private at its epsilon.
    """

    def _scale(self, epsilon: float, terms: PrivacyTerms) -> float:
        if self.method == "output":
            return 2 / (epsilon * terms.size * float(terms.ridge))
        return 2 / epsilon


class WithoutJacobian(PrivateLargeMarginGaussian):
    """The private variant with noise for the whole epsilon and nothing set aside for the Jacobian: not private at its epsilon."""

    def _scale(self, epsilon: float, terms: PrivacyTerms) -> float:
        return float(terms.gradient_sensitivity) / epsilon


def worst_neighbours(classes: int, size: int, dimension: int = 1) -> tuple[Sample, Sample]:
    """Two data sets of one repeated record of length 1, the last of which changes its label from 0 to 1.

    The other labels, twice as often 0 as each of 2, ..., C - 1, pull along the change where all weights are 1: there the
    two noises that give one output differ in length by as much as the gradients differ, up to the share of one record.
    """
    if classes < 2 or size < 2:
        raise SpecError(f"expected at least two classes and two records, got {classes} and {size}")
    features = np.zeros((size, dimension))
    features[:, 0] = 1.0
    order = [0, *range(2, classes), 0] if classes > 2 else [0]
    labels = np.append(np.resize(order, size - 1), 0).astype(np.int64)
    other = labels.copy()
    other[-1] = 1
    return (features, labels), (features, other)


def largest_loss(
    model: PrivateLargeMarginGaussian, pair: tuple[Sample, Sample], draws: int = 2_000, seed: int = 0
) -> float:
    """The largest |log density ratio| found over outputs: releases, and outputs near those where all records pull fully.

    A lower bound on epsilon for densities that are continuous near the output found; it is no upper bound.
    """
    rng = np.random.default_rng(seed)
    drawn = np.concatenate([model.released(*sample, draws // 2, rng) for sample in pair])
    if model.method == "output":
        # On the line through the two minimisers, the ratio is the largest outside of both.
        one, two = (_centre(model, sample) for sample in pair)
        chosen = one + (two - one) * rng.uniform(-100, 100, (draws, 1, 1, 1))
    else:
        steps = rng.standard_normal((draws, drawn.shape[1])) * 10.0 ** rng.uniform(-9, 0, (draws, 1))
        steps -= steps.mean(axis=1, keepdims=True)
        z = np.append(pair[0][0][-1], 1.0)
        chosen = steps[:, :, None, None] * np.outer(z, z)
    outputs = np.concatenate([drawn, chosen])
    return float(np.abs(model.log_density(outputs, *pair[0]) - model.log_density(outputs, *pair[1])).max())


def _centre(model: PrivateLargeMarginGaussian, sample: Sample) -> Floats:
    """The minimiser of the output method, which the release scatters around."""
    objective = model._objective(*sample)
    s = objective.outer.shape[1]
    return np.asarray(matrices(tilted_minimisers(objective, np.zeros((1, objective.classes, s))))[0])
