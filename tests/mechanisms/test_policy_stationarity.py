"""Policies that look at x: which equation a root solves, what holds at the ends of X, and input that is no problem."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from policy_trials.closed_bounds import vanishing_weight_bound
from policy_trials.cost import cost
from policy_trials.density import W, constant_noise
from policy_trials.phase_noise import phase_noise
from policy_trials.stationarity import end_flux, residual

from noiseproof.mechanisms.dependent_noise.optimum import solve_policy
from noiseproof.mechanisms.dependent_noise.problem import PolicyProblem, cosine_information
from noiseproof.mechanisms.dependent_noise.weight import Weight, X, numeric

HALF = sp.Rational(1, 2)
UNIFORM = Weight(1, 0, sp.Rational(3, 2))
EXPONENTIAL = Weight(sp.exp(-X), 0, sp.oo)
NORMAL = Weight(sp.exp(-(X**2)), -sp.oo, sp.oo)


def problem(weight: Weight = UNIFORM, **options: object) -> PolicyProblem:
    return PolicyProblem(weight, (0, 1), **options)  # type: ignore[arg-type]


# --- stationarity ------------------------------------------------------------------------------------------------

ROOT = sp.sqrt(2) * sp.cos(sp.pi * (W - HALF))


@pytest.mark.parametrize(
    ("weight", "query", "u", "solves"),
    [
        (UNIFORM, X, ROOT, {"stationary", "plus sign", "as printed", "one variable"}),
        (EXPONENTIAL, X, ROOT, set()),
        (EXPONENTIAL, X, sp.exp(W / 2) * ROOT, {"plus sign", "one variable"}),
        (EXPONENTIAL, X, sp.exp(-W / 2) * ROOT, {"stationary"}),
        (Weight(1, 1, 2), X**2, ROOT, {"one variable"}),
    ],
)
def test_which_equation_a_root_solves(weight, query, u, solves) -> None:
    instance = problem(weight, query=query)
    forms = ("stationary", "plus sign", "as printed", "one variable")
    assert {form for form in forms if residual(u, instance, form) == 0} == solves


def test_one_variable_is_not_the_equation() -> None:
    """Corollary 4's root for the normal weight solves (20), with x held fixed, and neither sign of (12)."""
    tilt = 2 * X
    mass = 2 * sp.sinh(tilt / 2) / tilt * 4 * sp.pi**2 / (tilt**2 + 4 * sp.pi**2)
    u = sp.exp(tilt * (W - HALF) / 2) * sp.cos(sp.pi * (W - HALF)) / sp.sqrt(mass)
    at = {W: sp.Rational(1, 3), X: HALF}
    values = {
        form: abs(sp.N(residual(u, problem(NORMAL), form).subs(at)))
        for form in ("stationary", "plus sign", "as printed", "one variable")
    }
    assert values.pop("one variable") < 1e-20
    assert min(values.values()) > 1


def test_constant_noise_moves_probability_across_the_ends_of_x() -> None:
    flux = end_flux(ROOT, problem(UNIFORM))
    assert set(flux) == {0, sp.Rational(3, 2)}
    assert all(sp.simplify(value.subs(W, sp.Rational(1, 4))) != 0 for value in flux.values())
    assert end_flux(sp.cos(X + W) ** 2, problem(UNIFORM))[0] == 0


@pytest.mark.parametrize("rate", [1.5, 2.0, 3.0, sp.pi])
def test_solutions_of_the_equation_without_end_conditions_differ_in_cost(rate) -> None:
    instance = problem(Weight(1, 0, HALF))
    policy = phase_noise(instance, rate)
    assert cost(policy, instance).value == pytest.approx(4 * float(rate) ** 2, rel=1e-7)
    w = np.linspace(0, 1, 4001)
    masses = [np.trapezoid(numeric(policy.shape, W, X)(w, x), w) for x in (0.0, 0.13, 0.5)]
    assert np.ptp(masses) < 1e-8
    # D D u = -rate^2 u inside, whatever S does: y is fixed along D.
    u = sp.sqrt(policy.shape).replace(sp.Abs, lambda inner: inner)  # the sine is positive inside W
    along = sp.diff(u, X) - sp.diff(u, W)
    twice = numeric(sp.diff(along, X) - sp.diff(along, W), W, X)
    places = np.random.default_rng(0).uniform([0.02, 0.02], [0.98, 0.48], (50, 2)).T
    assert twice(*places) / numeric(u, W, X)(*places) == pytest.approx(-(float(rate) ** 2), rel=1e-6)


