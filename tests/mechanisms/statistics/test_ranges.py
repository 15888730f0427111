"""Are queries integer, sensitivities those of the worst rows, estimates least squares, variances exact, and optima optimal?"""

import itertools
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from noiseproof.mechanisms.statistics.optimal_ranges import QueryBound, best_gram, best_queries
from noiseproof.mechanisms.statistics.range_workload import range_workload
from noiseproof.mechanisms.statistics.ranges import range_strategies, range_strategy
from noiseproof.symbolic.proof.truth import Truth

WORKLOADS = ["cells", "prefixes", "ranges", [(0, 3), (2, 7), (6, 7), (0, 7)]]


def wanted(workload, n):
    kinds = {
        "cells": [(i, i + 1) for i in range(n)],
        "prefixes": [(0, i + 1) for i in range(n)],
        "ranges": [(i, j) for i in range(n) for j in range(i + 1, n + 1)],
    }
    return kinds[workload] if isinstance(workload, str) else workload


def queries(strategy, n):
    """The matrix of each group, from the exact answers to unit vectors."""
    answers = [strategy.measure(row) for row in np.eye(n, dtype=np.int64)]
    return [np.array(group).T for group in zip(*answers, strict=True)]


@pytest.mark.parametrize(
    ("noise", "workload"), [*itertools.product(["gaussian"], WORKLOADS), ("laplace", "prefixes")]
)
def test_estimates_and_variances_are_those_of_least_squares_with_matrices(noise, workload):
    n, rng = 7, np.random.default_rng(7)
    for found in range_strategies(n, workload, "0.4", noise):
        parts = queries(found, n)
        assert all(q.dtype == np.int64 for q in parts)
        scale = [
            float(found.law.variance(g.item, s)) ** -0.5
            for g, s in zip(found.groups, found.shares, strict=True)
        ]
        noisy = [q @ rng.integers(0, 50, n) + rng.integers(-3, 4, len(q)) for q in parts]
        matrix = np.vstack([q * c for q, c in zip(parts, scale, strict=True)])
        answers = np.concatenate([y * c for y, c in zip(noisy, scale, strict=True)])
        inverse = np.linalg.pinv(matrix)
        cells, total = found.estimate(noisy), Fraction(0)
        padded = found.name == "Haar wavelet" or found.name.startswith("tree")
        for a, b in wanted(workload, n):
            inside = ((np.arange(n) >= a) & (np.arange(n) < b)).astype(float)
            variance = inside @ inverse @ inverse.T @ inside
            total += found.variance(a, b)
            if padded:  # the noise of empty cells is not used to say that they are empty
                assert float(found.variance(a, b)) >= variance * (1 - 1e-9)
            else:
                assert cells[a:b].sum() == pytest.approx(inside @ inverse @ answers, abs=1e-7)
                assert float(found.variance(a, b)) == pytest.approx(variance, rel=1e-9)
        assert total == found.value


@pytest.mark.parametrize("name", ["tree of branching 2", "tree of branching 3", "Haar wavelet"])
def test_estimates_of_levels_without_empty_cells_are_least_squares(name):
    n = 9 if name.endswith("3") else 8
    found = next(s for s in range_strategies(n, "ranges", 1) if s.name == name)
    rng = np.random.default_rng(1)
    parts = queries(found, n)
    noisy = [rng.integers(0, 90, len(q)) for q in parts]
    scale = [float(s / g.squared) ** 0.5 for s, g in zip(found.shares, found.groups, strict=True)]
    matrix = np.vstack([q * c for q, c in zip(parts, scale, strict=True)])
    answers = np.concatenate([y * c for y, c in zip(noisy, scale, strict=True)])
    np.testing.assert_allclose(
        found.estimate(noisy), np.linalg.lstsq(matrix, answers, rcond=None)[0], atol=1e-8
    )
    covariance = np.linalg.inv(2 * matrix.T @ matrix)
    for a, b in wanted("ranges", n):
        assert float(found.variance(a, b)) == pytest.approx(covariance[a:b, a:b].sum(), rel=1e-9)


@pytest.mark.parametrize("neighbours", ["add-or-remove", "replace-one"])
@pytest.mark.parametrize("noise", ["gaussian", "laplace"])
@pytest.mark.parametrize("rows", [3])
def test_sensitivities_are_those_of_the_worst_rows(neighbours, noise, rows):
    n = 8
    for found in range_strategies(n, "prefixes", 1, noise, neighbours=neighbours, rows=rows):
        for group, q in zip(found.groups, queries(found, n), strict=True):
            moves = [q[:, i] for i in range(n)]
            if neighbours == "replace-one":
                moves = [q[:, i] - q[:, j] for i, j in itertools.permutations(range(n), 2)]
            worst = max(int((m**2).sum()) for m in moves), max(int(np.abs(m).sum()) for m in moves)
            if neighbours == "replace-one" and group.count == 1 and group.name.startswith("sums"):
                assert worst == (0, 0)  # the total does not move; it is paid for all the same
            else:
                assert (group.squared, group.absolute) == (worst[0] * rows**2, worst[1] * rows)
        assert sum(found.shares) <= 1


