"""Compression as a mechanism: its law, its truncation, streaming, models, the binary game, and what it refuses."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator

import numpy as np
import pytest
import sympy as sp
from compression_trials.binary_game import BinaryGame
from compression_trials.models import components, released_moments, ridge_regression, sparse_regression
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from noiseproof.mechanisms.compression import (
    Compression,
    MomentStream,
    NeverAcceptedError,
    ReferenceCovariance,
    compress_stream,
    normalised_columns,
    second_moments,
)
from noiseproof.mechanisms.compression.reference import C

RNG = np.random.default_rng(0)
MIXED = np.array([[1.0, 0.5, 0.0], [0.0, 1.0, -0.3], [0.2, 0.0, 1.0]])
TABLE = RNG.standard_normal((400, 3)) @ MIXED
SIGMA = second_moments(TABLE)
WIDE = Compression(100, ReferenceCovariance(SIGMA, 0.1))


def blocks(x: np.ndarray, size: int) -> Iterator[np.ndarray]:
    return (x[i : i + size] for i in range(0, len(x), size))


# The law.


def test_both_routes_of_drawing_follow_the_normal_law() -> None:
    root = np.linalg.cholesky(SIGMA)
    by_phi = np.array([WIDE.release(TABLE, np.random.default_rng(i)) for i in range(40)])
    by_law = WIDE.sample(TABLE, 40, np.random.default_rng(1))
    for found in (by_phi, by_law):
        assert found.shape == (40, 100, 3)
        white = np.linalg.solve(root, found.reshape(-1, 3).T)
        assert all(stats.kstest(row, "norm").pvalue > 1e-4 for row in white)
    # The test has power: a scale 5 % off is seen.
    assert stats.kstest(1.05 * np.linalg.solve(root, by_law.reshape(-1, 3).T).ravel(), "norm").pvalue < 1e-2


def test_the_log_density_is_that_of_scipy_and_minus_infinity_outside() -> None:
    out = WIDE.sample(TABLE, 5, np.random.default_rng(2))
    known = stats.multivariate_normal(np.zeros(3), SIGMA).logpdf(out).sum(axis=1)
    assert WIDE.log_density(out, SIGMA, 400) == pytest.approx(known, rel=1e-12)
    assert WIDE.log_density(out, SIGMA, 400, np.log(0.5)) == pytest.approx(known + np.log(2), rel=1e-12)
    far = out * 10
    assert (WIDE.log_density(far, SIGMA, 400) == -np.inf).all()
    assert np.isfinite(
        Compression(100, ReferenceCovariance(SIGMA, 0.1), truncate=False).log_density(far, SIGMA, 400)
    ).all()


def test_truncation_keeps_the_window_and_cuts_what_lies_outside() -> None:
    window = WIDE.reference.window(100, 400)
    assert window == pytest.approx(C * np.sqrt(np.log(2400) / 100) + 0.1)
    out = np.sqrt(100) * np.linalg.cholesky(SIGMA).T
    outputs = np.zeros((2, 100, 3))
    outputs[:, :3] = out
    outputs[1, 3, 0] = np.sqrt(100 * window * 1.001)
    assert WIDE.accepts(outputs, 400).tolist() == [True, False]
    # A reference at the edge: many draws are rejected.
    edge = Compression(
        400, ReferenceCovariance(SIGMA + 0.94 * C * np.sqrt(np.log(2400) / 400) * np.eye(3), 0.0)
    )
    low, high = edge.acceptance(SIGMA, 400, 2_000, np.random.default_rng(3))
    assert 0.01 < low < high < 0.999
    kept = edge.sample_moments(SIGMA, 400, 50, np.random.default_rng(4))
    away = [np.abs(released_moments(x) - edge.reference.covariance).max() for x in kept]
    assert max(away) <= edge.reference.window(400, 400)


def test_a_window_that_is_never_met_says_why() -> None:
    far = ReferenceCovariance(SIGMA + 50 * np.eye(3), 0.0)
    stuck = Compression(400, far, redraws=20)
    with pytest.raises(NeverAcceptedError, match=r"none of 20 draws came within .* take more rows"):
        stuck.sample_moments(SIGMA, 400, 3, np.random.default_rng(0))
    # The same through a table: the set must then hold it.
    wide = ReferenceCovariance(SIGMA + 50 * np.eye(3), 51.0)
    assert Compression(400, wide).release(TABLE, np.random.default_rng(0)).shape == (400, 3)


# What is refused.


@pytest.mark.parametrize(
    ("table", "rows", "message"),
    [
        (np.ones((2, 3)), 1, "p <= n is needed"),
        (TABLE, 401, "that is no compression"),
        (TABLE[:, :2], 100, "the reference has 3 columns"),
        (TABLE * 2, 100, "more than delta_max"),
        (np.column_stack([TABLE[:, :2], TABLE[:, 0]]), 100, "singular"),
        (np.where(TABLE > 2, np.nan, TABLE), 100, "must be finite"),
    ],
)
@pytest.mark.parametrize("streamed", [False, True])
def test_unusable_tables_are_refused_before_any_draw(
    table: np.ndarray, rows: int, message: str, streamed: bool
) -> None:
    limit = 3.0 if "singular" in message else 0.1
    c = Compression(rows, ReferenceCovariance(SIGMA, limit))
    with pytest.raises(ValueError, match=message):
        compress_stream(blocks(table, 50), c, RNG) if streamed else c.release(table, RNG)


def test_one_column_is_not_taken_for_three() -> None:
    with pytest.raises(ValueError, match="the reference has 3 columns"):
        compress_stream(
            iter([np.ones((500, 1))]),
            Compression(100, ReferenceCovariance(np.ones((3, 3)) + np.eye(3), 5.0)),
            RNG,
        )


@pytest.mark.parametrize(
    ("covariance", "delta_max", "message"),
    [
        (np.diag([1.0, -1.0]), 0.1, "positive definite"),
        (np.ones((2, 2)), 0.1, "positive definite"),
        (np.array([[1.0, 0.5], [0.4, 1.0]]), 0.1, "symmetric"),
        (np.ones((2, 3)), 0.1, "square"),
        (np.array([[np.nan]]), 0.1, "finite"),
        (np.eye(2), -0.1, "delta_max"),
        (np.eye(2), np.inf, "delta_max"),
    ],
)
def test_unusable_references_are_refused(covariance: np.ndarray, delta_max: float, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ReferenceCovariance(covariance, delta_max)


def test_other_bad_arguments() -> None:
    for bad in (0, -1, 1.5, True):
        with pytest.raises(ValueError, match="rows must be a whole number"):
            Compression(bad, ReferenceCovariance(np.eye(2), 0.1))
    with pytest.raises(ValueError, match="column 1 is zero everywhere"):
        normalised_columns(np.column_stack([np.ones(4), np.zeros(4)]))
    with pytest.raises(ValueError, match="flipped"):
        BinaryGame(10, 3, 4)
    with pytest.raises(ValueError, match="no block came"):
        MomentStream().second_moments()
    stream = MomentStream()
    stream.add(np.ones((2, 3)))
    with pytest.raises(ValueError, match="block after record 2 has 2 columns"):
        stream.add(np.ones((2, 2)))
    with pytest.raises(ValueError, match="at most 3 components"):
        components(SIGMA, 4)
    with pytest.raises(ValueError, match="price"):
        ridge_regression(TABLE, 0, 0.0)
    with pytest.raises(ValueError, match="target"):
        sparse_regression(TABLE, 3, 0.1)


# Normalisation and streaming.


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 60), st.booleans(), st.integers(0, 100))
def test_a_stream_has_the_moments_of_the_whole(size: int, normalise: bool, seed: int) -> None:
    x = np.random.default_rng(seed).integers(-9, 10, (120, 4)).astype(float)
    stream = MomentStream()
    for block in blocks(x, size):
        stream.add(block)
    assert stream.size == 120
    # Integers: sums are exact, whatever the blocks.
    assert (stream.products == x.T @ x).all()
    batch = second_moments(normalised_columns(x) if normalise else x)
    assert stream.second_moments(normalise) == pytest.approx(batch, rel=1e-12, abs=1e-12)
    if normalise:
        assert np.diag(stream.second_moments(True)) == pytest.approx(np.ones(4), rel=1e-12)


def test_a_streamed_output_is_the_one_drawn_from_the_whole_table() -> None:
    streamed = compress_stream(blocks(TABLE, 37), WIDE, np.random.default_rng(5))
    whole = WIDE.sample(TABLE, 1, np.random.default_rng(5))[0]
    assert streamed == pytest.approx(whole, rel=1e-9)


def test_a_stream_needs_bounded_memory() -> None:
    def source() -> Iterator[np.ndarray]:
        rng = np.random.default_rng(0)
        for _ in range(40):
            yield rng.standard_normal((5_000, 20))

    c = Compression(300, ReferenceCovariance(np.eye(20), 0.1))
    seen: list[int] = []
    tracemalloc.start()
    out = compress_stream(source(), c, np.random.default_rng(1), seen.append)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert out.shape == (300, 20)
    assert seen[-1] == 200_000
    # The table has 32 MB; a block has 0.8 MB.
    assert peak < 6e6


# Models.


def test_components_and_their_gap() -> None:
    found = components(np.diag([1.0, 5.0, 2.0]), 1)
    assert found.projector == pytest.approx(np.diag([0.0, 1.0, 0.0]))
    assert found.gap == 1.5
    assert components(np.diag([1.0, 5.0, 2.0]), 3).gap == 0.5
    assert found.perturbation_bound(0.75) == 0.5
    assert found.perturbation_bound(0.76) == np.inf


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 6), st.integers(0, 10_000), st.floats(0.01, 1.0))
def test_the_subspace_bound_holds_for_random_and_for_aligned_changes(p: int, seed: int, part: float) -> None:
    rng = np.random.default_rng(seed)
    basis = np.linalg.qr(rng.standard_normal((p, p)))[0]
    # Far from zero, so that A + B stays positive.
    values = 10 + np.sort(rng.uniform(1, 3, p))[::-1]
    a = basis @ np.diag(values) @ basis.T
    count = int(rng.integers(1, p))
    exact = components(a, count)
    aligned = np.outer(basis[:, count - 1], basis[:, count])
    for b in (rng.standard_normal((p, p)), aligned):
        b = b + b.T
        b *= part * exact.gap / 2 / np.linalg.norm(b)
        moved = exact.distance(components(a + b, count))
        assert moved <= exact.perturbation_bound(float(np.linalg.norm(b)) * (1 - 1e-12)) + 1e-9


def test_a_bound_of_a_third_would_fail() -> None:
    a, b = np.diag([12.0, 11.0]), np.array([[0.0, 0.1], [0.1, 0.0]])
    exact = components(a, 1)
    moved = exact.distance(components(a + b, 1))
    bound = exact.perturbation_bound(float(np.linalg.norm(b)))
    assert bound / 3 < moved <= bound


def test_regression_on_the_output_solves_its_equations() -> None:
    out = WIDE.release(TABLE, np.random.default_rng(6))
    x, y = out[:, 1:], out[:, 0]
    ridge = ridge_regression(out, 0, 0.3)
    assert x.T @ (y - x @ ridge) / 100 == pytest.approx(0.3 * ridge, abs=1e-10)
    lasso = sparse_regression(out, 0, 0.2)
    slope = x.T @ (y - x @ lasso) / 100
    assert (np.abs(slope) <= 0.2 + 1e-4).all()
    assert slope[lasso != 0] == pytest.approx(0.2 * np.sign(lasso[lasso != 0]), abs=1e-4)
    assert released_moments(out) == pytest.approx(out.T @ out / 100)


# The binary game.


@pytest.mark.parametrize("flipped", range(6))
def test_norms_of_the_binary_game_are_exact(flipped: int) -> None:
    game = BinaryGame(50, 5, flipped)
    delta = game.difference(np.random.default_rng(flipped))
    assert float(game.frobenius_norm) == pytest.approx(np.linalg.norm(delta), abs=1e-12)
    assert float(game.spectral_norm) == pytest.approx(np.linalg.norm(delta, 2), abs=1e-12)
    assert float(game.largest_entry) == pytest.approx(np.abs(delta).max(), abs=1e-12)
    tau = sp.Rational(flipped, 5)
    printed = 2 * 5 * sp.sqrt(tau * (1 - tau)) / 50
    assert sp.simplify(game.spectral_norm - printed) == 0
    assert sp.simplify(game.frobenius_norm - sp.sqrt(2) * printed) == 0
