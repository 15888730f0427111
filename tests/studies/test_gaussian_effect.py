"""Distances to normal, moment tests and conditions: closed forms, false alarms, power, scale, bundled data, bad input."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from gaussian_effect.bounded_lipschitz import between_samples, few_atoms_bound, to_normal_on_line, witnessed
from gaussian_effect.dimension import effect_of_dimension
from gaussian_effect.gaussianity import gaussianity
from gaussian_effect.line_distances import kolmogorov_to_normal, sliced, wasserstein_to_normal
from gaussian_effect.mardia import mardia, mardia_test
from gaussian_effect.range_of_p import largest_p, meckes_bound
from gaussian_effect.regularity import regularity
from scipy.integrate import quad
from scipy.stats import binom, norm, wasserstein_distance

from noiseproof.mechanisms.ron_gauss.normalisation import centred, on_sphere
from noiseproof.mechanisms.ron_gauss.projection import uniform_projection
from noiseproof.symbolic.errors import SpecError


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def prepared(name: str) -> Any:
    import sklearn.datasets

    first = on_sphere(getattr(sklearn.datasets, f"load_{name}")().data)
    return on_sphere(centred(first, first.mean(axis=0)))


# Distances on the line.


@pytest.mark.parametrize("values", [[0.0], [3.0], [-1.0, 0.5, 0.5, 2.0], list(np.linspace(-2, 5, 40))])
def test_the_earth_movers_distance_agrees_with_quadrature(values: list[float]) -> None:
    points = np.sort(values)
    found = quad(
        lambda x: abs(np.searchsorted(points, x, "right") / len(points) - norm.cdf(x)),
        -9,
        9,
        points=[*points],
        limit=2000,
    )[0]
    assert wasserstein_to_normal(values) == pytest.approx(found, abs=1e-6)


def test_kolmogorov_agrees_with_scipy() -> None:
    from scipy.stats import kstest

    values = rng().normal(0.3, 1.2, 77)
    assert kolmogorov_to_normal(values) == pytest.approx(kstest(values, "norm").statistic, abs=1e-12)


@pytest.mark.parametrize("point", [0.0, 0.7, -4.0])
def test_a_point_is_at_its_only_couplings_distance(point: float) -> None:
    exact = quad(
        lambda z: min(abs(z - point), 2.0) * norm.pdf(z), -12, 12, points=[point - 2, point, point + 2]
    )[0]
    found = to_normal_on_line([point])
    assert found.lower <= exact <= found.upper
    assert found.upper - found.lower < 0.02


def test_scale_shrinks_the_distance_of_points_as_the_law_shrinks() -> None:
    """An unscaled distance of two narrow laws is small whatever they are: 0.8 sigma at most, here for the point zero."""
    found = to_normal_on_line([0.0], scale=0.01)
    assert found.upper < 0.0081
    assert found.upper == pytest.approx(0.01 * np.sqrt(2 / np.pi), rel=0.02)


def test_the_programme_agrees_with_the_assignment() -> None:
    """Duality: the largest gap of test functions is the least cost of couplings, on middles of equally likely cells."""
    points = np.concatenate([rng(1).normal(3, 1, 100), rng(2).normal(-2, 0.3, 100)])
    cells = norm.ppf((np.arange(200) + 0.5) / 200)
    exact = between_samples(points[:, None], cells[:, None])
    found = to_normal_on_line(points, cells=200)
    assert found.lower <= exact <= found.upper
    assert exact < wasserstein_distance(points, cells)


def test_long_samples_are_enclosed_too() -> None:
    values = rng(3).standard_t(3, 3000)
    short, long = to_normal_on_line(values, cells=200), to_normal_on_line(values, cells=3000)
    assert max(short.lower, long.lower) <= min(short.upper, long.upper)


def test_the_witness_is_below_the_assignment_and_says_nothing_of_normal_records() -> None:
    heavy = rng(4).choice([-1.0, 1.0], (2000, 2)) * 1.4
    assert 0.1 < witnessed(heavy, rng()) <= between_samples(heavy[:400], rng(5).standard_normal((400, 2)))
    alarms = sum(witnessed(rng(k).standard_normal((300, 3)), rng(k)) > 0 for k in range(60))
    assert alarms <= binom.ppf(0.999, 60, 0.05)


@pytest.mark.parametrize(("atoms", "p"), [(3, 2), (200, 6)])
def test_no_few_atoms_are_near_normal(atoms: int, p: int) -> None:
    """Monte Carlo of E min(1, distance) for atoms drawn from the normal law itself: above the bound."""
    points, z = rng(6).standard_normal((atoms, p)), rng(7).standard_normal((4000, p))
    nearest = np.min(np.linalg.norm(z[:, None] - points[None], axis=2), axis=1)
    assert few_atoms_bound(atoms, p) <= np.mean(np.minimum(nearest, 1.0)) + 0.02
    assert few_atoms_bound(200, 6) == pytest.approx(0.6978, abs=1e-3)
    assert few_atoms_bound(10**9, 1) == 0.0


# Moment tests.


def test_mardia_is_the_double_sum() -> None:
    Z = rng(8).gamma(2.0, size=(50, 3))
    white = Z - Z.mean(axis=0)
    inner = white @ np.linalg.inv(np.cov(Z.T, bias=True)) @ white.T
    skewness, kurtosis = mardia(Z)
    assert skewness == pytest.approx(np.mean(inner**3))
    assert kurtosis == pytest.approx(np.mean(np.diag(inner) ** 2))
    moved = mardia(Z @ rng(9).standard_normal((3, 3)) + 5)
    assert moved == pytest.approx((skewness, kurtosis))


def test_the_false_alarms_of_the_moment_tests_are_as_stated() -> None:
    runs = [mardia_test(rng(k).standard_normal((40, 2)) * [1, 9], rng(900 + k), 39) for k in range(150)]
    for name in ("skewness_p", "kurtosis_p"):
        alarms = sum(getattr(r, name) <= 0.1 for r in runs)
        assert binom.ppf(0.001, 150, 0.05) <= alarms <= binom.ppf(0.999, 150, 0.1)


def test_the_moment_tests_see_skew_and_tails() -> None:
    assert mardia_test(rng(1).exponential(size=(200, 2)), rng(), 79).skewness_p <= 0.025
    assert mardia_test(rng(1).uniform(size=(400, 2)), rng(), 79).kurtosis_p <= 0.025


# Conditions and range.


def test_the_conditions_of_known_laws() -> None:
    m = 20
    corners = np.vstack([np.eye(m), -np.eye(m)])
    found = regularity(corners)
    assert found.sigma == pytest.approx(1 / np.sqrt(m))
    assert found.relative_top == pytest.approx(1.0)
    assert found.constant == pytest.approx(0, abs=1e-12)
    assert found.mean_share == pytest.approx(0)
    assert found.meets_scaled(c=0.0)
    assert not regularity(3 * corners * np.arange(1, m + 1)).meets(c=100)


def test_one_vector_meets_the_printed_conditions_but_not_those_of_the_scaled_records() -> None:
    found = regularity(np.eye(50)[[0] * 30])
    assert found.meets(c=0.0)
    assert not found.meets_scaled(c=0.0, bound=10)
    assert found.relative_top == pytest.approx(50)


def test_the_error_of_the_top_covers_the_truth() -> None:
    scales = np.array([2.0, 1, 1, 1])
    seen = [regularity(rng(k).standard_normal((400, 4)) * scales) for k in range(60)]
    covered = sum(abs(s.top - 4) <= 2 * s.top_error for s in seen)
    assert covered >= 50
    held_out = [s.top_held_out for s in seen]
    assert np.mean(held_out) <= 4 + 3 * np.std(held_out) / np.sqrt(60)


def test_the_range_of_p_at_100_depends_on_the_base() -> None:
    assert meckes_bound(100) == pytest.approx(6.0309, abs=1e-4)
    assert meckes_bound(100, 10) == pytest.approx(4 / math.log10(2))
    assert (largest_p(100), largest_p(100, 10)) == (6, 13)
    # In the limit the base does not matter, but it takes its time.
    ratios = [
        (a / (a - math.log(math.log(10)))) for a in (math.log(math.log(100)), math.log(300 * math.log(10)))
    ]
    assert ratios[0] > 2 > ratios[1] > 1


# Projections.


def test_normal_records_look_normal_at_every_scale() -> None:
    X = rng(10).standard_normal((300, 12))
    alarms = 0
    for k in range(20):
        W = uniform_projection(12, 3, rng(k))
        found = gaussianity(0.01 * X, W, rng(k), compared=20)
        assert found.sigma == pytest.approx(0.01, rel=0.05)
        alarms += not found.normal_looking
    assert alarms <= binom.ppf(0.999, 20, 0.1) + 2  # one data set, so that the projections share its luck


def test_the_scale_does_not_matter_but_for_the_absolute_bound() -> None:
    X, W = prepared("wine"), uniform_projection(13, 2, rng())
    one, other = (gaussianity(s * X, W, rng(1)) for s in (1.0, 1e-3))
    assert one.sigma == pytest.approx(1 / np.sqrt(13))
    assert other.sliced_wasserstein == pytest.approx(one.sliced_wasserstein)
    assert other.lower == pytest.approx(one.lower)
    assert other.absolute == pytest.approx(1e-3 * one.absolute)


def test_one_vector_for_all_records_is_far_from_normal_though_near_without_scaling() -> None:
    m = 400
    found = gaussianity(np.eye(m)[[0] * 400], uniform_projection(m, 2, rng()), rng())
    assert found.lower > 0.5
    assert not found.normal_looking
    assert found.moments is None
    assert found.absolute < 2 * np.sqrt(2 / m) * 1.5


def test_distances_along_directions_are_those_of_the_views() -> None:
    Z = rng(11).standard_normal((30, 2))
    moved, stepped = sliced(Z, [[0.0, 2.0]])
    assert moved[0] == pytest.approx(wasserstein_to_normal(Z[:, 1]))
    assert stepped[0] == pytest.approx(kolmogorov_to_normal(Z[:, 1]))


def test_bundled_data_after_the_papers_preprocessing() -> None:
    """Measured: far from isotropic, and projections that differ visibly from sigma N(0, I)."""
    cancer, digits = regularity(prepared("breast_cancer")), regularity(prepared("digits"))
    assert cancer.sigma == pytest.approx(1 / np.sqrt(30))
    assert cancer.meets(c=0.0)
    assert cancer.relative_top > 15
    assert 9 < digits.relative_top < 11
    rows = effect_of_dimension(
        prepared("breast_cancer"), [1, 4], rng(), projections=3, directions=8, compared=60
    )
    assert [row.p for row in rows] == [1, 4]
    for row in rows:
        assert row.sliced_wasserstein - 2 * row.sliced_wasserstein_error > row.sliced_wasserstein_null
        assert row.transport > row.transport_null
    assert rows[1].lower > 0.1


def test_isotropic_data_come_nearer_as_m_grows() -> None:
    means = []
    for m in (9, 81, 729):
        X = np.vstack([np.eye(m), -np.eye(m)])
        views = [X @ uniform_projection(m, 1, rng(k))[:, 0] * np.sqrt(m) for k in range(5)]
        means.append(np.mean([wasserstein_to_normal(v) for v in views]))
    assert means[0] > 2 * means[1] > 4 * means[2]


def test_results_repeat() -> None:
    X, W = prepared("iris"), uniform_projection(4, 2, rng())
    assert gaussianity(X, W, rng(3)) == gaussianity(X, W, rng(3))


# Bad input.

GOOD = np.random.default_rng(0).standard_normal((30, 5))


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: regularity([1.0, 2.0]), "records as rows"),
        (lambda: regularity(GOOD[:1]), "at least 2"),
        (lambda: regularity(np.where(GOOD > 2, np.nan, GOOD) * [1, 1, 1, 1, np.nan]), "record 0"),
        (lambda: regularity([["a", "b"], ["c", "d"]]), "encode"),
        (lambda: regularity(np.zeros((4, 3))), "zero throughout"),
        (lambda: gaussianity(GOOD, np.ones((5, 2)), rng()), "orthonormal"),
        (lambda: gaussianity(GOOD, np.eye(4), rng()), "m = 5"),
        (lambda: gaussianity(GOOD, np.eye(5)[:, :0], rng()), "1 <= p"),
        (lambda: gaussianity(GOOD, np.eye(5)[:, :2], rng(), sigma=0.0), "sigma"),
        (lambda: gaussianity(GOOD, np.eye(5)[:, :2], rng(), draws=10), "draws"),
        (lambda: effect_of_dimension(GOOD, [6], rng()), "at most m = 5"),
        (lambda: effect_of_dimension(GOOD, [], rng()), "empty"),
        (lambda: effect_of_dimension(GOOD, [1.5], rng()), "whole number"),  # type: ignore[list-item]
        (lambda: mardia(GOOD[:4]), "more records than dimensions"),
        (lambda: mardia(GOOD[:, [0, 0]]), "singular"),
        (lambda: between_samples(GOOD, GOOD[:4]), "one shape"),
        (lambda: to_normal_on_line([]), "finite numbers"),
        (lambda: to_normal_on_line([0.0], scale=-1), "scale"),
        (lambda: meckes_bound(2), "above the base"),
        (lambda: meckes_bound(100, 1.0), "base must be above 1"),
        (lambda: few_atoms_bound(0, 3), "atoms"),
    ],
)
def test_bad_input_is_named(call: Any, says: str) -> None:
    with pytest.raises(SpecError, match=says):
        call()
