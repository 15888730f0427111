"""The exact exponential mechanism: its law, draws against it and against balls, words that leave it open, refusals."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx
from scipy import stats

from noiseproof import SpecError
from noiseproof.mechanisms.grid_noise import seeded_bits
from noiseproof.mechanisms.grid_noise.secure_bits import Bits
from noiseproof.mechanisms.whole_noise import ExponentialSelection, choice_rho, choose, uniform_below
from noiseproof.mechanisms.whole_noise.choice import _Exponentials

F = Fraction
ALPHA = 1e-6  # of each statistical test: a handful of them


def seeded(seed: int) -> Bits:
    return seeded_bits(np.random.default_rng(seed))


def scripted(*words: int) -> Bits:
    source: Iterator[int] = iter(words)
    return lambda size: np.array([next(source) for _ in range(size)], dtype=np.uint64)


def by_summing(choice: ExponentialSelection) -> np.ndarray:
    weights = np.asarray(choice.multiplicities) * np.exp(
        float(choice.rate) * np.asarray(choice.utilities, dtype=float)
    )
    return np.asarray(weights / weights.sum())


CHOICES = {
    "plain": ExponentialSelection(np.array([0, -1, -2, -7, 5, 0]), F(1)),
    "weighted": ExponentialSelection(
        np.array([0, -1, -2, -7, 9, 0]), F(1, 3), F(1, 2), np.array([1, 2, 3, 4, 0, 5])
    ),
    "one": ExponentialSelection(np.array([3]), F(2)),
    "quantile": ExponentialSelection(-np.abs(np.arange(40) - 13), F(1, 2), F(1), np.arange(1, 41) ** 3),
    "nobody chooses the last": ExponentialSelection(np.array([1, 1, 1]), F(1), F(1), np.array([1, 1, 0])),
}


@pytest.mark.parametrize("name", CHOICES)
def test_probabilities_are_those_of_the_exponential_mechanism(name: str) -> None:
    choice = CHOICES[name]
    expected = by_summing(choice)
    assert choice.probabilities() == pytest.approx(expected, rel=1e-12)
    for i, p in enumerate(expected):
        assert float(choice.probability(i).mid()) == pytest.approx(p, rel=1e-12)


@pytest.mark.parametrize("name", CHOICES)
def test_draws_fit_the_law(name: str) -> None:
    choice, size = CHOICES[name], 50_000
    found = np.bincount(choice.draw(size, seeded(1)), minlength=len(choice.utilities))
    expected = size * choice.probabilities()
    assert not found[expected == 0].any()
    keep = expected >= 5
    if keep.sum() > 1:
        statistic = ((found - expected)[keep] ** 2 / expected[keep]).sum()
        assert stats.chi2.sf(statistic, keep.sum()) > ALPHA


def test_the_fit_falls_for_an_epsilon_that_is_ten_per_cent_off() -> None:
    size, at = 50_000, ExponentialSelection(np.array([0, -1, -2]), F(1))
    found = np.bincount(
        ExponentialSelection(np.array([0, -1, -2]), F(11, 10)).draw(size, seeded(2)), minlength=3
    )
    assert stats.chisquare(found, size * at.probabilities()).pvalue < ALPHA


@pytest.mark.parametrize("name", CHOICES)
def test_quick_comparisons_are_those_of_more_places(name: str) -> None:
    """A word settled by 64 places names the index that 256 places name for any words that follow it."""
    choice = CHOICES[name]
    words = seeded(3)(50)
    found = choice.draw(50, scripted(*words.tolist()))
    for word, index in zip(words.tolist(), found.tolist(), strict=True):
        for rest in (0, (1 << 192) - 1):
            assert choice._index((word << 192) + rest, 256) == index


def test_a_word_at_an_edge_takes_more_words() -> None:
    choice = ExponentialSelection(np.array([1, 0]), F(1))
    with ctx.workprec(400):
        chance = 1 / (1 + (-arb(1) / 2).exp())
        edge = int((arb(2) ** 64 * chance).floor().unique_fmpz())
        further = int((arb(2) ** 128 * chance).floor().unique_fmpz()) & ((1 << 64) - 1)
    assert choice.draw(2, scripted(edge - 1, edge + 1)).tolist() == [0, 1]
    assert choice.draw(1, scripted(edge, further - 1)).tolist() == [0]
    assert choice.draw(1, scripted(edge, further + 1)).tolist() == [1]
    assert choice.draw(1, scripted(edge, further, 0)).tolist() == [0]


def test_an_edge_that_is_a_dyadic_number_is_decided() -> None:
    """Two equal candidates, the edge at one half: a word of exactly that is settled by the next one that is not 0."""
    choice = ExponentialSelection(np.array([4, 4]), F(1))
    assert choice.draw(2, scripted((1 << 63) - 1, (1 << 63) + 1)).tolist() == [0, 1]
    assert choice.draw(1, scripted(1 << 63, 0, 1)).tolist() == [1]
    found = choice.draw(2_000, seeded(4))
    assert stats.binomtest(int(found.sum()), 2_000).pvalue > ALPHA


@pytest.mark.parametrize("rate", [F(1, 2), F(1, 10**7), F(10**4)])
def test_tabled_exponentials_enclose(rate: Fraction) -> None:
    places, most = 96, 10**9
    table, rng = _Exponentials(rate, places, most), np.random.default_rng(5)
    for k in (
        0,
        1,
        2,
        most,
        *(int(x) for x in rng.integers(0, most, 40)),
        *(int(x) for x in rng.integers(0, 400, 40)),
    ):
        low, high = table.of(k)
        with ctx.workprec(256):
            exact = arb(2) ** places * (-arb(rate.numerator) * k / rate.denominator).exp()
            assert arb(low) <= exact <= arb(high)
        assert high - low <= 8


def test_utilities_that_are_far_apart_still_have_their_chance() -> None:
    choice = ExponentialSelection(np.array([0, -(10**6)]), F(1))
    assert choice.draw(100, seeded(6)).tolist() == [0] * 100
    assert choice.log_probabilities()[1] == pytest.approx(-5e5)
    assert choice.probability(1) > 0


def test_a_hundred_thousand_candidates() -> None:
    n = 100_000
    utilities = -np.abs(np.arange(n) - n // 3)
    index = choose(utilities, F(1, 10), F(1), seeded(7), multiplicities=np.full(n, 1 << 40))
    assert abs(int(index[0]) - n // 3) < 20 * 2 * math.log(n) * 10


def test_costs_are_exact_fractions() -> None:
    assert CHOICES["weighted"].rate == F(1, 3)
    assert CHOICES["weighted"].rho == choice_rho(F(1, 3)) == F(1, 72)


def test_the_same_seed_gives_the_same_choice() -> None:
    choice = CHOICES["quantile"]
    assert (choice.draw(100, seeded(8)) == choice.draw(100, seeded(8))).all()
    assert (choice.draw(100, seeded(8)) != choice.draw(100, seeded(9))).any()


def test_uniform_numbers_below_an_end() -> None:
    ends = np.array([1, 2, 3, 5, 1 << 62] * 4_000)
    found = uniform_below(ends, seeded(10)).reshape(-1, 5)
    assert (found >= 0).all()
    assert (found < ends[:5]).all()
    for j in (1, 2, 3):
        assert stats.chisquare(np.bincount(found[:, j], minlength=int(ends[j]))).pvalue > ALPHA
    assert stats.kstest(found[:, 4] / 2.0**62, "uniform").pvalue > ALPHA


REFUSED: list[tuple[Any, str]] = [
    (lambda: ExponentialSelection(np.array([0.5]), F(1)), "whole numbers"),
    (lambda: ExponentialSelection(np.array([], dtype=int), F(1)), "whole numbers"),
    (lambda: ExponentialSelection(np.array([1]), F(0)), "epsilon must be above 0"),
    (lambda: ExponentialSelection(np.array([1]), F(1), F(-1)), "sensitivity must be at least 0"),
    (lambda: ExponentialSelection(np.array([1]), math.nan), "a fraction"),  # type: ignore[arg-type]
    (lambda: ExponentialSelection(np.array([1, 2]), F(1), F(1), np.array([1])), "as many"),
    (lambda: ExponentialSelection(np.array([1, 2]), F(1), F(1), np.array([0, 0])), "not all 0"),
    (lambda: ExponentialSelection(np.array([1, 2]), F(1), F(1), np.array([-1, 2])), "at least 0"),
    (lambda: ExponentialSelection(np.array([1 << 63], dtype=np.uint64), F(1)), "2\\^62"),
    (lambda: uniform_below([0], seeded(1)), "n >= 1"),
]


@pytest.mark.parametrize(("make", "word"), REFUSED)
def test_what_is_no_choice_is_refused(make: Any, word: str) -> None:
    with pytest.raises(SpecError, match=word):
        make()
