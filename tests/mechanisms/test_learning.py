"""Smooth losses: exact minimisers, derivatives in the data by two routes, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from dataset_trials.losses import RecordLoss, logistic, sensitivity_norms

from noiseproof.mechanisms.learning.losses import LinearModelLoss, Loss, ridge
from noiseproof.mechanisms.learning.minimiser import minimise

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
TARGET = X @ [1.0, 2.0, -1.0] + RNG.normal(size=40)
LABELS = np.where(X[:, 0] + 0.5 * RNG.normal(size=40) > 0, 1.0, -1.0)
NETWORK = RecordLoss.written(
    "(y - phi4/(1 + exp(-phi1*x1 - phi2*x2 - phi3*x3)))**2",
    (4, 3),
    "0.01*(phi1**2 + phi2**2 + phi3**2 + phi4**2)",
)

LOSSES: dict[str, tuple[Loss, np.ndarray]] = {
    "ridge": (ridge(1e-2), TARGET),
    "ridge, offset": (ridge(1e-5, offset=True), TARGET),
    "logistic": (logistic(1e-2, offset=True), LABELS),
    "logistic, sums": (logistic(1.0, average=False), LABELS),
    "pseudo-Huber": (LinearModelLoss.written("sqrt(1 + (y - t)**2)", 1e-2), TARGET),
    "network": (NETWORK, LABELS),
}


@pytest.mark.parametrize("name", LOSSES)
def test_the_gradient_vanishes_and_the_curvature_is_positive(name: str) -> None:
    loss, y = LOSSES[name]
    found = minimise(loss, X, y, np.full(loss.parameters(3), 0.3))
    assert found.holds(1e-12)
    for step in RNG.normal(0, 1e-3, size=(20, len(found.phi))):
        assert loss.value(found.phi + step, X, y) > found.value


@pytest.mark.parametrize("name", LOSSES)
def test_derivatives_in_the_data_agree_with_differences(name: str) -> None:
    loss, y = LOSSES[name]
    found = minimise(loss, X, y, np.full(loss.parameters(3), 0.3))
    derivative, h = found.sensitivity(5), 1e-5
    for column in range(3):
        ends = []
        for sign in (1, -1):
            moved = X.copy()
            moved[5, column] += sign * h
            ends.append(minimise(loss, moved, y, found.phi).phi)
        np.testing.assert_allclose((ends[0] - ends[1]) / (2 * h), derivative[:, column], atol=1e-8)
    assert np.abs(derivative).max() > 1e-4
    assert sensitivity_norms(found)[5] == pytest.approx(np.linalg.norm(derivative, 2))


@pytest.mark.parametrize("name", LOSSES)
def test_gradient_and_hessian_agree_with_differences(name: str) -> None:
    loss, y = LOSSES[name]
    phi, h = RNG.normal(size=loss.parameters(3)), 1e-6
    steps = h * np.eye(len(phi))
    slope = [(loss.value(phi + s, X, y) - loss.value(phi - s, X, y)) / (2 * h) for s in steps]
    np.testing.assert_allclose(slope, loss.gradient(phi, X, y), rtol=1e-6, atol=1e-7)
    bend = [(loss.gradient(phi + s, X, y) - loss.gradient(phi - s, X, y)) / (2 * h) for s in steps]
    np.testing.assert_allclose(bend, loss.hessian(phi, X, y), rtol=1e-6, atol=1e-7)


def test_ridge_is_its_closed_form() -> None:
    found = minimise(ridge(1e-2), X, TARGET)
    wanted = np.linalg.solve(1e-2 * np.eye(3) + X.T @ X / 40, X.T @ TARGET / 40)
    np.testing.assert_allclose(found.phi, wanted, rtol=1e-12)


def test_logistic_is_scikit_learns() -> None:
    from sklearn.linear_model import LogisticRegression

    found = minimise(logistic(0.5, average=False, offset=True), X, LABELS)
    theirs = LogisticRegression(C=1.0, tol=1e-12, max_iter=10_000).fit(X, LABELS)
    np.testing.assert_allclose(found.phi, np.append(theirs.coef_, theirs.intercept_), atol=1e-6)


def test_written_and_built_logistic_agree() -> None:
    built = minimise(logistic(1e-2), X, LABELS)
    written = minimise(LinearModelLoss.written("log(1 + exp(-y*t))", 1e-2), X, LABELS)
    np.testing.assert_allclose(built.phi, written.phi, atol=1e-10)


def test_a_singular_hessian_has_no_derivative() -> None:
    """phi^4/4 - x phi is smooth, and its minimiser x^(1/3) moves faster than any multiple of x."""
    quartic = RecordLoss.written("phi1**4/4 - (x1 - y)*phi1", (1, 1))
    centred = np.array([[-1.0], [1.0]])
    flat = minimise(quartic, centred, [0.0, 0.0])
    assert flat.phi == pytest.approx(0.0)
    with pytest.raises(ValueError, match="implicit function theorem does not apply"):
        flat.sensitivity(0)
    for size in (1e-3, 1e-6):
        moved = minimise(quartic, centred + [[0.0], [2 * size]], [0.0, 0.0], [1.0])
        assert moved.phi[0] == pytest.approx(size ** (1 / 3), rel=1e-3)


BAD: dict[str, tuple[Any, str]] = {
    "kink": (lambda: LinearModelLoss.written("max(1 - y*t, 0)"), "Max, which is not twice"),
    "absolute value": (lambda: LinearModelLoss.written("abs(y - t)"), "Abs, which is not twice"),
    "unknown name": (lambda: LinearModelLoss.written("z*t"), "unknown name 'z'"),
    "code": (lambda: LinearModelLoss.written("__import__('os')"), "unknown function"),
    "price": (lambda: ridge(-1.0), "sigma"),
    "lengths": (lambda: minimise(ridge(1.0), X, TARGET[:-1]), "40 finite numbers"),
    "nan": (lambda: minimise(ridge(1.0), X * np.nan, TARGET), "NaN or infinity in \\d+ entr"),
    "constant": (lambda: minimise(ridge(1.0), np.ones((40, 1)), TARGET), "constant"),
    "start": (lambda: minimise(ridge(1.0), X, TARGET, [0.0]), "start must be 3"),
    "features of a network": (lambda: minimise(NETWORK, X[:, :2], LABELS), "written for 3 features"),
    "record": (lambda: minimise(ridge(1.0), X, TARGET).sensitivity(40), "from 0 to 39"),
    "sizes": (lambda: RecordLoss.written("phi1", (0, 1)), "whole and >= 1"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused(case: str) -> None:
    call, message = BAD[case]
    with pytest.raises(ValueError, match=message):
        call()


def test_a_loss_without_minimiser_is_said() -> None:
    endless = minimise(logistic(0.0), X, np.sign(X[:, 0]))
    assert not endless.holds()
    with pytest.raises(ValueError, match="not positive definite"):
        endless.sensitivity(0)
