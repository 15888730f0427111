"""The choice of events: planted ones are found, atoms are never split, and a count is the same on every route."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from noiseproof import BlackBox, Claim, GaussianDP, LaplaceMechanism, PureDP, Verdict, examine
from noiseproof.audit.trial.attack.dependence import depends
from noiseproof.audit.trial.attack.events import Candidates, Event, intervals, taught_again
from noiseproof.audit.trial.attack.scores import ALONE, PLACED, REPEATED, Score, linear_score
from noiseproof.audit.trial.checks.likelihood_ratio import LikelihoodRatio
from noiseproof.audit.trial.outcomes import Grid, Outcomes, canonical, join

Floats = NDArray[np.float64]
VALUE = Score("value", lambda sample: sample.values[:, 0], doubt=0.0)
TAUGHT = (VALUE, VALUE)


def reals(values: Any) -> Outcomes:
    values = np.asarray(values, dtype=float)
    return canonical(values, len(values))


def folds(
    draw: Callable[[int, int, np.random.Generator], Any], size: int, seed: int = 0
) -> list[list[Outcomes]]:
    """Two folds of outcomes of two inputs."""
    rng = np.random.default_rng(seed)
    return [[reals(draw(x, size, rng)) for x in (0, 1)] for _ in range(2)]


def above_1_7(x: int, size: int, rng: np.random.Generator) -> Floats:
    """Uniform noise on (0, 1), but with probability 0.3 on input 1 and 0.01 on input 0 a number in (2, 3)."""
    far = rng.random(size) < (0.3 if x else 0.01)
    return np.where(far, 2 + rng.random(size), rng.random(size))


@pytest.mark.parametrize("claim", ["point", "curve"])
@pytest.mark.parametrize("seed", range(3))
def test_a_planted_half_line_is_found(claim: str, seed: int) -> None:
    candidates = Candidates.of([TAUGHT], folds(above_1_7, 2000, seed))
    if claim == "point":
        event = candidates.best_bound(0.0, 20_000, 0.05)[0]
    else:
        event, place = candidates.best_point(np.array([0.0, 1.0, 2.5]), np.array([0.2, 0.1, 0.0]))
        assert place in (0, 1, 2)
    assert not event.swapped
    assert 0.99 < event.threshold < 2.6
    fresh = np.random.default_rng(9)
    q, p = (event.above(VALUE.of(reals(above_1_7(x, 50_000, fresh)))).mean() for x in (0, 1))
    assert p > 0.1
    assert p / q > 15


def test_of_few_thresholds_none_is_left_out_on_the_way_to_the_farthest_point() -> None:
    # Within the claim at small epsilons, where the first of two events would stay; the second exceeds it far out.
    def draw(x: int, size: int, rng: np.random.Generator) -> Floats:
        return rng.choice([0.0, 1.0, 2.0], size=size, p=[0.40, 0.52, 0.08] if x else [0.6, 0.3999, 0.0001])

    candidates = Candidates.of([TAUGHT], folds(draw, 5000))
    assert len(candidates) == 2
    epsilon = np.linspace(0.0, 6.0, 61)
    event, point = candidates.best_point(epsilon, np.maximum(0.25 - 0.1 * epsilon, 0.0))
    assert event.threshold > 1.0
    assert 2.0 < epsilon[point] < 4.0


def test_an_event_of_the_other_input_is_its_complement() -> None:
    # On input 0 half of the outcomes are exactly 0, on input 1 hardly any: only {score <= t} with P on input 0 is rare under Q.
    def draw(x: int, size: int, rng: np.random.Generator) -> Floats:
        return np.where(rng.random(size) < (0.002 if x else 0.5), 0.0, 1 + rng.random(size))

    event = Candidates.of([TAUGHT], folds(draw, 3000)).best_bound(0.0, 30_000, 0.05)[0]
    assert event.swapped
    assert 0.0 < event.threshold < 1.05


def test_counts_of_candidates_are_those_of_the_outcomes() -> None:
    learning = folds(lambda x, n, r: r.normal(x, 1, n), 500)
    candidates = Candidates.of([TAUGHT], learning)
    assert (candidates.n0, candidates.n1) == (1000, 1000)
    for place in range(0, len(candidates), 97):
        event = Event(0, float(candidates.threshold[place]))
        mine = [event.above(VALUE.of(s)).sum() for s in learning[1]]
        # The other half is cut where the same fraction lies above.
        cut = np.sort(np.concatenate([VALUE.of(s) for s in learning[0]]))[::-1][sum(mine) - 1]
        others = [int(np.count_nonzero(VALUE.of(s) >= cut)) for s in learning[0]]
        assert [candidates.k0[place], candidates.k1[place]] == [
            a + b for a, b in zip(mine, others, strict=True)
        ]
    # Events with P on input 1, then their complements with P on input 0.
    above1, n1, above0, n0, below0, other_n0, below1, other_n1 = candidates.directed()
    assert np.array_equal(above1 + below1, np.full(len(candidates), n1))
    assert np.array_equal(above0 + below0, np.full(len(candidates), n0))
    assert (n0, n1) == (other_n0, other_n1) == (1000, 1000)


def test_a_score_taught_twice_sorts_only_what_it_has_not_seen() -> None:
    seen: list[tuple[str, int]] = []

    def spy(name: str) -> Score:
        def of(sample: Outcomes) -> Floats:
            seen.append((name, int(sample.values[0, 0])))
            return sample.values[:, 1]

        return Score(name, of)

    rng = np.random.default_rng(0)
    learning = [
        [reals(np.column_stack([np.full(50, 10 * f + x), rng.normal(x, 1, 50)])) for x in (0, 1)]
        for f in (0, 1)
    ]
    candidates = Candidates.of([(spy("first"), spy("second"))], learning)
    assert set(seen) == {("first", 10), ("first", 11), ("second", 0), ("second", 1)}
    assert (candidates.n0, candidates.n1) == (100, 100)


@given(st.lists(st.integers(-4, 4), min_size=12, max_size=60), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_ties_are_never_split_whatever_the_rounding_of_scores(words: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    # Equal outcomes whose scores differ in the last bits only, as after another order of the same sum.
    noisy = Score(
        "noisy", lambda s: s.values[:, 0] / 3 * (1 + rng.integers(-3, 4, len(s)) * 2e-16), doubt=0.0
    )
    half = len(words) // 2
    sample = [reals(np.array(words[:half]) * 1.0), reals(np.array(words[half : 2 * half]) * 1.0)]
    candidates = Candidates.of([(noisy, noisy)], [sample, sample])
    atoms = np.unique(np.array(words[: 2 * half])) / 3
    assert len(candidates) == len(atoms) - 1
    for t in candidates.threshold:
        assert np.abs(atoms - t).min() > 0.1


def test_thresholds_reach_every_rare_outcome_of_a_large_sample() -> None:
    # Ranks are thinned, but not at the ends, where the largest ratios live.
    size = 50_000
    candidates = Candidates.of([TAUGHT], folds(lambda x, n, r: r.normal(x, 1, n), size))
    assert len(candidates) < 5000
    for one in range(1, 200):
        assert np.any(candidates.k0 + candidates.k1 == 2 * one)
        assert np.any(candidates.k0 + candidates.k1 == 4 * size - 2 * one)
    gaps = -np.diff(candidates.k0 + candidates.k1)
    assert np.all(gaps > 0)
    assert gaps.max() < 4 * size / 500


def test_nothing_to_tell_apart_leaves_no_candidate() -> None:
    constant = folds(lambda x, n, r: np.zeros(n), 50)
    assert len(Candidates.of([TAUGHT], constant)) == 0
    assert len(Candidates.of([], constant)) == 0


def test_the_choice_is_cautious_about_flexible_scores() -> None:
    learning = folds(lambda x, n, r: r.laplace(x, 1, n), 1000)
    bold = Score("bold", VALUE.of, doubt=3.0)
    for plain, scores in ((1, [(bold, bold), TAUGHT]), (0, [TAUGHT, (bold, bold)])):
        candidates = Candidates.of(scores, learning)
        assert candidates.best_bound(0.0, 10_000, 0.05)[0].score == plain
        assert candidates.best_point(np.array([0.5]), np.array([0.0]))[0].score == plain


def test_spread_events_have_spread_rates() -> None:
    candidates = Candidates.of([TAUGHT], folds(lambda x, n, r: r.normal(x, 1, n), 2000))
    sample = reals(np.random.default_rng(5).normal(0, 1, 20_000))
    rates = sorted(e.above(VALUE.of(sample)).mean() for e in candidates.spread(0))
    assert rates == pytest.approx([1 / 6, 2 / 6, 3 / 6, 4 / 6, 5 / 6], abs=0.03)


def test_a_score_taught_again_keeps_the_fraction_above() -> None:
    learning = folds(lambda x, n, r: r.normal(0.3 * x, 1, (n, 5)), 2000)
    first, second = (linear_score(*fold) for fold in learning)
    assert first is not None
    assert second is not None
    both = [join([fold[x] for fold in learning]) for x in (0, 1)]
    candidates = Candidates.of([(first, second)], learning)
    event = candidates.best_bound(0.0, 20_000, 0.05)[0]
    scores, (again,) = taught_again(candidates, [(first, second)], [event], both)
    assert scores[0] is not first
    row = int(np.searchsorted(candidates.threshold, event.threshold))
    wanted = candidates.k0[row] + candidates.k1[row]
    found = sum(again.above(scores[0].of(s)).sum() for s in both)
    assert found == pytest.approx(wanted, abs=10)


MARGINALS: dict[str, Callable[[int, int, np.random.Generator], Floats]] = {
    "continuous": lambda x, n, r: r.laplace(x, 1, n),
    "integers": lambda x, n, r: r.integers(-5, 5 + x, n).astype(float),
    "fine lattice": lambda x, n, r: np.round(r.normal(x, 1, n), 2),
    "atoms and noise": lambda x, n, r: np.where(r.random(n) < 0.4, 1.0, np.maximum(r.normal(x, 1, n), 0.0)),
    "far from zero": lambda x, n, r: 1e9 + r.laplace(x, 1, n),
    "huge": lambda x, n, r: 1e300 * r.normal(1 + x, 1, n),
    "tiny": lambda x, n, r: 1e-300 * r.normal(1 + x, 1, n),
    "sentinels": lambda x, n, r: np.where(r.random(n) < 0.01, 1e18, r.laplace(x, 1, n)),
}


@pytest.mark.parametrize("name", MARGINALS)
@pytest.mark.parametrize("score", ["rising", "falling", "hump", "two humps"])
def test_intervals_count_what_the_scores_count(name: str, score: str) -> None:
    shape: dict[str, Callable[[Floats], Floats]] = {
        "rising": lambda u: u,
        "falling": lambda u: -u,
        "hump": lambda u: -np.abs(u),
        "two humps": lambda u: -np.abs(np.abs(u) - 1),
    }
    rng = np.random.default_rng(2)
    raw = join([reals(MARGINALS[name](x, 3000, rng)) for x in (0, 1)])
    grid = Grid.of(raw)
    rounded = grid.round(raw)
    middle = np.median(rounded.values)
    unit = np.subtract(*np.quantile(rounded.values / 4, [0.75, 0.25])) * 4 or 1.0
    form = Score("form", lambda s: shape[score]((s.values[:, 0] - middle) / unit))
    distinct = reals(np.unique(rounded.values))
    values = np.unique(form.of(distinct))
    for place in (len(values) // 10, len(values) // 2, 9 * len(values) // 10):
        threshold = float(0.5 * values[place - 1] + 0.5 * values[place])
        found = intervals(distinct.values[:, 0], form.of(distinct), threshold)
        assert found is not None
        event = Event(0, threshold, intervals=found)
        exact = int(np.count_nonzero(form.of(rounded) > threshold))
        assert event.inside(rounded.values[:, 0]).sum() == exact
        # The numbers as they came, before any rounding, fall on the same sides.
        assert event.inside(raw.values[:, 0]).sum() == exact


def test_a_set_of_many_pieces_is_no_interval() -> None:
    sample = reals(np.arange(100.0))
    parity = Score("parity", lambda s: s.values[:, 0] % 2)
    numbers = sample.values[:, 0]
    assert intervals(numbers, parity.of(sample), 0.5) is None
    assert intervals(numbers, numbers, 1e9) == ()
    assert Event(0, 1e9, intervals=()).inside(sample.values[:, 0]).sum() == 0
    assert intervals(numbers, numbers, -1.0) == ((-np.inf, np.inf),)
    assert Event(0, -1.0, intervals=((-np.inf, np.inf),)).inside(sample.values[:, 0]).sum() == 100


@pytest.mark.parametrize("name", ["continuous", "integers", "atoms and noise"])
def test_whole_units_are_counted_alike_on_both_routes(name: str) -> None:
    rng = np.random.default_rng(3)
    check = LikelihoodRatio.bind(Claim(PureDP(0.5), BlackBox(lambda d, n, r: d, (0.0, 1.0))))
    assert check is not None
    plan = check.learn([reals(MARGINALS[name](x, 2000, rng)) for x in (0, 1)])
    assert plan.kind == "number"
    # What is said by the outcomes themselves is counted by them.
    assert all(
        e.intervals is not None or plan.scores[e.score].name in (REPEATED, PLACED, ALONE) for e in plan.events
    )
    unit = [reals(MARGINALS[name](x, 3000, rng)) for x in (0, 1)]
    fast = check.count(plan, unit, rng)
    # Without the name of the structure, the scores themselves are evaluated.
    slow = check.count(type(plan)(**{**vars(plan), "kind": ""}), unit, rng)
    n = 3000
    # An outcome between two that were learnt from may fall on either side of an end half-way between them.
    assert np.abs(fast - slow)[:, : len(plan.events)].max() <= (8 if name != "integers" else 0)
    assert np.array_equal(fast[:, -2:], [[n, 1], [n, 1]])
    k = fast[:, : len(plan.events)]
    assert fast[:, len(plan.events) : -2] == pytest.approx(k * k / n)


def test_what_an_outcome_counts_for_does_not_depend_on_those_beside_it() -> None:
    # An odd structure among the others must not move them to another route.
    check = LikelihoodRatio.bind(Claim(PureDP(0.5), BlackBox(lambda d, n, r: d, (0.0, 1.0))))
    assert check is not None
    rng = np.random.default_rng(4)
    plan = check.learn([reals(rng.laplace(x, 1, 500)) for x in (0, 1)])
    values = rng.laplace(0, 1, 5000)
    pure = check.count(plan, [reals(values)] * 2, rng)
    mixed = check.count(
        plan, [join([reals(values), canonical([None, (1.0, 2.0), ValueError("x")], 3)])] * 2, rng
    )
    events = len(plan.events)
    assert np.array_equal(pure[:, :events], [[e.inside(values).sum() for e in plan.events]] * 2)
    unseen = np.array([3.0 * (e.threshold < 0.0) for e in plan.events])
    assert np.array_equal(mixed[:, :events], pure[:, :events] + unseen)
    assert mixed[0, -2] == 5003


def test_calls_that_are_counted_together_count_as_one_by_one() -> None:
    check = LikelihoodRatio.bind(Claim(PureDP(0.5), BlackBox(lambda d, n, r: d, (0.0, 1.0))))
    assert check is not None
    rng = np.random.default_rng(6)
    draws = (lambda x, n: rng.laplace(x, 1, n), lambda x, n: rng.random((n, 5)) < 0.4 + 0.2 * x)
    for draw in draws:
        plan = check.learn([canonical(draw(x, 1000), 1000) for x in (0, 1)])
        units = [[canonical(draw(x, n), n) for x in (0, 1)] for n in (300, 300, 41)]
        alone = sum(check.count(plan, unit, rng) for unit in units)
        assert check.count_calls(plan, units, iter(())) == pytest.approx(alone)


def shares_noise(data: float, size: int, rng: np.random.Generator) -> Floats:
    """One draw for the whole call, a little more for each outcome."""
    return data + rng.laplace() + 0.1 * rng.laplace(size=size)


DEPENDENT: dict[str, Callable[[float, int, np.random.Generator], Any]] = {
    "one draw per call": lambda d, n, r: np.full(n, d + r.laplace()),
    "mostly one draw per call": shares_noise,
    "a chain": lambda d, n, r: d + np.cumsum(r.normal(0, 0.1, n)),
    "a coin per call": lambda d, n, r: np.full(n, float((r.random() < 0.7) == d)),
}


@pytest.mark.parametrize("name", DEPENDENT)
def test_outcomes_that_depend_on_each_other_are_said_to_and_decide_nothing(name: str) -> None:
    certificate = examine(BlackBox(DEPENDENT[name], (0.0, 1.0)), PureDP(1.0), samples=40_000)
    (evidence,) = (e for e in certificate.findings[0].evidence if e.check == "likelihood ratio")
    assert evidence.verdict is Verdict.UNDECIDED
    assert "depend on each other" in evidence.detail
    assert evidence.witness is None
    # Nothing that needs independence is printed.
    assert all(row["certified"] == 0 for row in evidence.bounds)
    assert (
        "certified epsilon" not in evidence.detail or "certified epsilon at delta = 0: 0," in evidence.detail
    )


@pytest.mark.parametrize(("calls", "size", "rate"), [(2, 50, 0.5), (40, 20, 0.25), (300, 500, 0.01)])
def test_dependence_is_told_from_chance(calls: int, size: int, rate: float) -> None:
    rng = np.random.default_rng(0)

    def said(counts: NDArray[np.int64]) -> bool:
        k = np.array([float(counts.sum())])
        return depends(k, np.array([float((counts**2 / size).sum())]), float(size * calls), float(calls))

    assert not any(said(rng.binomial(size, rate, calls)) for _ in range(2000))
    # Fewer calls need a larger share of common noise.
    assert said(np.where(rng.permutation(calls) < max(1, round(rate * calls)), size, 0))
    # Counts that vary less than chance, as from one seed for all calls, are another fault.
    assert not said(np.full(calls, round(rate * size)))


def test_rare_events_and_single_calls_say_nothing_about_dependence() -> None:
    assert not depends(np.array([3.0]), np.array([9 / 50]), 500.0, 10.0)
    assert not depends(np.array([25.0]), np.array([625 / 50]), 50.0, 1.0)
    assert not depends(np.array([0.0]), np.array([0.0]), 0.0, 0.0)


@pytest.mark.parametrize("audits", [64, pytest.param(200, marks=pytest.mark.long)])
def test_independent_outcomes_are_never_called_dependent(audits: int) -> None:
    flagged = 0
    draws: list[Callable[[float, int, np.random.Generator], Any]] = [
        lambda d, n, r: d + r.laplace(size=n),
        lambda d, n, r: (r.random(n) < 0.3 + 0.1 * d).astype(float),
        lambda d, n, r: r.normal(d, 1, (n, 3)),
        lambda d, n, r: r.geometric(0.01 + 0.01 * d, n),
    ]
    for seed in range(audits):
        box = BlackBox(draws[seed % len(draws)], (0.0, 1.0))
        certificate = examine(box, GaussianDP(20.0) if seed % 8 < 4 else PureDP(0.7), samples=1500, seed=seed)
        flagged += any("depend on each other" in e.detail for e in certificate.findings[0].evidence)
    assert flagged == 0


def test_answers_that_happen_to_be_equally_frequent_are_tested_all_the_same() -> None:
    # The inputs are ignored: by chance the log ratios of both answers tie, in a good part of such small samples.
    coin = BlackBox(lambda d, n, r: r.random(n) < 0.5, (0.0, 1.0))
    words = BlackBox(lambda d, n, r: ["yes" if u < 0.5 else "no" for u in r.random(n)], (0.0, 1.0))
    for seed in range(40):
        assert (
            examine((coin, words)[seed % 2], PureDP(1.0), samples=200, seed=seed).verdict is Verdict.SURVIVED
        )


def test_a_known_law_gives_the_event_of_neyman_and_pearson() -> None:
    check = LikelihoodRatio.bind(Claim(PureDP(0.5), LaplaceMechanism(1.0, 1.0)))
    assert check is not None
    rng = np.random.default_rng(0)
    plan = check.learn([canonical(check.subject.sample(x, 5000, rng), 5000) for x in check.inputs()])
    event = plan.events[0]
    # The loss of Laplace noise is largest, with probability one half, beyond the other input.
    score = plan.scores[event.score]
    fresh = [canonical(check.subject.sample(x, 100_000, rng), 100_000) for x in check.inputs()]
    rates = [event.above(score.of(s)).mean() for s in fresh]
    p, q = (1 - rates[0], 1 - rates[1]) if event.swapped else (rates[1], rates[0])
    assert np.log(p / q) > 0.9
    assert stats.binom.sf(int(p * 100_000), 100_000, 0.3) < 1e-3
