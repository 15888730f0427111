"""Compression under audit: exact log ratios and their suprema, guarantees with their scope, and both words of each."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy as sp
from compression_trials.binary_game import BinaryGame
from compression_trials.lemma import lemma_4_4
from compression_trials.pairs import moment_pairs
from compression_trials.printed_alpha import explicit_alpha, printed_alpha
from compression_trials.unconstrained import refusal_leak
from flint import arb, fmpq, fmpq_mat
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from noiseproof.audit.record.evidence import Verdict
from noiseproof.audit.studies.compression.acceptance import (
    normaliser,
    rejection_bound,
    rejection_bound_for_all,
)
from noiseproof.audit.studies.compression.cone_box import solve, upper_bound
from noiseproof.audit.studies.compression.derivation import guarantee_derivation
from noiseproof.audit.studies.compression.guarantee import compression_guarantee
from noiseproof.audit.studies.compression.log_ratio import log_ratio, pair_alpha, untruncated_supremum
from noiseproof.audit.studies.compression.ratio_witness import evaluate as evaluate_ratio
from noiseproof.audit.witnesses import reevaluate
from noiseproof.mechanisms.compression import Compression, ReferenceCovariance, second_moments
from noiseproof.symbolic.proof.exact_matrices import exact_matrix, is_semidefinite
from noiseproof.symbolic.proof.truth import Truth

ONE = np.array([[1.0, 0.25, 0.0], [0.25, 1.0, -0.5], [0.0, -0.5, 1.0]])
TWO = ONE + np.array([[0.0, 0.0625, 0.0], [0.0625, 0.0, 0.03125], [0.0, 0.03125, 0.0]])
NEAR = Compression(200, ReferenceCovariance(ONE, 0.0625))
PAIR = pair_alpha(NEAR, ONE, TWO, 1_000)


# Exact matrices.


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 5), st.integers(0, 6), st.integers(0, 10_000))
def test_definiteness_is_decided_exactly(p: int, rank: int, seed: int) -> None:
    g = np.random.default_rng(seed).integers(-3, 4, (rank or 1, p)).astype(float) * (rank > 0)
    s = exact_matrix(g.T @ g)
    assert is_semidefinite(s)
    assert is_semidefinite(s, strictly=True) == (s.det() != 0)
    least = fmpq_mat(p, p, [fmpq(int(j == k), 10**40) for j in range(p) for k in range(p)])
    assert is_semidefinite(s - least) == (s.det() != 0)
    assert is_semidefinite(s + least, strictly=True)


def test_a_zero_diagonal_hides_nothing() -> None:
    assert not is_semidefinite(exact_matrix([[0.0, 1.0], [1.0, 0.0]]))
    assert not is_semidefinite(exact_matrix([[0.0, 1.0], [1.0, 5.0]]))
    assert is_semidefinite(exact_matrix([[0.0, 0.0], [0.0, 5.0]]))
    assert not is_semidefinite(exact_matrix([[5.0, 0.0], [0.0, 0.0]]), strictly=True)


# The log ratio and its supremum.


def test_the_log_ratio_is_the_difference_of_the_log_densities() -> None:
    out = NEAR.sample_moments(ONE, 1_000, 4, np.random.default_rng(0))
    known = NEAR.log_density(out, ONE, 1_000) - NEAR.log_density(out, TWO, 1_000)
    for x, value in zip(out, known, strict=True):
        ball = log_ratio(exact_matrix(x), 200, exact_matrix(ONE), exact_matrix(TWO))
        assert float(ball) == pytest.approx(value, abs=1e-9)
        # Linear in S: twice the output has four times the S.
        level = float(log_ratio(exact_matrix(0 * x), 200, exact_matrix(ONE), exact_matrix(TWO)))
        twice = float(log_ratio(exact_matrix(2 * x), 200, exact_matrix(ONE), exact_matrix(TWO)))
        assert twice - level == pytest.approx(4 * (float(ball) - level), rel=1e-12)


def test_in_one_dimension_the_supremum_is_an_end_of_the_window() -> None:
    c = Compression(50, ReferenceCovariance(np.eye(1), 0.5))
    found = pair_alpha(c, [[1.0]], [[1.5]], 400)
    window = c.reference.window(50, 400)
    ends = np.array([max(1 - window, 0.0), 1 + window])
    ratios = 25 * (np.log(1.5) + (1 / 1.5 - 1) * ends)
    assert found.forward.raw == pytest.approx((ratios.max(),) * 2, rel=1e-7)
    assert found.backward.raw == pytest.approx((-ratios.min(),) * 2, rel=1e-7)
    assert found.attained
    assert found.lower <= max(abs(ratios)) * (1 + 1e-6)


@pytest.mark.parametrize("kind", range(5))
def test_suprema_are_attained_and_bounded_on_random_and_adversarial_pairs(kind: int) -> None:
    rng = np.random.default_rng(kind)
    for q in list(moment_pairs(2, seed=7))[2 * kind : 2 * kind + 2]:
        c, m, p = q.compression, q.compression.rows, len(q.first)
        found = pair_alpha(c, q.first, q.second, q.n)
        assert found.attained
        assert 0 < found.lower <= found.upper <= found.lower * (1 + 1e-5) + 1e-7
        # The witness is an accepted output, by the code's own test up to rounding, with that log ratio.
        for bound, one, two in ((found.forward, q.first, q.second), (found.backward, q.second, q.first)):
            x = bound.witness
            assert x is not None
            assert x.shape == (m, p)
            away = np.abs(x.T @ x / m - q.first).max()
            assert away <= c.reference.window(m, q.n) * (1 + 1e-9)
            free = Compression(m, c.reference, truncate=False)
            inside = free.log_density(x, one, q.n) - free.log_density(x, two, q.n)
            assert float(inside) == pytest.approx(bound.raw[0], rel=1e-4, abs=1e-4)
        # No accepted output of many kinds exceeds the bound: drawn, and pushed towards the edge of the window.
        drawn = c.sample_moments(q.first, q.n, 200, rng)
        pushed = drawn @ (np.eye(p) + 0.3 * rng.standard_normal((200, p, p)))
        seen = np.concatenate([drawn, pushed[c.accepts(pushed, q.n)]])
        ratio = c.log_density(seen, q.first, q.n) - c.log_density(seen, q.second, q.n)
        assert np.abs(ratio).max() <= found.upper + abs(found.forward.normaliser.upper) + 1e-6
        # The bounds by formula.
        assert found.upper <= explicit_alpha(c, q.first, q.second, q.n) * (1 + 1e-9)
        assert found.forward.raw[1] <= found.forward.box * (1 + 1e-12) + 1e-12
        printed = printed_alpha(c, q.first, q.second, q.n)
        assert printed.hypotheses
        assert found.upper <= printed.with_normaliser * (1 + 1e-9)
        assert found.upper <= printed.last_step * (1 + 1e-9)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.0, 3.0))
def test_any_multiplier_gives_a_bound_even_an_indefinite_one_made_definite(seed: int, size: float) -> None:
    rng = np.random.default_rng(seed)
    gamma, z = (x + x.T for x in rng.standard_normal((2, 3, 3)))
    window = arb(0.5)
    high = upper_bound(exact_matrix(gamma), size * z, exact_matrix(ONE), window)
    s, best = solve(gamma, ONE, 0.5)
    low = float(np.sum(gamma * s))
    assert low <= float(high) + 1e-7
    assert low >= float(upper_bound(exact_matrix(gamma), best, exact_matrix(ONE), window)) - 1e-6
    # S inside of the box and the cone, up to rounding.
    assert np.abs(s - ONE).max() <= 0.5 + 1e-8
    assert np.linalg.eigvalsh(s)[0] >= -1e-8


def test_both_words_on_a_pair_and_a_witness_that_stands_on_its_own() -> None:
    exact = PAIR.lower
    assert PAIR.verdict(exact * 1.001) is Verdict.PROVED
    assert PAIR.verdict(exact * 0.999) is Verdict.REFUTED
    plain = json.loads(json.dumps(PAIR.witness(exact * 0.999)))
    stands, text = reevaluate(plain)
    assert stands
    assert "certainly above" in text
    assert not evaluate_ratio(json.loads(json.dumps(PAIR.witness(exact * 1.001))))[0]


def _spoilt(change: str) -> dict[str, Any]:
    witness = copy.deepcopy(PAIR.witness(PAIR.lower * 0.9))
    assert witness is not None
    if change == "output outside":
        witness["outputs"][0][0][0] = "40"
    elif change == "table outside":
        witness["delta_max"] = "1/100"
    elif change == "indefinite":
        witness["second_moments"][0] = [["1", "2", "0"], ["2", "1", "0"], ["0", "0", "1"]]
    elif change == "no output":
        witness["outputs"] = [[["0"] * 3] * 3] * 2
    elif change == "too many rows":
        witness["outputs"][0] *= 2
    elif change == "huge number":
        witness["delta_max"] = "1e999999999"
    elif change == "other m":
        witness["rows"] = 100
    return witness


@pytest.mark.parametrize("change", ["output outside", "table outside", "indefinite", "no output", "other m"])
def test_a_sabotaged_witness_falls(change: str) -> None:
    assert evaluate_ratio(_spoilt(""))[0]
    assert not evaluate_ratio(_spoilt(change))[0]


def test_an_edited_witness_is_an_error_not_a_long_wait() -> None:
    with pytest.raises(ValueError, match="at most m and p rows"):
        evaluate_ratio(_spoilt("too many rows"))
    with pytest.raises(ValueError, match="expected a fraction"):
        evaluate_ratio(_spoilt("huge number"))


def test_with_fewer_rows_than_columns_the_supremum_is_only_enclosed() -> None:
    c = Compression(2, ReferenceCovariance(ONE, 0.0625))
    found = pair_alpha(c, ONE, TWO, 1_000)
    assert not found.attained
    assert found.proved[0] <= found.lower <= found.upper <= found.proved[1]
    for bound in (found.forward, found.backward):
        assert bound.witness is not None
        assert bound.witness.shape == (2, 3)
    assert found.verdict(found.upper) is Verdict.PROVED
    assert found.verdict(0.99 * found.proved[0]) is Verdict.REFUTED


def test_without_truncation_the_supremum_is_infinite_unless_the_moments_are_equal() -> None:
    free = Compression(200, ReferenceCovariance(ONE, 0.0625), truncate=False)
    found = pair_alpha(free, ONE, TWO, 1_000)
    assert found.lower == found.upper == np.inf
    same = pair_alpha(free, ONE, ONE, 1_000)
    assert same.upper < 1e-60
    # One direction alone is finite where the second moments are ordered; S = 0 is then the best output.
    low, high = untruncated_supremum(np.eye(2), 2 * np.eye(2), 10)
    assert low <= 10 * np.log(2) <= high <= low + 1e-12
    assert untruncated_supremum(2 * np.eye(2), np.eye(2), 10) == (np.inf, np.inf)
    # An output far out shows it.
    out = 1e6 * np.linalg.eigh(np.linalg.inv(TWO) - np.linalg.inv(ONE))[1][:, -1]
    x = np.vstack([out, np.zeros((199, 3))])
    assert float(free.log_density(x, ONE, 1_000) - free.log_density(x, TWO, 1_000)) > 1e9


def test_equal_second_moments_have_no_loss() -> None:
    found = pair_alpha(Compression(50, ReferenceCovariance(ONE, 0.0)), ONE, ONE, 1_000)
    assert found.lower == 0
    assert found.upper < 1e-4
    assert found.verdict(1e-4) is Verdict.PROVED


# The normaliser.


def test_each_step_of_the_derivation_holds_and_falls_when_sabotaged() -> None:
    derivation = guarantee_derivation()
    assert derivation.check() is Truth.HOLDS
    for step in derivation.steps:
        assert step.check() is Truth.HOLDS, step.reason
        spoilt = replace(step, right=step.right * sp.Rational(101, 100) + sp.Rational(1, 1000))
        assert spoilt.check() is not Truth.HOLDS, step.reason


@pytest.mark.parametrize(("rho", "m", "t"), [(1.0, 5, 1.5), (0.0, 5, 1.0), (-0.7, 20, 0.6), (0.9, 1, 5.0)])
def test_the_tail_bound_holds_by_simulation_and_is_no_luxury(rho: float, m: int, t: float) -> None:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((200_000, m))
    y = rho * x + np.sqrt(1 - rho**2) * rng.standard_normal((200_000, m))
    seen = int((np.abs((x * y).mean(axis=1) - rho) >= t).sum())
    bound = 2 * np.exp(-m / 2 * (t - np.log1p(t)))
    assert stats.binomtest(seen, 200_000).proportion_ci(0.9999).low <= bound
    if rho == 1.0:
        assert seen / 200_000 > bound / 100


def test_rejection_is_below_its_bounds_and_lemma_4_4_asks_for_its_hypotheses() -> None:
    low, _ = NEAR.acceptance(TWO, 1_000, 2_000, np.random.default_rng(0))
    assert 1 - low >= 0 >= -rejection_bound(NEAR, TWO, 1_000)
    # What is proved here for the table lies below the paper's bound, and below the bound for the whole set.
    assert rejection_bound(NEAR, TWO, 1_000) <= rejection_bound_for_all(NEAR, 1_000)
    paper = lemma_4_4(NEAR, TWO, 1_000)
    assert paper == 1e-6
    assert rejection_bound_for_all(NEAR, 1_000) < paper
    assert lemma_4_4(Compression(100, NEAR.reference), TWO, 1_000) is None
    assert lemma_4_4(Compression(200, ReferenceCovariance(ONE, 3.0)), TWO + np.eye(3), 1_000) is None
    assert lemma_4_4(Compression(200, ReferenceCovariance(ONE, 0.01)), TWO, 1_000) is None


def test_a_sampled_normaliser_survives_and_never_proves() -> None:
    # So few rows and so many columns that the proved bound of the rejection exceeds one.
    p = 12
    c = Compression(1, ReferenceCovariance(np.eye(p), 0.5))
    two = np.eye(p) * 1.25
    assert rejection_bound(c, np.eye(p), 40) == 1.0
    blind = pair_alpha(c, np.eye(p), two, 40)
    assert blind.forward.normaliser.source == "unknown"
    assert blind.upper == blind.range[1] < np.inf
    sampled = pair_alpha(c, np.eye(p), two, 40, np.random.default_rng(0))
    assert sampled.error == 1e-3
    assert sampled.upper < blind.upper
    assert sampled.verdict(sampled.upper) is Verdict.SURVIVED
    assert sampled.verdict(blind.upper) is Verdict.PROVED
    assert sampled.verdict(1e-3) in (Verdict.UNDECIDED, Verdict.REFUTED)
    assert normaliser(c, two, np.eye(p), 40, np.random.default_rng(0)).reversed().lower == pytest.approx(
        -normaliser(c, two, np.eye(p), 40, np.random.default_rng(0)).upper
    )


# The paper's alpha.


def test_the_printed_alpha_term_by_term() -> None:
    found = printed_alpha(NEAR, ONE, TWO, 1_000)
    lowest = np.linalg.eigvalsh(ONE)[0] * np.linalg.eigvalsh(TWO)[0]
    delta, size = np.linalg.norm(ONE - TWO), np.linalg.norm(ONE, 2)
    inner = NEAR.reference.window(200, 1_000) + 2 * delta * size**2 / (3 * lowest)
    assert found.total == pytest.approx(200 * 3 * delta / (2 * lowest) * inner, rel=1e-12)
    assert found.spread + found.closeness < found.total
    # A difference so large that lemma C.2 says nothing.
    far = printed_alpha(Compression(200, ReferenceCovariance(ONE, 1.0)), ONE, np.eye(3) * 0.3, 1_000)
    assert far.small > 1
    assert far.last_step == np.inf
    assert not far.unit_columns
    few = printed_alpha(Compression(20, NEAR.reference), ONE, TWO, 1_000)
    assert not few.enough_rows


def test_the_bounds_by_formula_are_not_vacuous() -> None:
    # One percent less than the exact value is no bound; the explicit one lies within a few percent of it here.
    assert PAIR.verdict(0.99 * PAIR.lower) is Verdict.REFUTED
    assert PAIR.upper <= explicit_alpha(NEAR, ONE, TWO, 1_000) <= 1.4 * PAIR.upper
    # Half of the printed bound is none on the binary neighbours of small p.
    one, two = (second_moments(x) for x in BinaryGame(2_000, 2, 1).tables(np.random.default_rng(0)))
    c = Compression(300, ReferenceCovariance(one, 1e-3))
    assert (
        pair_alpha(c, one, two, 2_000).verdict(printed_alpha(c, one, two, 2_000).total / 2) is Verdict.REFUTED
    )


# Guarantees with their scope.


@pytest.mark.parametrize("adjacency", ["distributional", "differential"])
def test_a_guarantee_says_both_words_for_all_tables_of_the_set(adjacency: Any) -> None:
    c = Compression(150, ReferenceCovariance(ONE, 0.002))
    found = compression_guarantee(c, 500, adjacency=adjacency)
    assert found.verdict(found.alpha) is Verdict.PROVED
    assert found.verdict(0.99 * found.alpha) is not Verdict.PROVED
    shown = found.attack.proved[0]
    assert 0.5 * found.alpha < shown < found.alpha
    assert found.verdict((shown + found.alpha) / 2) is Verdict.UNDECIDED
    evidence = found.evidence(0.99 * shown)
    assert evidence.verdict is Verdict.REFUTED
    assert evaluate_ratio(json.loads(json.dumps(evidence.witness)))[0]
    assert found.evidence(found.alpha).witness is None
    # The explicit tables are in the scope: one record differs, and both are taken.
    one, two = found.tables()
    assert (one != two).any(axis=1).sum() == 1
    assert not refusal_leak(c, one, two)
    assert c.reference.distance(one) <= 0.002
    assert np.abs(second_moments(one) - second_moments(two)).max() <= found.closeness
    claim = found.claim(1.0)
    assert claim.about == "law"
    assert "within 0.002 of the public reference" in claim.scope.domain
    assert ("one record" in claim.scope.adjacency) == (adjacency == "differential")


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000))
def test_no_pair_of_the_set_exceeds_the_guarantee(seed: int) -> None:
    rng = np.random.default_rng(seed)
    c = Compression(150, ReferenceCovariance(ONE, 0.03))
    found = compression_guarantee(c, 500, closeness=0.04)
    moved = np.sign(rng.standard_normal((3, 3))) * rng.uniform(0.5, 1) * 0.03
    one = ONE + np.triu(moved) + np.triu(moved, 1).T
    two = one - np.sign(one - ONE) * min(0.04, 0.06)
    assert pair_alpha(c, one, two, 500).upper <= found.alpha


def test_a_set_that_reaches_singular_tables_has_no_alpha() -> None:
    found = compression_guarantee(Compression(150, ReferenceCovariance(ONE, 0.4)), 500)
    assert found.alpha == np.inf
    assert found.unbounded
    assert found.verdict(1e5) is Verdict.REFUTED
    assert "no alpha holds" in found.evidence(1e5).detail
    assert not compression_guarantee(Compression(150, ReferenceCovariance(ONE, 0.002)), 500).unbounded


def test_guarantees_that_cannot_be_given_are_refused() -> None:
    r = ReferenceCovariance(ONE, 0.002)
    for c, n, options, message in (
        (Compression(150, r, truncate=False), 500, {}, "without truncation"),
        (Compression(150, r, normalise=True), 500, {}, "normalise first"),
        (Compression(150, r), 100, {}, "n must be a whole number"),
        (Compression(2, r), 3, {}, "n must be a whole number"),
        (Compression(150, r), 500, {"closeness": 0.01}, "closeness must lie in"),
        (Compression(150, ReferenceCovariance(ONE, 0.0)), 500, {}, "closeness must lie in"),
        (Compression(150, r), 500, {"adjacency": "any"}, "adjacency must be"),
    ):
        with pytest.raises(ValueError, match=message):
            compression_guarantee(c, n, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("sigma", "n", "message"),
    [
        (np.ones((3, 3)), 1_000, "positive definite"),
        (ONE - 0.7 * np.eye(3), 1_000, "positive definite"),
        (ONE + 0.1 * np.eye(3), 1_000, "outside the protected set"),
        (np.eye(2), 1_000, "symmetric matrix of 3 x 3"),
        (ONE + np.triu(ONE), 1_000, "symmetric matrix"),
        (ONE, 199, "at least m = 200"),
        (ONE * np.nan, 1_000, "finite"),
    ],
)
def test_unusable_second_moments_are_refused(sigma: np.ndarray, n: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pair_alpha(NEAR, sigma, TWO, n)
    with pytest.raises(ValueError, match=message):
        pair_alpha(NEAR, TWO, sigma, n)
