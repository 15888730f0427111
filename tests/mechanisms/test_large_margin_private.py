"""The private large-margin classifier: each step of its epsilon against brute force, its density, its releases."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
from margin_trials.public_data import public_data
from numpy.typing import NDArray
from scipy import stats
from sklearn.base import clone

from noiseproof.audit.studies.large_margin.private_attack import worst_neighbours
from noiseproof.mechanisms.large_margin import (
    Huber,
    Objective,
    PrivacyTerms,
    PrivateLargeMarginGaussian,
    audit_subject,
    gradient_sensitivity,
)
from noiseproof.mechanisms.large_margin.newton import tilted_minimisers
from noiseproof.mechanisms.large_margin.training import in_unit_ball
from noiseproof.symbolic.programs.symmetric import coordinates, matrices
from noiseproof.symbolic.proof.truth import Truth

Floats = NDArray[np.float64]
R = sp.Rational


def pull(weights: Floats, label: int) -> Floats:
    """a: minus the weights of wrong classes, their sum at the own one."""
    a = -np.delete(weights, label)
    return np.insert(a, label, -a.sum())


def moved(first: tuple[Floats, Floats, int], second: tuple[Floats, Floats, int]) -> float:
    """|a (x) X - a' (x) X'| for records (x, weights, label)."""
    parts = []
    for x, weights, label in (first, second):
        z = np.append(x, 1.0)
        parts.append(np.multiply.outer(pull(weights, label), np.outer(z, z)))
    return float(np.linalg.norm(parts[0] - parts[1]))


@pytest.mark.parametrize("classes", [2, 3, 4])
@pytest.mark.parametrize("radius", [R(1), R(1, 2)])
def test_gradient_sensitivity_is_never_passed_and_attained(classes: int, radius: sp.Expr) -> None:
    rng = np.random.default_rng(classes)
    top = float(gradient_sensitivity(classes, radius))

    def record() -> tuple[Floats, Floats, int]:
        x = rng.standard_normal(2)
        x *= float(radius) * rng.choice([1.0, rng.uniform()]) / np.linalg.norm(x)
        weights = (
            rng.uniform(size=classes) if rng.uniform() < 0.3 else rng.integers(0, 2, classes).astype(float)
        )
        return x, weights, int(rng.integers(classes))

    for _ in range(60):
        # Ascent: keep what moves the gradient further.
        pair = [record(), record()]
        best = moved(*pair)
        for step in range(60):
            trial = list(pair)
            new, old = record(), pair[step % 2]
            keep = rng.integers(0, 2, 3)
            trial[step % 2] = (
                old[0] if keep[0] else new[0],
                old[1] if keep[1] else new[1],
                old[2] if keep[2] else new[2],
            )
            if (value := moved(*trial)) > best:
                pair, best = trial, value
        assert best <= top * (1 + 1e-12)
    x, ones = np.array([float(radius), 0.0]), np.ones(classes)
    assert moved((x, ones, 0), (x, ones, 1)) == pytest.approx(top)
    assert top > 2  # what is printed


def test_gradient_sensitivity_of_the_objective_itself() -> None:
    """One record replaced moves n times the gradient of the mean loss by at most Delta, wherever it is taken."""
    rng = np.random.default_rng(0)
    loss, top = Huber(0.5, 0.5), float(gradient_sensitivity(3))
    for _ in range(40):
        x = rng.standard_normal((4, 2))
        x /= np.linalg.norm(x, axis=1, keepdims=True)
        y = rng.integers(0, 3, 4)
        x2, y2 = x.copy(), y.copy()
        x2[0], y2[0] = rng.choice([1, -1]) * x[rng.integers(4)], rng.integers(3)
        one, two = (Objective.of(a, b, 3, loss, 0.0, 0.1, average=True) for a, b in ((x, y), (x2, y2)))
        phi = rng.standard_normal((50, 3, 6)) * 10.0 ** rng.uniform(-3, 1, (50, 1, 1))
        gap = 4 * (one.gradient(phi) - two.gradient(phi))
        assert np.sqrt((gap**2).sum(axis=(1, 2))).max() <= top * (1 + 1e-12)


@pytest.mark.parametrize("classes", [2, 3])
def test_the_jacobian_bound_is_never_passed_and_nearly_attained(classes: int) -> None:
    rng = np.random.default_rng(classes)
    n, ridge, d = 3, 0.3, 1
    terms = PrivacyTerms(classes, n, R(1, 2), sp.Float(ridge))
    kappa, worst = float(terms.jacobian), 0.0
    for trial in range(300):
        x = rng.uniform(-1, 1, (n, d)) if trial % 2 else rng.choice([-1.0, 1.0], (n, d))
        y = rng.integers(0, classes, n)
        x2, y2 = x.copy(), y.copy()
        x2[0], y2[0] = rng.choice([-1.0, 1.0]), rng.integers(classes)
        one, two = (
            Objective.of(a, b, classes, Huber(0.5, 0.5), 0.0, ridge, average=True)
            for a, b in ((x, y), (x2, y2))
        )
        phi = rng.standard_normal((60, classes, 3)) * 10.0 ** rng.uniform(-2, 1, (60, 1, 1))
        gap = np.linalg.slogdet(one.hessian(phi))[1] - np.linalg.slogdet(two.hessian(phi))[1]
        worst = max(worst, float(np.abs(gap).max()))
    assert worst <= kappa * (1 + 1e-9)
    assert worst > (0.95 if classes == 2 else 0.6) * kappa
    # Attained: every wrong class bent under one record, none under the other, nothing else bent.
    z = np.outer([1, 1], [1, 1])
    lead = np.append(0.0, np.full(classes - 1, 0.5))
    phi = coordinates(np.multiply.outer(lead / 4, z))
    away = np.zeros((n, d)) - 1  # the other records see leads of 0, off the parabola or at its end
    x = np.vstack([[[1.0]], away[1:]])
    bent = Objective.of(x, np.zeros(n, int), classes, Huber(0.5, 0.5), 0.0, ridge, average=True)
    flat = Objective.of(
        np.vstack([[[-1.0]], away[1:]]), np.zeros(n, int), classes, Huber(0.5, 0.5), 0.0, ridge, average=True
    )
    gap = np.linalg.slogdet(bent.hessian(phi))[1] - np.linalg.slogdet(flat.hessian(phi))[1]
    assert gap == pytest.approx(kappa)


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_the_derivation_holds_and_no_step_survives_sabotage(classes: int) -> None:
    terms = PrivacyTerms(classes, 100, R(1, 2), R(1, 2))
    derivation = terms.derivation(R(2))
    assert derivation.check() is Truth.HOLDS
    assert len(derivation.lemmas) == 5
    for i, step in enumerate(derivation.steps):
        wrong = step.right + (R(1, 1000) if step.relation == "=" else 10)
        broken = derivation.steps[:i] + (replace(step, right=wrong),) + derivation.steps[i + 1 :]
        assert replace(derivation, steps=broken).check() is not Truth.HOLDS, step.reason
    assert terms.derivation(terms.jacobian).check() is not Truth.HOLDS  # nothing left for the noise


def test_bad_terms_are_named() -> None:
    for wrong in ({"classes": 1}, {"size": 0}, {"width": sp.Integer(0)}, {"ridge": sp.Integer(-1)}):
        options = {"classes": 2, "size": 10, "width": R(1, 2), "ridge": R(1), **wrong}
        with pytest.raises(ValueError, match=next(iter(wrong))):
            PrivacyTerms(**options)


# The density


def in_plane(v: Floats) -> Floats:
    """Releases (B, 2, 2, 2) of two classes from coordinates (B, 3) of Phi_1 = -Phi_2."""
    return matrices(np.stack([v, -v], axis=-2) / np.sqrt(2))


@pytest.mark.parametrize("method", ["objective", "output"])
def test_the_density_is_that_of_the_change_of_variables(method: str) -> None:
    """log p(Phi) = log density of the noise + log |db/dPhi|, the latter by finite differences in the smallest case."""
    (x, y), _ = worst_neighbours(2, 3)
    model = PrivateLargeMarginGaussian(1.0, [0, 1], method=method, ridge=8.0)
    objective = model._objective(x, y)
    best = tilted_minimisers(objective, np.zeros((1, 2, 3)))[0]

    def noise_of(v: Floats) -> Floats:
        phi = np.stack([v, -v], axis=-2) / np.sqrt(2)
        b = -3 * objective.gradient(phi) if method == "objective" else phi - best
        return np.asarray((b[..., 0, :] - b[..., 1, :]) / np.sqrt(2))

    points = np.random.default_rng(0).standard_normal((30, 3)) * 0.3
    step = 1e-6
    slopes = np.stack(
        [(noise_of(points + step * e) - noise_of(points - step * e)) / (2 * step) for e in np.eye(3)], axis=-1
    )
    expected = -np.linalg.norm(noise_of(points), axis=1) / model.noise_scale_ + np.linalg.slogdet(slopes)[1]
    found = model.log_density(in_plane(points), x, y)
    assert np.ptp(found - expected) < 1e-5


@pytest.mark.parametrize("method", ["objective", "output"])
@pytest.mark.parametrize("classes", [2, 3])
def test_density_ratios_have_mean_one(method: str, classes: int) -> None:
    """E_D[p'(Phi)/p(Phi)] = 1: densities and releases fit each other, constants included."""
    one, two = worst_neighbours(classes, 4)
    model = PrivateLargeMarginGaussian(4.0, range(classes), method=method)
    for a, b in ((one, two), (two, one)):
        drawn = model.released(*a, 4_000, np.random.default_rng(1))
        ratio = np.exp(model.log_density(drawn, *b) - model.log_density(drawn, *a))
        assert abs(ratio.mean() - 1) < 4 * ratio.std() / np.sqrt(len(ratio))
        assert ratio.std() > 0.02


def test_log_density_is_bounded_by_epsilon_everywhere() -> None:
    for classes, epsilon, method in itertools.product((2, 3), (0.5, 3.0), ("objective", "output")):
        one, two = worst_neighbours(classes, 5)
        model = PrivateLargeMarginGaussian(epsilon, range(classes), method=method)
        drawn = model.released(*one, 300, np.random.default_rng(0))
        drawn = np.concatenate([drawn * s for s in (0.01, 1.0, 3.0)])
        gap = model.log_density(drawn, *one) - model.log_density(drawn, *two)
        assert np.abs(gap).max() <= epsilon


def test_releases_have_the_noise_that_is_claimed() -> None:
    """Recovered noise n grad J: Gamma length, sums of zero over the classes, fair direction."""
    (x, y), _ = worst_neighbours(3, 6)
    model = PrivateLargeMarginGaussian(2.0, range(3))
    drawn = coordinates(model.released(x, y, 1_500, np.random.default_rng(0)))
    assert np.abs(drawn.sum(axis=1)).max() < 1e-8
    noise = 6 * model._objective(x, y).gradient(drawn)
    length = np.sqrt((noise**2).sum(axis=(1, 2)))
    assert stats.kstest(length, stats.gamma(6, scale=model.noise_scale_).cdf).pvalue > 0.01
    share = (noise[:, 0, 0] ** 2) / length**2 * 3 / 2  # one entry of three classes that add up to zero
    assert stats.kstest(share, stats.beta(0.5, 2.5).cdf).pvalue > 0.01


def test_the_minimiser_moves_no_further_than_claimed() -> None:
    one, two = worst_neighbours(2, 4)
    model = PrivateLargeMarginGaussian(1.0, [0, 1], method="output", ridge=8.0, margin=1.5)
    best = [tilted_minimisers(model._objective(*s), np.zeros((1, 2, 3)))[0] for s in (one, two)]
    gap = float(np.linalg.norm(best[0] - best[1]))
    assert gap == pytest.approx(float(model.terms_.minimiser_sensitivity))
    rng = np.random.default_rng(0)
    for _ in range(20):
        x, y = rng.uniform(-1, 1, (4, 1)), rng.integers(0, 2, 4)
        x2, y2 = np.vstack([rng.uniform(-1, 1, (1, 1)), x[1:]]), np.append(1 - y[0], y[1:])
        best = [tilted_minimisers(model._objective(*s), np.zeros((1, 2, 3)))[0] for s in ((x, y), (x2, y2))]
        assert np.linalg.norm(best[0] - best[1]) <= float(model.terms_.minimiser_sensitivity) * (1 + 1e-9)


# The estimator


@pytest.mark.parametrize("method", ["objective", "output"])
def test_post_processing_makes_it_semidefinite_and_changes_no_decision(method: str) -> None:
    data = public_data("iris")
    model = PrivateLargeMarginGaussian(5.0, range(3), method=method, random_state=0)
    model.fit(data.features, data.labels)
    assert np.linalg.eigvalsh(model.phi_).min() > -1e-9
    raw = PrivateLargeMarginGaussian(5.0, range(3), method=method).released(
        data.features, data.labels, 1, np.random.default_rng(0)
    )[0]
    z = np.column_stack([data.features, np.ones(150)])
    assert np.array_equal(np.einsum("ni,cij,nj->nc", z, raw, z).argmin(1), model.predict(data.features))
    assert model.offsets_.min() > -1e-6


def test_conventions_and_secrecy_of_the_seed() -> None:
    data = public_data("iris")
    names = np.array(["a", "b", "c"])[data.labels]
    model = PrivateLargeMarginGaussian(5.0, ["a", "b", "c"], random_state=3)
    again = clone(model)
    assert again.get_params() == model.get_params()
    assert set(model.fit(data.features, names).predict(data.features)) <= {"a", "b", "c"}
    assert np.array_equal(again.fit(data.features, names).phi_, model.phi_)
    free = PrivateLargeMarginGaussian(5.0, ["a", "b", "c"])
    one, two = (free.fit(data.features, names).phi_ for _ in range(2))
    assert not np.array_equal(one, two)
    # A declared class without records is a class.
    assert PrivateLargeMarginGaussian(5.0, ["a", "b", "c", "d"]).fit(data.features, names).phi_.shape[0] == 4


X, Y = np.array([[0.1, 0.2], [0.3, 0.1], [0.0, 0.4]]), np.array([0, 1, 1])


@pytest.mark.parametrize(
    ("options", "x", "y", "message"),
    [
        ({"epsilon": 0.0}, X, Y, "epsilon"),
        ({"epsilon": np.inf}, X, Y, "epsilon"),
        ({"ridge": 0.0}, X, Y, "ridge"),
        ({"ridge": -1.0}, X, Y, "ridge"),
        ({"ridge": 1e-6}, X, Y, "Jacobian alone"),
        ({"method": "magic"}, X, Y, "method"),
        ({"width": -1.0}, X, Y, "width"),
        ({"classes": [1]}, X, Y, "at least two classes"),
        ({"classes": [1, 1]}, X, Y, "at least two classes"),
        ({}, X, [0, 1, 2], "none of the declared classes"),
        ({}, X, ["0", "1", "1"], "write both in one way"),
        ({"classes": ["a", "b"]}, X, Y, "write both in one way"),
        ({}, X, np.array(["a", None, 1], dtype=object), "mixture|one way"),
        ({}, X, [0.0, np.nan, 1.0], "none of the declared"),
        ({}, 3 * X, Y, "length .* more than 1"),
        ({}, np.where(X > 0.35, np.nan, X), Y, "record 2, column 1"),
        ({}, X, Y[:2], "one entry per record"),
    ],
)
def test_bad_input_is_named(options: dict[str, object], x: Floats, y: object, message: str) -> None:
    model = PrivateLargeMarginGaussian(**{"epsilon": 1.0, "classes": [0, 1], **options})
    with pytest.raises(ValueError, match=message):
        model.fit(x, y)


def test_lengths_above_one_by_rounding_are_shortened() -> None:
    x = np.array([[0.6, 0.8]]) * (1 + 5e-13)
    assert np.linalg.norm(x) > 1 + 1e-13
    assert np.linalg.norm(in_unit_ball(x)) <= 1 + 2e-16
    assert np.array_equal(in_unit_ball(X), X)
    with pytest.raises(ValueError, match="record 0"):
        in_unit_ball(x * (1 + 1e-11))


def test_only_neighbours_are_put_on_trial() -> None:
    model = PrivateLargeMarginGaussian(1.0, [0, 1])
    with pytest.raises(ValueError, match="one shape"):
        audit_subject(model, (X, Y), (X[:2], Y[:2]))
    with pytest.raises(ValueError, match="differ in 2"):
        audit_subject(model, (X, Y), (X, [1, 0, 1]))
    with pytest.raises(ValueError, match="differ in 0"):
        audit_subject(model, (X, Y), (X, Y))
    assert audit_subject(model, (X, Y), (X, [1, 1, 1])).name.endswith("(objective)")
