"""Policies that look at x: costs by two routes, bounds from both sides, and what stationarity really needs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
from policy_trials.closed_bounds import uniform_lower_bound, vanishing_weight_bound
from policy_trials.cost import cost, information_at
from policy_trials.density import (
    DensityPolicy,
    W,
    common_answer,
    constant_noise,
    matched_noise,
    mirrored_corollary_4,
    printed_corollary_4,
    tilt_excess,
    tilted_noise,
    turning_gain,
    turning_noise,
)
from policy_trials.enclosed_cost import enclosed_cost, leeway
from policy_trials.staircase import even_steps, staircase
from policy_trials.verified_bound import verified_lower_bound

from noiseproof.mechanisms.dependent_noise.answers import RandomisedAnswers
from noiseproof.mechanisms.dependent_noise.lower_bound import DualMultipliers
from noiseproof.mechanisms.dependent_noise.optimum import solve_policy
from noiseproof.mechanisms.dependent_noise.problem import PolicyProblem
from noiseproof.mechanisms.dependent_noise.weight import Weight, X, numeric
from noiseproof.symbolic.proof.enclosure import enclose

HALF = sp.Rational(1, 2)
COSINE = 4 * np.pi**2
UNIFORM = Weight(1, 0, sp.Rational(3, 2))
EXPONENTIAL = Weight(sp.exp(-X), 0, sp.oo)
NORMAL = Weight(sp.exp(-(X**2)), -sp.oo, sp.oo)
WEIGHTS = {"uniform": UNIFORM, "exponential": EXPONENTIAL, "normal": NORMAL}


def problem(weight: Weight = UNIFORM, **options: object) -> PolicyProblem:
    return PolicyProblem(weight, (0, 1), **options)  # type: ignore[arg-type]


# --- closed forms and quadrature ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", WEIGHTS)
@pytest.mark.parametrize(
    "build",
    [
        constant_noise,
        printed_corollary_4,
        mirrored_corollary_4,
        lambda p: turning_noise(p, X / 7),
        lambda p: tilted_noise(p, X / 3 + 1),
    ],
)
@pytest.mark.parametrize("printed_sign", [False, True])
def test_the_closed_information_is_that_of_the_density(name, build, printed_sign) -> None:
    instance = problem(WEIGHTS[name])
    policy = build(instance)
    closed = policy.printed_information if printed_sign else policy.information
    low, high = instance.weight.truncated(1e-13)
    table, weights = np.polynomial.legendre.leggauss(200)
    x = (low + high) / 2 + (high - low) / 2 * table
    expected = float(np.sum(instance.weight.density(x) * numeric(closed, X)(x) * weights) * (high - low) / 2)
    found = cost(policy, instance, printed_sign=printed_sign)
    assert found.value == pytest.approx(expected, rel=1e-9)
    assert found.error < 1e-8


def test_a_query_that_is_not_the_identity_scales_the_score_in_w() -> None:
    instance = problem(Weight(1 + X, 0, 1), query=X**2 / 2 + X)
    for policy in (tilted_noise(instance, sp.sin(X)), turning_noise(instance, X / 3)):
        x = np.linspace(0.1, 0.9, 5)
        measured = information_at(policy, instance, x)[0]
        assert measured == pytest.approx(numeric(policy.information, X)(x), rel=1e-9)


def test_the_score_of_the_answer_has_a_minus_sign() -> None:
    """Fisher information straight from p(y|x) = gamma(y - x|x), by differences in x at fixed y."""
    instance = problem(NORMAL)
    policy = printed_corollary_4(instance)
    shape = numeric(policy.shape, W, X)
    x, step = 0.7, 1e-6
    w = np.linspace(0, 1, 4001)
    mass = {at: np.trapezoid(shape(w, at), w) for at in (x - step, x, x + step)}
    y = np.linspace(x + 1e-4, x + 1 - 1e-4, 8001)
    law = {at: np.where((y > at) & (y < at + 1), shape(y - at, at), 0.0) / mass[at] for at in mass}
    slope = (law[x + step] - law[x - step]) / (2 * step)
    measured = np.trapezoid(slope**2 / law[x], y)
    ours, theirs = (
        float(e.subs(X, sp.Rational(7, 10))) for e in (policy.information, policy.printed_information)
    )
    assert measured == pytest.approx(ours, rel=2e-3)
    assert abs(measured - theirs) > 5


def test_an_answer_that_ignores_x_tells_nothing_but_costs_with_the_printed_sign() -> None:
    instance = problem(Weight(1, 0, HALF))
    policy = common_answer(instance, sp.Integer(0))
    assert cost(policy, instance).value == pytest.approx(0, abs=1e-9)
    assert cost(policy, instance, printed_sign=True).value > 100


# --- what beats what ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rate", [HALF, sp.Integer(1), sp.Integer(3)])
def test_printed_corollary_4_costs_more_than_noise_that_ignores_x(rate) -> None:
    """For p = exp(-rate x) it does not depend on x, and exceeds the cosine noise by exactly rate^2."""
    instance = problem(Weight(sp.exp(-rate * X), 0, sp.oo))
    excess = (
        cost(printed_corollary_4(instance), instance).value - cost(constant_noise(instance), instance).value
    )
    assert excess == pytest.approx(float(rate**2), rel=1e-7)
    assert instance.weight.average(tilt_excess(instance, -instance.weight.log_slope())) == rate**2


def test_the_tilt_of_corollary_4_points_the_wrong_way_for_the_normal_weight() -> None:
    instance = problem(NORMAL)
    printed, mirrored = (
        cost(f(instance), instance).value for f in (printed_corollary_4, mirrored_corollary_4)
    )
    assert printed == pytest.approx(45.606698306, rel=1e-9)
    assert mirrored == pytest.approx(37.606698306, rel=1e-9)
    # Even the better sign, and so the printed one in the printed functional, is above the optimum.
    best = solve_policy(instance, cells=8)
    assert float(vanishing_weight_bound(instance)) == pytest.approx(COSINE - 2)
    assert COSINE - 2 <= best.cost < mirrored - 0.1


@pytest.mark.parametrize("name", WEIGHTS)
def test_constant_noise_is_never_optimal(name) -> None:
    instance = problem(WEIGHTS[name])
    direction = 1 - sp.exp(-X) if name == "exponential" else X - sp.Rational(3, 4) * int(name == "uniform")
    gain, loss = (instance.weight.average(e) for e in turning_gain(instance, direction))
    small = sp.Rational(round(1e6 * float(gain / (2 * loss))), 10**6)
    promised = float(small * gain - small**2 * loss)
    assert promised > 0.5
    found = cost(turning_noise(instance, small * direction), instance).value
    assert found <= COSINE - promised + 1e-9
    # The other way round it is worse: the sign of the score matters.
    assert cost(turning_noise(instance, -small * direction), instance).value > COSINE


def test_a_common_answer_costs_its_share_at_most() -> None:
    instance = problem(Weight(1, 0, HALF))
    for share in (sp.Rational(1, 10), sp.Rational(1, 100)):
        found = cost(common_answer(instance, share), instance)
        assert 0 < found.value <= float(share) * COSINE
    with pytest.raises(ValueError, match="no answer is possible at every x"):
        common_answer(problem(), sp.Rational(1, 10))


def test_matched_noise_is_optimal_for_its_weight() -> None:
    """p = int G(x + w) 2 cos^2(pi w) dw for G = (1 - 4 y^2)^2 on [-1/2, 1/2]."""
    y = sp.Symbol("y", real=True)
    right = sp.integrate(
        sp.expand((1 - 4 * y**2) ** 2 * (1 + sp.cos(2 * sp.pi * (y - X)))), (y, X - HALF, HALF)
    )
    weight = Weight(right.subs(X, sp.Abs(X)), -1, 1)
    instance = PolicyProblem(weight, (-HALF, HALF))
    smooth = matched_noise(instance, (1 - 4 * X**2) ** 2).shape
    policy = DensityPolicy("matched", sp.Piecewise((smooth, sp.Abs(X + W) < HALF), (0, True)))
    table, weights = np.polynomial.legendre.leggauss(100)
    x = (table + 1) / 2
    slope = numeric(sp.diff(right, X), X)(x)
    information = 2 * float(np.sum(slope**2 / numeric(right, X)(x) * weights / 2)) / weight.total
    assert cost(policy, instance).value == pytest.approx(COSINE - information, abs=2e-3)
    best = solve_policy(instance, cells=8)
    assert best.lower_bound <= COSINE - information + 1e-3 <= best.cost + 2e-3
    assert best.cost == pytest.approx(COSINE - information, rel=5e-3)


# --- finitely many answers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", ["3/2", "2", "3", "8"])
def test_even_steps_attain_the_bound_for_a_constant_weight(length) -> None:
    instance = problem(Weight(1, 0, sp.Rational(length)))
    policy, bound = staircase(instance, even_steps(instance)), uniform_lower_bound(instance)
    assert policy.cost(instance) == pytest.approx(float(bound), rel=1e-12)
    assert enclosed_cost(policy, instance).overlaps(enclose(bound))
    assert enclosed_cost(policy, instance).rad() < 1e-20
    assert policy.cost(instance) < COSINE
    assert leeway(policy, instance) == pytest.approx(0, abs=1e-12)


def test_the_law_of_a_staircase_has_the_information_it_is_charged_for() -> None:
    instance = problem(Weight(sp.exp(-X), 0, 3))
    policy = staircase(instance, even_steps(instance))
    x = np.linspace(0.013, 2.987, 400)
    step = 1e-6
    left, middle, right = (policy.law(instance, x + d) for d in (-step, 0, step))
    change = (right - left) / (2 * step)
    information = np.sum(np.divide(change**2, middle, out=np.zeros_like(change), where=middle > 1e-9), axis=0)
    average = np.sum(instance.weight.density(x) * information) * (x[1] - x[0])
    assert average == pytest.approx(policy.cost(instance), rel=0.01)


def test_blurred_answers_are_a_density_with_the_same_information() -> None:
    instance = PolicyProblem(Weight(1, 0, 2), (-sp.Rational(1, 10), sp.Rational(11, 10)))
    policy = staircase(problem(Weight(1, 0, 2)), even_steps(problem(Weight(1, 0, 2))))
    gamma = policy.density(instance, 0.1)
    x, step = 0.8, 1e-5
    y = np.linspace(x - 0.1, x + 1.1, 6001)
    law = {d: np.array([gamma([v - x - d], [x + d])[0, 0] for v in y[::20]]) for d in (-step, 0.0, step)}
    y = y[::20]
    assert np.trapezoid(law[0.0], y) == pytest.approx(1, abs=1e-3)
    change = (law[step] - law[-step]) / (2 * step)
    measured = np.trapezoid(np.divide(change**2, law[0.0], out=np.zeros_like(y), where=law[0.0] > 1e-9), y)
    assert measured == pytest.approx(COSINE, rel=0.01)
    assert np.all(gamma([-0.2, 1.2], [x]) == 0)


def test_answers_that_leave_w_are_seen() -> None:
    instance = problem(Weight(1, 0, 2))
    fair = staircase(instance, even_steps(instance))
    shifted = RandomisedAnswers(
        fair.nodes, tuple(y + sp.Rational(1, 50) for y in fair.answers), fair.probabilities
    )
    assert leeway(shifted, instance) == pytest.approx(-0.02)
    with pytest.raises(ValueError, match="leaves W"):
        enclosed_cost(shifted, instance)
    with pytest.raises(ValueError, match="put the steps closer"):
        staircase(instance, [HALF, sp.Rational(8, 5)])
    with pytest.raises(ValueError, match="sum to 1"):
        RandomisedAnswers([0, 1], [0], np.array([[1.0, 0.9]]))


def test_an_enclosed_cost_for_a_nonlinear_query() -> None:
    instance = problem(Weight(1, 0, 2), query=X**2 / 5)
    policy = staircase(instance, [0])
    assert enclosed_cost(policy, instance) == 0
    wide = problem(Weight(1, 0, 2), query=X**2)
    steps = [sp.Rational(k, 100) for k in (67, 95, 116, 134, 150, 164, 177, 190)]
    policy = staircase(wide, steps)
    ball = enclosed_cost(policy, wide)
    assert abs(float(ball.mid()) - policy.cost(wide)) < 1e-9
    assert solve_policy(wide, cells=6).lower_bound < policy.cost(wide)
    with pytest.raises(ValueError, match="leave more room"):
        enclosed_cost(
            staircase(problem(Weight(1, 0, 2), query=X**2 / 4), [0]), problem(Weight(1, 0, 2), query=X**2 / 4)
        )


# --- the convex problem ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("weight", "query", "expected"),
    [
        (Weight(1, 0, sp.Rational(3, 2)), X, COSINE / 3),
        (Weight(1, 0, sp.Rational(5, 4)), X, COSINE * 4 / 15),
        (Weight(1, -1, 1), 2 * X, 4 * COSINE * 3 / 4),
        (EXPONENTIAL, X, np.pi**2 / (np.exp(0.5) - 1) ** 2),
        (NORMAL, X, COSINE - 2),
    ],
)
def test_known_optima_are_bracketed(weight, query, expected) -> None:
    found = solve_policy(problem(weight, query=query), cells=8)
    assert found.cost == pytest.approx(expected, rel=3e-4)
    assert found.lower_bound <= expected * (1 + 1e-9)
    assert found.gap < 0.02
    assert leeway(found.policy, found.problem) > -1e-9
    assert found.cost < float(cost(constant_noise(found.problem), found.problem).value) - 1


def test_refinement_narrows_the_gap() -> None:
    instance = problem(Weight(1, -2, 2), query=X**2 / 2)
    coarse, fine = (solve_policy(instance, cells=c) for c in (6, 12))
    assert fine.gap < coarse.gap < 0.03
    assert coarse.lower_bound < fine.cost
    assert fine.lower_bound < coarse.cost


def test_f_varying_less_than_w_costs_nothing() -> None:
    found = solve_policy(problem(Weight(1, 0, 2), query=sp.sin(X) / 2))
    assert (found.cost, found.lower_bound, found.gap) == (0.0, 0.0, 0.0)
    assert leeway(found.policy, found.problem) > 0


def test_at_the_ends_of_a_bounded_x_the_optimum_stands_still() -> None:
    found = solve_policy(problem(Weight(sp.exp(-X), 0, 4)), cells=8)
    assert found.end_flux < 1e-3
    assert np.max(found.information) > 10


def test_problem_3_beats_the_gaussian_of_corollary_6() -> None:
    """f(x) = x, W the real line, X = [-1, 1]: the Gaussian costs 2 sqrt(rho), one fixed answer rho/3."""
    for rho, upper in ((1, 1 / 3), (200, 22.5)):
        instance = PolicyProblem(Weight(1, -1, 1), (-sp.oo, sp.oo), rho=sp.Integer(rho))
        found = solve_policy(instance, cells=6)
        assert found.cost <= upper * 1.001
        assert found.cost < 2 * np.sqrt(rho) * 0.8
        assert 0.85 * found.cost < found.lower_bound <= found.cost


def test_a_half_line_with_a_price_has_a_solution() -> None:
    found = solve_policy(PolicyProblem(Weight(1, -1, 1), (0, sp.oo), rho=sp.Integer(20)), cells=6)
    assert leeway(found.policy, found.problem) > -1e-9
    assert 0.9 * found.cost < found.lower_bound < found.cost


def test_multipliers_that_are_too_large_fail() -> None:
    instance = problem(Weight(1, 0, 3))
    nodes = np.linspace(0, 3, 25)
    inside = (nodes[:-1] >= 0.5 - 1e-9) & (nodes[1:] <= 2.5 + 1e-9)
    exact = DualMultipliers(instance, nodes, np.where(inside, COSINE / 9, 0.0), 64)
    assert not replace(exact, rates=1.01 * exact.rates).feasible()
    scaled = exact.scaled()
    assert scaled.feasible()
    bound = float(uniform_lower_bound(instance))
    assert 0.99 * bound < scaled.value() <= bound
    # Local repair loses less than scaling everything down for one bad interval.
    spoilt = replace(exact, rates=np.where(np.arange(24) == 12, 1.3, 0.98) * exact.rates)
    assert spoilt.repaired().feasible()
    assert spoilt.repaired().value() > spoilt.scaled().value()


def test_a_verified_bound_lies_below_a_verified_policy() -> None:
    instance = problem(Weight(sp.exp(-X), 0, 2))
    found = solve_policy(instance, cells=8)
    ball = verified_lower_bound(replace(found.multipliers, fine=32))
    policy = enclosed_cost(staircase(instance, even_steps(instance)), instance)
    assert 0.9 * found.lower_bound < float(ball.mid()) <= found.cost
    assert ball < policy
    with pytest.raises(ValueError, match="half of the rates"):
        verified_lower_bound(replace(found.multipliers, rates=3 * found.multipliers.rates, fine=8))