@pytest.mark.parametrize("workload", ["prefixes", "ranges"])
def test_the_optimum_of_the_matrix_mechanism_agrees_with_clarabel(workload):
    from scipy import sparse

    from noiseproof.symbolic.programs.conic import solved

    n = 5
    gram = range_workload(n, workload).gram().astype(float)
    # min tr(Z) with [[Z, C], [C', X]] >= 0 and diag X <= 1 for G = C C': Z = C X^-1 C'.
    root = np.linalg.cholesky(gram)
    order = 2 * n
    pairs = [(i, j) for j in range(order) for i in range(j + 1)]
    place = {pair: k for k, pair in enumerate(pairs)}
    linear = np.array([float(i == j < n) for i, j in pairs])
    fixed = [(i, j) for i in range(n) for j in range(n, order)]
    rows = sparse.csr_array(
        (np.ones(n * n), (range(n * n), [place[p] for p in fixed])), shape=(n * n, len(pairs))
    )
    diagonal = sparse.csr_array(
        (np.ones(n), (range(n), [place[i, i] for i in range(n, order)])), shape=(n, len(pairs))
    )
    cone = sparse.diags_array([-1.0 if i == j else -(2**0.5) for i, j in pairs])
    bound = np.concatenate([[root.T[i, j - n] for i, j in fixed], np.ones(n), np.zeros(len(pairs))])
    found = solved(
        linear,
        sparse.vstack([rows, diagonal, cone]),
        bound,
        zero=n * n,
        nonnegative=n,
        semidefinite=[order],
        tolerance=1e-10,
    )
    ours = best_queries(gram.astype(np.int64))
    assert float(ours.lower) == pytest.approx(found.obj_val, rel=1e-6)
    assert ours.lower <= ours.value <= ours.lower * Fraction(1001, 1000)


def test_the_bound_holds_for_other_strategies_and_its_steps_fall_when_sabotaged():
    gram = range_workload(8, "ranges").gram()
    best = best_queries(gram)
    x = best_gram(gram)
    assert best.derivation.check() is Truth.HOLDS
    for step in best.derivation.steps:
        sign = -1 if step.relation == "<=" else 1
        assert replace(step, right=sign * 2 * (abs(step.right) + 1)).check() is not Truth.HOLDS
    rng = np.random.default_rng(2)
    for near in (x, x + 0.05 * np.eye(8), np.eye(8)):  # a bad guess gives a lower bound, never a wrong one
        poor = QueryBound(best.queries, gram, near)
        assert poor.lower <= best.lower * (1 + Fraction(1, 10**12))
    for _ in range(5):
        other = rng.integers(-9, 10, (8, 8)) + 20 * np.eye(8, dtype=np.int64)
        assert QueryBound(other, gram, x).value > best.value
    identity = QueryBound(np.eye(8, dtype=np.int64), gram, x)
    assert identity.value == 120


def test_the_chosen_strategy_has_the_least_error_and_trees_pay_on_long_axes():
    found = range_strategies(200, "prefixes", "0.5")
    assert found[0] == range_strategy(200, "prefixes", "0.5")
    errors = {s.name: s.root_mean_squared_error for s in found}
    assert errors[found[0].name] <= min(errors.values()) * 1.000001
    assert errors["cells alone"] > 3 * errors["tree of branching 2"]
    assert range_strategy(200, "cells", "0.5").name == "cells alone"
    assert range_strategy(16, "ranges", "0.5").name == "optimal queries"
    assert any(line.startswith("PROVED") for line in found[0].lines())


def test_estimates_without_negative_cells_keep_the_total():
    found = range_strategy(16, "prefixes", "0.1")
    rng = np.random.default_rng(5)
    cells = rng.integers(0, 3, 16)
    noisy = [y + rng.integers(-9_000, 9_001, y.shape) for y in found.measure(cells)]
    plain, moved = found.estimate(noisy), found.estimate(noisy, nonnegative=True)
    assert plain.min() < 0 <= moved.min()
    assert moved.sum() == pytest.approx(max(0.0, plain.sum()))


def test_a_workload_of_ranges_is_one_item_of_a_budget():
    for noise in ("gaussian", "laplace"):
        found = range_strategy(9, "ranges", "0.4", noise)
        again = range_strategy(9, "ranges", "1.7", noise)
        cost = found.law.cost(found.as_item("ages", 3))
        assert float(cost / Fraction("1.7") ** found.law.power) == pytest.approx(
            3 * float(again.value), rel=1e-6
        )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: range_strategy(0, "cells", 1), "at least 1"),
        (lambda: range_strategy(5, "range", 1), "did you mean 'ranges'"),
        (lambda: range_strategy(5, [(3, 3)], 1), "0 <= start < stop <= 5"),
        (lambda: range_strategy(5, [], 1), "empty"),
        (lambda: range_strategy(5, "cells", 0), "above 0"),
        (lambda: range_strategy(5, "cells", 1, rows=0), "whole number"),
        (lambda: range_strategy(5, "cells", 1, neighbours="swap"), "expected one of"),
        (lambda: range_strategy(5, "cells", 1).measure(np.ones(4, dtype=int)), "5 whole numbers"),
        (lambda: range_strategy(5, "cells", 1).measure(np.ones(5)), "5 whole numbers"),
        (lambda: range_strategy(5, "ranges", 1).measure(np.full(5, 2**60)), "too large"),
        (lambda: range_strategy(5, "cells", 1).estimate([]), "1 groups"),
        (lambda: range_strategy(8, [(0, 8)], 1).variance(2, 3), "nothing measured tells of it"),
    ],
)
def test_mistakes_are_told(make, message):
    with pytest.raises(ValueError, match=message):
        make()
