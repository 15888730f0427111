"""Published ranges: the noise is that of the best draws, sensitivities are the engine's, and estimates agree and hold the truth."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from noiseproof.audit.release.statistics.words import parts_of
from noiseproof.mechanisms.grid_noise import seeded_bits
from noiseproof.mechanisms.statistics import range_tables
from noiseproof.mechanisms.statistics.counts import Count
from noiseproof.mechanisms.statistics.intervals import interval_labels
from noiseproof.mechanisms.statistics.measurement import Unit
from noiseproof.mechanisms.statistics.parts import SumsDrawer
from noiseproof.mechanisms.statistics.range_design import Fit, moved, range_design
from noiseproof.mechanisms.statistics.range_tables import RangeQueries, Ranges
from noiseproof.mechanisms.statistics.ranges import range_strategies
from noiseproof.mechanisms.statistics.rows import Axis, Rows
from noiseproof.mechanisms.statistics.workload import Workload

SEX = Axis("sex", ("f", "m"))
OVERLAPPING = ((0, 2), (1, 4), (3, 5))
UNITS = {
    "add": Unit(),
    "replace": Unit(1, False),
    "person": Unit(3, True, True),
    "other person": Unit(3, False, True),
}


def asked(
    n: int, wanted: Any, noise: str = "gaussian", unit: Unit = UNITS["add"], by: tuple[Axis, ...] = (SEX,)
) -> Ranges:
    edges = tuple(float(i) for i in range(n + 1))
    every = tuple(combinations(range(n + 1), 2))
    pairs = {"prefixes": every[:n], "ranges": every}.get(wanted) if isinstance(wanted, str) else wanted
    design = range_design(n, wanted, noise, unit.resizes, bool(by))
    bands = Axis("age", interval_labels(edges), edges)
    return Ranges("x", by=by, bands=bands, pairs=pairs or (), design=design)


def load(one: Ranges, noise: str = "gaussian", unit: Unit = UNITS["add"]) -> Workload:
    return Workload((one,), unit, noise, Fraction(1, 2))


def people(n: int, size: int = 300) -> Rows:
    rng = np.random.default_rng(3)
    age = np.clip(rng.normal(n / 3, n / 8, size), 0, n)
    return Rows(size, {"sex": rng.integers(0, 2, size)}, {"age": age})


def exact_variances(one: Ranges, work: Workload) -> list[Fraction]:
    """Of the least-squares estimates, by Gaussian elimination in fractions."""
    assert one.design is not None
    n, total = one.design.n, [[Fraction(0)] * one.design.n for _ in range(one.design.n)]
    for block, part in zip(one.design.blocks, one.parts, strict=True):
        drawer = work.drawers[part]
        assert isinstance(drawer, SumsDrawer)
        for row in block.matrix(n).tolist():
            for i, j in np.ndindex(n, n):
                total[i][j] += row[i] * row[j] / Fraction(drawer.law.variance())
    rows = [[*r, *(Fraction(int(i == j)) for j in range(n))] for i, r in enumerate(total)]
    for i in range(n):
        pivot = next(k for k in range(i, n) if rows[k][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [v / rows[i][i] for v in rows[i]]
        for k in range(n):
            if k != i:
                rows[k] = [a - rows[k][i] * b for a, b in zip(rows[k], rows[i], strict=True)]
    inverse = [r[n:] for r in rows]
    return [sum((inverse[i][j] for i in range(a, b) for j in range(a, b)), Fraction(0)) for a, b in one.pairs]


@pytest.mark.parametrize("noise", ["gaussian", "laplace"])
@pytest.mark.parametrize(("n", "wanted"), [(9, "prefixes"), (6, "ranges"), (5, OVERLAPPING)])
def test_deviations_are_those_of_least_squares_in_fractions(n: int, wanted: Any, noise: str) -> None:
    one = asked(n, wanted, noise)
    work = load(one, noise)
    found, true = one._deviations(work.drawers) ** 2, exact_variances(one, work)
    assert found == pytest.approx([float(v) for v in true], rel=1e-8)
    # At a budget of 1 the mean of them is what the design says; noise on the grid has a little less than its parameter.
    assert one.design is not None
    scale = 2 if noise == "gaussian" else 4
    assert 0.97 < sum(map(float, true)) / len(true) / (one.design.error * scale) < 1 + 1e-6


@pytest.mark.parametrize("wanted", ["prefixes", "ranges", OVERLAPPING])
@pytest.mark.parametrize("noise", ["gaussian", "laplace"])
def test_no_strategy_that_is_known_is_better(noise: str, wanted: Any) -> None:
    n = 5 if wanted is OVERLAPPING else 24
    known = [s.root_mean_squared_error for s in range_strategies(n, wanted, 1, noise)]
    assert range_design(n, wanted, noise, True, False).error ** 0.5 <= 1.003 * min(known)


def test_listed_ranges_are_better_than_cells_that_are_summed() -> None:
    """Three ranges of five cells: 7/3 cells each on average at half of a squared step."""
    assert range_design(5, OVERLAPPING, "gaussian", True, False).error < 0.7 * (7 / 6)
    assert range_design(2, ((0, 1), (1, 2)), "gaussian", True, False).name == "cells alone"


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("noise", ["gaussian", "laplace"])
@pytest.mark.parametrize(("n", "wanted"), [(3, "prefixes"), (5, OVERLAPPING), (40, "prefixes")])
def test_sensitivities_are_proved_and_those_of_the_worst_records(
    n: int, wanted: Any, noise: str, unit: str
) -> None:
    for by in ((), (SEX,)):
        one, k = asked(n, wanted, noise, UNITS[unit], by), UNITS[unit].most
        assert one.design is not None
        for block, part in zip(one.design.blocks, one.parts, strict=True):
            worst = moved(block.matrix(n), noise, UNITS[unit].resizes, bool(by))
            assert part.demand(UNITS[unit], noise) == worst * (k**2 if noise == "gaussian" else k)
            assert by_hand(part, noise, UNITS[unit]) <= part.demand(UNITS[unit], noise)


def by_hand(part: Any, noise: str, unit: Unit) -> int:
    """How far a unit of up to two records moves the answers, by all of them; of many cells only some."""
    cells = part.measurement.cells
    rows = np.eye(cells, dtype=np.int64)[:: max(1, cells // 10)]
    ones = [part.transformed(row[:, None]).ravel() for row in rows]
    added = [a + b for a in ones for b in (ones if unit.most > 1 else ones[:1] * 0 or [0 * a])]
    others = [0 * ones[0]] if unit.resizes else ones
    size = np.square if noise == "gaussian" else np.abs
    return max(int(size(a - b).sum()) for a in added for b in others)


@pytest.mark.parametrize("wanted", ["prefixes", OVERLAPPING])
@pytest.mark.parametrize("noise", ["gaussian", "laplace"])
def test_what_is_printed_adds_up_and_lies_in_its_interval(noise: str, wanted: Any) -> None:
    n = 5 if wanted is OVERLAPPING else 20
    one = replace(asked(n, wanted, noise), pairs=tuple(combinations(range(n + 1), 2)))
    work = Workload((one,), Unit(), noise, Fraction(1, 20))
    drawn = work.draw(work.totals([people(n)]), seeded_bits(np.random.default_rng(2)))
    figures = [f for _, f in work.figures(drawn)]
    assert {f.noise.split("(")[1].split(")")[0] for f in figures} <= {"unbiased", "fitted"}
    for half in (figures[: len(one.pairs)], figures[len(one.pairs) :]):
        found = {p: Fraction(repr(f.value)) for p, f in zip(one.pairs, half, strict=True)}
        for a, b, c in combinations(range(n + 1), 3):
            assert found[a, b] + found[b, c] == found[a, c]
        assert min(found.values()) >= 0
        for f in half:
            assert f.low is not None
            assert f.high is not None
            assert f.low <= (f.value or 0) <= f.high
            assert f.suppressed == (f.low == 0 and f.value is not None) or f.low > 0 or not f.suppressed


def without_noise(one: Ranges, work: Workload, data: Rows) -> bool:
    """Whether the figures are the true numbers where all noise is 0."""
    totals = work.totals([data])
    drawn = {p: (d, d.part.transformed(totals[p.measurement])) for p, d in work.drawers.items()}  # type: ignore[attr-defined]
    sex, age = data.places["sex"], data.numbers["age"]
    last = one.bands.edges[-1]  # type: ignore[union-attr,index]
    true = [
        int(((sex == s) & (age >= a) & ((age < b) | (b == last))).sum()) for s in (0, 1) for a, b in one.pairs
    ]
    return [f.value for f in one.figures(drawn)] == true


def test_an_estimate_that_forgets_a_group_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    one = asked(20, "prefixes", "laplace")
    work, data = load(one, "laplace"), people(20)
    assert len(one.parts) > 1
    assert without_noise(one, work, data)
    real = Fit.cells
    for forgotten in (slice(1, 2), slice(0, 1)):
        monkeypatch.setattr(
            Fit, "cells", lambda self, answers, at=forgotten: real(self, answers)[[at.start] * 2]
        )
        assert not without_noise(one, work, data)


def test_a_wrong_variance_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    one = asked(7, "prefixes")
    work = load(one)
    true = exact_variances(one, work)
    monkeypatch.setattr(range_tables, "_variance", lambda drawer: drawer.law.variance() / 2)
    assert one._deviations(work.drawers) ** 2 != pytest.approx([float(v) for v in true], rel=1e-2)


@pytest.mark.parametrize("noise", ["gaussian", "laplace"])
def test_a_split_among_the_draws_finds_the_best_shares(noise: str) -> None:
    """Moving a tenth of any share to any other draw makes the mean variance no smaller."""
    one = asked(100, "prefixes", noise)
    work = load(one, noise)
    assert len(one.parts) > 1

    def error(shares: Any) -> float:
        drawers = {p: p.drawer(s, work.unit, noise) for p, s in zip(one.parts, shares, strict=True)}
        return float(np.mean(one._deviations(drawers) ** 2))

    shares = list(work.split.shares)
    best = error(shares)
    for i, j in [(0, 1), (1, 0), (len(shares) - 1, 0)]:
        other, part = list(shares), shares[i] / 10
        other[i], other[j] = shares[i] - part, shares[j] + part
        assert error(other) >= best * (1 - 1e-6)


def test_draws_that_others_need_too_are_drawn_once() -> None:
    one = asked(12, "prefixes", "laplace")
    assert one.bands is not None
    total, bands = Count("people", (SEX,)), Count("bands", (SEX,), bins=(one.bands,))
    alone, beside = load(one, "laplace"), Workload((one, total, bands), Unit(), "laplace", Fraction(1, 2))
    assert len(beside.parts) == len({*alone.parts, *total.parts, *bands.parts})
    assert bands.parts[0] in alone.parts
    assert beside.name_of(bands.parts[0]).startswith("x and bands")
    prefixes = asked(100, "prefixes")
    names = [load(prefixes).name_of(part) for part in prefixes.parts]
    assert names[0] == "x, total"
    assert len(set(names)) == len(names)
    assert not any("another" in name for name in names)
    assert prefixes.parts[0] == Count("people", (SEX,)).parts[0]


def test_queries_of_one_record_too_few_are_no_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """The draw of a part whose sensitivity is halved costs more than its share: the law says so."""
    one = asked(5, "prefixes")
    (part,) = one.parts
    assert isinstance(part, RangeQueries)

    def paid(work: Workload) -> Fraction:
        drawer = work.drawers[part]
        assert isinstance(drawer, SumsDrawer)
        first, second = part.farthest(work.unit, "gaussian")
        return sum((Fraction(a - b) ** 2 for a, b in zip(first, second, strict=True)), Fraction(0)) / (
            2 * drawer.law.proxy
        )

    assert paid(load(one)) <= load(one).cost
    real = RangeQueries.demand
    monkeypatch.setattr(RangeQueries, "demand", lambda *a: real(*a) / 4)
    assert paid(load(one)) > 3 * load(one).cost


def test_what_the_noise_of_whole_number_queries_is_of_is_said() -> None:
    """A deviation of thousands beside intervals of tens is that of answers in which one record counts thousands of times."""
    one = asked(8, "prefixes")
    (part,) = (p for p in one.parts if isinstance(p, RangeQueries))
    (said,) = parts_of(load(one))
    assert said["deviation"] > 100 * max(one._deviations(load(one).drawers))
    assert f"up to {part.largest:,} times" in said["step_is"]
    plain = load(asked(8, "ranges", "laplace"), "laplace")
    assert all("step_is" not in row for row in parts_of(plain))
