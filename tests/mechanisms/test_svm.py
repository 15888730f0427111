"""The support vector machine: exact, certified by independent code, its conditions derived and compared with the printed ones."""

from __future__ import annotations

import gzip
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp
from dataset_trials.limits import distance, svm_path, unique
from dataset_trials.printed_conditions import comparison, slack_formula
from dataset_trials.svm_sensitivity import SvmSensitivity
from dataset_trials.unchanged import best_multipliers, same_multipliers

from noiseproof.mechanisms.learning import program as symbols
from noiseproof.mechanisms.learning.svm import SvmProgram, SvmSolution, solve_svm
from noiseproof.mechanisms.learning.svm_certificate import certify
from noiseproof.mechanisms.learning.svm_limit import svm_limit
from noiseproof.symbolic.proof.truth import Truth

RNG = np.random.default_rng


def clouds(q: int, p: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = RNG(seed)
    y = np.where(np.arange(q) % 2 == 0, 1.0, -1.0)
    return rng.normal(size=(q, p)) + 0.7 * y[:, None] / np.sqrt(p), y


def integers(q: int, p: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Records that coincide and lie on the margin in numbers: multipliers are not unique."""
    rng = RNG(seed)
    x = rng.integers(-1, 2, size=(q, p)).astype(float)
    return x, np.where(rng.random(q) < 0.5, 1.0, -1.0)


def breast_cancer() -> tuple[np.ndarray, np.ndarray]:
    from sklearn.datasets import load_breast_cancer

    data = load_breast_cancer()
    return np.asarray(data.data), 2.0 * data.target - 1


PROBLEMS: dict[str, Any] = {
    "two records": lambda: (np.array([[-1.0], [1.0]]), np.array([-1.0, 1.0])),
    "clouds": lambda: clouds(200, 5, 1),
    "separable": lambda: clouds(60, 80, 2),
    "tied": lambda: integers(120, 3, 3),
    "large numbers": lambda: (1e5 * clouds(100, 4, 4)[0], clouds(100, 4, 4)[1]),
    "breast cancer, raw": breast_cancer,
}
PROGRAMS = {
    "(2)": SvmProgram(1e-2),
    "(2), small rho": SvmProgram(1e-8),
    "(2), other prices": SvmProgram(3.0, 0.25),
    "(1)": SvmProgram(0.0),
    "hinge": SvmProgram(1.0, 1.0, quadratic_slack=False),
}


def certificate(found: SvmSolution, **changes: Any) -> Any:
    other = replace(found, **changes)
    point = other.alpha, other.beta, other.xi
    program = found.program
    return certify(found.data, program.theta, program.prices, point, (other.omega, other.varsigma))


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("problem", PROBLEMS)
def test_every_condition_holds_to_eight_digits(problem: str, program: str) -> None:
    found = PROGRAMS[program].solve(*PROBLEMS[problem]())
    assert found.certificate.holds(1e-8), found.certificate
    assert found.certificate.worst < 1e-9


@pytest.mark.parametrize("problem", ["clouds", "tied", "separable"])
def test_two_solvers_find_one_optimum(problem: str) -> None:
    data = PROBLEMS[problem]()
    ours, theirs = (SvmProgram(0.1).solve(*data, solver) for solver in ("interior", "clarabel"))
    assert ours.objective == pytest.approx(theirs.objective, rel=1e-11)
    np.testing.assert_allclose(ours.alpha, theirs.alpha, atol=1e-8)
    assert ours.beta == pytest.approx(theirs.beta, abs=1e-8)


def test_the_certificate_notices_every_change() -> None:
    found = solve_svm(*clouds(80, 3, 5), rho=0.1)
    record = int(np.argmax(found.support))
    bumped = found.omega.copy()
    bumped[record] += 1e-5
    short = found.xi - 1e-5
    changes: list[tuple[str, dict[str, Any]]] = [
        ("alpha", {"alpha": found.alpha + 1e-5}),
        ("beta", {"beta": found.beta + 1e-3}),
        ("slack", {"omega": bumped}),
        ("feasibility", {"xi": short}),
        ("signs", {"xi": short}),
        ("complementarity", {"xi": found.xi + 1e-4}),
        ("signs", {"omega": found.omega - 1e-5}),
    ]
    for name, change in changes:
        proof = certificate(found, **change)
        assert getattr(proof, name) > 1e-7, name
        assert not proof.holds()
    assert not certificate(found, alpha=found.alpha * np.nan).holds()


def test_the_gap_bounds_the_cost_of_worse_points() -> None:
    found = solve_svm(*clouds(80, 3, 6), rho=0.1)
    for size in (1e-3, 1e-1):
        proof = certificate(found, alpha=found.alpha + size)
        assert proof.primal > found.objective
        assert proof.dual == pytest.approx(found.certificate.dual, rel=1e-14)
        assert proof.gap > 1e-8


def test_the_hinge_program_is_that_of_scikit_learn() -> None:
    from sklearn.svm import LinearSVC

    x, y = clouds(300, 4, 7)
    found = solve_svm(x, y, rho=0.25, quadratic_slack=False)
    svc = LinearSVC(loss="hinge", C=1.0, intercept_scaling=2.0, tol=1e-10, max_iter=200_000, random_state=0)
    svc.fit(x, y)
    np.testing.assert_allclose(svc.coef_[0], found.alpha, atol=1e-4)
    assert svc.intercept_[0] == pytest.approx(found.beta, abs=1e-4)


# ------------------------------------------------------------------------------------------------ rho -> 0


def test_the_limit_is_reached_linearly() -> None:
    x, y = np.array([[0.1], [-0.1], [0.2], [-0.3]]), np.array([1.0, -1.0, 1.0, -1.0])
    limit = svm_limit(x, y)
    assert not unique(limit)
    assert limit.offsets == pytest.approx((-0.79, 0.86))
    distances = [distance(limit, found) for found in svm_path(x, y, (1e-2, 1e-4, 1e-6))]
    assert distances[0] > 50 * distances[1] > 2500 * distances[2]
    assert distances[2] < 1e-6
    # Another optimum of the program with rho = 0 is not the limit.
    assert abs(limit.beta - limit.offsets[0]) > 0.1


def test_the_limit_is_an_optimum_of_the_usual_machine() -> None:
    x, y = clouds(100, 3, 8)
    limit = svm_limit(x, y)
    assert unique(limit)
    assert distance(limit, svm_path(x, y, (1e-9,))[0]) < 1e-6
    assert limit.solution.certificate.holds()


# ------------------------------------------------------------------------------------------------ conditions in symbols


def exact(features: Any, labels: Any, rho: Any, theta: Any, **values: Any) -> symbols.Point:
    return symbols.Point(features, labels, rho, theta, **values)


TWO = {
    "features": [[1], [-1]],
    "labels": [1, -1],
    "rho": 1,
    "alpha": ["5/6"],
    "beta": 0,
    "xi": ["1/6", "1/6"],
    "omega": ["5/12", "5/12"],
    "varsigma": [0, 0],
}


def test_the_derived_slack_has_theta_where_one_is_printed() -> None:
    index = symbols.j
    wanted = (symbols.omega[index] + symbols.varsigma[index] - symbols.theta) / symbols.rho
    assert sp.simplify(slack_formula() - wanted) == 0
    printed = comparison()
    assert {name for name, truth in printed.items() if truth is Truth.FAILS} == {"xi", "margin"}
    at_one = comparison(theta_one=True)
    assert {name for name, truth in at_one.items() if truth is Truth.FAILS} == {"margin"}
    assert symbols.maximum_is_idle().check() is Truth.HOLDS


def test_exact_conditions_hold_at_an_exact_optimum() -> None:
    optimum = exact(theta="1/4", **TWO)
    assert symbols.derived().hold(optimum) is Truth.HOLDS
    assert symbols.printed().at(optimum)["xi"] is Truth.FAILS
    moved = exact(theta="1/4", **{**TWO, "alpha": ["0.8333"]})
    assert symbols.derived().hold(moved) is Truth.FAILS
    found = solve_svm([[1.0], [-1.0]], [1, -1], rho=1, theta=0.25)
    assert found.alpha[0] == pytest.approx(5 / 6)
    np.testing.assert_allclose(found.omega, 5 / 12)


def test_the_printed_conditions_are_satisfied_by_nothing_learnt() -> None:
    zero = exact([[1], [-1]], [1, -1], 1, 1, alpha=[0], beta=0, xi=[0, 0], omega=[0, 0], varsigma=[0, 0])
    assert symbols.printed().hold(zero) is Truth.HOLDS
    at = symbols.derived().at(zero)
    assert at["margin"] is Truth.FAILS
    assert at["xi"] is Truth.FAILS


def test_a_point_needs_matching_lengths() -> None:
    with pytest.raises(ValueError, match="2 records of 1 feature "):
        exact(theta=1, **{**TWO, "xi": [0]})


# ------------------------------------------------------------------------------------------------ other features


def test_records_beyond_the_margin_may_move_along_the_normal() -> None:
    x, y = np.array([[1.0, 0.0], [-1.0, 0.0], [3.0, 1.0]]), np.array([1.0, -1.0, 1.0])
    found = solve_svm(x, y, rho=1)
    np.testing.assert_allclose(found.alpha, [1, 0], atol=1e-12)
    np.testing.assert_allclose(found.omega, [0.5, 0.5, 0], atol=1e-12)
    moved = x + [[0, 0], [0, 0], [1.0, 0]]
    assert same_multipliers(found, moved).holds()
    assert np.abs((moved - x) @ found.alpha).max() == pytest.approx(1)
    assert same_multipliers(found, x + [[0, 0], [0, 0], [-2.1, 0]]).feasibility == pytest.approx(0.1)


def test_other_multipliers_may_keep_the_classifier() -> None:
    x, y = np.array([[-1.0], [1.0], [0.0]]), np.array([1.0, 1.0, -1.0])
    found = solve_svm(x, y, rho=0.1)
    np.testing.assert_allclose(found.alpha, 0, atol=1e-12)
    assert found.beta == pytest.approx(1)
    for w in RNG(0).normal(0, 0.05, size=(5, 3, 1)):
        assert not same_multipliers(found, x + w).holds()
        assert best_multipliers(found, x + w).holds()
        again = solve_svm(x + w, y, rho=0.1)
        assert abs(again.alpha[0]) < 1e-12
        assert again.beta == pytest.approx(1)
    far = np.array([[0.0], [0.0], [0.9]])
    assert not best_multipliers(found, x + far).holds(1e-3)


@pytest.mark.parametrize("seed", [11, 12])
def test_derivatives_agree_with_differences(seed: int) -> None:
    x, y = clouds(60, 12, seed)
    found = solve_svm(x, y, rho=0.5)
    sensitivity = SvmSensitivity(found)
    assert found.edge.sum() < 13
    for record in (int(np.argmax(found.edge)), int(np.argmax(found.inside)), int(np.argmin(found.support))):
        derivative = sensitivity.of(record)
        for column in (0, 7):
            ends = []
            for h in (1e-6, -1e-6):
                other = x.copy()
                other[record, column] += h
                moved = solve_svm(other, y, rho=0.5)
                ends.append(np.append(moved.alpha, moved.beta))
            np.testing.assert_allclose((ends[0] - ends[1]) / 2e-6, derivative[:, column], atol=1e-7)
    assert np.abs(sensitivity.of(int(np.argmax(found.inside)))).max() > 1e-3


def test_no_derivative_where_constraints_are_tied() -> None:
    found = solve_svm(*integers(120, 3, 3), rho=0.1)
    with pytest.raises(ValueError, match="need not be differentiable"):
        SvmSensitivity(found)


# ------------------------------------------------------------------------------------------------ bad input, size

GOOD = clouds(10, 2, 0)
BAD: dict[str, tuple[Any, str]] = {
    "labels 0 and 1": (
        lambda: solve_svm(GOOD[0], (GOOD[1] + 1) / 2),
        r"got 0; for labels 0 and 1 pass 2\*y - 1",
    ),
    "label words": (lambda: solve_svm(GOOD[0], ["a"] * 10), "labels must be numbers"),
    "one class": (lambda: solve_svm(GOOD[0], np.ones(10)), "records of both classes"),
    "nan": (
        lambda: solve_svm(np.where(GOOD[0] > 0, np.nan, GOOD[0]), GOOD[1]),
        r"NaN or infinity in \d+ entr(y|ies), first in record",
    ),
    "constant column": (lambda: solve_svm(np.column_stack([GOOD[0], np.ones(10)]), GOOD[1]), "column 2"),
    "lengths": (lambda: solve_svm(GOOD[0], GOOD[1][:9]), "10 records, labels of shape"),
    "vector": (lambda: solve_svm(GOOD[1], GOOD[1]), "one row per record"),
    "theta": (lambda: solve_svm(*GOOD, theta=0), "theta"),
    "rho": (lambda: solve_svm(*GOOD, rho=-1), "rho"),
    "solver": (lambda: solve_svm(*GOOD, solver="magic"), "interior, clarabel"),
    "features of a query": (lambda: solve_svm(*GOOD).decision(np.ones((2, 3))), "expected 2 features"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_before_any_work(case: str) -> None:
    call, message = BAD[case]
    with pytest.raises(ValueError, match=message):
        call()


def adult() -> tuple[np.ndarray, np.ndarray]:
    """Fourteen columns, categories as whole numbers, standardised."""
    import csv

    with gzip.open(Path(os.environ["NOISEPROOF_DATA"]) / "adult.csv.gz", "rt", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    columns = []
    for name in rows[0]:
        if name in ("income", "split"):
            continue
        words = [row[name] for row in rows]
        try:
            values = np.array(words, dtype=float)
        except ValueError:
            values = np.unique(words, return_inverse=True)[1].astype(float)
        columns.append((values - values.mean()) / values.std())
    return np.column_stack(columns), np.array([1.0 if ">50K" in row["income"] else -1.0 for row in rows])


@pytest.mark.skipif("NOISEPROOF_DATA" not in os.environ, reason="NOISEPROOF_DATA is not set")
@pytest.mark.parametrize("program", ["(2)", "hinge"])
def test_adult_is_solved_to_eight_digits(program: str) -> None:
    found = PROGRAMS[program].solve(*adult())
    assert found.certificate.holds(1e-8), found.certificate


def test_the_size_of_adult_is_solved_to_eight_digits() -> None:
    found = solve_svm(*clouds(48_842, 14, 0))
    assert found.certificate.holds(1e-8), found.certificate
