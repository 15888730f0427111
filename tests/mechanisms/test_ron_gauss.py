"""The pipeline of RON-Gauss: normalisation, projection, noise scales, repair and synthesis.

Statistical tests have fixed seeds and a stated false-alarm rate of at most 1e-6 each.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ron_gauss_records import ADDED, RNG, X, Y
from ron_gauss_trials.uniformity import uniformity_tests
from scipy import stats

from noiseproof.mechanisms.ron_gauss import (
    RonGauss,
    RonGaussSupervised,
    centred,
    nearest_covariance,
    on_sphere,
    qr_of_uniform,
    renormalised,
    uniform_projection,
)
from noiseproof.mechanisms.ron_gauss import scales as sensitivities
from noiseproof.mechanisms.ron_gauss.moments import SumScales, matrix_noise, noisy_moments
from noiseproof.mechanisms.ron_gauss.synthesis import normal_pieces, normal_records

ALARM = 1e-6


# --- normalisation, projection, repair


def test_records_are_put_on_the_sphere_at_every_scale() -> None:
    rows = np.array([[3.0, 4.0], [3e-200, -4e-200], [-3e200, 4e200], [5e-324, 0.0]])
    assert on_sphere(rows) == pytest.approx(np.array([[0.6, 0.8], [0.6, -0.8], [-0.6, 0.8], [1.0, 0.0]]))


def test_centring_and_normalising_act_on_each_record_alone() -> None:
    mean = np.arange(6) / 10
    assert centred(X, mean) == pytest.approx(X - mean)
    rows = renormalised(X, mean)
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(60))
    assert renormalised(X[7:8], mean) == pytest.approx(rows[7:8])
    # A record that meets the mean stays in the unit ball and raises nothing.
    assert not renormalised(mean[None], mean).any()


@pytest.mark.parametrize(
    "draw", [uniform_projection, qr_of_uniform, lambda m, p, rng: qr_of_uniform(m, p, rng, -1, 1)]
)
@pytest.mark.parametrize(("m", "p"), [(1, 1), (2, 1), (7, 3), (30, 30)])
def test_projections_have_orthonormal_columns_and_shorten_nothing_but_what_they_drop(
    draw: Any, m: int, p: int
) -> None:
    W = draw(m, p, RNG(0))
    assert W.shape == (m, p)
    assert pytest.approx(np.eye(p), abs=1e-12) == W.T @ W
    assert np.linalg.norm(on_sphere(RNG(1).normal(size=(50, m))) @ W, axis=1).max() <= 1 + 1e-12


@pytest.mark.parametrize(("m", "p"), [(2, 1), (3, 3), (10, 4)])
def test_the_uniform_projection_is_uniform(m: int, p: int) -> None:
    found = uniformity_tests([uniform_projection(m, p, rng) for rng in [RNG(3)] for _ in range(1500)])
    assert all(test.p_value > ALARM for test in found), found


@pytest.mark.parametrize(("low", "which"), [(0.0, "first column with"), (-1.0, "fourth powers")])
def test_the_recipe_by_qr_of_a_uniform_matrix_is_not_uniform(low: float, which: str) -> None:
    rng = RNG(4)
    found = uniformity_tests([qr_of_uniform(5, 2, rng, low, 1.0) for _ in range(2000)])
    (test,) = [t for t in found if which in t.what]
    assert test.p_value < ALARM


def test_on_a_symmetric_interval_only_the_shape_of_the_first_column_tells() -> None:
    rng = RNG(5)
    tests = uniformity_tests([qr_of_uniform(12, 2, rng, -1.0, 1.0) for _ in range(1500)])
    assert tests[1].observed == pytest.approx(tests[1].expected, rel=0.2)
    assert tests[-1].observed < 0.85 * tests[-1].expected


def test_without_the_correction_of_signs_the_factor_of_a_normal_matrix_is_not_uniform() -> None:
    rng = RNG(6)
    plain = np.array([np.linalg.qr(rng.standard_normal((4, 4)))[0] for _ in range(500)])
    # The library makes the first diagonal entry of R negative, so that one entry has one sign almost always.
    fixed = np.array([uniform_projection(4, 4, rng) for _ in range(500)])
    signs = [int((q[:, -1, 0] * np.linalg.det(q) > 0).sum()) for q in (plain, fixed)]
    assert stats.binomtest(signs[1], 500).pvalue > ALARM
    assert {round(float(d)) for d in np.linalg.det(plain)} == {-1}  # a uniform matrix has either sign
    assert {round(float(d)) for d in np.linalg.det(fixed)} == {-1, 1}


def test_the_repair_is_the_nearest_covariance() -> None:
    rng = RNG(7)
    noisy = np.diag([1.0, 0.1, -0.5]) + 0.2 * rng.normal(size=(3, 3))
    repaired = nearest_covariance(noisy)
    assert repaired == pytest.approx(repaired.T)
    assert np.linalg.eigvalsh(repaired).min() >= -1e-12
    distance = np.linalg.norm(repaired - noisy)
    for _ in range(300):
        root = rng.normal(size=(3, 3)) * rng.uniform(0, 1.2)
        assert np.linalg.norm(root @ root.T - noisy) >= distance - 1e-12
        assert np.linalg.norm(repaired + 0.01 * root @ root.T - noisy) >= distance - 1e-12
    assert np.linalg.eigvalsh(nearest_covariance(noisy, floor=0.3)).min() == pytest.approx(0.3)
    assert nearest_covariance(np.eye(2)) == pytest.approx(np.eye(2))


# --- sensitivities and scales


def test_sensitivities_are_the_numbers_computed_by_hand() -> None:
    s = sensitivities
    assert [float(v) for v in (s.printed_mean(4), s.needed_mean(4), s.needed_mean(4, "add-or-remove"))] == [
        4,
        4,
        2,
    ]
    assert float(s.printed_covariance(9)) == 6
    assert float(s.printed_augmented(4, 0.5)) == 4 + 4 + 0.25
    assert float(s.needed_covariance(1)) == 1
    assert float(s.needed_covariance(7, "add-or-remove")) == 7
    assert float(s.needed_covariance(7, "add-or-remove", symmetric=True)) == 4
    assert float(s.needed_augmented(4, 0.5, "add-or-remove")) == 6.25
    assert float(s.needed_augmented(4, 0.5, "add-or-remove", symmetric=True)) == (6.25 + 1.25) / 2


def entries(w: np.ndarray, symmetric: bool) -> np.ndarray:
    matrix = np.outer(w, w)
    return matrix[np.triu_indices(len(w))] if symmetric else matrix.ravel()


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("p", [1, 2, 3, 6])
@pytest.mark.parametrize("a", [None, 0.3, 2.0])
def test_no_pair_of_records_moves_further_than_the_needed_sensitivity(
    p: int, a: float | None, symmetric: bool
) -> None:
    rng = RNG(8)

    def needed(adjacency: str) -> float:
        if a is None:
            return float(sensitivities.needed_covariance(p, adjacency, symmetric))
        return float(sensitivities.needed_augmented(p, a, adjacency, symmetric))

    def record() -> np.ndarray:
        u = on_sphere(np.sign(rng.normal(size=(1, p))) + rng.choice([0, 1.0]) * rng.normal(size=(1, p)))[0]
        return u if a is None else np.append(u, a * rng.choice([-1, 1, rng.uniform(-1, 1)]))

    pairs = [(entries(record(), symmetric), entries(record(), symmetric)) for _ in range(500)]
    assert max(np.abs(x - y).sum() for x, y in pairs) <= needed("replace-one") + 1e-12
    largest = max(np.abs(x).sum() for x, _ in pairs)
    assert largest == pytest.approx(needed("add-or-remove"))  # constant records attain it


def test_scales_follow_the_budgets_by_hand() -> None:
    rows = X[:50, :4]
    fitted = RonGauss(2, 0.5, 2.0).fit(rows)
    assert fitted.scales_ == pytest.approx(
        {"mean": 4 / (50 * 0.5), "covariance": 5**0.5 / (50 * 2.0), "size": None}
    )
    assert fitted.epsilon_ == 2.5
    fitted = RonGauss(2, 0.5, 2.0, symmetric_noise=False).fit(rows)
    assert fitted.scales_["covariance"] == pytest.approx(8**0.5 / (50 * 2.0))
    fitted = RonGauss(4, 0.5, 2.0, sensitivity="printed").fit(rows)
    assert fitted.scales_["covariance"] == pytest.approx(4 / (50 * 2.0))
    fitted = RonGauss(2, 0.5, 2.0, **ADDED).fit(rows)
    assert fitted.scales_ == pytest.approx({"mean": 2 / 0.5, "covariance": 1.5 / 2.0, "size": 1 / 0.5})
    assert (fitted.epsilon_, fitted.budget_["size"]) == (3.0, 0.5)
    # A private n under replacement: neighbours have equal counts, so the count costs them nothing.
    fitted = RonGauss(2, 0.5, 2.0, public_size=False, epsilon_size=0.5).fit(rows)
    assert fitted.scales_ == pytest.approx({"mean": 4 / 0.5, "covariance": 5**0.5 / 2.0, "size": 1 / 0.5})
    assert fitted.epsilon_ == 2.5
    labelled = RonGaussSupervised(4, 0.5, 2.0, 3.0, sensitivity="printed").fit(rows, 3 * Y[:50])
    assert labelled.scales_["covariance"] == pytest.approx((4 + 24 + 9) / (50 * 2.0))


def test_a_private_size_under_replacement_also_hides_who_is_there() -> None:
    # Sums move by less when a record comes or goes than when it is replaced.
    s = sensitivities
    for p, symmetric in ((1, True), (2, True), (3, False), (6, True), (25, True)):
        assert float(s.needed_covariance(p, "add-or-remove", symmetric)) <= float(
            s.needed_covariance(p, symmetric=symmetric)
        )
        both = [float(s.needed_augmented(p, 0.5, k, symmetric)) for k in ("add-or-remove", "replace-one")]
        assert both[0] <= both[1]


def test_the_needed_sensitivity_is_the_lesser_of_two_proved_bounds() -> None:
    s = sensitivities
    assert s.needed_covariance(4) == s.closed_covariance(4, False)  # attained
    assert float(s.needed_covariance(5)) == pytest.approx(7, abs=1e-9)  # sqrt(2 p^2 - 1), against sqrt(2) p
    assert float(s.needed_covariance(3, symmetric=True)) < 0.96 * float(s.closed_covariance(3, True))
    a = sensitivities.rational(1.0)
    assert float(s.needed_augmented(2, 1.0, symmetric=True)) < 0.8 * float(s.closed_augmented(2, a, True))
    for p, symmetric in ((3, True), (3, False)):
        assert s.certified(p, None, symmetric) >= s.needed_covariance(p, symmetric=symmetric)


@pytest.mark.parametrize("symmetric", [True, False])
def test_the_noise_has_the_declared_scale(symmetric: bool) -> None:
    unit = on_sphere(X)
    first, second = [], []
    for seed in range(150):
        model = RonGauss(3, 0.5, 2.0, symmetric_noise=symmetric, random_state=seed).fit(X)
        rows = renormalised(unit, model.mean_) @ model.components_
        noise = model.noisy_covariance_ - rows.T @ rows / len(X)
        assert np.array_equal(model.noisy_covariance_, model.noisy_covariance_.T) == symmetric
        first.extend((model.mean_ - unit.mean(axis=0)) / model.scales_["mean"])
        second.extend(
            (noise[np.triu_indices(3)] if symmetric else noise.ravel()) / model.scales_["covariance"]
        )
    for noise in (first, second):
        assert stats.kstest(noise, stats.laplace.cdf).pvalue > ALARM
        assert stats.kstest(np.array(noise) * 2, stats.laplace.cdf).pvalue < ALARM


def test_sums_over_a_noisy_count_have_the_declared_scales() -> None:
    unit, W = on_sphere(X), uniform_projection(6, 2, RNG(0))
    sums, rng = SumScales(3.0, 2.0, 1.5, True), RNG(9)
    found = [noisy_moments(unit, W, sums, rng) for _ in range(400)]
    count = [(f.size - 60) / 1.5 for f in found]
    mean = [(f.mean * f.size - unit.sum(axis=0)) / 3.0 for f in found]
    second = []
    for f in found:
        rows = renormalised(unit, f.mean) @ W
        second.append((f.second * f.size - rows.T @ rows)[np.triu_indices(2)] / 2.0)
    for noise in (count, mean, second):
        assert stats.kstest(np.ravel(noise), stats.laplace.cdf).pvalue > ALARM


def test_a_noisy_count_is_at_least_one() -> None:
    sizes = [
        noisy_moments(on_sphere(X[:2]), np.eye(6), SumScales(1, 1, 50.0, True), RNG(s)).size
        for s in range(40)
    ]
    assert min(sizes) == 1.0


def test_noise_on_the_triangle_has_the_smaller_error_at_the_needed_scale() -> None:
    rng = RNG(10)
    for p in (2, 5, 15):
        error = []
        for symmetric in (True, False):
            scale = float(sensitivities.needed_covariance(p, symmetric=symmetric))
            drawn = [matrix_noise(p, scale, symmetric, rng) for _ in range(300)]
            error.append(np.mean([np.sum(((z + z.T) / 2) ** 2) for z in drawn]))
        assert error[0] < 0.9 * error[1]


# --- synthesis


@pytest.mark.parametrize("rows", [1, 7, 4096])
def test_pieces_add_up_to_the_size_asked_for(rows: int) -> None:
    pieces = list(normal_pieces(np.ones(2), np.eye(2), 20, RNG(0), rows))
    assert sum(map(len, pieces)) == 20
    assert max(map(len, pieces)) <= rows


def test_samples_have_the_moments_of_the_model() -> None:
    size, mean = 200_000, np.array([1.0, -2.0, 0.0])
    factor = np.array([[1.0, 0.0, 0.0], [0.5, 1.0, 0.0], [0.2, -0.3, 0.7]])
    drawn = normal_records(mean, factor, size, RNG(11))
    covariance = factor @ factor.T
    # Each entry is compared at 6.5 standard errors: 12 entries, alarm below 1e-9.
    d = np.diag(covariance)
    assert np.all(np.abs(drawn.mean(axis=0) - mean) < 6.5 * np.sqrt(d / size))
    spread = np.sqrt((np.outer(d, d) + covariance**2) / size)
    assert np.all(np.abs(np.cov(drawn.T) - covariance) < 6.5 * spread)
    whitened = np.linalg.solve(factor, (drawn - mean).T).ravel()[:50_000]
    assert stats.kstest(whitened, stats.norm.cdf).pvalue > ALARM


def test_samples_of_a_fitted_model_have_its_covariance_and_its_mean_if_asked() -> None:
    for return_mean in (False, True):
        model = RonGauss(2, 50.0, 50.0, return_mean=return_mean, random_state=0).fit(X)
        drawn = model.sample(100_000)
        assert np.cov(drawn.T) == pytest.approx(model.covariance_, abs=0.03)
        expected = model.components_.T @ model.mean_ if return_mean else np.zeros(2)
        assert drawn.mean(axis=0) == pytest.approx(expected, abs=0.03)


def test_with_little_noise_the_model_is_that_of_the_projected_records() -> None:
    model = RonGauss(3, 1e7, 1e7, random_state=0).fit(X)
    rows = renormalised(on_sphere(X), on_sphere(X).mean(axis=0)) @ model.components_
    assert model.covariance_ == pytest.approx(rows.T @ rows / 60, abs=1e-5)
    labelled = RonGaussSupervised(3, 1e7, 1e7, 1.0, random_state=0).fit(X, Y)
    rows = renormalised(on_sphere(X), on_sphere(X).mean(axis=0)) @ labelled.components_
    both = np.column_stack([rows, Y])
    assert labelled.covariance_ == pytest.approx(both.T @ both / 60, abs=1e-5)


def test_bad_arguments_of_the_parts_are_refused() -> None:
    rng = RNG(0)
    for call, message in (
        (lambda: uniform_projection(3, 4, rng), "p must be at most m"),
        (lambda: uniform_projection(3, 0, rng), "p must be"),
        (lambda: qr_of_uniform(3, 2, rng, 1.0, 1.0), "low < high"),
        (lambda: centred(X, np.zeros(5)), "mean must have shape"),
        (lambda: nearest_covariance(np.ones((2, 3))), "square"),
        (lambda: nearest_covariance(np.eye(2), -1.0), "floor"),
        (lambda: nearest_covariance([[np.nan]]), "finite"),
        (lambda: uniformity_tests(np.ones((3, 3, 2))), "orthonormal"),
        (lambda: sensitivities.needed_mean(3, "other"), "adjacency"),
        (lambda: sensitivities.printed_augmented(3, 0), "label_bound"),
    ):
        with pytest.raises(ValueError, match=message):
            call()
