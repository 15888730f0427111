"""Noise for whole data sets: the null space of Omega by two routes, Laplace on equal terms, confined noise."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
from dataset_trials.confined import confined_noise
from dataset_trials.printed_cost import printed_trace
from dataset_trials.releases import dense_omega, released
from dataset_trials.unchanged import same_multipliers
from scipy import linalg

from noiseproof.audit.studies.experiments.illustration import two_classes
from noiseproof.mechanisms import OptimalGaussian
from noiseproof.mechanisms.dataset_noise import LaplaceNoise, NullSpaceNoise
from noiseproof.mechanisms.learning.svm import SvmSolution, solve_svm
from noiseproof.mechanisms.learning.training_set import TrainingSet
from noiseproof.mechanisms.optimal_noise import Box, Disc
from noiseproof.symbolic.privacy.pair import gaussian_delta


def illustration(seed: int) -> tuple[np.ndarray, np.ndarray]:
    return two_classes(np.random.default_rng(seed))


def small(p: int = 3, q: int = 12) -> SvmSolution:
    rng = np.random.default_rng(p)
    x = rng.normal(size=(q, p))
    return solve_svm(x, np.where(np.arange(q) % 2, 1.0, -1.0), rho=0.1)


def test_the_projection_is_that_on_the_null_space_of_the_printed_matrix() -> None:
    found = small()
    noise, omega = NullSpaceNoise.of(found, 2.0), dense_omega(found)
    basis = linalg.null_space(omega)
    assert np.linalg.matrix_rank(omega) == noise.rank == 12 + 3 - 1
    assert basis.shape[1] == noise.dimension == 11 * 2
    w = np.random.default_rng(0).normal(size=(12, 3))
    np.testing.assert_allclose(noise.project(w).ravel(), basis @ basis.T @ w.ravel(), atol=1e-13)
    whole = np.block([[noise.covariance(i, j) for j in range(12)] for i in range(12)])
    np.testing.assert_allclose(whole, 2.0 * basis @ basis.T, atol=1e-13)
    printed = np.trace(np.kron(np.eye(12), np.diag([1.0, 0.5, 0.25])) @ basis @ basis.T) / 2.0
    assert printed_trace(noise, np.diag([1.0, 2.0, 4.0])) == pytest.approx(printed)


@pytest.mark.parametrize("m", [1.0, 100.0, 1e8])
def test_the_classifier_stays(m: float) -> None:
    x, y = illustration(0)
    found = solve_svm(x, y)
    noise = NullSpaceNoise.of(found, m)
    release = TrainingSet.of(noise.release(x, np.random.default_rng(1)), y)
    assert np.abs(release.features - x).max() > 0.5 * np.sqrt(m)
    assert same_multipliers(found, release.features).holds()
    again = solve_svm(release.features, y)
    np.testing.assert_allclose(again.alpha, found.alpha, atol=1e-9)
    np.testing.assert_allclose(again.xi, found.xi, atol=1e-9)
    # Noise that is not projected does change it.
    assert not same_multipliers(found, x + np.random.default_rng(1).normal(size=x.shape)).holds(1e-3)


def test_draws_have_the_stated_covariance() -> None:
    noise = NullSpaceNoise.of(small(p=2, q=4), 3.0)
    rng = np.random.default_rng(2)
    draws = np.array([noise.draw(rng).ravel() for _ in range(20_000)])
    whole = np.block([[noise.covariance(i, j) for j in range(4)] for i in range(4)])
    np.testing.assert_allclose(np.cov(draws.T), whole, atol=0.15)
    direct, along = noise.exposed(draws[0].reshape(4, 2))
    assert max(np.abs(direct).max(), np.abs(along).max()) < 1e-13


def test_who_is_protected() -> None:
    found = small()
    noise = NullSpaceNoise.of(found, 5.0)
    errors, others = noise.errors(), noise.errors_given_others()
    traces = [np.trace(noise.covariance(i)) for i in range(12)]
    np.testing.assert_allclose(errors, traces)
    assert np.all(others[found.support] == 0)
    np.testing.assert_allclose(others[~found.support], 5.0 * 2)
    weight = np.diag([1.0, 2.0, 3.0])
    np.testing.assert_allclose(
        noise.errors(weight), [np.trace(weight @ noise.covariance(i)) for i in range(12)]
    )
    # A support record follows from the others, exactly.
    i = int(np.argmax(found.support))
    w = noise.draw(np.random.default_rng(0))
    rest = np.delete(noise.coefficients, i) @ np.delete(w, i, axis=0)
    np.testing.assert_allclose(w[i], -rest / noise.coefficients[i], atol=1e-12)


def test_a_single_support_record_gets_no_noise() -> None:
    x = np.array([[1.0, 0.0], [-4.0, 1.0]])
    found = solve_svm(x, [1, -1], rho=1)
    np.testing.assert_allclose(found.omega, [0.5, 0.0], atol=1e-14)
    noise = NullSpaceNoise.of(found, 100.0)
    np.testing.assert_allclose(noise.errors(), [0, 100])
    release = noise.release(x, np.random.default_rng(0))
    np.testing.assert_allclose(release[0], x[0], atol=1e-13)
    assert abs(release[1, 1] - x[1, 1]) > 0.1
    # The printed guarantee 1/Tr is positive all the same.
    assert 1 / printed_trace(noise) == pytest.approx(100.0)


def test_information_is_infinite_along_what_is_seen() -> None:
    noise = NullSpaceNoise.of(small(), 4.0)
    v = noise.project(np.random.default_rng(3).normal(size=(12, 3)))
    assert noise.information(v) == pytest.approx(np.sum(v**2) / 4)
    along = np.zeros((12, 3))
    along[0] = noise.direction
    assert noise.information(along) == np.inf
    assert noise.information(np.outer(noise.coefficients, [1.0, 0, 0])) == np.inf


def test_a_classifier_without_direction_leaves_one_condition() -> None:
    found = solve_svm([[-1.0, 0.5], [1.0, -0.5], [0.0, 0.0]], [1, 1, -1], rho=0.1)
    noise = NullSpaceNoise.of(found, 1.0)
    assert not noise.direction.any()
    assert (noise.rank, noise.dimension) == (2, 4)
    w = noise.draw(np.random.default_rng(0))
    assert np.abs(noise.coefficients @ w).max() < 1e-14


def test_breast_cancer_gives_the_published_factor_on_raw_features() -> None:
    from sklearn.datasets import load_breast_cancer

    data = load_breast_cancer()
    raw = NullSpaceNoise.of(solve_svm(data.data, 2.0 * data.target - 1), 1.0)
    assert round(float(raw.errors().min()), 1) == 28.4
    scaled = (data.data - data.data.mean(axis=0)) / data.data.std(axis=0)
    other = NullSpaceNoise.of(solve_svm(scaled, 2.0 * data.target - 1), 1.0)
    assert round(float(other.errors().min()), 1) == 27.9


def test_memory_is_linear_in_the_size() -> None:
    peaks = []
    for q in (10_000, 20_000):
        rng = np.random.default_rng(0)
        a, c = rng.normal(size=50), rng.normal(size=q)
        noise = NullSpaceNoise(a / np.linalg.norm(a), c / np.linalg.norm(c), 1.0)
        tracemalloc.start()
        w = noise.draw(rng)
        peaks.append(tracemalloc.get_traced_memory()[1] / w.nbytes)
        tracemalloc.stop()
        assert np.abs(noise.coefficients @ w).max() < 1e-10
    assert max(peaks) < 2.0


# ------------------------------------------------------------------------------------------------ Laplace, confined


def gaussian(weight: Any = None) -> OptimalGaussian:
    return OptimalGaussian(0.04, ([0.0, -1.0, 2.0], [1.0, 3.0, 4.0]), weight)


@pytest.mark.parametrize("weight", [None, np.diag([1.0, 4.0, 9.0]), np.eye(3) + 0.3])
def test_laplace_is_on_equal_terms(weight: Any) -> None:
    normal = gaussian(weight)
    pi = np.eye(3) if weight is None else weight
    covariance = normal.covariance()
    bound = LaplaceNoise.matching(normal, "bound")
    assert np.trace(pi @ np.linalg.inv(bound.information)) == pytest.approx(np.trace(pi @ covariance))
    trace = LaplaceNoise.matching(normal, "trace bound")
    both = [np.trace(np.linalg.inv(pi) @ i) for i in (trace.information, np.linalg.inv(covariance))]
    assert both[0] == pytest.approx(both[1])
    variance = LaplaceNoise.matching(normal, "variance")
    assert np.trace(variance.covariance) == pytest.approx(np.trace(covariance))
    epsilon = LaplaceNoise.matching(normal, "epsilon", 1e-5)
    mu = float(normal.worst_case().pair.mu)  # type: ignore[union-attr]
    assert gaussian_delta(mu, epsilon.epsilon(normal.domain)) == pytest.approx(1e-5, rel=1e-6)


def test_equal_bounds_cost_twice_the_variance() -> None:
    bound = LaplaceNoise.matching(gaussian(), "bound")
    np.testing.assert_allclose(bound.covariance, 2 * gaussian().covariance())
    drawn = bound.draw(200_000, np.random.default_rng(0))
    np.testing.assert_allclose(drawn.var(axis=0), np.diag(bound.covariance), rtol=0.03)


def test_confined_noise_solves_the_weighted_problem() -> None:
    noise = confined_noise(Box((-1.0, -2.0), (1.0, 2.0)), 0.5, np.diag([4.0, 1.0]))
    cost = np.trace(np.diag([0.25, 1.0]) @ noise.information) + 0.5 * noise.second_moment
    assert noise.cost == pytest.approx(cost, rel=1e-9)
    assert noise.certificate.gap < 1e-9
    # The cosine is a feasible density: its cost is above, and not far.
    cosine = sum(
        a * 4 * np.pi**2 / w**2 + 0.5 * w**2 * (np.pi**2 - 6) / (12 * np.pi**2)
        for a, w in ((0.25, 2), (1, 4))
    )
    assert noise.cost < cosine < 1.01 * noise.cost
    assert np.all(np.abs(noise.sample(1000, np.random.default_rng(0))) <= [1, 2])


def test_a_wide_box_gives_the_gaussian_noise() -> None:
    pi = np.diag([4.0, 1.0])
    noise = confined_noise(Box((-30.0, -30.0), (30.0, 30.0)), 1.0, pi)
    assert noise.cost == pytest.approx(2 * np.trace(np.linalg.inv(np.sqrt(pi))), rel=1e-9)


def test_confined_noise_takes_any_weight_in_the_plane() -> None:
    noise = confined_noise(Disc(1.0), 0.1, [[2.0, 0.5], [0.5, 1.0]], mesh_size=0.2)
    assert noise.certificate.gap < 0.2


def test_a_release_keeps_the_labels() -> None:
    x, y = illustration(1)
    data = TrainingSet.of(x, y)
    laplace = LaplaceNoise(np.array([0.1, 0.2]))
    for draw in (laplace.draw, confined_noise(Box((-1, -1), (1, 1)), 1.0).sample):
        out = released(data, draw, np.random.default_rng(0))
        assert out.labels is data.labels
        assert 0 < np.abs(out.features - x).max() < 3


FOUND = small()
BAD: dict[str, tuple[Any, str]] = {
    "m": (lambda: NullSpaceNoise.of(FOUND, 0.0), "m \\(the variance"),
    "one feature": (lambda: NullSpaceNoise.of(small(p=1), 1.0), "protects nobody"),
    "features of the release": (
        lambda: NullSpaceNoise.of(FOUND, 1.0).release(np.ones((3, 3)), None),
        "12 records",
    ),  # type: ignore[arg-type]
    "lengths": (lambda: NullSpaceNoise(np.ones(3), np.ones(4), 1.0), "unit vectors"),
    "weight": (lambda: NullSpaceNoise.of(FOUND, 1.0).errors(-np.eye(3)), "positive definite"),
    "size of the weight": (lambda: NullSpaceNoise.of(FOUND, 1.0).errors(np.eye(2)), "3 x 3"),
    "noise": (lambda: NullSpaceNoise.of(FOUND, 1.0).project(np.ones((2, 2))), "must have shape"),
    "terms": (lambda: LaplaceNoise.matching(gaussian(), "mood"), "terms must be one of"),  # type: ignore[arg-type]
    "no delta": (lambda: LaplaceNoise.matching(gaussian(), "epsilon"), "delta is needed"),
    "delta": (lambda: LaplaceNoise.matching(gaussian(), "epsilon", delta=1.5), "strictly between"),
    "large delta": (lambda: LaplaceNoise.matching(gaussian(), "epsilon", delta=1 - 1e-9), "epsilon = 0"),
    "scales": (lambda: LaplaceNoise(np.array([1.0, 0.0])), "scales"),
    "lambda": (lambda: confined_noise(Disc(1.0), 0.0), "lambda"),
    "confined weight": (
        lambda: confined_noise(Disc(1.0), 1.0, [[1.0, 2.0], [2.0, 1.0]]),
        "positive definite",
    ),
    "confined size": (lambda: confined_noise(Disc(1.0), 1.0, np.eye(3)), "2 x 2 like the support"),
    "shape of noise": (
        lambda: released(FOUND.data, lambda n, rng: np.ones((n, 1)), np.random.default_rng()),
        "one row per",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused(case: str) -> None:
    call, message = BAD[case]
    with pytest.raises(ValueError, match=message):
        call()
