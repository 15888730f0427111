"""The zoo: samplers against exact laws, exact epsilons against published ones, and the benchmark's own arithmetic."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy import stats
from zoo import ZOO, ZooEntry, geometric, noisy_max, rappor, sparse_values
from zoo.covariance import DIFFERENCE
from zoo.gaussian import DELTA, SIGMA
from zoo.sparse_vector import CUTOFF, INPUTS, VARIANTS, SparseVector

import noiseproof as npf
from noiseproof.symbolic.privacy.pair import gaussian_epsilon

BY_NAME = {entry.name: entry for entry in ZOO}
SIZE = 20_000
every = pytest.mark.parametrize("entry", ZOO, ids=list(BY_NAME))


@pytest.fixture(scope="module")
def benchmark() -> ModuleType:
    path = Path(__file__).resolve().parents[2] / "benchmarks" / "black_box.py"
    spec = importlib.util.spec_from_file_location("benchmarks_zoo", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_all_fifteen_are_there() -> None:
    assert len(ZOO) == len(BY_NAME) == 15
    assert {name for name in BY_NAME if name.startswith("svt")} == {f"svt{i}" for i in range(1, 7)}


@every
def test_events_of_the_exact_ratio_lie_on_the_exact_trade_off_curve(entry: ZooEntry) -> None:
    losses = [
        np.sort(np.round(entry.log_ratio(entry.subject.release(data, SIZE, np.random.default_rng(side))), 9))
        for side, data in enumerate(entry.subject.inputs)
    ]
    q, p = (np.clip(v, 0.0, 1.0) for v in entry.rates())
    curve_q, curve_p = np.concatenate([[0.0], q[::-1], [1.0]]), np.concatenate([p[-1:], p[::-1], [1.0]])
    for t in np.quantile(np.unique(np.concatenate(losses)), np.linspace(0.0, 0.98, 15), method="lower"):
        seen = [1 - np.searchsorted(loss, t, side="right") / SIZE for loss in losses]
        slack_q, slack_p = (5 * np.sqrt(f * (1 - f) / SIZE) + 10 / SIZE for f in seen)
        low, high = np.interp([seen[0] - slack_q, seen[0] + slack_q], curve_q, curve_p)
        assert low - slack_p <= seen[1] <= high + slack_p


@every
def test_the_rates_are_a_trade_off_curve_within_the_true_epsilon(entry: ZooEntry) -> None:
    q, p = (np.clip(v, 0.0, 1.0) for v in entry.rates())
    assert np.all(np.diff(q) <= 1e-12)
    assert np.all(np.diff(p) <= 1e-12)
    assert np.all(p >= q - 1e-3)
    # p1 = e^loss p0: the slope between neighbouring events is a mean of e^loss and grows with the threshold.
    if np.isfinite(entry.true_epsilon):
        ratio = np.exp(entry.true_epsilon)
        assert np.all(p - ratio * q - entry.delta <= 1e-9)
        assert np.all((1 - q) - ratio * (1 - p) - entry.delta <= 1e-9)


@every
def test_the_ratio_is_the_difference_of_the_log_densities(entry: ZooEntry) -> None:
    x0, x1 = entry.subject.inputs
    y = np.concatenate([entry.subject.release(x, 400, np.random.default_rng(1)) for x in (x0, x1)])
    rows = np.asarray(y, dtype=float).reshape(len(y), -1)
    one, zero = entry.subject.log_density(rows, x1), entry.subject.log_density(rows, x0)
    assert one is not None
    assert zero is not None
    with np.errstate(invalid="ignore"):
        expected = one - zero
    np.testing.assert_allclose(entry.log_ratio(y), expected, atol=3e-9)
    assert np.nanmax(np.abs(expected)) <= entry.true_epsilon + 1e-9 or entry.delta > 0
    assert entry.black_box().log_density(rows, x0) is None


@every
def test_the_mean_likelihood_ratio_is_one(entry: ZooEntry) -> None:
    """E0[p1/p0] = P1(p0 > 0): one unless the supports differ."""
    ratio = np.exp(
        entry.log_ratio(entry.subject.release(entry.subject.inputs[0], SIZE, np.random.default_rng(5)))
    )
    expected = 1.0
    if entry.name == "svt5":
        zero, one = (VARIANTS["svt5"].masses(data) for data in INPUTS)
        expected = float(one[zero > 0].sum())
    assert abs(ratio.mean() - expected) < 5 * ratio.std() / np.sqrt(SIZE)


@pytest.mark.parametrize("name", VARIANTS)
def test_sparse_vector_samplers_follow_their_masses(name: str) -> None:
    mechanism = VARIANTS[name]
    rows = mechanism.outcomes(10)
    assert len(rows) == (56 if mechanism.cutoff else 1024)
    for side, data in enumerate(INPUTS):
        masses = mechanism.masses(data)
        assert masses.sum() == pytest.approx(1.0, abs=1e-12)
        sample = mechanism.release(data, SIZE, np.random.default_rng(10 + side))
        keys = {row.tobytes(): i for i, row in enumerate(rows)}
        counts = np.bincount([keys[row.tobytes()] for row in sample], minlength=len(rows))
        assert not counts[masses == 0].any()
        common = masses * SIZE > 5
        rest = (
            np.append(counts[common], counts[~common].sum()),
            np.append(masses[common], masses[~common].sum()),
        )
        kept = rest[1] > 0
        observed, expected = rest[0][kept], rest[1][kept] / rest[1][kept].sum() * SIZE
        assert stats.chisquare(observed, expected).pvalue > 1e-5


def test_sparse_vector_masses_against_another_integrator() -> None:
    mechanism, data = VARIANTS["svt1"], INPUTS[0]
    rows, masses = mechanism.outcomes(10), mechanism.masses(data)

    def cdf(x: mpmath.mpf, scale: float) -> mpmath.mpf:
        return mpmath.exp(x / scale) / 2 if x < 0 else 1 - mpmath.exp(-x / scale) / 2

    for i in (0, 17, 40, 55):

        def integrand(z: mpmath.mpf, row: np.ndarray = rows[i]) -> mpmath.mpf:
            out = mpmath.exp(-abs(z) / mechanism.threshold_scale) / (2 * mechanism.threshold_scale)
            for symbol, answer in zip(row.tolist(), data, strict=True):
                below = cdf(1 + z - answer, mechanism.query_scale)
                out *= {0: below, 1: 1 - below, -1: 1}[symbol]
            return out

        exact = mpmath.quad(integrand, [-200, -60, -20, -5, -1, 0, 5, 20, 60, 200])
        assert masses[i] == pytest.approx(float(exact), abs=1e-12)


def test_without_a_cutoff_the_order_of_the_queries_does_not_matter() -> None:
    mechanism = VARIANTS["svt6"]
    rows = mechanism.outcomes(10)
    keys = {row.tobytes(): i for i, row in enumerate(rows)}
    mirror = [keys[row[::-1].tobytes()] for row in rows]
    np.testing.assert_allclose(mechanism.masses(INPUTS[0]), mechanism.masses(INPUTS[1])[mirror], rtol=1e-12)


def test_published_answers_have_the_density_of_their_symbols() -> None:
    symbols = SparseVector(2.0, 4.0)
    rows, masses = symbols.outcomes(10), symbols.masses(INPUTS[0])
    assert masses[(rows == 0).all(axis=1)] == pytest.approx(
        np.exp(sparse_values._log_density(np.full((1, 10), sparse_values.BELOW), INPUTS[0])), rel=1e-12
    )
    i = int(np.flatnonzero(((rows == 1).sum(axis=1) == 1) & (rows[:, 3] == 1))[0])
    edges = np.concatenate([np.arange(-150, 151, 1.0)])
    nodes, weights = np.polynomial.legendre.leggauss(14)
    v = (edges[:-1, None] + 0.5 + 0.5 * nodes).ravel()
    y = np.full((len(v), 10), sparse_values.BELOW)
    y[:, 3] = v
    density = np.exp(sparse_values._log_density(y, INPUTS[0]))
    assert density @ np.tile(0.5 * weights, len(edges) - 1) == pytest.approx(masses[i], rel=1e-10)
    y = sparse_values.SPARSE_VALUES.subject.release(INPUTS[0], SIZE, np.random.default_rng(3))
    count = int(((y == sparse_values.BELOW).sum(axis=1) == 9).sum())
    rate = float(masses[(rows == 1).sum(axis=1) == 1].sum())
    assert (y.max(axis=1) < 100).all()
    seen = int((((y > -900).sum(axis=1) == 1) & ((y == sparse_values.NOT_REACHED).sum(axis=1) == 0)).sum())
    assert seen == count
    assert stats.binomtest(seen, SIZE, rate).pvalue > 1e-5


def test_masses_of_the_other_discrete_rows() -> None:
    for masses, entry in (
        (geometric.masses, BY_NAME["trunc_geometric"]),
        (noisy_max.masses, BY_NAME["report_noisy_max"]),
    ):
        for data in entry.subject.inputs:
            exact = masses(data)
            assert exact.sum() == pytest.approx(1.0, abs=1e-12)
            counts = np.bincount(
                entry.subject.release(data, SIZE, np.random.default_rng(2)), minlength=len(exact)
            )
            assert stats.chisquare(counts, exact / exact.sum() * SIZE).pvalue > 1e-5
    np.testing.assert_allclose(noisy_max.masses((1, 1, 1, 1, 1)), 0.2, atol=1e-13)
    bits = BY_NAME["one_time_rappor"].subject.release("A", SIZE, np.random.default_rng(0))
    truths = int((bits == rappor.bloom_filter("A")).sum())
    assert stats.binomtest(truths, 20 * SIZE, rappor.TRUTH).pvalue > 1e-5
    assert not (rappor.bloom_filter("A") & rappor.bloom_filter("B")).any()


def test_true_epsilons_agree_with_the_literature() -> None:
    true = {name: entry.true_epsilon for name, entry in BY_NAME.items()}
    for name in ("laplace", "noisy_histogram", "one_time_rappor", "trunc_geometric"):
        assert true[name] == pytest.approx(1.0, abs=1e-12)
    assert true["laplace_inverted"] == 4.0
    # Dwork, Roth 2014, claim 3.9 and theorem A.1; Lyu, Su, Li 2017, theorems 2 to 4 and 6, and section 3.3.
    assert true["report_noisy_max"] <= 1
    assert true["gauss_classic"] <= 1
    assert true["svt1"] <= 1
    assert true["svt2"] <= 1
    assert 1 < true["svt4"] <= (1 + 6 * CUTOFF) / 4
    assert true["svt5"] == np.inf
    assert true["svt6"] > 1
    # L1 distance 32 * 2/800 over the scale 2 sqrt(8)/100.
    assert np.abs(DIFFERENCE).sum() == pytest.approx(0.08, abs=1e-15)
    assert true["ron_gauss_cov"] == pytest.approx(np.sqrt(2), abs=1e-12)
    violated = {name for name, entry in BY_NAME.items() if entry.violates}
    assert violated == {
        "laplace_inverted",
        "gauss_half_sigma",
        "svt3",
        "svt4",
        "svt5",
        "svt6",
        "ron_gauss_cov",
    }


def test_the_difference_is_that_of_two_unit_records() -> None:
    u = np.full(8, 8**-0.5)
    v = np.where(np.arange(8) < 4, 1, -1) * 8**-0.5
    np.testing.assert_allclose(DIFFERENCE, (np.outer(u, u) - np.outer(v, v)) / 100, atol=1e-18)


@pytest.mark.parametrize("mu", [1 / SIGMA, 2 / SIGMA])
def test_the_gaussian_epsilon_against_an_integral(mu: float) -> None:
    epsilon = gaussian_epsilon(mu, DELTA)
    start = epsilon / mu + mu / 2
    excess = mpmath.quad(
        lambda y: mpmath.npdf(y, mu) - mpmath.exp(epsilon) * mpmath.npdf(y),
        [start, start + 4, start + 12, 60],
    )
    assert float(excess) == pytest.approx(DELTA, rel=1e-9)


@every
def test_the_oracle_is_reproducible_and_below_the_truth(benchmark: ModuleType, entry: ZooEntry) -> None:
    value = benchmark.oracle(entry, 10_000)
    assert value == benchmark.oracle(entry, 10_000)
    assert 0 <= value < entry.true_epsilon
    assert value <= benchmark.oracle(entry, 1_000_000)


def test_the_oracle_of_the_laplace_row_is_its_half_line(benchmark: ModuleType) -> None:
    """{y > 1} has probabilities 1/2 and 1/(2e): the medians of the two exact intervals are near their means."""
    n = 100_000
    p, q = (
        stats.beta.ppf(0.025, n / 2, n / 2 + 1),
        stats.beta.ppf(0.975, n / (2 * np.e) + 1, n - n / (2 * np.e)),
    )
    assert benchmark.oracle(BY_NAME["laplace"], n) == pytest.approx(np.log(p / q), abs=2e-3)


def test_the_benchmark_reports_what_examine_certifies(benchmark: ModuleType) -> None:
    entry = BY_NAME["laplace_inverted"]
    certificate = npf.examine(entry.black_box(), entry.claim, samples=4_000, seed=3)
    (evidence,) = certificate.findings[0].evidence
    (certified,) = (row["certified"] for row in evidence.bounds if row["delta"] == entry.delta)
    row = benchmark.audit(entry, 4_000, 3, {})
    assert row.certified == certified
    assert row.verdict == certificate.verdict.name


def test_a_peer_gets_a_column(benchmark: ModuleType) -> None:
    def peer(release: Any, inputs: Any, delta: float, samples: int, alpha: float, seed: int) -> float:
        assert len(release(inputs[0], 3, np.random.default_rng(seed))) == 3
        return 0.125

    lines = benchmark.run(1_000, 1, {"other": peer}, [BY_NAME["trunc_geometric"]])
    assert "| other |" in benchmark.page(lines, 1_000, 1)
    assert "| 0.1250 |" in benchmark.page(lines, 1_000, 1)


def test_the_page_reports_what_was_measured(benchmark: ModuleType) -> None:
    lines = benchmark.run(2_000, 1, {}, [BY_NAME["laplace_inverted"], BY_NAME["trunc_geometric"]])
    text = benchmark.page(lines, 2_000, 1)
    assert [line.rows[0].verdict for line in lines] == ["REFUTED", "SURVIVED"]
    for line in lines:
        assert 0 <= line.certified <= line.entry.true_epsilon
        assert f"{line.certified:.4f}" in text
    assert "false alarms on rows that keep their claim | 0 of 1 |" in text
