"""Guarantees of a released data set: bounds with the attacks that attain or break them, local privacy, utility."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
from adversary_trials import attack
from dataset_trials.record_errors import (
    bounded_minimax,
    exact_delta_at_printed,
    gaussian_two_point_error,
    normal_prior_error,
    null_space_bound,
    null_space_delta,
    uniform_prior_error,
)
from dataset_trials.releases import for_record, seen_without_noise
from numpy.typing import NDArray
from scipy import integrate, stats

from noiseproof.audit.studies.dataset_release.attacks import record_errors
from noiseproof.audit.studies.dataset_release.equal_terms import laplace_of_normal, laplace_on, noise_variance
from noiseproof.audit.studies.dataset_release.error_bounds import (
    independent_bound,
    null_space_bounds,
    posterior_mean,
    trace_bound,
)
from noiseproof.audit.studies.dataset_release.estimators import (
    KnowsOthers,
    LabelKnowledge,
    NormalPrior,
    PosteriorMean,
    RawRelease,
    Shrinkage,
)
from noiseproof.audit.studies.dataset_release.fitting import distance, fit_classifier, success
from noiseproof.audit.studies.dataset_release.local_privacy import (
    gaussian_mu,
    printed_condition_small,
    printed_epsilon,
    printed_norm,
    separation,
)
from noiseproof.audit.studies.dataset_release.operational import (
    least_gaussian_error,
    printed_error,
    total_variation,
    two_point_error,
)
from noiseproof.audit.studies.dataset_release.utility import qualities
from noiseproof.audit.studies.experiments.illustration import two_classes
from noiseproof.mechanisms.dataset_noise import NullSpaceNoise
from noiseproof.mechanisms.gaussian import OptimalGaussian
from noiseproof.symbolic.errors import SpecError
from noiseproof.symbolic.privacy.pair import gaussian_delta, gaussian_epsilon
from noiseproof.symbolic.proof.enclosure import compare
from noiseproof.symbolic.proof.truth import Truth

Floats = NDArray[np.float64]


X, Y = two_classes(np.random.default_rng(0))
MODEL = fit_classifier(X, Y)


# Bounds and the attacks on them.


@pytest.mark.parametrize(("lam", "printed"), [(1e-4, 200), (1e-2, 20), (1.0, 2)])
def test_the_printed_bounds_of_figure_3(lam: float, printed: float) -> None:
    covariance = noise_variance(lam) * np.eye(2)
    assert independent_bound(covariance).numeric == pytest.approx(printed, rel=1e-12)
    assert trace_bound(covariance) == pytest.approx(printed / 4, rel=1e-12)


def test_a_weighted_bound_is_the_weighted_trace() -> None:
    covariance, weight = np.array([[2.0, 0.5], [0.5, 1.0]]), np.diag([3.0, 1.0])
    assert independent_bound(covariance, weight).numeric == pytest.approx(7.0)


def test_raw_release_attains_the_bound_and_biased_adversaries_beat_it() -> None:
    variance = noise_variance(1e-2)
    covariance = variance * np.eye(2)
    means = np.where(Y[:, None] > 0, [0.0, 0.0], [0.0, 5.0])
    adversaries = [
        RawRelease(),
        Shrinkage(covariance),
        LabelKnowledge(covariance, Y),
        PosteriorMean(X.min(axis=0), X.max(axis=0), np.full(2, np.sqrt(variance))),
        NormalPrior(means, np.ones(2), variance),
    ]
    found = record_errors(
        X, lambda rng: np.sqrt(variance) * rng.normal(size=X.shape), adversaries, samples=60
    )
    raw, *biased = found
    assert abs(raw.mean - 20) < 5 * raw.mean_standard_error
    assert not raw.below(20.0).any()
    for one in biased:
        assert one.mean + 5 * one.mean_standard_error < 20, one.estimator
        assert one.below(20.0).any()
    # On average over this prior the posterior mean attains its exact error.
    expected = 2 * normal_prior_error(variance, 1.0)
    assert abs(found[-1].mean - expected) < 0.25


def test_the_attack_on_one_record_of_a_data_set_uses_the_same_estimators() -> None:
    x = X[:6]

    def release(record: Floats, size: int, rng: np.random.Generator) -> Floats:
        return np.asarray(record).ravel() + rng.normal(size=(size, 12))

    raw = attack(2.0, release, x, for_record(RawRelease(), 2, (6, 2)), target=x[2], samples=4000)
    assert not raw.below
    assert abs(raw.error - 2) < 5 * raw.standard_error
    pulled = attack(2.0, release, x, for_record(Shrinkage(np.eye(2)), 2, (6, 2)), target=x[2], samples=4000)
    assert pulled.below


def test_null_space_bounds_by_two_routes() -> None:
    rng = np.random.default_rng(4)
    x = rng.normal(size=(7, 3)) + np.repeat([[0.0], [3.0]], [4, 3], axis=0)
    y = np.repeat([1.0, -1.0], [4, 3])
    noise = NullSpaceNoise.of(fit_classifier(x, y), 2.5)
    bounds = null_space_bounds(noise)
    for record in range(7):
        assert null_space_bound(noise, record).numeric == pytest.approx(bounds.unbiased[record], rel=1e-9)
    # The covariance that is declared has the same trace.
    assert [np.trace(noise.covariance(i)) for i in range(7)] == pytest.approx(bounds.unbiased)


def test_null_space_noise_protects_no_support_vector_from_those_who_know_the_others() -> None:
    noise = NullSpaceNoise.of(MODEL, 100.0)
    bounds = null_space_bounds(noise)
    raw, informed = record_errors(X, noise.draw, [RawRelease(), KnowsOthers(noise, X)], samples=150)
    assert not raw.below(bounds.unbiased).any()
    support = MODEL.support
    assert set(bounds.unprotected) == set(np.flatnonzero(support))
    assert informed.error[support].max() < 1e-18
    assert np.allclose(informed.error[~support], raw.error[~support])
    # The pseudo-inverse of the singular matrix is no bound: the raw release lies below it.
    assert raw.below(bounds.pseudo_inverse)[support].any()
    assert not raw.below(bounds.unbiased)[support].any()


def test_null_space_noise_shows_the_score_of_every_record_and_keeps_the_classifier() -> None:
    noise = NullSpaceNoise.of(MODEL, 100.0)
    released = X + noise.draw(np.random.default_rng(1))
    assert np.allclose(seen_without_noise(noise, released), seen_without_noise(noise, X), atol=1e-12)
    again = fit_classifier(released, Y)
    assert distance(again, MODEL) < 1e-9
    assert success(again, X, Y) == success(MODEL, X, Y)
    other = X + noise.draw(np.random.default_rng(1)) + 0.1 * MODEL.alpha
    assert distance(fit_classifier(other, Y), MODEL) > 1e-3


# Adversaries with bounds.


def test_posterior_mean_agrees_with_quadrature() -> None:
    for y in (-9.0, -1.2, 0.0, 0.7, 3.0):

        def weight(t: float, y: float = y) -> float:
            return float(np.exp(-((y - t) ** 2) / (2 * 0.49)))

        mass = integrate.quad(weight, -1, 1)[0]
        expected = integrate.quad(lambda t: t * weight(t), -1, 1)[0] / mass
        assert float(posterior_mean(y, 0.7, 1.0)) == pytest.approx(expected, abs=1e-9)
    # Far out, where the masses of both tails underflow.
    assert float(posterior_mean(-400.0, 1.0, 1.0)) == pytest.approx(-1.0, abs=0.01)


def test_the_error_of_an_adversary_with_bounds() -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, size=400_000)
    errors = (posterior_mean(x + 0.8 * rng.normal(size=x.size), 0.8, 1.0) - x) ** 2
    assert uniform_prior_error(0.64, 2.0) == pytest.approx(
        errors.mean(), abs=5 * errors.std() / np.sqrt(x.size)
    )
    assert uniform_prior_error(1e6, 2.0) == pytest.approx(1 / 3, rel=1e-4)
    assert uniform_prior_error(1e-4, 2.0) == pytest.approx(1e-4, rel=0.02)
    # However large the noise, an adversary with bounds errs by no more than they are wide.
    assert bounded_minimax(100 * np.eye(2), [2.0, 2.0]) < 2 * uniform_prior_error(100, 2.0) * 1.001
    assert bounded_minimax(0.64 * np.eye(1), [2.0]) == pytest.approx(1 / (1 / 0.64 + np.pi**2))


# Local privacy.


def test_separation_is_that_of_the_mechanism() -> None:
    weight = np.array([[2.0, 0.6, 0.1], [0.6, 1.0, -0.3], [0.1, -0.3, 0.5]])
    widths = np.array([1.0, 2.0, 0.5])
    known = OptimalGaussian(0.3, (np.zeros(3), widths), weight)
    pair = known.worst_case().pair
    assert separation(known.covariance(), widths) == pytest.approx(float(pair.mu), rel=1e-9)  # type: ignore[attr-defined]
    assert printed_norm(weight, 0.3) == pytest.approx(separation(known.covariance(), np.ones(3)), rel=1e-9)
    assert printed_norm(np.eye(2), 1.0) == pytest.approx(np.sqrt(2))


def test_epsilon_and_mu_invert_each_other() -> None:
    for mu, delta in ((0.1, 1e-6), (1.0, 1e-3), (7.7, 1e-6), (400.0, 1e-6)):
        epsilon = gaussian_epsilon(mu, delta)
        assert float(gaussian_delta(mu, epsilon)) == pytest.approx(delta, rel=1e-4)
        assert gaussian_mu(epsilon, delta) == pytest.approx(mu, rel=1e-6)
    assert gaussian_epsilon(0.1, 0.2) == 0.0


def test_the_condition_of_theorem_2_5_is_enough_up_to_norm_two() -> None:
    derivation = printed_condition_small()
    assert derivation.check() is Truth.HOLDS
    for mu in (0.1, 1.0, 2.0):
        for delta in (1e-9, 1e-3, 0.3, 0.9):
            assert gaussian_epsilon(mu, delta) <= printed_epsilon(mu, delta)
    sabotaged = replace(derivation.steps[-1], right=sp.Rational(1, 3) * sp.Symbol("delta", positive=True))
    assert sabotaged.check() is not Truth.HOLDS


def test_the_condition_of_theorem_2_5_fails_beyond() -> None:
    for mu, delta in ((4, sp.Rational(1, 1000)), (6, sp.Rational(1, 100)), (3, sp.Rational(1, 10**22))):
        assert compare(exact_delta_at_printed(sp.Integer(mu), delta), ">", delta) is Truth.HOLDS
    small = exact_delta_at_printed(sp.Integer(2), sp.Rational(1, 1000))
    assert compare(small, ">", sp.Rational(1, 1000)) is Truth.FAILS


def test_null_space_noise_has_no_local_privacy() -> None:
    assert null_space_delta(MODEL.alpha, X[0], X[1]) == 1.0
    along = np.array([-MODEL.alpha[1], MODEL.alpha[0]])
    assert null_space_delta(MODEL.alpha, X[0], X[0] + along) is None


# What (epsilon, delta) means.


def test_the_floor_for_everyone_lies_below_the_exact_error() -> None:
    for epsilon, delta in ((0.1, 1e-6), (1.0, 1e-6), (4.0, 1e-3)):
        mu = gaussian_mu(epsilon, delta)
        exact = gaussian_two_point_error(mu, 1.0)
        assert two_point_error(epsilon, delta, 1.0) <= exact <= 0.25
        tv = stats.norm.cdf(mu / 2) - stats.norm.cdf(-mu / 2)
        assert tv <= total_variation(epsilon, delta)
    assert two_point_error(0.0, 0.0, 2.0) == 1.0
    assert gaussian_two_point_error(1e-6, 2.0) == pytest.approx(1.0, rel=1e-6)


def test_the_printed_error_asks_for_more_noise_than_needed() -> None:
    for epsilon, delta in ((0.5, 1e-6), (1.0, 1e-3), (3.0, 1e-9)):
        assert least_gaussian_error(np.eye(2), epsilon, delta) < printed_error(np.eye(2), epsilon, delta)
    # At equality of the condition it is the Cramer-Rao bound: p^2 (1 + sqrt(2 ln(1/delta)))^2/epsilon^2 for Pi = I.
    lam = (1.0 / (np.sqrt(2) * (1 + np.sqrt(2 * np.log(1e6))))) ** 4
    assert printed_error(np.eye(2), 1.0, 1e-6) == pytest.approx(
        independent_bound(noise_variance(lam) * np.eye(2)).numeric
    )
    # It grows like ln(1/delta), not like its square.
    ratios = [printed_error(np.eye(1), 1.0, 10.0**-k) / (k * np.log(10)) for k in (50, 100, 300)]
    assert 2 < ratios[2] < ratios[1] < ratios[0] < 2.5


# Laplace on equal terms.


def test_laplace_on_equal_terms() -> None:
    widths = np.ones(3)
    bound, variance, epsilon = (laplace_on(t, 1e-2, widths) for t in ("bound", "variance", "epsilon"))  # type: ignore[arg-type]
    assert bound.bound == pytest.approx(30)
    assert bound.raw_error == pytest.approx(60)
    assert variance.raw_error == pytest.approx(30)
    assert 3 / epsilon.scale == pytest.approx(gaussian_epsilon(separation(10 * np.eye(3), widths), 1e-6))
    g = np.random.default_rng(0).normal(size=200_000)
    assert stats.kstest(laplace_of_normal(g), stats.laplace.cdf).pvalue > 1e-4
    assert np.all(np.diff(laplace_of_normal(np.linspace(-30, 30, 999))) > 0)
    with pytest.raises(SpecError, match="bound, variance, epsilon"):
        laplace_on("cost", 1.0, widths)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ([[1.0, 2.0], [3.0, 4.0]], [0, 1], "labels must be -1 or"),
        ([[1.0, 2.0], [3.0, 4.0]], [1, 1], "both classes"),
        ([[1.0, 2.0], [3.0, np.nan]], [1, -1], "finite"),
        ([[1.0, 2.0], [1.0, 4.0]], [1, -1], "constant"),
        ([[1.0, 2.0], [3.0, 4.0]], [1, -1, 1], "one entry per record"),
    ],
)
def test_unusable_records_are_refused(x: list[list[float]], y: list[float], message: str) -> None:
    with pytest.raises(SpecError, match=message):
        fit_classifier(x, y)


def test_unusable_numbers_are_refused() -> None:
    with pytest.raises(SpecError, match="rho"):
        fit_classifier(X, Y, rho=0)
    with pytest.raises(SpecError, match="theta"):
        fit_classifier(X, Y, theta=-1)
    with pytest.raises(SpecError, match="lambda"):
        noise_variance(0)
    with pytest.raises(SpecError, match="bounded domain"):
        separation(np.eye(2), [np.inf, 1])
    with pytest.raises(SpecError, match="positive definite"):
        independent_bound([[1.0, 2.0], [2.0, 1.0]])
    with pytest.raises(ValueError, match="delta"):
        gaussian_epsilon(1.0, 1.0)
    with pytest.raises(SpecError, match="tolerances"):
        qualities([1.0], [])
    with pytest.raises(SpecError, match="epsilon"):
        total_variation(-1, 0)
    with pytest.raises(SpecError, match="records are numbered"):
        for_record(RawRelease(), 9, (3, 2))
