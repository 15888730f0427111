"""Is the joint table of noisy marginals nonnegative, consistent, certified, and nearer to the truth than tables fitted one by one?"""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from noiseproof.mechanisms.statistics import joint_fit as module
from noiseproof.mechanisms.statistics import marginals as strategies
from noiseproof.mechanisms.statistics.joint_fit import NoisyCells, Step, step
from noiseproof.mechanisms.statistics.marginals import marginal_strategy
from noiseproof.mechanisms.statistics.nonnegative import marginal_of

SIZES = {"a": 4, "b": 5, "c": 3, "d": 2}


def pairs(sizes):
    return list(itertools.combinations(sizes, 2))


def sparse_table(seed, sizes=SIZES, records=3000, concentration=0.03):
    rng = np.random.default_rng(seed)
    shape = tuple(sizes.values())
    shares = rng.dirichlet(np.full(int(np.prod(shape)), concentration))
    return rng.multinomial(records, shares).reshape(shape)


def noised(strategy, table, rng):
    """Marginals with rounded noise of the variances of the strategy."""
    columns, found = tuple(strategy.space.sizes), {}
    for a in strategy.measured:
        true, deviation = marginal_of(table, columns, a), float(1 / strategy.weights[a]) ** 0.5
        drawn = (
            rng.normal(0, deviation, true.shape)
            if strategy.noise == "gaussian"
            else rng.laplace(0, deviation / 2**0.5, true.shape)
        )
        found[a] = true + np.round(drawn)
    return found


def errors(found, table, columns):
    return np.concatenate([(t - marginal_of(table, columns, m)).ravel() for m, t in found.items()])


def micro(table):
    """Whole millionths of what six places print."""
    return np.rint(np.round(table, 6) * 1e6).astype(np.int64)


@pytest.mark.parametrize("noise", ["gaussian", "laplace"])
def test_tables_are_nonnegative_keep_the_total_and_agree_in_all_six_places(noise):
    strategy = marginal_strategy(SIZES, [*pairs(SIZES), ("a", "b", "c")], "0.3", noise)
    noisy = noised(strategy, sparse_table(1), np.random.default_rng(2))
    found, how = strategy.published(noisy)
    assert how == "joint"
    total = strategy.estimate(noisy)["a", "b"].sum()
    for table in found.values():
        assert table.min() >= 0
        assert table.sum() == pytest.approx(total, abs=1e-8)
    for one, two in itertools.combinations(found, 2):
        common = tuple(name for name in one if name in two)
        shared = [marginal_of(micro(found[m]), m, common) for m in (one, two)]
        assert (shared[0] == shared[1]).all()
    alone = strategy.estimate(noisy, "each")
    assert any((micro(alone["a", "b"]).sum(1) != micro(alone["a", "c"]).sum(1)).ravel())


def test_the_same_noisy_tables_give_the_same_bytes():
    strategy = marginal_strategy(SIZES, pairs(SIZES), 1, "laplace")
    noisy = noised(strategy, sparse_table(3), np.random.default_rng(4))
    one, two = strategy.joint(noisy), strategy.joint(noisy)
    assert one.table.tobytes() == two.table.tobytes()
    assert one.errors == two.errors


@pytest.mark.parametrize("noise", ["gaussian", "laplace"])
def test_without_noise_the_true_tables_come_back(noise):
    table = sparse_table(5)
    strategy = marginal_strategy(SIZES, pairs(SIZES), 10**6 if noise == "gaussian" else 10**3, noise)
    found = strategy.estimate(noised(strategy, table, np.random.default_rng(6)), "joint")
    assert np.abs(errors(found, table, tuple(SIZES))).max() < 0.01
    loud = marginal_strategy(SIZES, pairs(SIZES), "0.1", noise)
    exact = {a: marginal_of(table, tuple(SIZES), a) for a in loud.measured}
    found, how = loud.published(exact)  # whatever the law says of the noise, nothing is negative
    assert how == "unbiased"
    assert np.abs(errors(found, table, tuple(SIZES))).max() < 1e-9


