"""RON-Gauss in whole numbers, answers from a finite list, and normal numbers from secure words."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noiseproof.audit.release.kinds.channel import Channel, ChannelMechanism
from noiseproof.audit.release.kinds.ron_gauss_sums import (
    FINE,
    NoisySum,
    mirrored,
    radius,
    sum_of_products,
    sum_of_records,
    sums_of_products,
)
from noiseproof.audit.release.kinds.secure_normals import SecureNormals
from noiseproof.mechanisms.grid_noise import grid_laplace, secure_bits, seeded_bits


def unit(rng: np.random.Generator, n: int, m: int) -> np.ndarray:
    rows = rng.normal(size=(n, m))
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(2, 6))
def test_neighbours_move_rounded_sums_by_no_more_than_the_noise_allows_for(seed: int, m: int) -> None:
    rng = np.random.default_rng(seed)
    one = unit(rng, 40, m)
    two = one.copy()
    two[7] = unit(rng, 1, m)[0] if seed % 2 else -one[7]
    entries = m * (m + 1) // 2
    upper = np.triu_indices(m)
    # L1 sensitivities of sums: 2 sqrt(m) for records; for the triangle of products at most twice |u|_1^2 <= 2 m.
    for total, sensitivity, k, fine, sums in (
        (lambda x: sum_of_records(x), 2 * np.sqrt(m), m, FINE, "records"),
        (lambda x: sum_of_products(x)[upper], 2.0 * m, entries, 2 * FINE, "products"),
    ):
        noisy = NoisySum.of(Fraction(sensitivity) * radius(m) ** 2, k, 1.0, fine)
        shift = noisy.noise.exponent + fine
        a, b = ((total(x) + (1 << (shift - 1))) >> shift for x in (one, two))
        moved = int(np.abs(a - b).sum())
        # epsilon = 1: the loss of a step is at most step/scale.
        assert moved * noisy.noise.step / noisy.noise.parameter <= 1, sums


def test_sums_are_exact_whole_numbers_in_any_order() -> None:
    rows = unit(np.random.default_rng(0), 5000, 4)
    whole = np.rint(rows * 2.0**FINE).astype(int)
    assert (sum_of_records(rows) == whole.sum(axis=0)).all()
    exact = np.array(
        [
            [sum(int(a) * int(b) for a, b in zip(whole[:, i], whole[:, j], strict=True)) for j in range(4)]
            for i in range(4)
        ]
    )
    assert (sum_of_products(rows) == exact).all()
    assert (sum_of_products(rows[::-1]) == exact).all()
    assert (sums_of_products(rows[None])[0] == exact).all()


def test_too_many_records_at_once_and_too_small_a_budget_are_refused() -> None:
    with pytest.raises(ValueError, match="at most"):
        sum_of_products(np.zeros((70_000, 2)))
    with pytest.raises(ValueError, match="too small for 500 entries"):
        NoisySum.of(Fraction(10), 500, 0.1, FINE)


def test_noise_on_a_sum_is_that_of_its_scale_and_lies_on_its_grid() -> None:
    noisy = NoisySum.of(Fraction(2), 3, 0.5, FINE)
    out = noisy.release(
        np.broadcast_to(np.array([5 << FINE, 0, -(3 << FINE)]), (20_000, 3)),
        seeded_bits(np.random.default_rng(3)),
    )
    steps = np.ldexp(out, -noisy.noise.exponent)
    assert (steps == np.rint(steps)).all()
    assert out.mean(axis=0) == pytest.approx([5, 0, -3], abs=0.2)
    assert out.std(axis=0) == pytest.approx(noisy.noise.parameter * np.sqrt(2), rel=0.05)


def test_a_triangle_is_mirrored() -> None:
    assert mirrored(np.array([1.0, 2.0, 3.0]), 2).tolist() == [[1.0, 2.0], [2.0, 3.0]]


@pytest.fixture(scope="module")
def channel() -> Channel:
    nodes, answers = np.linspace(0, 10, 11), np.linspace(0, 10, 5)
    far = np.abs(answers[:, None] - nodes[None])
    return Channel.of(nodes, answers, np.where(far < 4, np.cos(np.pi * far / 8) ** 2, 0.0))


def test_a_channel_draws_by_its_weights(channel: Channel) -> None:
    assert all(sum(row) == 1 << 128 for row in channel.weights)
    for table, row in zip(channel.tables, channel.weights, strict=True):
        assert table.masses()[: len(row)] == list(row)
    bits = seeded_bits(np.random.default_rng(5))
    for node in (0, 4, 10):
        drawn = np.bincount(channel.draw(np.full(100_000, node), bits), minlength=5) / 100_000
        assert drawn == pytest.approx(channel.probabilities()[node], abs=0.01)


def test_numbers_are_read_at_the_nearest_node_and_answers_come_from_the_list(channel: Channel) -> None:
    assert channel.places(np.array([-5.0, 0.4, 0.6, 9.9, 50.0])).tolist() == [0, 0, 1, 10, 10]
    assert set(channel.released(np.linspace(0, 10, 2000), secure_bits())) <= set(channel.answers)


def test_worst_delta_is_that_of_the_worst_pair(channel: Channel) -> None:
    p = channel.probabilities()
    for epsilon in (0.0, 0.5):
        expected = max(np.maximum(a - np.exp(epsilon) * b, 0).sum() for a in p for b in p)
        assert channel.worst_delta(epsilon)[0] == pytest.approx(expected, rel=1e-6)
    assert ChannelMechanism(channel, 0, 1, "x").worst_case().pair.delta(0.0) == pytest.approx(
        np.maximum(p[0] - p[1], 0).sum()
    )


def test_nobody_beats_the_error_bound_of_a_channel_on_the_worst_record(channel: Channel) -> None:
    p, bound = channel.probabilities(), channel.least_error()
    share = np.gradient(channel.nodes)
    for prior in (share / share.sum(), np.eye(11)[0] * 0.5 + np.eye(11)[10] * 0.5):
        best = (prior[:, None] * channel.nodes[:, None] * p).sum(axis=0) / np.maximum(
            (prior[:, None] * p).sum(axis=0), 1e-300
        )
        worst = max((row * (best - node) ** 2).sum() for row, node in zip(p, channel.nodes, strict=True))
        assert worst >= bound
    assert bound > 0.2


def test_where_answers_tell_nothing_the_error_bound_is_half_the_width_squared() -> None:
    blind = Channel.of(np.linspace(0, 10, 11), np.linspace(0, 10, 5), np.ones((5, 11)))
    assert blind.least_error() == pytest.approx(25)


def test_normal_numbers_from_words_are_normal() -> None:
    from scipy import stats

    drawn = SecureNormals(seeded_bits(np.random.default_rng(0))).standard_normal((200, 500))
    assert drawn.shape == (200, 500)
    assert stats.kstest(drawn.ravel(), "norm").pvalue > 1e-3
    assert isinstance(SecureNormals(secure_bits()).standard_normal(), float)


def test_a_count_of_records_is_noisy_in_whole_numbers() -> None:
    noise = grid_laplace(1 / 0.5, 0)
    assert noise.draw(5, secure_bits()).dtype == np.int64
