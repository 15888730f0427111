"""Scores: each finds what it is for, says nothing where there is nothing, and judges foreign structures by their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from noiseproof.audit.trial.attack.read import placed_score
from noiseproof.audit.trial.attack.scores import (
    LEARNT,
    Score,
    Steps,
    any_order,
    atom_score,
    kind_scores,
    law_score,
    linear_score,
    step_score,
    sum_score,
    tree_score,
    usual_kind,
)
from noiseproof.audit.trial.outcomes import Outcomes, canonical, distinct, join, of_distinct

Floats = NDArray[np.float64]
Draw = Callable[[int, int, np.random.Generator], Any]


def sample(draw: Draw, size: int, seed: int = 0) -> list[Outcomes]:
    """`size` outcomes at input 0 and at input 1."""
    rng = np.random.default_rng(seed)
    return [canonical(draw(x, size, rng), size) for x in (0, 1)]


def area(score: Score | None, fresh: list[Outcomes]) -> float:
    """The probability that a fresh outcome of input 1 is scored above one of input 0, ties counted half."""
    assert score is not None
    zero, one = (score.of(s) for s in fresh)
    assert zero.shape == (len(fresh[0]),)
    assert np.all(np.isfinite(zero))
    assert np.all(np.isfinite(one))
    return float(stats.mannwhitneyu(one, zero).statistic / (len(zero) * len(one)))


def bounded(x: int, size: int, rng: np.random.Generator) -> Floats:
    """Many features, each a sign that leans towards its input, times a magnitude that says nothing and has wild tails."""
    signs = np.where(rng.random((size, 30)) < (0.6 if x else 0.4), 1.0, -1.0)
    return signs * np.exp(2 * rng.normal(size=(size, 30)))


def histogram(x: int, size: int, rng: np.random.Generator) -> Floats:
    """Counts in which the same value is likelier on one input in some columns and on the other in others."""
    p = np.where(np.arange(8) % 2 == x, 0.5, 0.3)
    return np.where(rng.random((size, 8)) < p, 2.0, rng.integers(0, 2, (size, 8)) * 4.0)


def chessboard(x: int, size: int, rng: np.random.Generator) -> Floats:
    """The signs of two numbers agree on input 1 more often than on input 0: no half-space tells anything."""
    signs = np.where(rng.random((size, 2)) < 0.5, 1.0, -1.0)
    agree = rng.random(size) < (0.9 if x else 0.1)
    signs[:, 1] = np.where(agree, signs[:, 0], -signs[:, 0])
    return signs * rng.exponential(size=(size, 2))


def ring(x: int, size: int, rng: np.random.Generator) -> Floats:
    """Numbers whose middle third is likelier on input 1."""
    return np.where(
        rng.random(size) < (0.6 if x else 0.2),
        rng.uniform(1, 2, size),
        rng.choice([0.0, 2.0], size) + rng.random(size),
    )


def bands(x: int, size: int, rng: np.random.Generator) -> Floats:
    """Numbers in (0, 8) whose odd unit intervals are likelier on input 1."""
    return 2 * rng.integers(0, 4, size) + (rng.random(size) < (0.75 if x else 0.25)) + rng.random(size)


def shift(x: int, size: int, rng: np.random.Generator) -> Floats:
    return rng.normal(0.4 * x, 1, (size, 3))


def test_steps_are_not_misled_by_wild_magnitudes() -> None:
    learning, fresh = sample(bounded, 3000), sample(bounded, 3000, seed=1)
    steps = area(step_score(*learning), fresh)
    assert steps > 0.93
    assert steps > area(linear_score(*learning), fresh)


def test_steps_see_values_that_repeat_and_that_no_order_shows() -> None:
    learning, fresh = sample(histogram, 3000), sample(histogram, 3000, seed=1)
    assert area(step_score(*learning), fresh) > 0.75


def test_steps_are_values_that_repeat_and_middles_of_the_rest() -> None:
    rng = np.random.default_rng(0)
    columns = [
        np.where(rng.random(4000) < 0.3, 7.0, rng.normal(size=4000)),
        rng.normal(5, 1, 4000),
        rng.integers(0, 3, 4000) * 1.0,
    ]
    values = np.column_stack(columns)
    steps = Steps.of(values)
    assert (0, 7.0) in zip(steps.columns, steps.atoms, strict=True)
    # The last of the values of a column with no others is what the others leave.
    assert sorted(c for c in steps.columns) == [0, 2, 2]
    assert steps.medians[0] == pytest.approx(0.0, abs=0.1)
    assert steps.medians[1] == pytest.approx(5.0, abs=0.1)
    assert np.isinf(steps.medians[2])
    features = steps.features(values)
    assert features.shape == (4000, 2 + 3)
    assert set(np.unique(features)) == {0.0, 1.0}
    # Beyond 0, where every 7 and half of the others lie; beyond 5; and the 7 themselves.
    assert features[:, :3].mean(axis=0) == pytest.approx([0.65, 0.5, 0.3], abs=0.05)


@pytest.mark.parametrize(
    "draw",
    [
        lambda x, n, r: r.normal(x, 1, n),
        lambda x, n, r: r.integers(0, 2, (n, 6)) * 1.0,
        lambda x, n, r: np.zeros((n, 3)),
    ],
    ids=["one column", "two values per column", "constants"],
)
def test_steps_that_say_no_more_than_the_numbers_are_left_out(draw: Draw) -> None:
    assert step_score(*sample(draw, 500)) is None


def test_trees_find_what_no_half_space_shows() -> None:
    for draw, best in ((chessboard, 0.85), (ring, 0.65)):
        learning, fresh = sample(draw, 4000), sample(draw, 4000, seed=1)
        assert area(tree_score(*learning), fresh) > best
    learning, fresh = sample(chessboard, 4000), sample(chessboard, 4000, seed=1)
    assert abs(area(linear_score(*learning), fresh) - 0.5) < 0.05


def test_a_forest_builds_on_the_linear_score() -> None:
    def both(x: int, size: int, rng: np.random.Generator) -> Floats:
        return np.column_stack([bands(x, size, rng), shift(x, size, rng)])

    learning, fresh = sample(both, 25_000), sample(both, 4000, seed=1)
    base = linear_score(*learning)
    assert area(tree_score(*learning, base), fresh) > area(base, fresh) + 0.06


def test_too_little_to_learn_from_gives_no_tree() -> None:
    assert tree_score(*sample(shift, 150)) is None
    assert tree_score(*sample(lambda x, n, r: ["yes", "no"] * (n // 2), 2)) is None


@pytest.mark.filterwarnings("error")
def test_trees_take_numbers_whose_sum_is_beyond_single_precision() -> None:
    zero, one = sample(lambda x, n, r: 1e300 * (1 + x) * r.standard_cauchy(n)[:, None], 2_000)
    assert tree_score(zero, one) is not None


def test_a_sum_adds_up_two_scores_and_teaches_both_again() -> None:
    def mixed(x: int, size: int, rng: np.random.Generator) -> Floats:
        return np.column_stack([bounded(x, size, rng)[:, :10], shift(x, size, rng)])

    learning, fresh = sample(mixed, 2000), sample(mixed, 2000, seed=1)
    linear, steps = linear_score(*learning), step_score(*learning)
    both = sum_score(linear, steps)
    assert both is not None
    assert linear is not None
    assert steps is not None
    assert both.of(fresh[0]) == pytest.approx(linear.of(fresh[0]) + steps.of(fresh[0]))
    assert area(both, fresh) > max(area(linear, fresh), area(steps, fresh)) - 0.005
    assert both.learn is not None
    again = both.learn(*learning)
    assert again is not None
    assert np.array_equal(again.of(fresh[1]), both.of(fresh[1]))
    assert sum_score(None, steps) is None
    assert sum_score(linear, None) is None


@pytest.mark.parametrize(
    "taught", [linear_score, step_score, tree_score, atom_score], ids=lambda f: f.__name__
)
def test_learning_twice_gives_the_same_score(taught: Callable[..., Score | None]) -> None:
    learning, fresh = sample(histogram, 2000), sample(histogram, 100, seed=1)
    one, two = taught(*learning), taught(*learning)
    assert one is not None
    assert two is not None
    assert np.array_equal(one.of(fresh[0]), two.of(fresh[0]))


@pytest.mark.parametrize("taught", [linear_score, step_score, tree_score], ids=lambda f: f.__name__)
def test_scores_of_nothing_are_worth_nothing_on_fresh_outcomes(taught: Callable[..., Score | None]) -> None:
    learning = sample(lambda x, n, r: r.normal(size=(n, 4)), 3000)
    fresh = sample(lambda x, n, r: r.normal(size=(n, 4)), 5000, seed=1)
    assert abs(area(taught(*learning), fresh) - 0.5) < 0.03


SCORES: dict[str, Callable[[Outcomes, Outcomes], Score | None]] = {
    "linear": linear_score,
    "steps": step_score,
    "trees": tree_score,
    "atoms": atom_score,
    "sum": lambda zero, one: sum_score(linear_score(zero, one), step_score(zero, one)),
}


@pytest.mark.parametrize("name", SCORES)
def test_exceptions_and_other_structures_are_scored_by_how_often_they_occur(name: str) -> None:
    def failing(x: int, size: int, rng: np.random.Generator) -> list[Any]:
        rows = np.column_stack([np.round(rng.normal(size=(size, 2)), 1), rng.normal(size=size)])
        return [
            ValueError("x") if u < (0.4 if x else 0.05) else tuple(row)
            for u, row in zip(rng.random(size), rows.tolist(), strict=True)
        ]

    learning = sample(failing, 3000)
    score = SCORES[name](*learning)
    assert score is not None
    fresh = canonical([ValueError("y"), (0.1, 0.2, 0.3), KeyError("new"), None], 4)
    failed, value, *unseen = score.of(fresh)
    # A sum counts the evidence twice, for all outcomes alike.
    assert failed == pytest.approx(np.log(0.4 / 0.05) * (2 if name == "sum" else 1), abs=0.5)
    assert failed > value
    assert unseen == [0.0, 0.0]


@pytest.mark.parametrize("name", SCORES)
def test_outcomes_of_another_width_are_scored_all_the_same(name: str) -> None:
    score = SCORES[name](*sample(histogram, 1000))
    assert score is not None
    for width in (1, 8, 11):
        assert np.all(np.isfinite(score.of(canonical(np.zeros((5, width)), 5))))


def test_log_count_ratios_of_structures_that_occur_twice() -> None:
    zero = canonical([None, None, None, 1.0], 4)
    one = canonical([None, 1.0, 1.0, "once"], 4)
    found = kind_scores(zero, one)
    assert set(found) == {"None", "number"}
    assert found["None"] == pytest.approx(np.log(1.5 / 3.5))
    assert found["number"] == pytest.approx(np.log(2.5 / 1.5))
    assert usual_kind([zero, one]) == "None"


def test_repeated_outcomes_are_scored_by_their_counts_others_by_their_structure() -> None:
    zero = canonical([1.0, 1.0, 1.0, 2.0, 2.0, 3.0, None, None], 8)
    one = canonical([1.0, 2.0, 2.0, 2.0, 2.0, 4.0, 5.0, None], 8)
    score = atom_score(zero, one)
    assert score is not None
    known, more, unseen, none = score.of(canonical([1.0, 2.0, 9.0, None], 4))
    assert known == pytest.approx(np.log(1.5 / 3.5))
    assert more == pytest.approx(np.log(4.5 / 2.5))
    assert unseen == pytest.approx(np.log(7.5 / 6.5))
    assert none == pytest.approx(np.log(1.5 / 2.5))


def test_a_law_scores_by_its_privacy_loss_and_outcomes_off_its_support_by_who_makes_them() -> None:
    def log_density(y: Floats, x: Any) -> Floats:
        with np.errstate(divide="ignore"):
            return np.log(np.where(np.abs(y[:, 0] - x) <= 1, 0.5, 0.0))

    usual = canonical(np.array([-0.5, 0.5, 1.5, 9.0]), 4)
    score = law_score(log_density, (0.0, 1.0), usual.kinds.names[0], 1)
    only_zero, both, only_one, neither = score.of(usual)
    assert only_zero < both == 0.0 < only_one
    assert neither == 0.0
    assert score.doubt < LEARNT < (tree_score(*sample(shift, 500)) or score).doubt


def test_any_order_ties_equal_outcomes_only() -> None:
    rows = [1.0, 2.0, None, "a", "b", (1.0, 2.0), 1.0, None]
    scores = any_order().of(canonical(rows, len(rows)))
    assert len(set(scores.tolist())) == 6
    assert scores[0] == scores[6]
    assert scores[2] == scores[7]
    assert any_order().of(join([canonical([1.0], 1), canonical([(3.0, 4.0)], 1)]))[0] == scores[0]


def test_equal_outcomes_are_scored_once_and_weigh_what_they_are() -> None:
    few = sample(lambda x, n, r: r.random((n, 6)) < 0.4 + 0.1 * x, 4_000)
    assert distinct(few[0]) is not None
    # A column of noise makes every outcome another, and says nothing.
    other = sample(lambda x, n, r: np.column_stack([r.random((n, 6)) < 0.4 + 0.1 * x, np.zeros(n)]), 4_000)
    many = [
        Outcomes(s.values + np.eye(7)[6] * np.random.default_rng(5).random(len(s))[:, None], s.kinds)
        for s in other
    ]
    assert distinct(many[0]) is None
    for teach in (atom_score, linear_score, tree_score):
        score = teach(*few)
        assert score is not None
        assert of_distinct(score.of, few[1]) == pytest.approx(score.of(few[1]))
    a, b = linear_score(*few), linear_score(*many)
    assert a is not None
    assert b is not None
    assert np.corrcoef(a.of(few[1]), b.of(many[1]))[0, 1] > 0.99


def test_what_steps_see_together_is_not_counted_one_by_one() -> None:
    def draw(x: int, n: int, r: np.random.Generator) -> Floats:
        out = r.integers(-1, 2 + x, (n, 8)).clip(max=1).astype(float)
        out[: n // 250 * x, 3] = 7.0
        return np.column_stack([out, r.random(n)])

    both, fresh = sample(draw, 5_000), sample(draw, 5_000, 1)
    every, rare = placed_score(*both), placed_score(*both, usual=False)
    assert every is not None
    assert rare is not None
    assert area(every, fresh) > 0.7
    hit = fresh[1].values[:, 3] == 7.0
    assert rare.of(fresh[1])[hit].min() > rare.of(fresh[1])[~hit].max()
    assert placed_score(*sample(lambda x, n, r: r.integers(-1, 2 + x, (n, 8)), 5_000), usual=False) is None
