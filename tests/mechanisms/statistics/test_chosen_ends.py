"""Ends of clipping that are drawn: sums between them are those of clipped numbers, move no further than is proved, and cost what is said."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noiseproof.mechanisms.grid_noise import seeded_bits
from noiseproof.mechanisms.statistics import chosen_ends
from noiseproof.mechanisms.statistics.amounts import One
from noiseproof.mechanisms.statistics.chosen_ends import (
    STEPS,
    BetweenEnds,
    ChosenEnds,
    ClippedSums,
    Reach,
    edges_between,
)
from noiseproof.mechanisms.statistics.chosen_quantiles import QuantilesDrawer
from noiseproof.mechanisms.statistics.clipped import CLIP_LOW, ClippedMean, ClippedSum, DrawnEnds
from noiseproof.mechanisms.statistics.counts import Count
from noiseproof.mechanisms.statistics.measurement import Measurement, Unit
from noiseproof.mechanisms.statistics.rows import Axis, Rows
from noiseproof.mechanisms.statistics.workload import Workload
from noiseproof.mechanisms.whole_noise import Levels

SEX = Axis("sex", ("f", "m"))
LEVELS = Levels.of([Fraction(1, 20), Fraction(19, 20)])
NUMBERS = st.floats(-2000, 2000) | st.floats(-3, 3) | st.sampled_from([float("inf"), -1e308, 0.0, 1e3])
RECORDS = st.lists(st.tuples(st.integers(-1, 1), NUMBERS | st.none()), max_size=12)


def grid(low: float, high: float, *, whole: bool = False) -> Axis:
    edges = edges_between(low, high, whole=whole)
    return Axis("pay", tuple(map(str, range(len(edges) - 1))), edges)


PAY = grid(-1000.0, 1000.0)
LAST = len(PAY.labels) - 1


def load(share: Fraction = Fraction(1, 10), noise: str = "gaussian", axis: Axis = PAY) -> Workload:
    """Ends, a mean and a sum between them by sex, and a count."""
    assert axis.edges is not None
    chosen = ChosenEnds(Measurement((axis,), (One(),)), LEVELS, share)
    amount = BetweenEnds.of_ends("pay", axis.edges[0], axis.edges[-1], skips=True)
    sums = ClippedSums(Measurement((SEX, axis), (One(), Reach(axis))), chosen)
    levels = tuple((a, LEVELS.denominator) for a in LEVELS.places)
    statistics = (
        Count("people", (SEX,)),
        ClippedMean("mean", (SEX,), amount=amount, clip=sums, size=100),
        ClippedSum("total", (SEX,), amount=amount, clip=sums),
        # Drawn first wherever it stands.
        DrawnEnds("ends", grid=axis, levels=levels, chosen=chosen),
    )
    return Workload(statistics, Unit(), noise, Fraction(1))


SUMS = next(p for p in load().parts if isinstance(p, ClippedSums))


def rows(records: list[tuple[int, float | None]]) -> Rows:
    sexes = np.array([s for s, _ in records], dtype=np.int64)
    pay = np.array([np.nan if v is None else v for _, v in records], dtype=float)
    return Rows(len(records), {"sex": sexes}, {"pay": pay})


def summed(records: list[tuple[int, float | None]], places: tuple[int, int]) -> list[int]:
    totals = SUMS.measurement.zeros()
    SUMS.measurement.add(rows(records), totals)
    return [int(v) for v in SUMS.between(places).transformed(totals)[:, 0]]


@given(RECORDS, st.tuples(st.integers(0, LAST), st.integers(0, LAST)).map(sorted).map(tuple))
@settings(max_examples=150, deadline=None)
def test_sums_between_ends_are_those_of_clipped_numbers(
    records: list[tuple[int, float | None]], places: Any
) -> None:
    assert PAY.edges is not None
    low, high = Fraction(PAY.edges[places[0]]), Fraction(PAY.edges[places[1] + 1])
    step = (high - low) / (2 * STEPS)
    for sex, found in enumerate(summed(records, places)):
        kept = [v for s, v in records if s == sex and v is not None]
        clipped = [min(max(Fraction(min(max(v, -1e9), 1e9)), low), high) for v in kept]
        true = sum((x - (low + high) / 2 for x in clipped), Fraction(0)) / step
        # A quarter of a step for each record, and half of one for the sum.
        assert abs(found - true) <= Fraction(len(kept), 4) * Fraction(1001, 1000) + Fraction(1, 2)


@given(RECORDS, st.tuples(st.integers(0, 1), NUMBERS), st.sampled_from(SUMS.as_drawn))
@settings(max_examples=150, deadline=None)
def test_a_record_moves_a_sum_by_no_more_than_half_of_the_range(
    records: list[tuple[int, float | None]], more: tuple[int, float], part: ClippedSums
) -> None:
    assert part.places is not None
    before, after = (summed(r, part.places) for r in (records, [*records, more]))
    assert max(abs(a - b) for a, b in zip(before, after, strict=True)) <= STEPS


def test_the_extremes_of_what_may_be_drawn_are_tried() -> None:
    places = {part.places for part in SUMS.as_drawn}
    assert {(0, 0), (LAST, LAST), (0, LAST)} < places
    assert {part.outer for part in SUMS.as_drawn} == {SUMS.outer}


@pytest.mark.parametrize(
    ("low", "high", "whole"),
    [
        (0.0, 1e6, False),
        (-1e-6, 1e-6, False),
        (-1e30, 1e30, False),
        (0.1, 0.3, False),
        (17, 18, True),
        (0, 100, True),
        (-(2**52), 2**52, True),
        (1990.0, 2026.0, False),
    ],
)
def test_edges_rise_from_end_to_end(low: float, high: float, whole: bool) -> None:
    edges = edges_between(float(low), float(high), whole=whole)
    assert (edges[0], edges[-1]) == (low, high)
    assert all(b - a >= max(abs(a), abs(b)) * 2.0**-26 for a, b in pairwise(edges))
    assert not whole or all(edge.is_integer() for edge in edges)
    # No interval is wider than equal ones, but where whole numbers are rounded.
    assert max(b - a for a, b in pairwise(edges)) <= (high - low) / 256 * 1.001 + whole


@pytest.mark.parametrize("noise", ["gaussian", "laplace"])
def test_ends_are_drawn_first_and_all_draws_are_paid(noise: str) -> None:
    made = load(Fraction(1, 5), noise)
    first, *others = made.parts
    assert isinstance(first, ChosenEnds)
    assert not any(isinstance(part, ChosenEnds) for part in others)
    costs = {part: drawer.cost for part, drawer in made.drawers.items()}
    assert Fraction(1, 5) * (1 - Fraction(1, 10**9)) < costs[first] <= Fraction(1, 5)
    assert sum(costs[p] for p in others) <= Fraction(4, 5) == made.rest
    assert made.cost == sum(costs.values()) <= 1
    assert made.cost > 1 - Fraction(1, 10**9)


def figures(records: list[tuple[int, float | None]], seed: int, made: Workload) -> dict[tuple[str, ...], Any]:
    totals = made.totals([rows(records)])
    drawn = made.draw(totals, seeded_bits(np.random.default_rng(seed)))
    return {(s.name, f.quantity, *map(str, f.groups)): f for s, f in made.figures(drawn)}


def crowd(count: int, size: float, seed: int = 5) -> list[tuple[int, float | None]]:
    rng = np.random.default_rng(seed)
    return [
        (int(s), float(v))
        for s, v in zip(rng.integers(0, 2, count), rng.normal(2, 1, count) * size, strict=True)
    ]


def test_the_ends_are_those_of_the_draw_whatever_the_table_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    made = load()
    monkeypatch.setattr(QuantilesDrawer, "draw", lambda *a: np.array([[700, 900]]))
    assert PAY.edges is not None
    for size in (1.0, 300.0):
        found = figures(crowd(200, size), 1, made)
        assert found[("ends", CLIP_LOW)].value == PAY.edges[700]
        assert found[("ends", "clip high")].value == PAY.edges[901]
        for sex in SEX.labels:
            mean = found[("mean", "mean", sex)]
            assert PAY.edges[700] <= mean.low <= mean.value <= mean.high <= PAY.edges[901]


def test_the_ends_are_noisy() -> None:
    drawn = {figures(crowd(40, 1.0), seed, load())[("ends", CLIP_LOW)].value for seed in range(20)}
    assert len(drawn) > 10


def test_noise_is_the_same_whichever_ends_were_drawn() -> None:
    drawer = load().drawers[SUMS]
    # One record moves a sum by 2^20 steps: rho is the square of that over twice the variance.
    assert drawer.law.proxy == Fraction(STEPS**2) / (2 * drawer.cost)  # type: ignore[attr-defined]
    for part in SUMS.as_drawn:
        other = replace(drawer, part=part)  # type: ignore[type-var]
        assert (other.law, other.cost, other.farthest(Unit())) == (
            drawer.law,
            drawer.cost,
            drawer.farthest(Unit()),
        )  # type: ignore[attr-defined]


def test_nothing_is_summed_between_ends_before_these_are_drawn() -> None:
    with pytest.raises(ValueError, match="drawn after these"):
        load().drawers[SUMS].draw(SUMS.measurement.zeros(), seeded_bits(np.random.default_rng(0)))


@pytest.mark.parametrize("noise", ["gaussian", "laplace"])
def test_intervals_hold_the_number_of_the_clipped_values(noise: str) -> None:
    """Of 200 releases of 4 numbers each at least 95 % less four deviations, and the ends within their ranks."""
    records, made = crowd(400, 3.0), load(noise=noise)
    held, ranks = 0, made.drawers[made.parts[0]].ranks(Fraction(95, 100))  # type: ignore[attr-defined]
    values, close = np.sort([v for _, v in records if v is not None]), 0
    for seed in range(200):
        found = figures(records, seed, made)
        low, high = found[("ends", CLIP_LOW)].value, found[("ends", "clip high")].value
        for sex, label in enumerate(SEX.labels):
            clipped = np.clip([v for s, v in records if s == sex], low, high)
            for name, true in (("mean", clipped.mean()), ("sum", clipped.sum())):
                one = found[("mean" if name == "mean" else "total", name, label)]
                held += one.low <= true <= one.high
        below, upto = np.searchsorted(values, low), np.searchsorted(values, high)
        # Outer edges are beyond the quantiles by less than the records of their intervals.
        close += below <= 20 + ranks and upto >= 380 - ranks
    assert held >= 0.92 * 800
    assert close >= 0.88 * 200


def test_numbers_that_are_not_clipped_move_a_sum_too_far(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other word: beyond the chosen ends each record adds what it would without them."""
    real = chosen_ends._factors

    def unclipped(axis: Axis, places: tuple[int, int]) -> Any:
        assert axis.edges is not None
        of_count, of_reach, _ = real(axis, (0, len(axis.labels) - 1))
        narrow = real(axis, places)[2]
        return of_count, of_reach, narrow

    monkeypatch.setattr(chosen_ends, "_factors", unclipped)
    moved = summed([(0, 1000.0)], (0, 0))
    assert max(map(abs, moved)) > STEPS