# --- bad input ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1, 0, sp.oo), "not integrable"),
        ((1 / X, 0, 1), "not integrable"),
        ((1 / (1 + X), 0, sp.oo), "not integrable"),
        ((1 / sp.sqrt(X) / (1 - X), 0, 1), "not integrable"),
        ((sp.cos(X), 0, 4), "negative at x"),
        ((0, 0, 1), "vanishes"),
        ((1, 1, 1), "X is empty"),
        ((sp.log(X), -1, 1), "no real number"),
        ((sp.Symbol("z") + X, 0, 1), f"in {X} alone"),
    ],
)
def test_weights_that_are_none(arguments, message) -> None:
    with pytest.raises(ValueError, match=message):
        Weight(*arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"noise": (1, 1)}, "W is empty"),
        ({"noise": (0, sp.oo)}, "unbounded and rho = 0"),
        ({"rho": -1}, "rho is the price"),
        ({"query": sp.Abs(X)}, "not differentiable"),
        ({"query": sp.Integer(3)}, "does not depend"),
        ({"query": X * sp.Symbol("z")}, f"in {X} alone"),
    ],
)
def test_problems_that_are_none(options, message) -> None:
    with pytest.raises(ValueError, match=message):
        PolicyProblem(**{"weight": UNIFORM, "noise": (0, 1), **options})


def test_what_the_solver_cannot_do_is_said() -> None:
    with pytest.raises(ValueError, match="turning points"):
        solve_policy(problem(NORMAL, query=X**2))
    with pytest.raises(ValueError, match="take fewer cells"):
        solve_policy(problem(Weight(1, 0, 40)), cells=64)
    with pytest.raises(ValueError, match="at least 4 cells"):
        solve_policy(problem(), cells=2)
    with pytest.raises(ValueError, match="bounded W"):
        cost(constant_noise(problem()), PolicyProblem(UNIFORM, (0, sp.oo), rho=1))
    with pytest.raises(ValueError, match="0 at both ends"):
        vanishing_weight_bound(problem(EXPONENTIAL))


@pytest.mark.parametrize(
    "jumping",
    [
        sp.Piecewise((0, HALF / 2 > X), (1, 3 * HALF / 2 > X), (0, True)),
        sp.Heaviside(X - sp.Rational(1, 4)) * X * (1 - X),
        sp.Piecewise((X, HALF > X), ((1 - X) / 2, True)),
        X * (1 - X) * (1 + sp.floor(2 * X)),
    ],
)
def test_a_weight_with_a_jump_has_no_bound_by_its_derivative(jumping: sp.Expr) -> None:
    with pytest.raises(ValueError, match=r"continuous|borders"):
        vanishing_weight_bound(problem(Weight(jumping, 0, 1)))


def test_a_weight_with_a_kink_has_the_bound_of_its_pieces() -> None:
    tent = Weight(sp.Piecewise((X**2, HALF > X), ((1 - X) ** 2, True)), 0, 1)
    # 4 x^2 / x^2, integrated over both halves, over the total of 1/12.
    assert sp.simplify(cosine_information(problem(tent)) - vanishing_weight_bound(problem(tent))) == 48


def test_progress_is_told() -> None:
    seen: list[str] = []
    solve_policy(problem(), cells=6, progress=lambda stage, _: seen.append(stage))
    assert seen == ["cone program", "lower bound", "done"]


def test_a_weight_is_normalised_exactly() -> None:
    assert EXPONENTIAL.exact_total == 1
    assert sp.simplify(NORMAL.exact_total - sp.sqrt(sp.pi)) == 0
    assert Weight(0.1, 0, 0.3).expression == sp.Rational(1, 10)
    low, high = NORMAL.truncated(1e-4)
    assert NORMAL.mass(low, high) == pytest.approx(1 - 1e-4, abs=2e-5)
    assert np.isinf(Weight(X, 0, 1).resistances(np.array([0.0, 0.5, 1.0]))[0])
