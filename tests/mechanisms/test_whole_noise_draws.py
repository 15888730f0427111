"""Draws of discrete noise: quick comparisons against exact ones, fits to the enclosed law, a published sampler, overflow."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from flint import arb, ctx
from scipy import stats

from noiseproof.mechanisms.grid_noise import secure_bits, seeded_bits
from noiseproof.mechanisms.grid_noise.secure_bits import Bits, Words
from noiseproof.mechanisms.whole_noise import DiscreteGaussian, DiscreteLaplace, DiscreteNoise
from noiseproof.mechanisms.whole_noise.blocks import Blocks, blocks
from noiseproof.mechanisms.whole_noise.comparison import Uniform, decided

F = Fraction
ALPHA = 1e-6  # of each statistical test: about thirty of them raise a false alarm once in 30,000 seeds
NOISES: list[DiscreteNoise] = [
    DiscreteGaussian(F(1, 16)),
    DiscreteGaussian(F(7, 5)),
    DiscreteGaussian(F(127**2)),
    DiscreteGaussian(F(128**2)),
    DiscreteGaussian(F(10**7, 3)),
    DiscreteGaussian(F(1 << 80)),
    DiscreteLaplace(F(1, 16)),
    DiscreteLaplace(F(5, 3)),
    DiscreteLaplace(F(128)),
    DiscreteLaplace(F(10**5, 7)),
    DiscreteLaplace(F(1 << 40)),
]


def seeded(seed: int) -> Bits:
    return seeded_bits(np.random.default_rng(seed))


def scripted(*words: int) -> Bits:
    """These words in their order; StopIteration beyond them."""
    source: Iterator[int] = iter(words)
    return lambda size: np.array([next(source) for _ in range(size)], dtype=np.uint64)


def cells(noise: DiscreteNoise, count: int) -> list[int]:
    """Ends of cells of about equal mass, symmetric around 0, as distances: (-m, m] and so on."""
    return sorted({noise.half_width(F(i, count)) for i in range(1, count)})


@pytest.mark.parametrize("noise", NOISES, ids=str)
def test_draws_fit_the_enclosed_law(noise: DiscreteNoise) -> None:
    size = 40_000
    x = noise.draw(size, seeded(1))
    ends = cells(noise, 40)
    within = np.array([0.0, *(float(noise.within(m).mid()) for m in ends), 1.0])
    expected = size * np.diff(within)
    found = np.bincount(np.searchsorted(ends, np.abs(x), side="left"), minlength=len(expected))
    keep = expected >= 5
    assert expected[~keep].sum() < 40
    assert stats.poisson.sf(found[~keep].sum() - 1, expected[~keep].sum()) > ALPHA
    if keep.sum() > 1:
        statistic = ((found - expected)[keep] ** 2 / expected[keep]).sum()
        assert stats.chi2.sf(statistic, keep.sum()) > ALPHA
    signs = int((x > 0).sum()), int((x != 0).sum())
    assert not signs[1] or stats.binomtest(signs[0], signs[1]).pvalue > ALPHA


@pytest.mark.parametrize("noise", [DiscreteGaussian(F(1 << 80)), DiscreteLaplace(F(1 << 40))], ids=str)
def test_low_bits_are_uniform(noise: DiscreteNoise) -> None:
    x = noise.draw(64_000, seeded(2))
    assert stats.chisquare(np.bincount(x & 31, minlength=32)).pvalue > ALPHA


@pytest.mark.parametrize("noise", NOISES, ids=str)
def test_quick_comparisons_are_those_of_exact_arithmetic(noise: DiscreteNoise) -> None:
    """The same words, compared by balls alone, name the same blocks and keep the same proposals."""
    made, bits = blocks(noise.rate, noise.power), seeded(3)
    words, size = bits(12), 200
    v, is_open = made.blocks_of(words)
    assert not is_open.any()
    assert v.tolist() == [made.block_exactly(Uniform(int(w), bits)) for w in words]
    v, _ = made.blocks_of(bits(size))
    u, words = bits(size) & np.uint64((1 << made.shift) - 1), bits(size)
    keep, is_open = made.kept(v, u, words)
    assert is_open.mean() < 0.01
    for i in np.flatnonzero(~is_open):
        assert keep[i] == made.kept_exactly(int(v[i]), int(u[i]), Uniform(int(words[i]), bits))


@pytest.mark.parametrize("noise", [n for n in NOISES if blocks(n.rate, n.power).shift], ids=str)
def test_bounds_of_what_is_kept_hold_the_exact_probability(noise: DiscreteNoise) -> None:
    made, rng = blocks(noise.rate, noise.power), np.random.default_rng(4)
    top = (1 << made.shift) - 1
    v = rng.integers(0, len(made.edges), 150)
    u = rng.integers(0, top, 150, endpoint=True).astype(np.uint64)
    u[:40], v[:20] = top, 0
    low, high, known = made._bounds(v.astype(np.uint64), u)
    assert known.all()
    assert (high - low).max() < 1 << 9
    with ctx.workprec(128):
        for i in range(150):
            start = int(v[i]) << made.shift
            x = made.rate * ((start + int(u[i])) ** noise.power - start**noise.power)
            chance = arb(2) ** 31 * (-arb(x.numerator) / x.denominator).exp()
            assert int(low[i]) <= chance <= int(high[i])


@pytest.mark.parametrize("noise", NOISES, ids=str)
def test_the_table_holds_the_probabilities_of_the_blocks(noise: DiscreteNoise) -> None:
    """From the enclosed law: block v has f(t v) / sum f(t w), which ratios of masses give."""
    made = blocks(noise.rate, noise.power)
    with ctx.workprec(256):
        weights = [noise.mass(v << made.shift) for v in range(2 * len(made.edges) + 50)]
        total = sum(weights, arb(0))
        below = arb(0)
        for edge, weight in zip(made.edges[:50].tolist(), weights, strict=False):
            below += weight
            assert abs(arb(2) ** 64 * below / total - arb(edge) - arb(1) / 2) < 0.5001


def test_a_word_at_an_edge_takes_more_words() -> None:
    made = blocks(DiscreteGaussian(2).rate, 2)
    edge = int(made.edges[0])
    v, is_open = made.blocks_of(np.array([edge - 1, edge, edge + 1], dtype=np.uint64))
    assert v[[0, 2]].tolist() == [0, 1]
    assert is_open.tolist() == [False, True, False]
    with ctx.workprec(400):
        weights = [(-arb(k * k) / 4).exp() for k in range(80)]
        exact = int((arb(2) ** 128 * weights[0] / sum(weights, arb(0))).floor().unique_fmpz())
    assert exact >> 64 == edge
    further = exact & ((1 << 64) - 1)
    for offset, block in ((-1, 0), (1, 1)):
        assert made.block_exactly(Uniform(edge, scripted(further + offset))) == block
    # The second word is at the edge as well: a third one decides.
    assert made.block_exactly(Uniform(edge, scripted(further, 0))) == 0
    assert made.block_exactly(Uniform(edge, scripted(further, (1 << 64) - 1))) == 1


def test_words_beyond_the_table_reach_into_the_tail() -> None:
    made = blocks(DiscreteLaplace(3).rate, 1)
    last = (1 << 64) - 1
    assert made.blocks_of(np.array([last], dtype=np.uint64))[1].all()
    # P(block >= v) = e^(-v/3): 2^-128 of the mass lies beyond 3 * 128 log 2.
    v = made.block_exactly(Uniform(last, scripted(last, 0)))
    assert v == pytest.approx(3 * 128 * math.log(2), abs=1)


def test_draws_from_scripted_words() -> None:
    top = 1 << 63
    noise = DiscreteLaplace(3)
    edge = int(blocks(noise.rate, 1).edges[0])
    # Proposals: block words, then words of signs; minus zero is refused, and one more proposal is asked for.
    assert noise.draw(3, scripted(0, edge + 1, edge - 1, 0, top, top, 7, 0)).tolist() == [0, -1, 0]


def test_a_source_that_repeats_one_word_is_found_out() -> None:
    ones: Bits = lambda size: np.full(size, (1 << 64) - 1, dtype=np.uint64)  # noqa: E731
    with pytest.raises(RuntimeError, match="broken"):
        DiscreteGaussian(2).draw(1, ones)


def test_numbers_beyond_64_bits_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    noise = DiscreteLaplace(1 << 40)
    monkeypatch.setattr(Blocks, "block_exactly", lambda self, uniform: 1 << 29)
    with pytest.raises(OverflowError, match="nothing was released"):
        noise.draw(1, scripted((1 << 64) - 1, 0))


def test_answers_that_are_open_are_asked_again_with_more_places() -> None:
    asked: list[tuple[int, int]] = []

    def answer(known: int, places: int) -> str | None:
        asked.append((known, places))
        return "third" if places == 192 else None

    assert decided(Uniform(5, scripted(6, 7)), answer) == "third"
    assert asked == [(5, 64), ((5 << 64) + 6, 128), ((5 << 128) + (6 << 64) + 7, 192)]


@pytest.mark.parametrize("noise", NOISES, ids=str)
def test_the_same_seed_gives_the_same_draws(noise: DiscreteNoise) -> None:
    a, b, c = (noise.draw(200, seeded(seed)) for seed in (5, 5, 6))
    assert a.dtype == np.int64
    assert (a == b).all()
    assert (a != c).any() or noise.variance() < 1e-3
    assert noise.draw(0, seeded(5)).shape == (0,)
    assert noise.draw(100, secure_bits()).shape == (100,)


class Published:
    """Algorithms 1 to 3 of Canonne, Kamath and Steinke (2020), as they are printed: with fractions, one draw at a time."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def bernoulli(self, p: Fraction) -> bool:
        return self.random.randrange(p.denominator) < p.numerator

    def bernoulli_exp(self, gamma: Fraction) -> bool:
        while gamma > 1:
            if not self.bernoulli_exp(F(1)):
                return False
            gamma -= 1
        k = 1
        while self.bernoulli(gamma / k):
            k += 1
        return k % 2 == 1

    def laplace(self, t: int) -> int:
        while True:
            u = self.random.randrange(t)
            if not self.bernoulli_exp(F(u, t)):
                continue
            v = 0
            while self.bernoulli_exp(F(1)):
                v += 1
            negative = self.bernoulli(F(1, 2))
            if negative and u + t * v == 0:
                continue
            return -(u + t * v) if negative else u + t * v

    def gaussian(self, variance: Fraction) -> int:
        t = math.isqrt(int(variance)) + 1
        while True:
            y = self.laplace(t)
            if self.bernoulli_exp((abs(y) - variance / t) ** 2 / (2 * variance)):
                return y


