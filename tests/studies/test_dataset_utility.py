"""What a released data set is worth: constants of stability, the quality D with its bounds, exact intervals."""

from __future__ import annotations

import numpy as np
import pytest
from dataset_trials.losses import sensitivity_norms
from dataset_trials.releases import simulate
from dataset_trials.svm_sensitivity import SvmSensitivity
from numpy.typing import NDArray

from noiseproof.audit.studies.dataset_release.equal_terms import noise_variance
from noiseproof.audit.studies.dataset_release.fitting import distance, fit_classifier, fit_ridge, ridge_loss
from noiseproof.audit.studies.dataset_release.stability import (
    global_stability,
    local_stability,
    proposition_2_3,
    proposition_2_3_global,
    proposition_2_11,
    ridge_stability,
)
from noiseproof.audit.studies.dataset_release.utility import qualities
from noiseproof.audit.studies.experiments.illustration import two_classes

Floats = NDArray[np.float64]


X, Y = two_classes(np.random.default_rng(0))
MODEL = fit_classifier(X, Y)


def test_the_local_constant_bounds_small_motions_and_not_by_far() -> None:
    local = local_stability(MODEL)
    assert local.radius > 0
    assert sum(local.active) == len(X)
    rng = np.random.default_rng(3)
    quotients = []
    for _ in range(20):
        noise = 1e-2 * local.radius * rng.normal(size=X.shape) / np.sqrt(X.size)
        moved = distance(fit_classifier(X + noise, Y), MODEL)
        quotients.append(moved / np.linalg.norm(noise, 2))
    assert max(quotients) <= local.constant * 1.001
    assert max(quotients) > local.constant / 100


def test_the_local_slope_is_that_of_the_solver() -> None:
    record = int(np.flatnonzero(MODEL.support)[0])
    step = np.zeros_like(X)
    step[record, 0] = 1e-6
    moved = fit_classifier(X + step, Y)
    slope = np.append(moved.alpha - MODEL.alpha, moved.beta - MODEL.beta) / 1e-6
    assert SvmSensitivity(MODEL).of(record)[:, 0] == pytest.approx(slope, rel=1e-3, abs=1e-4)


def test_the_global_bound_holds_for_every_size_of_noise() -> None:
    whole = global_stability(MODEL)
    rng = np.random.default_rng(5)
    for size in (1e-3, 0.1, 1.0, 30.0):
        noise = size * rng.normal(size=X.shape)
        other = fit_classifier(X + noise, Y)
        d = distance(other, MODEL) ** 2
        pull = Y * np.einsum(
            "ij,ij->i", noise, np.outer(MODEL.omega, other.alpha) - np.outer(other.omega, MODEL.alpha)
        )
        rho, v = 1e-2, other.alpha - MODEL.alpha
        left = v @ v + rho * (other.beta - MODEL.beta) ** 2 + rho * np.sum((other.xi - MODEL.xi) ** 2)
        assert left <= pull.sum() * (1 + 1e-6) + 1e-9
        assert d <= whole.constant * np.linalg.norm(noise, 2)


def test_the_constant_of_a_smooth_loss_is_the_implicit_derivative() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=(40, 3))
    y = x @ [1.0, -2.0, 0.5] + 0.1 * rng.normal(size=40)
    found = fit_ridge(x, y, sigma=1e-2)
    assert ridge_stability(found.phi, x, y, sigma=1e-2) == pytest.approx(
        sensitivity_norms(found).max(), rel=1e-9
    )
    assert ridge_loss(found.phi, x, y, sigma=1e-2) == pytest.approx(found.value)


def test_quality_with_its_bound() -> None:
    local = local_stability(MODEL)
    tolerance = local.constant * local.radius
    lam = 1e18

    def move(rng: np.random.Generator) -> float:
        noise = np.sqrt(noise_variance(lam)) * rng.normal(size=X.shape)
        return distance(fit_classifier(X + noise, Y), MODEL)

    found = qualities(simulate(move, 25), [tolerance, 1e-9])
    bound = proposition_2_3(len(X), 2 * noise_variance(lam), local.constant, tolerance)
    assert 0 < bound < 1
    assert not found[0].below(bound)
    assert found[0].estimate == 1.0
    # The check can say the other word: no model stays within 1e-9.
    assert found[1].below(bound)
    assert proposition_2_3_global(100, 1e-12, global_stability(MODEL), 1.0) < 1
    assert proposition_2_11(10, 1e-6, 0.5, 0.1) == pytest.approx(1 - 100 * 1e-6 / 0.01)


def test_intervals_are_exact() -> None:
    (q,) = qualities([0.5] * 9 + [2.0], [1.0])
    assert (q.hits, q.repeats) == (9, 10)
    assert q.low < 0.9 < q.high
    assert q.standard_error == pytest.approx(np.sqrt(0.09 / 10))
