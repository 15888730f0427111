"""Laplace and Gaussian calibrations as printed and as needed, against exact curves and over whole regions."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp
from calibration_trials import regions
from calibration_trials.printed import (
    gaussian_delta_of,
    gaussian_private,
    kappa,
    laplace_private,
    needed_scale,
    printed_scale,
    printed_scale_region,
    ratio_steps,
    variance_reading,
)
from calibration_trials.regions import (
    breaks_printed,
    critical_mu,
    deviation_margin,
    failing_point,
    largest_sensitivity,
    monotone,
    printed_region,
    printed_truth,
)
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import integrate, optimize, stats

from noiseproof.audit.papers.farokhi2019.arguments.calibration_regions import figure_2, white_boundary
from noiseproof.audit.papers.farokhi2019.arguments.calibrations import (
    AverageOnBox,
    condition,
    deviation_reading,
    error_ratio,
    gaussian_entropy,
    laplace_entropy,
    laplace_epsilon,
)
from noiseproof.mechanisms import BoundedMean
from noiseproof.symbolic.privacy.pair import gaussian_delta
from noiseproof.symbolic.proof.derivation import Derivation
from noiseproof.symbolic.proof.enclosure import compare, sign
from noiseproof.symbolic.proof.truth import Truth

R = sp.Rational
DERIVATIONS: dict[str, Callable[[], Derivation]] = {
    "scale": printed_scale_region,
    "deviation": deviation_reading,
    "variance": variance_reading,
    "ratio": lambda: ratio_steps(1),
    "printed ratio": lambda: ratio_steps(2),
    "monotone": monotone,
}


@pytest.mark.parametrize("name", DERIVATIONS)
def test_derivations_hold_and_no_step_survives_sabotage(name: str) -> None:
    derivation = DERIVATIONS[name]()
    assert derivation.check() is Truth.HOLDS
    for step in derivation.steps:
        left, right = step.left, step.right
        if step.relation == "=":
            right = right + 1
        else:
            left = -left + (-1 if step.relation.startswith(">") else 1)
        wrong = type(step)(left, step.relation, right, step.reason, step.how)
        assert wrong.check() is Truth.FAILS, step.reason


# Proposition 3.


@pytest.mark.parametrize("s", ["1/3", "1", "7/2"])
@pytest.mark.parametrize("ratio", ["1/10", "99/100", "1", "101/100", "5"])
def test_the_printed_laplace_scale_is_private_exactly_where_epsilon_is_at_least_the_sensitivity(
    s: str, ratio: str
) -> None:
    sensitivity = R(s)
    epsilon = sensitivity * R(ratio)
    assert laplace_private(epsilon, sensitivity, printed_scale(epsilon, sensitivity)) is (
        Truth.HOLDS if R(ratio) >= 1 else Truth.FAILS
    )
    assert laplace_private(epsilon, sensitivity, needed_scale(epsilon, sensitivity)) is Truth.HOLDS
    assert (
        laplace_private(epsilon, sensitivity, R(99, 100) * needed_scale(epsilon, sensitivity)) is Truth.FAILS
    )
    assert laplace_epsilon(sensitivity, printed_scale(epsilon, sensitivity)) == sensitivity**2 / epsilon


def test_the_needed_scale_is_that_of_the_mean_of_the_library() -> None:
    mean = BoundedMean(0.0, 1.0, 4, epsilon=0.5)
    average = AverageOnBox.of([R(1, 4)] * 4, 0, 1)
    assert average.sensitivity == mean.sensitivity()
    assert (
        laplace_epsilon(average.sensitivity, needed_scale(R(1, 2), average.sensitivity))
        == mean.worst_case().pair.max_loss()
    )


def test_weights_may_be_negative_and_the_largest_absolute_one_counts() -> None:
    average = AverageOnBox.of([-2, 1.5, 1.5], 0, 1)
    assert average.sensitivity == 2
    assert (average.upper - average.lower) * sp.Max(*average.weights) == R(3, 2)


# Proposition 4.


def test_a_variance_of_the_printed_size_is_too_small_at_large_sensitivities() -> None:
    epsilon, delta = R(1), R(1, 20)
    b = condition(epsilon, delta)
    assert gaussian_private(epsilon, delta, R(10), 10 * b) is Truth.FAILS
    assert float(gaussian_delta_of(epsilon, R(10), 10 * b)) == pytest.approx(0.463815475, abs=1e-8)
    # The same numbers in a unit ten times as large: what the condition says depends on the unit.
    assert gaussian_private(epsilon, delta, R(1), b) is Truth.HOLDS
    assert gaussian_private(epsilon, delta, R(10), (10 * b) ** 2) is Truth.HOLDS


@given(st.floats(1e-3, 50), st.floats(1e-10, 0.5))
@settings(max_examples=60, deadline=None)
def test_a_deviation_of_the_printed_size_is_enough(epsilon: float, delta: float) -> None:
    b = float(np.sqrt(2 * np.log(1 / (2 * delta))) / epsilon + 1 / np.sqrt(2 * epsilon))
    assert gaussian_delta(1 / b, epsilon) <= delta * (1 + 1e-9)


def test_a_deviation_one_percent_smaller_is_not_always_enough() -> None:
    epsilon, delta = R(100), R(1, 2)
    deviation = R(99, 100) * condition(epsilon, delta)
    assert gaussian_private(epsilon, delta, R(1), deviation**2) is Truth.FAILS
    assert gaussian_private(epsilon, delta, R(1), condition(epsilon, delta) ** 2) is Truth.HOLDS
    low, high = deviation_margin((100.0, 100.0), (0.5, 0.5))
    assert 1 < low < high < 1 / 0.99


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(1.0, 0.05), (1e-3, 0.5), (10.0, 1e-12), (0.5, 1e-3), (1e-3, 1e-9)]
)
def test_critical_values_are_bracketed(epsilon: float, delta: float) -> None:
    low, high = critical_mu(epsilon, delta)
    assert gaussian_delta(low, epsilon) <= delta * (1 + 1e-6)
    assert gaussian_delta(high, epsilon) >= delta * (1 - 1e-6)
    assert 0 < high - low < 1e-4 * high
    e, d = R(epsilon), R(delta)
    s_low, s_high = largest_sensitivity((epsilon, epsilon), (delta, delta))
    assert gaussian_private(e, d, R(s_low), R(s_low) * condition(e, d)) is Truth.HOLDS
    assert gaussian_private(e, d, R(s_high * 1.001), R(s_high * 1.001) * condition(e, d)) is Truth.FAILS


@pytest.mark.parametrize("off", [3e-7, -3e-7, 4e-4, -4e-4, 0.01, -0.01])
def test_a_bad_guess_of_a_critical_value_costs_width_never_truth(
    off: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends = (0.9, 1.0), (0.04, 0.05)
    corner, sharp = critical_mu(0.9, 0.04), printed_region(*ends)
    guess = regions._critical_guess
    monkeypatch.setattr(regions, "_critical_guess", lambda e, d: guess(e, d) * (1 + off))
    if abs(off) > 1e-3:
        with pytest.raises(ArithmeticError, match="no certified bracket"):
            critical_mu(0.9, 0.04)
        return
    low, high = critical_mu(0.9, 0.04)
    assert low < corner[0] < corner[1] < high
    rough = printed_region(*ends)
    assert rough.holds[0, 0] < sharp.holds[0, 0] < sharp.fails[0, 0] < rough.fails[0, 0]


@pytest.fixture(scope="module")
def region() -> Any:
    return printed_region(np.geomspace(1e-3, 10, 31), np.geomspace(1e-12, 0.5, 31))


def test_the_region_of_proposition_4_has_both_parts(region: Any) -> None:
    """At every sensitivity the variance reading fails somewhere; small ones hold on most cells, large ones on none."""
    held = []
    for s in (1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0):
        truth = region.truth(s)
        assert np.any(truth == -1)
        held.append(float(np.mean(truth == 1)))
    assert held == sorted(held, reverse=True)
    assert held[0] > 0.85
    assert held[-1] < 0.01
    assert np.mean(region.truth(1.0) == 0) < 0.2


def test_cells_are_bounded_by_their_corners(region: Any) -> None:
    rng = np.random.default_rng(0)
    for _ in range(40):
        i, j = rng.integers(0, 30, size=2)
        e = float(rng.uniform(*region.epsilon[i : i + 2]))
        d = float(rng.uniform(*region.delta[j : j + 2]))
        low, high = largest_sensitivity((e, e), (d, d))
        assert region.holds[i, j] <= high
        assert low <= region.fails[i, j]


def test_boxes_are_decided_or_left_open() -> None:
    cell = (0.9, 1.0), (0.04, 0.05)
    assert printed_truth(*cell, (0.1, 0.5)) is Truth.HOLDS
    assert printed_truth(*cell, (3.0, 1e6)) is Truth.FAILS
    assert printed_truth(*cell, (0.1, 1e6)) is Truth.UNKNOWN


@pytest.mark.parametrize("s", ["1/10", "1", "10"])
@pytest.mark.parametrize("theta", ["101/100", "3/2", "4", "100"])
def test_every_variance_above_one_breaks_the_printed_condition_somewhere(theta: str, s: str) -> None:
    budget, sensitivity = Fraction(theta), Fraction(s)
    found = failing_point(budget, sensitivity)
    assert found is not None
    epsilon, k = found
    assert breaks_printed(budget, sensitivity, epsilon, k)
    # A variance of one, and the same theta read as a deviation, are private there.
    assert not breaks_printed(Fraction(1), sensitivity, epsilon, k)
    if k < 30:
        delta = sp.exp(-(R(k) ** 2) / 2) / 2
        assert sign(R(budget) - R(sensitivity) * condition(R(epsilon), delta)) == 1
        assert gaussian_private(R(epsilon), delta, R(sensitivity), R(budget)) is Truth.FAILS
        assert gaussian_private(R(epsilon), delta, R(sensitivity), R(budget) ** 2) is Truth.HOLDS


def test_no_variance_up_to_one_breaks_it() -> None:
    assert failing_point(Fraction(1)) is None
    assert failing_point(Fraction(1, 7), Fraction(30)) is None
    for k, e in itertools.product((0.1, 1, 4), (0.2, 1, 5)):
        theta = Fraction(1)
        s = Fraction(1 / (k / e + 1 / np.sqrt(2 * e)) * (1 - 1e-9))
        assert not breaks_printed(theta, s, Fraction(e), Fraction(k))


def test_figure_2_is_white_in_a_sliver_and_the_caption_fails_for_large_sensitivities() -> None:
    near = figure_2(points=241, lower=0.4)
    white = near.white == 1
    assert np.any(white)
    assert near.delta[np.any(white, axis=0)].min() >= white_boundary([1.0])[0] - 1e-9
    assert 0.5 <= near.epsilon[np.any(white, axis=1)].min() < 0.65
    assert not np.any(near.broken())
    assert np.all(near.private_deviation[white])
    large = figure_2(points=241, lower=0.4, sensitivity=4.0)
    assert np.array_equal(large.broken(), white)
    assert np.any(figure_2().white == -1)
    assert white_boundary([1.0])[0] == pytest.approx(0.5 * np.exp(-((1 - np.sqrt(0.5)) ** 2) / 2))
    assert np.isnan(white_boundary([0.4])[0])


# The comparison of the two noises.


def test_entropies_are_those_of_the_densities() -> None:
    theta = sp.Symbol("theta", positive=True)
    laplace, normal = laplace_entropy(theta), gaussian_entropy(theta)
    assert compare(laplace, "=", sp.log(sp.E * sp.sqrt(2 * theta), 2)) is Truth.HOLDS
    assert compare(normal, "=", sp.log(sp.sqrt(2 * sp.pi * sp.E * theta), 2)) is Truth.HOLDS
    assert sign(sp.simplify(normal - laplace)) == 1
    assert float(laplace.subs(theta, 3)) == pytest.approx(
        stats.laplace(scale=np.sqrt(1.5)).entropy() / np.log(2)
    )
    assert float(normal.subs(theta, 3)) == pytest.approx(stats.norm(scale=np.sqrt(3)).entropy() / np.log(2))
    density = stats.laplace(scale=np.sqrt(1.5)).pdf
    numeric = integrate.quad(lambda w: -density(w) * np.log2(density(w)), -40, 40, points=[0])[0]
    assert numeric == pytest.approx(float(laplace.subs(theta, 3)), abs=1e-9)


def test_the_supremum_of_the_ratio_is_at_the_least_hidden_record() -> None:
    average = AverageOnBox.of([R(1, 2), R(1, 2)], 0, 1)
    (most, _), (least, where) = average.most_hidden(), average.least_hidden()
    assert (most, least, average.hidden(where)) == (R(1, 2), 0, 0)
    printed = kappa(most, average.gram, R(1), power=2)
    assert printed == R(4, 5)
    best = max(
        float(error_ratio(average.hidden((R(i, 10), R(j, 10))), average.gram, R(1), 2))
        for i in range(11)
        for j in range(11)
    )
    assert best == pytest.approx(float(1 + kappa(least, average.gram, R(1), power=2))) == 2
    assert best > 1 + float(printed)


@given(st.lists(st.integers(-5, 5), min_size=2, max_size=4), st.integers(-3, 2), st.integers(1, 4))
@example([-3, -2, -1], 1, 1)  # least between two breakpoints of the line
@settings(max_examples=25, deadline=None)
def test_hidden_parts_are_extremal_over_the_box(weights: list[int], lower: int, width: int) -> None:
    if not any(weights):
        weights[0] = 1
    average = AverageOnBox.of([R(w, 3) for w in weights], lower, lower + width)
    (most, at_most), (least, at_least) = average.most_hidden(), average.least_hidden()
    assert (average.hidden(at_most), average.hidden(at_least)) == (most, least)
    c = np.array([w / 3 for w in weights])
    x = np.random.default_rng(0).uniform(lower, lower + width, size=(2000, len(c)))
    hidden = (x**2).sum(1) - (x @ c) ** 2 / (c @ c)
    assert hidden.max() <= float(most) + 1e-9
    assert hidden.min() >= float(least) - 1e-9
    box = [(lower, lower + width)] * len(c)
    convex = optimize.minimize(lambda v: v @ v - (v @ c) ** 2 / (c @ c), x.mean(0), bounds=box, tol=1e-14)
    assert float(least) == pytest.approx(convex.fun, abs=1e-6)
    assert all(lower <= v <= lower + width for v in (*at_most, *at_least))


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: AverageOnBox.of([0, 0], 0, 1), "not all zero"),
        (lambda: AverageOnBox.of([1], 2, 1), "lower <= upper"),
        (lambda: AverageOnBox.of([1] * 20, 0, 1).most_hidden(), "at most 16"),
        (lambda: critical_mu(0.0, 0.1), "epsilon"),
        (lambda: critical_mu(1.0, 0.6), "delta"),
        (lambda: failing_point(Fraction(0)), "> 0"),
        (lambda: printed_region([1.0], [0.1, 0.2]), "increasing"),
        (lambda: figure_2(points=1), "points"),
    ],
)
def test_bad_input_is_refused(build: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        build()
