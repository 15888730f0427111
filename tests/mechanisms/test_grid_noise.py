"""Grid noise: random words, alias tables with exact masses, the three laws, draws."""

from __future__ import annotations

import math
import os
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from noiseproof.mechanisms.grid_noise import (
    GridNoise,
    default_exponent,
    grid_cosine,
    grid_gaussian,
    grid_laplace,
    grid_noise,
    secure_bits,
    seeded_bits,
)
from noiseproof.mechanisms.grid_noise.alias import alias_table

ONE = 1 << 128

COARSE = {
    "laplace": grid_laplace(1.0, -3),
    "laplace, scale below the step": grid_laplace(0.3, 0),
    "gaussian": grid_gaussian(1.3, -2),
    "gaussian, deviation below the step": grid_gaussian(0.4, 0),
    "cosine": grid_cosine(2.0, -2),
}


def scripted(*words: int) -> Any:
    """Words from a list, one call after the other."""
    left = list(words)

    def bits(size: int) -> Any:
        out = np.array(left[:size], dtype=np.uint64)
        del left[:size]
        return out

    return bits


# Random words


def test_secure_words_are_uniform_and_never_repeat() -> None:
    bits = secure_bits()
    words = bits(200_000)
    assert words.dtype == np.uint64
    assert len(np.unique(words)) == len(words)
    for place in (0, 17, 40, 63):
        ones = int((words >> np.uint64(place) & np.uint64(1)).sum())
        assert stats.binomtest(ones, len(words)).pvalue > 1e-9
    assert not np.intersect1d(words, secure_bits()(200_000)).size
    assert bits(0).shape == (0,)


def test_a_large_draw_and_a_new_key_in_the_middle() -> None:
    bits = secure_bits()
    assert len(np.unique(bits(3 << 14))) == 3 << 14  # more than one block of zeros
    bits._local.left = 8
    old = bits._local.encryptor
    bits(2)
    assert bits._local.encryptor is not old


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_does_not_share_the_stream() -> None:
    bits = secure_bits()
    bits(4)
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.write(write, bits(64).tobytes())
        os._exit(0)
    os.waitpid(pid, 0)
    child = np.frombuffer(os.read(read, 512), dtype=np.uint64)
    os.close(read)
    os.close(write)
    assert len(child) == 64
    assert not np.intersect1d(child, bits(64)).size


def test_threads_have_streams_of_their_own() -> None:
    bits = secure_bits()
    with ThreadPoolExecutor(4) as pool:
        parts = list(pool.map(lambda _: bits(5_000), range(8)))
    assert len(np.unique(np.concatenate(parts))) == 40_000


def test_seeded_words_repeat_and_secure_ones_are_not_pickled() -> None:
    assert np.array_equal(*(seeded_bits(np.random.default_rng(5))(100) for _ in range(2)))
    import pickle

    with pytest.raises(TypeError, match="secure_bits"):
        pickle.dumps(secure_bits())