def cells_of(strategy, noisy, columns):
    return NoisyCells(
        strategy.space.shape(columns),
        tuple(tuple(columns.index(n) for n in a) for a in noisy),
        np.concatenate([t.ravel() for t in noisy.values()]),
        np.concatenate([np.full(t.size, float(strategy.weights[a])) for a, t in noisy.items()]),
    )


def even(cells, total):
    size = int(np.prod(cells.shape))
    return Step(np.full(size, -np.log(size)), cells.sums @ np.full(size, total / size), 0 * cells.y, 0.0)


def objectives(cells, before, after, pull, total):
    """Of a step, by their definitions: the primal one at its table, and the dual one at its multipliers."""
    table = total * np.exp(after.logs)
    entropy = (table * (after.logs - before.logs)).sum()
    primal = (cells.w * (cells.y - cells.sums @ table) ** 2).sum() / 2 + pull * entropy
    whole = np.log(np.exp(before.logs + cells.spread @ after.nu / pull).sum())
    dual = after.nu @ cells.y - (after.nu**2 / cells.w).sum() / 2 - pull * total * whole
    return primal, dual


def test_each_step_is_certified_by_its_duality_gap_and_a_short_one_is_not(monkeypatch):
    strategy = marginal_strategy(SIZES, pairs(SIZES), 1, "laplace")
    noisy = noised(strategy, sparse_table(7), np.random.default_rng(8))
    cells = cells_of(strategy, noisy, tuple(SIZES))
    before = even(cells, 3000.0)
    done = step(cells, before, 0.25, 3000.0)
    primal, dual = objectives(cells, before, done, 0.25, 3000.0)
    assert primal - dual + 1e-7 >= 0
    assert primal - dual <= done.distance**2 / 2 + 1e-7
    assert done.distance <= 0.01
    # At the minimum no way to another table >= 0 goes down: the slopes are equal where there are records.
    slope = 0.25 * (done.logs - before.logs) - cells.spread @ (
        cells.w * (cells.y - cells.sums @ np.exp(done.logs) * 3000)
    )
    assert np.ptp(slope) < 0.05
    monkeypatch.setattr(module, "_NEWTON", 1)
    short = step(cells, before, 0.25, 3000.0)
    primal, dual = objectives(cells, before, short, 0.25, 3000.0)
    assert short.distance > 0.01
    assert primal - dual == pytest.approx(short.distance**2 / 2, rel=1e-3)
    assert strategy.joint(noisy) is None
    found, how = strategy.published(noisy)
    assert how == "each"
    assert all((found[m] == t).all() for m, t in strategy.estimate(noisy, "each").items())


def test_order_of_columns_and_categories_does_not_matter():
    strategy = marginal_strategy(SIZES, pairs(SIZES), 1, "laplace")
    noisy = noised(strategy, sparse_table(9), np.random.default_rng(10))
    rng, columns = np.random.default_rng(11), tuple(SIZES)
    order = {name: rng.permutation(n) for name, n in SIZES.items()}
    turned = tuple(reversed(columns))
    other_noisy = {
        tuple(reversed(a)): t[np.ix_(*(order[n] for n in a))].transpose() for a, t in noisy.items()
    }
    one = cells_of(strategy, noisy, columns)
    other = NoisyCells(
        tuple(SIZES[n] for n in turned),
        tuple(tuple(turned.index(n) for n in a) for a in other_noisy),
        np.concatenate([t.ravel() for t in other_noisy.values()]),
        one.w,
    )
    tables = []
    for cells in (one, other):
        at = even(cells, 3000.0)
        for pull in (1.0, 0.5, 0.25):
            at = step(cells, at, pull, 3000.0)
        tables.append(np.exp(at.logs).reshape(cells.shape) * 3000)
    moved = tables[0][np.ix_(*(order[n] for n in columns))].transpose()
    apart = [marginal_of(t, turned, m) for t in (moved, tables[1]) for m in pairs(turned)]
    half = len(apart) // 2
    for a, b in zip(apart[:half], apart[half:], strict=True):
        np.testing.assert_allclose(a, b, atol=0.1)  # of a noise deviation near 8, three certified steps


