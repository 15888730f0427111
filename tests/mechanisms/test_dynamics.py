"""Linear systems over time: observability, the noise of least cost, horizons, and the vehicle in closed form."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp
from policy_trials.horizons import VEHICLE, growth, over_horizons, vehicle_steps

from noiseproof import Claim, GaussianDP, Verdict, examine
from noiseproof.mechanisms.dynamics import (
    LinearSystem,
    T,
    TrajectoryNoise,
    infimum,
    vehicle_error,
    vehicle_gramian,
    vehicle_quality,
    vehicle_root_traces,
)
from noiseproof.symbolic.laws.vector import NormalVector
from noiseproof.symbolic.privacy.pair import GaussianPair
from noiseproof.symbolic.programs.least_cost_noise import lower_bound
from noiseproof.symbolic.proof.enclosure import is_zero, sign
from noiseproof.symbolic.proof.truth import Truth

R = sp.Rational
UNIT: Any = ([0.0, -1.0], [1.0, 1.0])
ROTATION = LinearSystem.of([[0, 1], [-1, 0]], [[1, 0]])
THIRD = LinearSystem.of([[0.9, 0.2, 0], [0, 0.7, -0.3], [0.1, 0, 1.1]], [[1, 0, 0.5], [0, 1, 0]])


def noise(
    system: LinearSystem = VEHICLE, horizon: int = 3, rho: float = 2.0, beyond: float = 0.0
) -> TrajectoryNoise:
    domain = (np.full(system.order, -1.0), np.ones(system.order))
    return TrajectoryNoise(system.a, system.c, horizon, rho, domain, beyond)


@pytest.mark.parametrize("system", [VEHICLE, ROTATION, THIRD])
def test_stacked_answers_are_those_of_the_recursion(system: LinearSystem) -> None:
    x = np.random.default_rng(0).normal(size=system.order)
    rows, state = [], x
    for _ in range(5):
        rows.append(np.array(system.c) @ state)
        state = np.array(system.a) @ state
    assert system.stacked(4) @ x == pytest.approx(np.concatenate(rows))
    assert system.query(4)(x) == pytest.approx(np.concatenate(rows))
    powers = [np.linalg.matrix_power(np.array(system.a), k) for k in range(5)]
    assert system.gramian(4) == pytest.approx(
        sum(p.T @ np.array(system.c).T @ np.array(system.c) @ p for p in powers)
    )


def test_observable_pairs_have_an_invertible_gramian_from_n_minus_one_on() -> None:
    for system in (VEHICLE, ROTATION, THIRD):
        assert system.observable
        assert system.least_horizon <= system.order - 1
        for horizon in range(system.order - 1, system.order + 3):
            assert system.rank(horizon) == system.order
    # T >= n - 2 would not do for one answer at a time.
    assert VEHICLE.rank(0) == 1
    assert THIRD.least_horizon == 1
    hidden = LinearSystem.of([[1, 0], [0, 2]], [[1, 0]])
    assert not hidden.observable
    assert hidden.rank(10) == 1


def information_trace(m: TrajectoryNoise) -> float:
    return float(np.trace(np.array(m.state.noise_information().numeric)))


def test_costs_are_the_infimum_and_a_price_for_the_other_directions() -> None:
    for system, horizon in ((VEHICLE, 3), (ROTATION, 1), (THIRD, 4)):
        singular = np.linalg.svd(system.stacked(horizon), compute_uv=False)
        best = 2 * np.sqrt(2.0) * singular.sum()
        exact = noise(system, horizon)
        assert information_trace(exact) + 2 * exact.quality() == pytest.approx(best, rel=1e-12)
        extra = exact.dimension - exact.order
        near = noise(system, horizon, beyond=1e-3)
        assert information_trace(near) + 2 * near.quality() == pytest.approx(best + 2e-3 * extra, rel=1e-9)
        printed = TrajectoryNoise.printed(system.a, system.c, horizon, 2.0, exact.domain)
        assert printed.state.covariance() == pytest.approx(2 * exact.state.covariance())
        assert information_trace(printed) + 2 * printed.quality() == pytest.approx(1.25 * best)


def test_no_covariance_costs_less_and_most_cost_more() -> None:
    rng = np.random.default_rng(3)
    exact = noise(THIRD, 2)
    best = information_trace(exact) + 2 * exact.quality()
    base = noise(THIRD, 2, beyond=1e-6).covariance()
    for size in (1e-3, 0.1, 1.0):
        for _ in range(20):
            root = rng.normal(size=base.shape) * size
            v = base + root @ root.T * np.trace(base) / len(base)
            cost = np.trace(exact.psi.T @ np.linalg.solve(v, exact.psi)) + 2 * np.trace(v)
            assert cost > best


def test_covariances_agree_with_the_root_of_psi_psi() -> None:
    m = noise(THIRD, 3, rho=0.7)
    root = m.covariance() * np.sqrt(0.7)
    assert root @ root == pytest.approx(m.psi @ m.psi.T, abs=1e-9)
    assert m.psi @ m.state.covariance() @ m.psi.T == pytest.approx(m.covariance(), abs=1e-9)
    assert np.linalg.matrix_rank(m.covariance()) == m.order
    inverse = np.array(m.state.noise_information().numeric)
    assert m.error_bound() == pytest.approx(np.trace(np.linalg.inv(inverse)))
    # The information about x[0] is the same with noise beyond the range, by the general formula.
    full = noise(THIRD, 3, rho=0.7, beyond=0.2)
    assert full.psi.T @ np.linalg.solve(full.covariance(), full.psi) == pytest.approx(
        inverse, rel=1e-6, abs=1e-9
    )


def test_the_infimum_is_derived_and_every_step_counts() -> None:
    derivation = infimum()
    assert derivation.check() is Truth.HOLDS
    for step in derivation.steps[-3:]:
        wrong = type(step)(-step.left - 1, step.relation, step.right, step.reason, step.how)
        assert wrong.check() is Truth.FAILS
    assert is_zero(derivation.steps[-1].right - lower_bound()) is Truth.HOLDS


def test_a_budget_is_used_up() -> None:
    m = TrajectoryNoise.within(VEHICLE.a, VEHICLE.c, 4, 3.0, UNIT)
    assert m.quality() == pytest.approx(3.0)
    singular = np.linalg.svd(m.psi, compute_uv=False)
    assert np.linalg.eigvalsh(m.state.covariance()) == pytest.approx(np.sort(3.0 / singular / singular.sum()))


@pytest.mark.parametrize("beyond", [0.0, 0.3])
def test_the_code_has_the_covariance_of_the_law(beyond: float) -> None:
    m = noise(VEHICLE, 3, beyond=beyond)
    x = np.array([0.4, -0.2])
    y = m.release(x, 60_000, np.random.default_rng(1))
    assert y.mean(axis=0) == pytest.approx(m.psi @ x, abs=0.05)
    assert np.cov(y.T) == pytest.approx(m.covariance(), abs=0.08)
    assert np.linalg.matrix_rank(y - m.psi @ x, tol=1e-6) == (m.order if beyond == 0 else m.dimension)


def test_noise_is_the_initial_noise_carried_along() -> None:
    m = noise(VEHICLE, 4)
    w = m.draw(5, np.random.default_rng(0))
    z = np.linalg.lstsq(m.psi, w.T, rcond=None)[0]
    for k in range(5):
        carried = np.array(VEHICLE.c) @ np.linalg.matrix_power(np.array(VEHICLE.a), k) @ z
        assert w[:, k] == pytest.approx(carried[0])


def test_noise_may_be_independent_in_time_after_all() -> None:
    """A quarter turn and T = 1: the two answers see the two coordinates of z, which are independent and alike."""
    m = noise(ROTATION, 1)
    assert m.covariance() == pytest.approx(np.eye(2) / np.sqrt(2.0))
    # From T = n on the covariance, of rank n, cannot be that of T + 1 independent copies.
    late = noise(ROTATION, 2).covariance()
    assert np.linalg.matrix_rank(late) == 2
    assert abs(late[0, 2]) > 0.1


def test_a_degenerate_release_has_no_density_and_says_what_to_look_at() -> None:
    with pytest.raises(ValueError, match="no density there; look at `state`"):
        noise(VEHICLE, 3).law(np.zeros(2))
    assert isinstance(noise(ROTATION, 1).law(np.zeros(2)), NormalVector)


def test_privacy_claims_about_the_law_are_decided() -> None:
    m = noise(VEHICLE, 2, beyond=0.1)
    pair = m.worst_case().pair
    assert isinstance(pair, GaussianPair)
    mu = float(pair.mu)
    shift = np.subtract(*m.neighbours()[0])
    assert mu**2 == pytest.approx(shift @ np.linalg.inv(m.state.covariance()) @ shift)
    for factor, verdict in ((1 + 1e-9, Verdict.PROVED), (1 - 1e-6, Verdict.REFUTED)):
        assert examine(m, Claim(GaussianDP(mu * factor), about="law"), samples=100).verdict is verdict


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: TrajectoryNoise([[1, 0], [0, 1]], [[1, 0]], 3, 1.0, UNIT), "not observable: rank 1 of 2"),
        (lambda: noise(VEHICLE, 0), "too small: .* singular before T = 1"),
        (
            lambda: TrajectoryNoise([[1, 1e-16], [0, 1]], [[1, 0]], 3, 1.0, UNIT),
            "singular to working precision",
        ),
        (lambda: LinearSystem.of([[1, 2]], [[1, 0]]), "square"),
        (lambda: LinearSystem.of([[1]], [[1, 0]]), "finite with 1 column, one per state"),
        (lambda: LinearSystem.of([[np.inf]], [[1]]), "finite"),
        (lambda: noise(rho=0.0), "rho"),
        (lambda: noise(beyond=-1.0), "beyond"),
        (lambda: TrajectoryNoise(VEHICLE.a, VEHICLE.c, 2, 1.0, ([0], [1])), "2 entries"),
        (lambda: noise().query(np.zeros(3)), "2 finite"),
        (lambda: over_horizons(VEHICLE, [2]), "exactly one"),
        (lambda: over_horizons(VEHICLE, [0], rho=1.0), "too small"),
        (lambda: TrajectoryNoise.within(VEHICLE.a, VEHICLE.c, 2, -1.0, UNIT), "budget"),
        (lambda: TrajectoryNoise.within(VEHICLE.a, VEHICLE.c, 2, 1.0, UNIT, beyond=1.0), "uses up"),
    ],
)
def test_bad_input_says_what_is_missing(build: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        build()


# The vehicle.


def test_the_gramian_of_the_vehicle_is_the_printed_one() -> None:
    printed = sp.Matrix([[T + 1, T * (T + 1) / 2], [T * (T + 1) / 2, T * (T + 1) * (2 * T + 1) / 6]])
    assert all(is_zero(e) is Truth.HOLDS for e in vehicle_gramian() - printed)
    for horizon in (1, 2, 7):
        assert np.array(vehicle_gramian(sp.Integer(horizon)).tolist(), dtype=float) == pytest.approx(
            VEHICLE.gramian(horizon)
        )


def test_the_closed_form_is_derived_for_every_horizon_and_every_step_counts() -> None:
    derivation = vehicle_steps()
    assert derivation.check() is Truth.HOLDS
    for step in derivation.steps:
        left = -step.left if step.relation == ">" else step.left + T
        assert type(step)(left, step.relation, step.right, step.reason, step.how).check() is Truth.FAILS


def printed_forms(horizon: int) -> tuple[sp.Expr, sp.Expr]:
    """Q and E of example 4 as printed, rho = 1."""
    t = sp.Integer(horizon)
    root = sp.sqrt(4 * t**4 + 4 * t**3 + 13 * t**2 - 12 * t + 36)
    small, large = (sp.sqrt((t + 1) * (2 * t**2 + t + 6 + s * root)) for s in (-1, 1))
    return (small + large) / sp.sqrt(3), 4 * sp.sqrt(3) * (1 / small + 1 / large)


@pytest.mark.parametrize("horizon", [1, 2, 3, 10])
def test_the_printed_closed_forms_belong_to_twice_the_optimal_covariance(horizon: int) -> None:
    quality, error = printed_forms(horizon)
    t, one = sp.Integer(horizon), sp.Integer(1)
    for value, of in ((quality, vehicle_quality), (error, vehicle_error)):
        assert abs(float((value - of(one, t, 2)).evalf(40))) < 1e-30
        assert sign(value - of(one, t)) == 1
    m = noise(VEHICLE, horizon, rho=1.0)
    assert m.quality() == pytest.approx(float(vehicle_quality(one, t)))
    assert m.error_bound() == pytest.approx(float(vehicle_error(one, t)))


def test_growth_rates_of_the_vehicle() -> None:
    """Q grows like T^(3/2), as printed; the error falls like T^(-1/2), not T^(-3/2)."""
    one = sp.Integer(1)
    quality, error = vehicle_quality(one), vehicle_error(one)
    assert growth(quality, R(3, 2)) == 1 / sp.sqrt(3)
    assert growth(error, -R(1, 2)) == 2
    assert growth(error, -R(3, 2)) == sp.oo
    assert growth(error, -R(51, 100)) == sp.oo
    assert growth(error, -R(49, 100)) == 0


def test_a_constant_error_needs_rho_like_one_over_the_horizon() -> None:
    steady = 1 / T
    assert growth(vehicle_error(steady), sp.Integer(0)) == 2
    assert growth(vehicle_quality(steady), sp.Integer(2)) == 1 / sp.sqrt(3)
    printed = T ** -R(3, 2)
    assert growth(vehicle_error(printed), sp.Integer(0)) == sp.oo
    assert growth(vehicle_error(printed), R(1, 4)) == 2
    assert growth(vehicle_quality(printed), R(9, 4)) == 1 / sp.sqrt(3)
    # The error times Q is exactly (Tr G^{1/2})^2/(rho sqrt det G); at a fixed error Q is the error times sqrt det G.
    first, second = vehicle_root_traces()
    assert growth(first / second, sp.Integer(2)) == 1 / sp.sqrt(12)


def test_the_error_falls_with_the_horizon() -> None:
    found = over_horizons(VEHICLE, list(range(1, 60)), rho=1.0)
    assert np.all(np.diff(found.error) < 0)
    assert np.all(np.diff(found.quality) > 0)
    assert found.information == pytest.approx(found.quality)
    assert found.error[4] == pytest.approx(float(vehicle_error(sp.Integer(1), sp.Integer(5))))


def test_least_trace_of_information_is_not_largest_error() -> None:
    """At one budget white noise has more information in trace, yet the larger error bound at T = 1, 2, 10."""
    found = over_horizons(VEHICLE, [1, 2, 5, 10], budget=1.0)
    assert found.quality == pytest.approx(np.ones(4))
    assert (found.independent_error > found.error).tolist() == [True, True, False, True]
    for i, horizon in enumerate(found.horizons):
        white = (horizon + 1) * np.trace(VEHICLE.gramian(horizon))
        assert white >= found.information[i] * (1 - 1e-12)


def test_the_chain_of_the_paper_has_n_squared_over_the_trace() -> None:
    """Tr(I^{-1}) >= n^2/Tr(I); with (T + 1)^2 n^2 in the numerator the chain fails for a scalar constant state."""
    system = LinearSystem.of([[1]], [[1]])
    m = TrajectoryNoise(system.a, system.c, 1, 1.0, ([0.0], [1.0]))
    bound, trace = m.error_bound(), information_trace(m)
    assert bound == pytest.approx(1 / trace)
    assert bound < 4 / trace
    for horizon in (1, 4, 9):
        v = noise(VEHICLE, horizon)
        assert v.error_bound() >= 4 / information_trace(v)
