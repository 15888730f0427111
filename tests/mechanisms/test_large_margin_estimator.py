"""The large-margin classifier as an estimator, and the perturbation as printed: when a minimiser exists, and the noise."""

from __future__ import annotations

import warnings
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from margin_trials.perturbed import Minimiser, PrintedPerturbation, minimiser_exists, printed_noise
from margin_trials.public_data import public_data
from numpy.typing import NDArray
from scipy import stats
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import cross_val_score

from noiseproof.mechanisms.large_margin import Huber, LargeMarginGaussian, Objective
from noiseproof.mechanisms.large_margin.symmetric import coordinates

Floats = NDArray[np.float64]
R = sp.Rational


# The estimator


def test_scikit_learn_conventions() -> None:
    data = public_data("iris")
    names = np.array(["setosa", "versicolor", "virginica"])[data.labels]
    model = LargeMarginGaussian(0.2, width=0.3)
    assert clone(model).get_params() == model.get_params()
    assert model.set_params(margin=0.9).margin == 0.9
    with pytest.raises(NotFittedError):
        model.predict(data.features)
    assert model.fit(data.features, names) is model
    assert model.classes_.tolist() == ["setosa", "versicolor", "virginica"]
    assert model.score(data.features, names) > 0.9
    assert model.decision_function(data.features).shape == (150, 3)
    assert np.array_equal(
        model.classes_[model.decision_function(data.features).argmax(1)], model.predict(data.features)
    )
    assert cross_val_score(model, data.features, names, cv=3).min() > 0.8
    two = names != "setosa"
    binary = LargeMarginGaussian().fit(data.features[two], names[two])
    decision = binary.decision_function(data.features)
    assert decision.shape == (150,)
    assert np.array_equal(decision > 0, binary.predict(data.features) == "virginica")
    # Labels in another order are the same classifier.
    swapped = LargeMarginGaussian().fit(data.features, 2 - data.labels)
    assert np.allclose(
        swapped.phi_, LargeMarginGaussian().fit(data.features, data.labels).phi_[::-1], atol=1e-4
    )


def test_parameters_decode_into_the_decision() -> None:
    data = public_data("iris")
    model = LargeMarginGaussian(0.1, ridge=0.1).fit(data.features, data.labels)
    x = data.features[:7]
    gaps = x[:, None, :] - model.centroids_[None]
    distances = np.einsum("nci,cij,ncj->nc", gaps, model.precisions_, gaps) + model.offsets_
    assert np.allclose(distances, model.costs(x), atol=1e-6)
    assert model.offsets_.min() > -1e-6
    assert np.linalg.eigvalsh(model.precisions_).min() > -1e-9


def test_a_short_certificate_warns() -> None:
    data = public_data("iris")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LargeMarginGaussian(ridge=0.0).fit(data.features, data.labels)
        LargeMarginGaussian(solver="first-order").fit(data.features, data.labels)
    with pytest.warns(ConvergenceWarning, match="certified"):
        LargeMarginGaussian(tolerance=1e-17).fit(data.features, data.labels)


X, Y = np.array([[0.1, 0.2], [0.3, 0.1], [0.0, 0.4]]), np.array([0, 1, 1])


