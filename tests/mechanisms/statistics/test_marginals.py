"""Are the shares of a workload of marginals the best ones, is the estimate least squares, and are variances those of the estimate?"""

import itertools
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from noiseproof.mechanisms.statistics.gaussian_shares import by_cones, gaussian_shares
from noiseproof.mechanisms.statistics.laplace_shares import descended, laplace_value
from noiseproof.mechanisms.statistics.marginal_shares import marginal_program, marginal_shares
from noiseproof.mechanisms.statistics.marginal_space import marginal_space
from noiseproof.mechanisms.statistics.marginals import marginal_strategy
from noiseproof.mechanisms.statistics.nonnegative import marginal_of, with_total
from noiseproof.mechanisms.statistics.share_certificate import gaussian_certificate
from noiseproof.mechanisms.statistics.share_statement import residuals
from noiseproof.symbolic.proof.truth import Truth

PEER = dict(zip("abcde", (9, 16, 7, 15, 2), strict=True))
SMALL = {"a": 2, "b": 3, "c": 4}


def pairs(sizes):
    return list(itertools.combinations(sizes, 2))


def matrix(sizes, marginal):
    found = np.ones((1, 1))
    for name, n in sizes.items():
        found = np.kron(found, np.eye(n) if name in marginal else np.ones((1, n)))
    return found


@pytest.mark.parametrize("noise", ["gaussian", "laplace"])
@pytest.mark.parametrize(
    "workload", [[("a", "b"), ("b", "c"), ("c",)], {(): 5, ("a", "c"): "1/2", ("b",): 3}]
)
def test_estimate_and_variances_are_those_of_least_squares_with_matrices(noise, workload):
    found = marginal_strategy(SMALL, workload, "0.7", noise, neighbours="replace-one", rows=3)
    rng = np.random.default_rng(3)
    noisy = {a: rng.integers(0, 90, found.space.shape(a)) for a in found.measured}
    roots = {a: float(w) ** 0.5 for a, w in found.weights.items()}
    strategy = np.vstack([matrix(SMALL, a) * roots[a] for a in found.measured])
    inverse = np.linalg.pinv(strategy)
    table = inverse @ np.concatenate([noisy[a].ravel() * roots[a] for a in found.measured])
    for m, estimate in found.estimate(noisy).items():
        q = matrix(SMALL, m)
        np.testing.assert_allclose(estimate.ravel(), q @ table, atol=1e-9)
        np.testing.assert_allclose(
            np.diag(q @ inverse @ inverse.T @ q.T), float(found.cell_variance(m)), rtol=1e-9
        )


@pytest.mark.parametrize(
    ("sizes", "k"), [(PEER, 2), (PEER, 3), (dict.fromkeys("abcdef", 2), 2), ({"a": 1, "b": 3, "c": 2}, 2)]
)
def test_multiplicative_steps_and_clarabel_agree_and_the_certificate_holds(sizes, k):
    space = marginal_space(sizes, list(itertools.combinations(sizes, k)), 10**6)
    program = marginal_program(space)
    shares = gaussian_shares(program)
    start = np.full(len(shares), 1 / len(shares))
    assert program.value(by_cones(program, start)) == pytest.approx(program.value(shares), rel=1e-5)
    strategy = marginal_strategy(sizes, list(itertools.combinations(sizes, k)), 1)
    assert strategy.certificate.verdict == "PROVED"
    assert strategy.certificate.derivation.check() is Truth.HOLDS
    assert sum(strategy.shares.values()) <= 1


def test_no_shares_on_a_grid_are_better():
    space = marginal_space({"a": 2, "b": 5}, [("a",), ("b",), ("a", "b")], 100)
    program, n = marginal_program(space), 24
    shares = gaussian_shares(program)
    grid = [np.array(c) / n for c in itertools.product(range(n + 1), repeat=4) if sum(c) == n]
    best = min(program.value(g) for g in grid if program.precision(g).min() > 0)
    assert program.value(shares) <= best <= program.value(shares) * 1.02
    laplace = marginal_shares(space, "laplace")
    best = min(laplace_value(program, g) for g in grid if program.precision(g).min() > 0)
    assert laplace_value(program, laplace) <= best * (1 + 1e-9)


