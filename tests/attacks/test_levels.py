"""What scores are taken to say, and what is bet on it: true to the law where there is data, cautious where there is none."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special, stats

from noiseproof.audit.trial.attack.events import Candidates
from noiseproof.audit.trial.attack.levels import Levels, averaged, calibrated
from noiseproof.audit.trial.attack.portfolio import EventBet, GradedBet, Portfolio, placed
from noiseproof.audit.trial.attack.scores import LAWFUL, Score, Taught
from noiseproof.audit.trial.outcomes import Grid, Kinds, Outcomes, join

THRESHOLDS = np.linspace(-4, 5, 400)


def normal_levels(size: float) -> Levels:
    """Of N(0, 1) and N(1, 1), whose log-likelihood ratio at y is y - 1/2, from expected counts of so many outcomes."""
    return Levels.of(
        THRESHOLDS, size * stats.norm.sf(THRESHOLDS), size * stats.norm.sf(THRESHOLDS - 1), size, size
    )


def reals(values: np.ndarray) -> Outcomes:
    return Outcomes(values[:, None].astype(float), Kinds.same("float", len(values)))


def test_levels_say_what_the_law_says_and_less_from_few_outcomes() -> None:
    many, few = normal_levels(1e7), normal_levels(200.0)
    ends = np.concatenate([[-np.inf], many.thresholds, [np.inf]])
    p, q = np.diff(stats.norm.cdf(ends - 1)), np.diff(stats.norm.cdf(ends))
    assert np.allclose(many.log_ratio, np.log(p / q), atol=0.02)
    assert np.allclose(many.share, 0.5 * (p + q), rtol=1e-6)
    assert np.all(np.diff(many.thresholds) > 0)
    assert len(few.share) < len(many.share)
    assert np.abs(few.log_ratio).max() < np.abs(many.log_ratio).max()
    assert np.all(few.share * 400 >= 7.9)


def test_the_curve_is_believed_far_out_where_counts_are_noisy() -> None:
    """The error of the log ratio in the upper five percent, against that of the bare counts."""
    rng, mine, counts = np.random.default_rng(0), [], []
    for _ in range(40):
        y0, y1 = np.sort(rng.normal(0, 1, 1000)), np.sort(rng.normal(0.3, 1, 1000))
        k0, k1 = ((1000 - np.searchsorted(y, THRESHOLDS)).astype(float) for y in (y0, y1))
        levels = Levels.of(THRESHOLDS, k0, k1, 1000, 1000)
        far = levels.thresholds[:-1] > 1.7
        middle = 0.5 * (levels.thresholds[1:] + levels.thresholds[:-1])[far]
        truth = 0.3 * middle - 0.045
        a, b = (k[np.searchsorted(THRESHOLDS, levels.thresholds)] for k in (k0, k1))
        bare = np.log((-np.diff(b)[far] + 0.5) / (-np.diff(a)[far] + 0.5))
        mine += np.abs(levels.log_ratio[1:-1][far] - truth).tolist()
        counts += np.abs(bare - truth).tolist()
    assert np.median(mine) < 0.5 * np.median(counts)


def test_a_curve_that_is_wrong_gives_way_to_the_counts() -> None:
    # A jump in the middle of the ranks that no cubic follows.
    rank = np.linspace(1, 0, 402)[1:-1]
    bumps = np.where((rank > 0.45) & (rank < 0.55), 3.0, 1.0)
    weight = np.concatenate([bumps, [1.0]])
    k1 = 1e6 * (1 - np.cumsum(weight) / weight.sum())[: len(rank)]
    levels = Levels.of(np.arange(400.0), 1e6 * rank, k1, 1e6, 1e6)
    middle = levels.log_ratio[np.abs(np.cumsum(levels.share) - 0.5) < 0.06]
    assert middle.max() > 0.8 * np.log(3 / (weight.mean()))


def test_a_level_says_a_quarter_of_a_standard_deviation_less_than_its_counts() -> None:
    k0, k1 = 9.8e6, 2e5
    levels = Levels.of(np.array([0.5]), np.array([k0]), np.array([k1]), 1e8, 1e8)
    less = np.log(k0 / k1) + levels.log_ratio[-1]
    assert less == pytest.approx(0.25 * np.sqrt(1 / k0 + 1 / k1), rel=0.05)


@pytest.mark.parametrize("n0", [1000.0, 4000.0])
def test_sizes_of_the_samples_do_not_matter(n0: float) -> None:
    levels = Levels.of(
        THRESHOLDS, n0 * stats.norm.sf(THRESHOLDS), 1000 * stats.norm.sf(THRESHOLDS), n0, 1000.0
    )
    assert np.abs(levels.log_ratio).max() < 0.02


def test_one_threshold_is_enough_and_nothing_ends_in_infinity() -> None:
    for k0, k1 in ((0.0, 16.0), (8.0, 8.0), (0.0, 0.0), (16.0, 16.0), (1.0, 16.0)):
        levels = Levels.of(np.array([0.5]), np.array([k0]), np.array([k1]), 16.0, 16.0)
        assert np.isfinite(levels.log_ratio).all()
        assert levels.share.sum() == pytest.approx(1)
    assert levels.at(np.array([0.4, 0.5, 0.6])).tolist() == [0, 0, 1]


def test_a_law_speaks_for_levels_that_nobody_saw() -> None:
    levels = normal_levels(100.0).beyond(3.0, 200.0)
    assert np.all(np.diff(levels.thresholds) > 0)
    assert levels.log_ratio[-1] == levels.thresholds[-1] == 7.0
    assert levels.log_ratio[0] == levels.thresholds[0] == -7.0
    assert levels.share.sum() == pytest.approx(1)
    assert len(levels.log_ratio) == len(levels.share) == len(levels.thresholds) + 1
    # What lies beyond the last threshold that was seen still means what it meant, up to the first step of the law.
    seen = normal_levels(100.0)
    assert levels.log_ratio[levels.at(np.array([3.01]))] == seen.log_ratio[-1]


def scores_of(size: int, seed: int) -> tuple[list[Taught], Candidates, list[Outcomes]]:
    rng = np.random.default_rng(seed)
    value = Score("value", lambda o: o.values[:, 0])
    noisy = Score("noisy", lambda o: o.values[:, 0] + np.random.default_rng(1).normal(size=len(o)))
    both = [reals(rng.normal(x, 1, size)) for x in (0, 1)]
    folds = [[s[: size // 2] for s in both], [s[size // 2 :] for s in both]]
    scores = [(value, Score("value", value.of)), (noisy, Score("noisy", noisy.of))]
    return scores, Candidates.of(scores, folds), both


def test_an_average_of_scores_lies_between_them() -> None:
    scores, candidates, both = scores_of(4000, 0)
    parts = [
        (scores[i][0], calibrated(candidates, i, candidates.threshold[candidates.score == i], 1.0))
        for i in (0, 1)
    ]
    made = averaged(parts, both)
    assert made is not None
    score, levels = made
    said = score.of(both[1])
    single = [p.log_ratio[p.at(s.of(both[1]))] for s, p in parts]
    assert np.allclose(said, 0.5 * (single[0] + single[1]))
    assert np.all(np.diff(levels.log_ratio) > 0)
    assert levels.share.sum() == pytest.approx(1)
    constant = Levels(np.array([9.0]), np.zeros(2), np.array([1.0, 0.0]))
    assert averaged([(scores[0][0], constant)], both) is None


def test_capital_is_spread_over_an_event_the_grades_and_cash() -> None:
    scores, candidates, both = scores_of(4000, 0)
    portfolio = placed(Grid.of(join(both)), candidates, scores, both, 1.0, 0.0)
    assert [type(b) for b in portfolio.bets] == [EventBet, EventBet, GradedBet]
    assert portfolio.weights.sum() == pytest.approx(1)
    assert portfolio.weights[-1] == pytest.approx(0.05)
    fresh = [reals(np.random.default_rng(7).normal(x, 1, 3000)) for x in (0, 1)]
    tables = portfolio.tables(fresh)
    assert all(t.sum() == 3000 for t in tables)
    against = np.array([0.0, 1.0, 30.0])
    capital = portfolio.log_capital(tables, portfolio.prices(against, 0.0))
    assert capital[0] > capital[1] > 10
    assert abs(capital[2]) < 0.1  # nobody bets against so weak a claim


def test_little_is_bet_while_nothing_speaks_for_a_violation() -> None:
    scores, candidates, both = scores_of(4000, 0)
    portfolio = placed(Grid.of(join(both)), candidates, scores, both, 6.0, 0.0)
    assert isinstance(portfolio, Portfolio)
    assert portfolio.weights[-1] >= 0.5 * 0.7


def test_a_law_is_taken_at_its_word_beyond_the_sample() -> None:
    _, _, both = scores_of(400, 3)
    law = Score("privacy loss", lambda o: o.values[:, 0] - 0.5, LAWFUL)
    candidates = Candidates.of([(law, None)], [[s[:200] for s in both], [s[200:] for s in both]])
    portfolio = placed(Grid.of(join(both)), candidates, [(law, None)], both, 4.0, 0.0)
    graded = portfolio.bets[-1]
    assert isinstance(graded, GradedBet)
    plus, minus = graded.stakes(np.array([4.0]), 0.0)
    assert plus[0, -1] > 0
    assert minus[0, 0] > 0
    assert plus[0, graded.levels.log_ratio < 4.0].max() == 0.0
    assert special.expit(graded.levels.log_ratio).max() < 1