@pytest.mark.parametrize(
    ("options", "x", "y", "message"),
    [
        ({}, X, [1, 1, 1], "at least two classes"),
        ({"regularization": 0.0}, X, Y, "regularization"),
        ({"regularization": -1.0}, X, Y, "regularization"),
        ({"regularization": np.nan}, X, Y, "regularization"),
        ({"ridge": -1.0}, X, Y, "ridge"),
        ({"width": 0.0}, X, Y, "width"),
        ({"margin": -1.0}, X, Y, "margin"),
        ({"solver": "magic"}, X, Y, "solver"),
        ({"tolerance": 0.0}, X, Y, "tolerance"),
        ({}, np.where(X > 0.35, np.nan, X), Y, "record 2, column 1"),
        ({}, X * 1j, Y, "Complex"),
        ({}, X[0], Y, "matrix"),
        ({}, X, Y[:2], "one entry per record"),
        ({}, X, [0.5, 1.5, 0.2], "continuous"),
        ({}, X, [0.0, np.nan, 1.0], "NaN"),
    ],
)
def test_bad_input_is_named(options: dict[str, float], x: Floats, y: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        LargeMarginGaussian(**options).fit(x, y)


def test_other_features_are_refused() -> None:
    with pytest.raises(ValueError, match="expected 2 features"):
        LargeMarginGaussian().fit(X, Y).predict([[1.0]])


# The perturbation as printed


def test_existence_agrees_with_eigenvalues() -> None:
    for noise in printed_noise(2, 1.0, 400, np.random.default_rng(0)):
        shifted = (noise + noise.T) / 2 + 3 * np.diag([1, 1, 0])
        definite = np.linalg.eigvalsh(shifted)[0] > 0
        assert minimiser_exists(noise, 3.0) is (Minimiser.EXISTS if definite else Minimiser.NONE)


@pytest.mark.parametrize(
    ("noise", "known"),
    [
        ([[0, 0], [0, 0]], Minimiser.UNKNOWN),
        ([[-1, 0], [0, 1]], Minimiser.UNKNOWN),
        ([[0, 0], [0, np.nextafter(0, 1)]], Minimiser.EXISTS),
        ([[0, 0], [0, -np.nextafter(0, 1)]], Minimiser.NONE),
        ([[0, 1], [1, 0]], Minimiser.NONE),
        ([[0, 1], [-1, 0]], Minimiser.UNKNOWN),  # skew: the symmetric part is 0
        ([[0, 1], [1, 1]], Minimiser.UNKNOWN),  # 1 * 1 - 1 = 0
        ([[0, 1], [1, np.nextafter(1, 2)]], Minimiser.EXISTS),
        ([[0, 1], [1, np.nextafter(1, 0)]], Minimiser.NONE),
        ([[-2, 0], [0, 1]], Minimiser.NONE),
    ],
)
def test_existence_is_exact_at_the_boundary(noise: list[list[float]], known: Minimiser) -> None:
    assert minimiser_exists(noise, 1.0) is known


def test_no_minimiser_means_no_lower_bound() -> None:
    objective = Objective.of(X, Y, 2, Huber(0.5, 0.0), 1.0)
    noise = np.diag([1.0, 1.0, -0.01])
    tilted = replace(objective, tilt=np.tile(coordinates(noise), (2, 1)))
    steps = [np.diag([0.0, 0.0, float(t)]) for t in (1, 10, 1e6)]
    values = [float(tilted.value(coordinates(np.array([s, s])))) for s in steps]
    assert values[2] < -1e4
    assert np.all(np.diff(values) < 0)
    with pytest.raises(ArithmeticError, match="no minimiser"):
        PrintedPerturbation(1.0).minimise(X, Y, noise)


def test_the_perturbed_minimiser_is_certified() -> None:
    found = PrintedPerturbation(0.05).minimise(X, Y, 0.02 * np.eye(3))
    assert found.holds(1e-6)
    with pytest.raises(ValueError, match="order 3"):
        PrintedPerturbation(1.0).minimise(X, Y, np.eye(2))
    with pytest.raises(ValueError, match="unit ball"):
        PrintedPerturbation(1.0).minimise(10 * X, Y, np.eye(3))
    with pytest.raises(ValueError, match="square"):
        minimiser_exists([[np.nan]], 1.0)
    with pytest.raises(ValueError, match="price"):
        minimiser_exists([[1.0]], 0.0)


@pytest.mark.parametrize("d", [1, 3])
def test_the_noise_has_the_printed_law(d: int) -> None:
    epsilon, n = 0.7, (d + 1) ** 2
    noise = printed_noise(d, epsilon, 4_000, np.random.default_rng(0)).reshape(4_000, -1)
    length = np.linalg.norm(noise, axis=1)
    assert stats.kstest(length, stats.gamma(n, scale=2 / epsilon).cdf).pvalue > 0.01
    # A share of the squared length of a uniform direction is Beta(1/2, (n - 1)/2); signs are fair.
    for entry in (0, n - 1):
        share = noise[:, entry] ** 2 / length**2
        assert stats.kstest(share, stats.beta(0.5, (n - 1) / 2).cdf).pvalue > 0.01
        assert stats.binomtest(int((noise[:, entry] > 0).sum()), 4_000).pvalue > 0.01
    assert stats.kstest(length, stats.gamma(n + 1, scale=2 / epsilon).cdf).pvalue < 1e-6


def test_exact_arithmetic_reads_floats_as_they_are() -> None:
    assert Fraction(0.1) != Fraction(1, 10)
    assert minimiser_exists([[-0.1, 0.0], [0.0, 1.0]], 0.1) is Minimiser.UNKNOWN