# Alias tables


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 2**40), min_size=1, max_size=70).filter(any))
def test_a_table_has_the_masses_it_was_made_of(raw: list[int]) -> None:
    whole = [w * ONE // sum(raw) for w in raw]
    whole[raw.index(max(raw))] += ONE - sum(whole)
    table = alias_table(whole)
    assert table.masses() == whole + [0] * (len(table.entries) - len(whole))


def test_every_word_of_a_small_table_gives_the_atom_that_the_masses_say() -> None:
    # Dyadic weights: the upper eight bits of a word decide with the two lowest ones, no word is undecided.
    weights = [ONE // 2, ONE // 4 + ONE // 16, ONE // 16, ONE // 8]
    table = alias_table(weights)
    words = (
        (np.arange(256, dtype=np.uint64) << np.uint64(56))[:, None]
        | np.arange(4, dtype=np.uint64)
        | np.uint64(1 << 20)
    )
    atoms = table.draw(words.ravel().copy(), scripted())
    assert np.bincount(atoms).tolist() == [512, 320, 64, 128]


def test_words_that_decide_nothing_ask_for_another_one() -> None:
    quarter = ONE // 4
    table = alias_table([quarter - 5, 3 * quarter + 5])
    threshold = (quarter - 5) >> 64 << 1  # atom 0 keeps column 0 below it; the lower 64 bits are 2^64 - 5
    word = np.array([threshold], dtype=np.uint64)
    assert table.draw(word.copy(), scripted(2**64 - 6)).tolist() == [0]
    assert table.draw(word.copy(), scripted(2**64 - 5)).tolist() == [1]
    assert table.draw(word - np.uint64(2), scripted()).tolist() == [0]
    assert table.draw(word + np.uint64(2), scripted()).tolist() == [1]


@pytest.mark.parametrize("weights", [[], [1], [ONE + 1, -1], [ONE // 2, ONE // 2 + 1]])
def test_a_table_refuses_other_weights(weights: list[int]) -> None:
    with pytest.raises(ValueError, match=r"weights|atoms"):
        alias_table(weights)


# Laws


@pytest.mark.parametrize("name", COARSE)
def test_masses_sum_to_one_and_the_table_has_them(name: str) -> None:
    noise = COARSE[name]
    assert sum(map(noise.mass, range(noise.first, noise.last + 1))) + 2 * Fraction(noise.tail, ONE) == 1
    assert noise.table.masses()[: len(noise.weights) + 2] == [noise.tail, *noise.weights, noise.tail]
    assert noise.log_concave()
    assert noise.mass(3) == noise.mass(-3)


@pytest.mark.parametrize("name", COARSE)
def test_masses_are_those_of_the_formula(name: str) -> None:
    noise = COARSE[name]
    x = np.arange(-4000, 4001) * noise.step
    ideal = {
        "laplace": lambda: np.exp(-np.abs(x) / noise.parameter),
        "gaussian": lambda: np.exp(-(x**2) / 2 / noise.parameter**2),
        "cosine": lambda: np.where(
            np.abs(x) < noise.parameter, np.cos(np.pi * x / 2 / noise.parameter) ** 2, 0.0
        ),
    }[noise.kind]()
    ideal /= ideal.sum()
    exact = np.array([float(noise.mass(k)) for k in range(-400, 401)])
    assert exact == pytest.approx(ideal[3600:4401], rel=1e-10, abs=1e-18)
    distance = np.abs(exact - ideal[3600:4401]).sum() / 2
    assert distance <= noise.total_variation + 1e-14


def test_distances_to_the_ideal_laws_are_tiny() -> None:
    assert grid_laplace(1.0).total_variation < 1e-12
    assert grid_gaussian(1.0).total_variation < 1e-22
    assert grid_cosine(1.0).total_variation < 1e-30


@pytest.mark.parametrize(
    ("scale", "exponent"), [(1.0, -10), (0.1, -13), (7.7, -7), (1e-9, None), (3e8, None)]
)
def test_the_loss_of_a_step_of_laplace_noise_is_at_most_the_step_over_the_scale(
    scale: float, exponent: int | None
) -> None:
    noise = grid_laplace(scale, exponent)
    step = Fraction(2) ** noise.exponent / Fraction(repr(scale))
    # r >= e^(-step/scale) by the series 1/(1 + x + x^2/2 + ...) > e^-x for any cut of it.
    series = sum((step**n / math.factorial(n) for n in range(12)), Fraction(0))
    assert Fraction(noise.ratio, 1 << 64) >= 1 / (series + 2 * step**12 / math.factorial(12))
    w = noise.weights
    tail_ratio = Fraction(noise.ratio, 1 << 64)
    middle = len(w) // 2
    assert all(b * (1 << 64) >= a * noise.ratio for a, b in zip(w[middle:], w[middle + 1 :], strict=False))
    assert noise.mass(noise.last + 5) == noise.mass(noise.last + 4) * tail_ratio


def test_the_default_grid_has_a_thousand_steps_per_scale() -> None:
    for scale in (1e-6, 0.3, 1.0, 1.999, 1e6):
        assert 1024 <= scale / 2.0 ** default_exponent(scale) < 2048
    assert grid_noise("gaussian", 3.0) is grid_gaussian(3.0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: grid_laplace(0.0), "scale"),
        (lambda: grid_laplace(math.inf), "scale"),
        (lambda: grid_gaussian(1.0, -20), "steps: expected"),
        (lambda: grid_gaussian(1.0, 9), "for example exponent -10"),
        (lambda: grid_laplace(1e300), "leaves the doubles.*scale 1e[+]300 is out of reach"),
        (lambda: grid_cosine(1.0, 0.5), "whole number"),  # type: ignore[arg-type]
        (lambda: grid_noise("uniform", 1.0), "one of laplace"),
        (lambda: GridNoise("own", 1.0, 0, -1, (ONE // 3, ONE // 3, ONE // 3)), "sum"),
        (lambda: GridNoise("own", 1.0, 0, 0, (ONE // 2, ONE // 2)), "symmetric"),
        (lambda: GridNoise("own", 1.0, 0, -1, (3 * ONE // 8, ONE // 4, 3 * ONE // 8)), "log-concave"),
        (lambda: GridNoise("own", 1.0, 0, 0, (ONE // 2,), ONE // 4, 0), "tail"),
        (lambda: GridNoise("own", 1.0, 0, 0, (ONE // 64,), 63 * ONE // 128, 1 << 63), "log-concave"),
    ],
)
def test_unusable_laws_are_refused(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


# Draws


@pytest.mark.parametrize("name", COARSE)
def test_draws_have_the_exact_masses(name: str) -> None:
    noise, size = COARSE[name], 200_000
    steps = noise.draw(size, seeded_bits(np.random.default_rng(11)))
    values, counts = np.unique(steps, return_counts=True)
    expected = np.array([float(noise.mass(int(k))) * size for k in values])
    usual = expected > 8
    chi = ((counts - expected)[usual] ** 2 / expected[usual]).sum()
    assert stats.chi2.sf(chi, usual.sum()) > 1e-6
    assert abs(counts[~usual].sum() - (size - expected[usual].sum())) < 8 * math.sqrt(
        size - expected[usual].sum() + 10
    )


def test_the_tail_of_laplace_noise_is_geometric() -> None:
    # Two-sided geometric noise with a table of one step: nearly all of it lies in the tails.
    r = (1 << 64) * 9 // 10
    tail = ONE * 9 // 19 + 1
    noise = GridNoise("own", 1.0, 0, 0, (ONE - 2 * tail,), tail, r)
    steps = noise.draw(100_000, seeded_bits(np.random.default_rng(3)))
    for k in (-30, -3, -1, 0, 1, 2, 10, 40):
        assert stats.binomtest(int((steps == k).sum()), 100_000, float(noise.mass(k))).pvalue > 1e-6
    assert stats.binomtest(int((steps > 20).sum()), 100_000, 9 / 19 * 0.9**20).pvalue > 1e-6


def test_steps_of_a_tail_go_on_over_groups_of_words() -> None:
    noise = grid_laplace(1.0, -10)
    calls: list[int] = []

    def bits(size: int) -> Any:
        calls.append(size)
        return np.full(size, 0 if len(calls) == 1 else 2**64 - 1, dtype=np.uint64)

    assert noise._geometric(1, bits).tolist() == [8192]
    assert calls == [8192, 8192]
    assert noise._geometric(0, bits).tolist() == []


@pytest.mark.parametrize(
    "noise", [grid_laplace(2.0), grid_gaussian(2.0), grid_cosine(2.0)], ids=lambda n: n.kind
)
def test_secure_draws_have_the_variance_of_the_law(noise: GridNoise) -> None:
    steps = noise.draw(300_000, secure_bits()) * noise.step
    variance = {"laplace": 8.0, "gaussian": 4.0, "cosine": 4 * (1 / 3 - 2 / math.pi**2)}[noise.kind]
    assert steps.mean() == pytest.approx(0, abs=6 * math.sqrt(variance / 300_000))
    assert steps.var() == pytest.approx(variance, rel=0.03)


@pytest.mark.long
@pytest.mark.parametrize(
    "noise", [grid_laplace(1.0), grid_gaussian(1.0), grid_cosine(1.0)], ids=lambda n: n.kind
)
def test_speed_of_draws(noise: GridNoise) -> None:
    import time

    bits, best = secure_bits(), math.inf
    noise.draw(1000, bits)
    for _ in range(10):
        start = time.perf_counter()
        noise.draw(1 << 20, bits)
        best = min(best, time.perf_counter() - start)
    print(f"{noise.kind}: {best / 2**20 * 1e9:.1f} ns a value")
    assert best / 2**20 < 40e-9