@pytest.mark.parametrize("noise", ["gaussian", "laplace"])
@pytest.mark.parametrize("concentration", [0.03, 5.0])
def test_nearer_to_the_truth_than_tables_one_by_one_and_the_estimated_error_is_the_true_one(
    noise, concentration
):
    # Means of 40 paired draws beyond 4 standard errors: a false alarm in fewer than 1 of 10,000 runs of other seeds.
    total = Fraction(1, 5) if noise == "gaussian" else 1
    strategy = marginal_strategy(SIZES, pairs(SIZES), total, noise)
    table, columns = sparse_table(12, concentration=concentration), tuple(SIZES)
    rng, gains, misses = np.random.default_rng(13), [], []
    for _ in range(40):
        noisy = noised(strategy, table, rng)
        fit = strategy.joint(noisy)
        joint = {m: marginal_of(fit.table, columns, m) for m in strategy.space.workload}
        each = strategy.estimate(noisy, "each")
        gains.append((errors(each, table, columns) ** 2 - errors(joint, table, columns) ** 2).mean())
        true = {a: marginal_of(fit.table - table, columns, a) for a in noisy}
        squares = sum(float(strategy.weights[a]) * (t**2).sum() for a, t in true.items())
        misses.append(min(fit.errors) - squares / sum(t.size for t in true.values()))
    gains, misses = np.array(gains), np.array(misses)
    assert gains.mean() > -4 * gains.std() / 40**0.5
    if concentration < 1:
        assert gains.mean() > 4 * gains.std() / 40**0.5
    assert abs(misses.mean()) < 4 * misses.std() / 40**0.5 + 0.1  # the least of several estimates is too low


def test_extreme_inputs():
    strategy = marginal_strategy({"a": 3, "b": 4}, [("a", "b"), ("a",)], 1, "laplace")
    zero = {a: np.zeros(strategy.space.shape(a)) for a in strategy.measured}
    assert strategy.joint(zero).table.max() == 0
    assert strategy.joint({a: t - 5 for a, t in zero.items()}).table.max() == 0
    one_cell = {a: t.copy() for a, t in zero.items()}
    for t in one_cell.values():
        t.flat[0] = 700
    found = strategy.estimate(one_cell, "joint")["a", "b"]
    assert found[0, 0] == pytest.approx(700, abs=10)
    assert found.sum() == pytest.approx(strategy.estimate(one_cell)["a", "b"].sum())


@pytest.mark.parametrize("sizes", [{"a": 1}, {"a": 6}, {"a": 1, "b": 1}, {"a": 1, "b": 7}])
def test_one_cell_and_one_column(sizes):
    strategy = marginal_strategy(sizes, [tuple(sizes)], 1, "laplace")
    noisy = {a: np.full(strategy.space.shape(a), 40.0) for a in strategy.measured}
    found = strategy.estimate(noisy, "joint")[tuple(sizes)]
    np.testing.assert_allclose(found, strategy.estimate(noisy)[tuple(sizes)], rtol=1e-3)


def test_counts_of_billions_stay_as_near_as_one_by_one():
    strategy = marginal_strategy({"a": 3, "b": 4, "c": 2}, pairs("abc"), 1, "laplace")
    table = sparse_table(14, {"a": 3, "b": 4, "c": 2}, 24, 9.0) * 10**9
    noisy = noised(strategy, table, np.random.default_rng(15))
    found, _ = strategy.published(noisy)
    each = strategy.estimate(noisy, "each")
    ours, theirs = ((errors(t, table, tuple("abc")) ** 2).mean() for t in (found, each))
    assert ours < 1.5 * theirs


def test_too_many_cells_for_one_table(monkeypatch):
    strategy = marginal_strategy(SIZES, pairs(SIZES), 1)
    noisy = noised(strategy, sparse_table(16), np.random.default_rng(17))
    monkeypatch.setattr(strategies, "MOST_JOINT_CELLS", 119)
    assert strategy.joint(noisy) is None
    assert strategy.published(noisy)[1] == "each"
    with pytest.raises(ValueError, match="at most 119 cells"):
        strategy.estimate(noisy, "joint")
