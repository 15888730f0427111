"""The largest privacy loss found of a private release, and one with too little noise."""

from __future__ import annotations

import numpy as np

from noiseproof.audit.studies.large_margin.private_attack import Sample
from noiseproof.mechanisms.large_margin import PrivacyTerms, PrivateLargeMarginGaussian
from noiseproof.mechanisms.large_margin.newton import tilted_minimisers
from noiseproof.symbolic.arrays import Floats
from noiseproof.symbolic.programs.symmetric import matrices


class WithoutJacobian(PrivateLargeMarginGaussian):
    """The private variant with noise for the whole epsilon and nothing set aside for the Jacobian: not private at its epsilon."""

    def _scale(self, epsilon: float, terms: PrivacyTerms) -> float:
        return float(terms.gradient_sensitivity) / epsilon


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
