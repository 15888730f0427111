"""Choices of groups for several levels at once: costs against linear programs, the law against enumeration, draws, the mechanism."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise, product
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx
from scipy import optimize, stats

import noiseproof as npf
from noiseproof import SpecError
from noiseproof.mechanisms.grid_noise import seeded_bits
from noiseproof.mechanisms.grid_noise.secure_bits import Bits
from noiseproof.mechanisms.whole_noise import ExponentialSelection, JointChoice, JointChoiceMechanism, Levels
from noiseproof.mechanisms.whole_noise.cuts import Cuts, extreme_costs, furthest_costs
from noiseproof.mechanisms.whole_noise.joint_law import JointOutcome
from noiseproof.mechanisms.whole_noise.joint_sums import Falling, Rising

F = Fraction
ALPHA = 1e-6  # of each statistical test: a few dozen of them


def seeded(seed: int) -> Bits:
    return seeded_bits(np.random.default_rng(seed))


def levels(*texts: str) -> Levels:
    return Levels.of(map(F, texts))


def choices(groups: int, m: int) -> list[tuple[int, ...]]:
    return list(combinations_with_replacement(range(groups), m))


def costs(counts: Sequence[int], at: Levels) -> np.ndarray:
    cuts = Cuts(np.array(counts), at)
    return cuts.costs(cuts.span_of(np.array(choices(len(counts), len(at.places)))))


def by_program(counts: Sequence[int], at: Levels, chosen: Sequence[int]) -> float:
    """b times the least sum of |t_j - t_(j-1) - w_j n| over cuts t_j inside the chosen groups, by a linear program."""
    n, upto, m = sum(counts), np.cumsum(counts), len(chosen)
    rows, ends = [], []
    for j, share in enumerate(at.shares):
        row, wanted = np.zeros(2 * m + 1), share / at.denominator * n - (n if j == m else 0)
        if j < m:
            row[j] += 1
        if j:
            row[j - 1] -= 1
        for sign in (1, -1):
            one = sign * row
            one[m + j] = -1
            rows.append(one)
            ends.append(sign * wanted)
    inside = [(upto[g] - counts[g], upto[g]) for g in chosen]
    found = optimize.linprog(
        [0] * m + [1] * (m + 1), A_ub=rows, b_ub=ends, bounds=[*inside, *[(0, None)] * (m + 1)]
    )
    return float(found.fun * at.denominator)


CASES: dict[str, tuple[list[int], Levels]] = {
    "one level": ([2, 0, 3, 0, 0, 1], levels("3/10")),
    "runs at the ends and between": ([0, 0, 2, 0, 0, 0, 3, 1, 0], levels("1/4", "1/2", "3/4")),
    "no record": ([0, 0, 0, 0], levels("1/4", "1/2", "3/4")),
    "one group": ([7], levels("1/4", "1/2")),
    "one group without records": ([0], levels("1/4", "1/2")),
    "all in one group": ([0, 9, 0, 0], levels("1/10", "1/2", "9/10")),
    "as many levels as groups": ([1, 4, 2, 3], levels("1/5", "2/5", "3/5", "4/5")),
    "levels near the ends": ([3, 0, 900, 2, 1], levels("1/1000", "1/2", "999/1000")),
    "odd levels": ([1, 2, 0, 4, 1], levels("1/3", "3/7")),
    "cuts at the ends of groups": ([5, 5, 0, 5, 5], levels("1/4", "1/2", "3/4")),
}


def by_signs(counts: Sequence[int], at: Levels, chosen: Sequence[int]) -> int:
    """The largest signed sum, over signs that are not all alike, of the best cuts: each cut lies at one end, by the step of the signs there."""
    n, b, upto = sum(counts), at.denominator, np.cumsum(counts)
    low = [b * int(upto[g] - counts[g]) - a * n for g, a in zip(chosen, at.places, strict=True)]
    high = [b * int(upto[g]) - a * n for g, a in zip(chosen, at.places, strict=True)]
    found = []
    for signs in product((-1, 1), repeat=len(chosen) + 1):
        steps = [x - y for x, y in pairwise(signs)]
        if any(steps):
            found.append(sum(s * (lo if s > 0 else hi) for s, lo, hi in zip(steps, low, high, strict=True)))
    return max(found)


@pytest.mark.parametrize("name", CASES)
def test_costs_are_those_of_the_best_cuts(name: str) -> None:
    counts, at = CASES[name]
    all_choices = choices(len(counts), len(at.places))
    found = costs(counts, at)
    assert found.tolist() == [by_signs(counts, at, c) for c in all_choices]
    assert found.min() <= 0
    some = np.random.default_rng(0).permutation(len(all_choices))[:40]
    assert np.maximum(found, 0)[some] == pytest.approx([by_program(counts, at, all_choices[i]) for i in some])


@pytest.mark.parametrize("epsilon", [F(1, 3), F(4)])
@pytest.mark.parametrize("name", CASES)
def test_the_law_is_that_of_all_choices(name: str, epsilon: Fraction) -> None:
    counts, at = CASES[name]
    choice = JointChoice(np.array(counts), at, epsilon, F(7, 2))
    weights = np.exp(-float(epsilon) / 7 * costs(counts, at))
    assert float(choice.total().mid()) == pytest.approx(weights.sum(), rel=1e-13)
    assert float(choice.total().rad()) < 1e-30 * weights.sum()
    law = JointOutcome(choice.cuts, float(choice.rate))
    every = np.array(choices(len(counts), len(at.places)), dtype=float)
    assert np.exp(law.log_density(every)) == pytest.approx(weights / weights.sum(), rel=1e-12, abs=1e-300)
    assert law.log_density(every[:, ::-1] + 0.5).tolist() == [-math.inf] * len(every)


@pytest.mark.parametrize("name", CASES)
def test_shares_of_states_are_those_of_all_choices(name: str) -> None:
    """Each step of a draw, in balls: the chances of a choice of spans multiply to its weight, to 1e-12."""
    counts, at = CASES[name]
    choice = JointChoice(np.array(counts), at, F(1), F(5))
    with ctx.workprec(128):
        found = {key: float(chance.mid()) for key, chance in _ways(choice, len(at.places), 0)}
    cuts = choice.cuts
    spans = cuts.span_of(np.array(choices(len(counts), len(at.places))))
    weights = np.exp(-float(choice.rate) * np.maximum(cuts.costs(spans), 0))
    expected: dict[tuple[int, ...], float] = {}
    for key, weight in zip(map(tuple, spans.tolist()), weights / weights.sum(), strict=True):
        expected[key] = expected.get(key, 0.0) + weight
    assert found.keys() == expected.keys()
    assert list(found.values()) == pytest.approx([expected[k] for k in found], rel=1e-12)


def _ways(choice: JointChoice, level: int, later: int) -> Iterator[tuple[tuple[int, ...], arb]]:
    """All choices of spans up to this level from which a state comes, with their chances given it; each comes by one path."""
    if level == 0:
        yield (), arb(1)
        return
    ways, number, total = choice._ways(level, later)
    several = list(ways)
    assert len(several) == number
    for state, weight in several:
        for key, chance in _ways(choice, level - 1, state):
            yield (*key, choice._forward()[level].span[state]), chance * weight / total


@pytest.mark.parametrize("name", CASES)
def test_draws_fit_the_law(name: str) -> None:
    counts, at = CASES[name]
    choice, size = JointChoice(np.array(counts), at, F(2), F(5)), 20_000
    places = {c: i for i, c in enumerate(choices(len(counts), len(at.places)))}
    drawn = choice.draw(size, seeded(1))
    found = np.bincount([places[tuple(row)] for row in drawn.tolist()], minlength=len(places))
    weights = np.exp(-float(choice.rate) * costs(counts, at))
    expected = size * weights / weights.sum()
    keep = expected >= 5
    if keep.sum() > 1:
        statistic = ((found - expected)[keep] ** 2 / expected[keep]).sum()
        assert stats.chi2.sf(statistic, keep.sum()) > ALPHA


def test_the_fit_falls_for_an_epsilon_that_is_a_fifth_off() -> None:
    counts, at = CASES["one level"]
    found = np.bincount(JointChoice(np.array(counts), at, F(6, 5), F(5)).draw(50_000, seeded(2))[:, 0])
    weights = np.exp(-costs(counts, at) / 10)
    assert stats.chisquare(found, 50_000 * weights / weights.sum()).pvalue < ALPHA


def test_one_level_is_the_choice_by_its_distance_in_ranks() -> None:
    """There and back, for twice the sensitivity: the mechanism that draws one quantile alone."""
    counts, at = np.array([3, 0, 4, 1, 0, 0, 2]), levels("3/10")
    upto = np.cumsum(counts)
    scores = -np.maximum(10 * (upto - counts) - 3 * 10, 3 * 10 - 10 * upto)
    alone = ExponentialSelection(scores, F(1), F(7)).probabilities()
    law = JointOutcome.of(counts, at, float(F(1) / (2 * 14)))
    assert np.exp(law.log_density(np.arange(7.0)[:, None])) == pytest.approx(alone, rel=1e-12)


def test_groups_in_their_other_order_have_the_law_of_the_other_levels() -> None:
    counts, at = CASES["runs at the ends and between"]
    every = np.array(choices(len(counts), 3), dtype=float)
    law, other = (JointOutcome.of(np.array(side), at, 0.1) for side in (counts, counts[::-1]))
    turned = (len(counts) - 1 - every)[:, ::-1]
    assert law.log_density(every) == pytest.approx(other.log_density(turned), rel=1e-12)


@pytest.mark.parametrize("name", CASES)
def test_outcomes_become_uniform(name: str) -> None:
    counts, at = CASES[name]
    law = JointOutcome.of(np.array(counts), at, 0.05)
    for y in (
        law.sample(4_000, np.random.default_rng(3)),
        JointChoice(np.array(counts), at, F(1), F(10)).draw(4_000, seeded(3)).astype(float),
    ):
        u = law.uniforms(y, np.random.default_rng(4))
        assert u.shape == y.shape
        assert min(stats.kstest(column, "uniform").pvalue for column in u.T) > ALPHA
        assert np.abs(np.corrcoef(u.T) - np.eye(u.shape[1])).max() < 5 / math.sqrt(4_000)
    assert law.uniforms_if_scaled(np.array([0.2, 0.7]), 1.0) == pytest.approx([0.2, 0.7])


def scripted(*words: int) -> Bits:
    source: Iterator[int] = iter(words)
    return lambda size: np.array([next(source) for _ in range(size)], dtype=np.uint64)


def test_a_word_at_an_edge_takes_more_words() -> None:
    """Two groups of one record that both hold the median: the edge is one half, which no number of bits leaves behind but the next one."""
    choice = JointChoice(np.array([1, 1]), levels("1/2"), F(1), F(2))
    near, far = (int(choice.draw(1, scripted(word))[0, 0]) for word in ((1 << 63) - 1, (1 << 63) + 1))
    assert {near, far} == {0, 1}
    assert choice.draw(1, scripted(1 << 63, 0, 1)).tolist() == [[far]]
    assert choice.draw(1, scripted(1 << 63, 5)).tolist() == [[far]]


def test_many_records_and_many_groups() -> None:
    """1e8 records in 4,096 groups, half of them empty, ten levels: a draw is near the true ranks."""
    rng = np.random.default_rng(4)
    counts = rng.integers(0, 100_000, 4_096) * (rng.random(4_096) < 0.5)
    at = Levels.of(F(i, 11) for i in range(1, 11))
    drawn = JointChoice(counts, at, F(1), F(2 * 10)).draw(1, seeded(5))[0]
    upto, n = np.cumsum(counts), counts.sum()
    for group, place in zip(drawn.tolist(), at.places, strict=True):
        wanted = place / 11 * n
        assert upto[group] - counts[group] - 2_000 <= wanted <= upto[group] + 2_000


def test_the_same_words_give_the_same_choices() -> None:
    counts, at = CASES["runs at the ends and between"]
    first, again, other = (
        JointChoice(np.array(counts), at, F(1), F(9)).draw(100, seeded(s)) for s in (6, 6, 7)
    )
    assert (first == again).all()
    assert (first != other).any()


def test_windows_are_summed_without_taking_away() -> None:
    """Both sums at points and ends that rise at random, against sums anew, to 1e-12."""
    rng = np.random.default_rng(8)
    at = np.sort(rng.integers(-50, 50, 60)).tolist()
    weight = [arb(int(w)) for w in rng.integers(1, 9, 60)]
    fall = lambda k: (-arb(k) / 7).exp()  # noqa: E731
    below, above = Rising(at, weight, fall), Falling(at, weight, fall)
    first = end = 0
    for point in range(-60, 60, 3):
        below_end = sum(s <= point for s in at)
        end = max(end, int(rng.integers(below_end, 61)))
        first = max(first, sum(s < point for s in at))
        end = max(end, first)
        for found, several in (
            (below.upto(below_end, point), range(below_end)),
            (above.over(first, end, point), range(first, end)),
        ):
            truth = sum(float(weight[i].mid()) * math.exp(-abs(at[i] - point) / 7) for i in several)
            assert float(found.mid()) == pytest.approx(truth, rel=1e-12)


# --- how far neighbours are apart ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "at", [levels("1/2"), levels("1/10", "1/2"), levels("1/4", "1/2", "3/4"), levels("1/1000", "999/1000")]
)
def test_the_choice_that_moves_most_is_found_and_the_bound_reached_by_no_more(at: Levels) -> None:
    rng = np.random.default_rng(9)
    b = at.denominator
    bounds = {"add": 2 * (b - min(at.shares)), "replace": 2 * b}
    largest = dict.fromkeys(bounds, 0)
    for _ in range(250):
        groups = int(rng.integers(1, 6))
        base = rng.integers(0, 5, groups) * (rng.random(groups) < 0.6) * int(rng.choice([1, 1, 20]))
        more, other = base.copy(), base.copy()
        more[rng.integers(groups)] += 1
        other[rng.integers(groups)] += 1
        for kind, (one, two) in {"add": (base, more), "replace": (more, other)}.items():
            moved = costs(two, at) - costs(one, at)
            (up, up_to), (down, down_to) = extreme_costs(one, two, at)
            assert (up_to - up, down_to - down) == (moved.max(), moved.min())
            first, second = furthest_costs(one, two, at)
            assert abs(first - second) == np.abs(moved).max()
            largest[kind] = max(largest[kind], int(np.abs(moved).max()))
    assert all(largest[kind] == bound for kind, bound in bounds.items())


def mechanism(sensitivity: int = 6) -> JointChoiceMechanism:
    return JointChoiceMechanism([4, 0, 0, 0, 4], [4, 0, 1, 0, 4], levels("1/4", "1/2", "3/4"), 2, sensitivity)


def test_its_law_is_proved_and_half_of_its_epsilon_refuted() -> None:
    made = mechanism()
    least = float(made.worst_case().pair.max_loss().evalf())
    assert 0.5 < least <= 2
    claims = [npf.PureDP(2.0), npf.PureDP(0.99 * least), npf.ZeroConcentratedDP(0.5)]
    found = npf.examine(made, [npf.Claim(c, about="law") for c in claims]).findings
    assert [f.verdict.name for f in found] == ["PROVED", "REFUTED", "PROVED"]


def test_its_code_survives_and_less_noise_falls() -> None:
    made = mechanism()
    control = npf.Claim(npf.PureDP(2.0), made.with_noise_divided_by(4), expect="falls")
    found = npf.examine(made, [npf.PureDP(2.0), control], samples=10_000).findings
    assert [f.verdict.name for f in found] == ["SURVIVED", "REFUTED"]


class Swapped(JointChoiceMechanism):
    """Draws for the shares between levels in the wrong order."""

    def choice(self, data: Any) -> JointChoice:
        return JointChoice(np.asarray(data), levels("1/2", "3/4", "9/10"), self.epsilon, self.sensitivity)


def test_code_for_other_shares_falls() -> None:
    made = Swapped([4, 0, 0, 0, 4], [4, 0, 1, 0, 4], levels("1/4", "1/2", "3/4"), F(2), F(6))
    (found,) = npf.examine(made, [npf.PureDP(2.0)], samples=10_000).findings
    assert found.verdict.name == "REFUTED"


REFUSED: list[tuple[Any, str]] = [
    (lambda: levels(), "rising fractions"),
    (lambda: levels("1/2", "1/2"), "rising fractions"),
    (lambda: levels("1/2", "1"), "rising fractions"),
    (lambda: levels("1/997", "1/991", "1/3"), "common denominator"),
    (lambda: JointChoice(np.array([-1, 2]), levels("1/2"), F(1), F(2)), "whole numbers >= 0"),
    (lambda: JointChoice(np.array([0.5]), levels("1/2"), F(1), F(2)), "whole numbers >= 0"),
    (lambda: JointChoice(np.array([1 << 60]), levels("1/2"), F(1), F(2)), "so few"),
    (lambda: JointChoice(np.array([1]), levels("1/2"), F(0), F(2)), "epsilon must be above 0"),
    (lambda: mechanism(sensitivity=1), "differ by at most the sensitivity"),
    (lambda: JointChoiceMechanism([1], [1, 2], levels("1/2"), 1, 2), "the same number of groups"),
    (
        lambda: JointOutcome.of(np.ones(100, dtype=int), levels("1/4", "1/2", "3/4"), 1.0).costs,
        "at most 20,000 choices",
    ),
]


@pytest.mark.parametrize(("make", "word"), REFUSED)
def test_what_is_no_choice_is_refused(make: Any, word: str) -> None:
    with pytest.raises(SpecError, match=word):
        make()