@pytest.mark.parametrize("noise", [DiscreteGaussian(F(20)), DiscreteLaplace(F(4))], ids=str)
def test_draws_agree_with_the_published_sampler(noise: DiscreteGaussian | DiscreteLaplace) -> None:
    published = Published(8)
    draw = (
        (lambda: published.gaussian(noise.proxy))
        if isinstance(noise, DiscreteGaussian)
        else (lambda: published.laplace(4))
    )
    theirs, ours = np.array([draw() for _ in range(3_000)]), noise.draw(60_000, seeded(9))
    reach = noise.half_width("0.995")
    table = [np.bincount(np.clip(x, -reach, reach) + reach, minlength=2 * reach + 1) for x in (theirs, ours)]
    assert stats.chi2_contingency(np.array(table)).pvalue > ALPHA


@pytest.mark.parametrize("factor", [F(11, 10), F(10, 11)])
@pytest.mark.parametrize("noise", [DiscreteGaussian(F(1 << 30)), DiscreteLaplace(F(1 << 15))], ids=str)
def test_the_fit_falls_for_a_parameter_that_is_ten_per_cent_off(
    noise: DiscreteNoise, factor: Fraction
) -> None:
    other = DiscreteGaussian(noise.proxy * factor) if isinstance(noise, DiscreteGaussian) else None
    other = other or DiscreteLaplace(noise.scale * factor)  # type: ignore[attr-defined]
    inside = int((np.abs(other.draw(40_000, seeded(10))) <= noise.half_width("0.5")).sum())
    assert stats.binomtest(inside, 40_000, float(noise.within(noise.half_width("0.5")).mid())).pvalue < ALPHA


def test_a_hundred_thousand_draws_use_about_three_words_each() -> None:
    used = 0
    source = seeded(11)

    def counting(size: int) -> Words:
        nonlocal used
        used += size
        return source(size)

    DiscreteGaussian(1 << 60).draw(100_000, counting)
    assert 300_000 <= used < 310_000