def test_the_certificate_falls_for_shares_that_are_one_per_cent_off():
    found = marginal_strategy(PEER, pairs(PEER), "0.5")
    program = marginal_program(found.space)
    weights = [found.weights.get(a, Fraction(0)) for a in found.space.candidates]
    total = sum(weights)
    one, two = [i for i, w in enumerate(weights) if w][:2]
    moved = weights[one] * Fraction(1, 50)
    off = [w + moved * ((i == two) - (i == one)) for i, w in enumerate(weights)]
    assert gaussian_certificate(program, off, total).verdict == "UNDECIDED"
    assert gaussian_certificate(program, weights, total).verdict == "PROVED"
    too_much = gaussian_certificate(program, weights, total * Fraction(99, 100))
    assert too_much.verdict == "UNDECIDED"
    for step in found.certificate.derivation.steps[:-10]:
        sign = -1 if step.relation == "<=" else 1
        assert step.check() is Truth.HOLDS
        assert replace(step, right=sign * 2 * (abs(step.right) + 1)).check() is not Truth.HOLDS


def test_all_pairs_of_five_columns_against_independent_tables():
    found = marginal_strategy(PEER, pairs(PEER), "0.5")
    independent = (10 / (2 * 0.5)) ** 0.5  # each of ten tables with a tenth of the budget
    assert found.root_mean_squared_error / independent == pytest.approx(0.8292, abs=1e-4)
    program = marginal_program(found.space)
    freedom = np.array([found.space.freedom(s) for s in found.space.components])
    least = np.sqrt(program.cost * freedom).sum() ** 2  # of all linear strategies (Li and Miklau 2013)
    assert program.value(gaussian_shares(program)) / least < 1.05


def test_the_stated_program_has_the_gains_as_its_conditions():
    sizes = {"a": 2, "b": 3}
    found = marginal_strategy(sizes, [("a",), ("b",), ("a", "b")], 1)
    conditions = found.program.kkt()
    weights = [found.weights.get(a, Fraction(0)) for a in found.space.candidates]
    at = dict(zip(found.program.variables, map(float, weights), strict=True))
    program = marginal_program(found.space)
    budget = float(max(program.exact_gains(weights)))
    for slope, rest in zip(conditions.stationarity, residuals(program, weights), strict=True):
        multipliers = sorted(slope.free_symbols - set(at), key=str)
        own = float(rest) * budget
        assert float(
            slope.subs(at).subs(dict(zip(multipliers, (budget, own), strict=True)))
        ) == pytest.approx(0, abs=1e-6)
    assert all(w == 0 or r < 1e-8 for w, r in zip(weights, residuals(program, weights), strict=True))
    assert found.program.convexity().objective.truth is Truth.HOLDS


def test_laplace_steps_fall_and_the_best_of_many_is_far_better_than_independent_tables():
    space = marginal_space(PEER, pairs(PEER), 10**6)
    program = marginal_program(space)
    start = np.full(len(space.candidates), 1 / len(space.candidates))
    assert laplace_value(program, descended(program, start)) < laplace_value(program, start)
    found = marginal_strategy(PEER, pairs(PEER), 1, "laplace")
    assert found.root_mean_squared_error / 200**0.5 < 0.72
    assert found.certificate.verdict == "FOUND"
    assert found.certificate.lower < found.certificate.value


def test_adjacency_and_rows_scale_the_error():
    one = marginal_strategy(SMALL, pairs(SMALL), 1)
    two = marginal_strategy(SMALL, pairs(SMALL), 1, neighbours="replace-one", rows=3)
    assert float(two.cell_variance(("a", "b")) / one.cell_variance(("a", "b"))) == pytest.approx(18, rel=1e-9)
    assert one.parameters == {a: Fraction(1, 2) / s for a, s in one.shares.items()}
    twice = one.scaled(2)
    assert float(one.cell_variance(("a", "b")) / twice.cell_variance(("a", "b"))) == pytest.approx(
        2, rel=1e-9
    )
    assert twice.certificate.verdict == "PROVED"


