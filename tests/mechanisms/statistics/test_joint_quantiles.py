"""All quantiles of a group in one draw: proved sensitivity against all small tables, sabotage, ranks, budget, what is audited."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
import pytest
import sympy as sp

from noiseproof.audit.trial.checks.moved_totals import MovedTotals
from noiseproof.mechanisms.statistics.amounts import One
from noiseproof.mechanisms.statistics.chosen_quantiles import ChosenQuantiles, QuantilesDrawer
from noiseproof.mechanisms.statistics.code_path import CodePath, TriedPair
from noiseproof.mechanisms.statistics.measurement import Measurement, Unit
from noiseproof.mechanisms.statistics.quantiles import Quantiles
from noiseproof.mechanisms.statistics.rows import Axis
from noiseproof.mechanisms.statistics.workload import Workload
from noiseproof.mechanisms.whole_noise import Levels
from noiseproof.mechanisms.whole_noise.cuts import Cuts
from noiseproof.mechanisms.whole_noise.joint_law import JointOutcome
from noiseproof.symbolic.claim import Claim
from noiseproof.symbolic.proof.truth import Truth
from noiseproof.symbolic.sensitivity.queries import gap_sums
from noiseproof.symbolic.sensitivity.query_over import DatasetQuery
from noiseproof.symbolic.stated_optima import SensitivityBound

UNITS = {
    "record": Unit(),
    "record replaced": Unit(1, resizes=False),
    "person of two": Unit(2, person=True),
    "person of two replaced": Unit(2, resizes=False, person=True),
}
SEVERAL = (Fraction(1, 5), Fraction(1, 2))


def grid(groups: int) -> Axis:
    return Axis("x", tuple(map(str, range(groups))), tuple(map(float, range(groups + 1))))


def part(groups: int, levels: tuple[Fraction, ...] = SEVERAL, cells: int = 1) -> ChosenQuantiles:
    outer = (Axis("by", tuple(map(str, range(cells)))),) if cells > 1 else ()
    return ChosenQuantiles(Measurement((*outer, grid(groups)), (One(),)), Levels.of(levels))


def statistic(groups: int, *levels: tuple[int, int]) -> Quantiles:
    return Quantiles("q", grid=grid(groups), levels=levels, middles=tuple(map(float, range(groups))))


def pairs(asked: ChosenQuantiles, unit: Unit, most: int) -> Iterator[TriedPair]:
    """All neighbouring tables of at most so many records beside those of the unit."""
    cells = asked.measurement.cells
    sizes = range(unit.most + 1) if unit.person else (1,)
    units = [u for size in sizes for u in combinations_with_replacement(range(cells), size)]
    for size in range(most + 1):
        for base in combinations_with_replacement(range(cells), size):
            for gone, come in (
                product(units, [()]) if unit.resizes else combinations_with_replacement(units, 2)
            ):
                totals = tuple(np.bincount([*base, *side], minlength=cells)[:, None] for side in (gone, come))
                yield TriedPair(list(base + gone), list(base + come), totals)  # type: ignore[arg-type]


@pytest.mark.parametrize("cells", [1, 2])
@pytest.mark.parametrize("name", UNITS)
def test_no_small_tables_are_further_apart_than_proved_and_some_are_as_far(name: str, cells: int) -> None:
    unit = UNITS[name]
    asked = part(3, cells=cells)
    reach, largest = asked.reach(unit), 0
    beside = 3 if cells == 1 else 2 if not unit.person else 1 if unit.resizes else 0
    for pair in pairs(asked, unit, beside):
        one, two = asked.answers(*pair.totals)
        largest = max(largest, sum(abs(a - b) for a, b in zip(one, two, strict=True)))
    assert 0.75 * reach <= largest <= reach
    assert largest == reach or not unit.resizes


def test_the_sensitivity_is_that_of_the_gaps() -> None:
    b = 10
    assert part(5).reach(Unit()) == 2 * (b - 2)
    assert part(5).reach(Unit(1, resizes=False)) == 2 * b
    assert part(5, cells=3).reach(Unit(1, resizes=False)) == 4 * (b - 2)
    assert part(5).reach(Unit(3, person=True)) == 6 * (b - 2)


@dataclass(frozen=True)
class Swapped(ChosenQuantiles):
    """States the query of other shares than those it chooses for."""

    def stated(self) -> DatasetQuery:
        query = gap_sums(1, Levels.of([Fraction(4, 10), Fraction(7, 10)]).vectors)
        return DatasetQuery(query, query.domain())


def moved(asked: ChosenQuantiles, unit: Unit, factor: Fraction = Fraction(1)) -> str:
    value = sp.Rational(asked.reach(unit) * factor.numerator, factor.denominator)
    subject = CodePath(asked, lambda: pairs(asked, unit, 3), "quantiles")
    check = MovedTotals.bind(Claim(SensitivityBound(value, "l1", unit.relation()), subject))
    assert check is not None
    return check.judge(None, None, 0.001).verdict.name


@pytest.mark.parametrize("name", ["record", "person of two"])
def test_a_sensitivity_that_is_too_small_falls(name: str) -> None:
    unit, asked = UNITS[name], part(4)
    assert moved(asked, unit) == "SURVIVED"
    assert moved(asked, unit, Fraction(99, 100)) == "REFUTED"
    assert moved(asked, unit, Fraction(1, 2)) == "REFUTED"
    assert moved(Swapped(asked.measurement, asked.levels), unit) == "REFUTED"


@pytest.mark.parametrize("relation", [u.relation() for u in UNITS.values()])
@pytest.mark.parametrize("norm", ["l1", "l2"])
@pytest.mark.parametrize("cells", [1, 2, 50])
def test_the_stated_query_is_answered_exactly(relation: Any, norm: str, cells: int) -> None:
    query = gap_sums(cells, Levels.of(SEVERAL).vectors)
    answer = DatasetQuery(query, query.domain()).sensitivity(norm, relation)
    assert answer.exact is not None
    assert answer.derivation.check() is Truth.HOLDS


def test_a_level_that_is_off_costs_its_way_there_and_back() -> None:
    rng, levels = np.random.default_rng(0), Levels.of([Fraction(1, 4), Fraction(1, 2), Fraction(9, 10)])
    for _ in range(60):
        counts = rng.integers(0, 6, 6) * (rng.random(6) < 0.6)
        cuts, n = Cuts(counts, levels), int(counts.sum())
        chosen = np.array(list(combinations_with_replacement(range(6), 3)))
        off = furthest_ranks(counts, levels, chosen)
        cost = cuts.costs(cuts.span_of(chosen))
        assert (cost[off > 0] >= (2 * levels.denominator * off - 1e-9 * n)[off > 0]).all()
        assert (cost[off == 0] <= 0).all()


def furthest_ranks(counts: Any, levels: Levels, chosen: Any) -> Any:
    """How far the furthest level of each choice lies from its group, in ranks."""
    upto = np.cumsum(counts)
    wanted = np.array(levels.places) / levels.denominator * counts.sum()
    return np.maximum(np.maximum((upto - counts)[chosen] - wanted, wanted - upto[chosen]), 0).max(axis=1)


@pytest.mark.parametrize("levels", [((1, 2),), ((1, 10), (1, 2), (9, 10))])
@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_ranks_hold_by_the_exact_law_where_they_are_hardest_to_keep(
    noise: str, levels: tuple[tuple[int, int], ...]
) -> None:
    """Two full groups and a thousand empty ones: all choices of those are as far off as the bound says."""
    work = Workload((statistic(1000, *levels),), Unit(), noise, Fraction(1))
    ((asked, drawer),) = work.drawers.items()
    assert isinstance(asked, ChosenQuantiles)
    assert isinstance(drawer, QuantilesDrawer)
    ranks = drawer.ranks(Fraction(95, 100))
    missed = []
    for size in (0.6, 0.9, 1.0, 1.1, 2.0):
        counts = np.zeros(1000, dtype=np.int64)
        counts[[2, 3]] = math.ceil(size * ranks / (2 * levels[0][0] / levels[0][1]))
        law = JointOutcome.of(counts, asked.levels, float(drawer.epsilon) / (2 * drawer.reach))
        firsts = np.array([s.first for s in law.cuts.spans])
        off = furthest_ranks(counts, asked.levels, firsts[law._classes])
        missed.append(law._masses[off > ranks].sum())
    assert max(missed) <= 0.05
    # The bound is no wider than it has to be by more than a half.
    assert any(m > 1e-12 for m in missed)


def test_many_levels_are_drawn_in_parts_that_lie_apart() -> None:
    many = tuple((i, 24) for i in range(1, 24))
    found = [p.levels.places for p in statistic(4096, *many).parts if isinstance(p, ChosenQuantiles)]
    assert [len(p) for p in found] == [8, 8, 7]
    assert all(np.diff(places).min() * 8 >= Levels.of([Fraction(1, 8)]).denominator for places in found)
    assert [len(statistic(1 << 16, *many[:k]).parts) for k in (1, 3, 4)] == [1, 1, 2]
    assert len(statistic(100, *many[:10]).parts) == 1


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_all_levels_share_one_draw_whose_cost_is_that_of_its_epsilon(noise: str) -> None:
    work = Workload((statistic(50, (1, 4), (1, 2), (3, 4)),), Unit(), noise, Fraction(1, 2))
    (drawer,) = work.drawers.values()
    assert isinstance(drawer, QuantilesDrawer)
    assert drawer.cost == (drawer.epsilon**2 / 8 if noise == "gaussian" else drawer.epsilon)
    assert Fraction(1, 2) * Fraction(999_999, 1_000_000) <= drawer.cost <= Fraction(1, 2)


@pytest.mark.parametrize("name", UNITS)
@pytest.mark.parametrize("groups", [2, 7, 4096])
def test_tables_on_trial_are_neighbours_and_told_apart(name: str, groups: int) -> None:
    """At a sum of 2 of the epsilon: half of the distance that no mechanism exceeds, or more, where the budget is large enough."""
    unit, k = UNITS[name], UNITS[name].most
    drawer = part(groups).drawer(Fraction(2), unit, "laplace")
    one, two = (np.array(side) for side in drawer.farthest(unit))
    assert np.abs(one - two).sum() == (k if unit.resizes else 2 * k)
    assert one.sum() == two.sum() or unit.resizes
    made: Any = drawer.on_trial(one.tolist(), two.tolist())
    assert made.apart() > 0.5 * 2 * math.tanh(0.5)
    assert float(made.worst_case().pair.max_loss().evalf()) <= 2 + 1e-12