@pytest.mark.parametrize("noise", ["gaussian", "laplace"])
def test_a_workload_is_one_item_of_a_budget(noise):
    found = marginal_strategy(SMALL, pairs(SMALL), "0.4", noise)
    item = found.as_item("tables", 2)
    from noiseproof.mechanisms.statistics.budget_item import budget_law

    law = budget_law(noise)
    assert float(law.cost(item) / 3**law.power) == pytest.approx(
        2 * float(found.scaled(3).certificate.value), rel=1e-9
    )


def test_nonnegative_estimates_agree_and_keep_the_total():
    found = marginal_strategy(SMALL, pairs(SMALL), "0.05")
    rng = np.random.default_rng(8)
    truth = rng.integers(0, 3, (2, 3, 4)) * rng.integers(0, 2, (2, 3, 4))
    noisy = {
        a: marginal_of(truth, ("a", "b", "c"), a) + rng.integers(-9, 10, found.space.shape(a))
        for a in found.measured
    }
    plain = found.estimate(noisy)
    joint = found.estimate(noisy, "joint")
    each = found.estimate(noisy, "each")
    assert min(t.min() for t in plain.values()) < 0
    total = max(0.0, plain["a", "b"].sum())
    for tables in (joint, each):
        assert all(t.min() >= 0 for t in tables.values())
        np.testing.assert_allclose([t.sum() for t in tables.values()], total, atol=1e-9)
    for tables in (joint, plain):
        np.testing.assert_allclose(tables["a", "b"].sum(0), tables["b", "c"].sum(1), atol=1e-9)
    # The joint table is the nearest in the weights of the measurements: moving mass between two cells does not help.
    weights = {a: float(w) for a, w in found.weights.items()}

    def distance(tables):
        return sum(w * ((tables[a] - plain[a]) ** 2).sum() for a, w in weights.items())

    assert distance(joint) <= distance(
        {a: marginal_of(truth * total / truth.sum(), tuple("abc"), a) for a in weights}
    )


def test_projection_on_tables_of_one_total():
    np.testing.assert_allclose(with_total(np.array([3.0, -1.0, 1.0]), 3), [2.5, 0, 0.5])
    np.testing.assert_allclose(with_total(np.array([[1.0, -5.0]]), 0), [[0, 0]])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: marginal_strategy(SMALL, [("a", "d")], 1), "no column 'd'"),
        (lambda: marginal_strategy(SMALL, [("a", "a")], 1), "twice"),
        (lambda: marginal_strategy(SMALL, [], 1), "empty"),
        (lambda: marginal_strategy({"a": 0}, ["a"], 1), "at least 1"),
        (lambda: marginal_strategy(SMALL, [("a", "b", "c")], 1, most_cells=10), "more than most_cells"),
        (lambda: marginal_strategy(SMALL, [("a", "b")], 0), "above 0"),
        (lambda: marginal_strategy(SMALL, [("a", "b")], 1, neighbours="swap"), "expected one of"),
        (lambda: marginal_strategy(SMALL, [("a", "b")], 1, rows=0), "whole number"),
        (lambda: marginal_strategy(dict.fromkeys("abcdefghi", 2), list("abcdefghi"), 1), "9 columns"),
        (lambda: marginal_strategy(SMALL, [("a", "b")], 1).cell_variance("c"), "no marginal of the workload"),
        (lambda: marginal_strategy(SMALL, [("a", "b")], 1).estimate({}), "table for each"),
    ],
)
def test_mistakes_are_told(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("noise", ["gaussian", "laplace"])
def test_no_table_pays_for_the_others(noise: str) -> None:
    from noiseproof.mechanisms.statistics.balanced import balanced_strategy

    sizes = {"a": 2, "b": 9, "c": 5}
    tables = [("a", "b"), ("a", "c"), ("b", "c")]
    made = balanced_strategy(sizes, tables, noise)
    # Three tables measured one by one, with a third of the budget each.
    alone = 1.5 if noise == "gaussian" else 18
    assert max(made.cell_variance(t) for t in tables) <= alone
    plain = marginal_strategy(sizes, tables, 1, noise)
    assert max(made.cell_variance(t) for t in tables) <= max(plain.cell_variance(t) for t in tables)
