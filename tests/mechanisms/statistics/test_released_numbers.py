"""What is published of noisy parts: intervals that hold the true numbers, tables that agree, costs that add up."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from noiseproof.mechanisms.grid_noise import seeded_bits
from noiseproof.mechanisms.statistics.amounts import product_of, steps_of
from noiseproof.mechanisms.statistics.counts import Count, Distinct, TopValues
from noiseproof.mechanisms.statistics.intervals import interval_labels
from noiseproof.mechanisms.statistics.marginal_tables import Marginals, NoisyMarginals
from noiseproof.mechanisms.statistics.measurement import Unit
from noiseproof.mechanisms.statistics.quantiles import Quantiles
from noiseproof.mechanisms.statistics.range_design import range_design
from noiseproof.mechanisms.statistics.range_tables import Ranges
from noiseproof.mechanisms.statistics.rows import Axis, Rows
from noiseproof.mechanisms.statistics.statistic import Statistic, Target
from noiseproof.mechanisms.statistics.sums import Mean, Sum, SumOfMean, Variance
from noiseproof.mechanisms.statistics.workload import Workload

SEX, TOWN = Axis("sex", ("f", "m")), Axis("town", ("a", "b", "c"))
GRID = Axis("age", tuple(map(str, range(101))), tuple(i - 0.5 for i in range(102)))
CENTRED = steps_of("age", 0, 100, whole=True, centred=True)
PLAIN = steps_of("age", 0, 100, whole=True, centred=False)
EDGES, WANTED = (0.0, 10.0, 20.0, 30.0, 45.0, 60.0, 75.0, 90.0, 100.0), ((0, 3), (1, 7), (2, 3), (4, 8))
N, RELEASES = 400, 300


def rows() -> Rows:
    rng = np.random.default_rng(3)
    places = {"sex": rng.integers(0, 2, N), "town": rng.choice(3, N, p=[0.7, 0.28, 0.02])}
    return Rows(N, places, {"age": rng.integers(0, 101, N).astype(float)})


def truth(one: Statistic, data: Rows) -> dict[tuple[Any, ...], float]:
    """The true numbers by name, computed another way."""
    age, out = data.numbers["age"], {}
    labels = {a.column: np.array(a.labels)[data.places[a.column]] for a in (SEX, TOWN)}
    if isinstance(one, Marginals):
        for table in one.tables:
            for groups in np.ndindex(*(len(a.labels) for a in one.columns if a.column in table)):
                kept = dict(zip(table, groups, strict=True))
                where = np.all([data.places[c] == v for c, v in kept.items()], axis=0)
                names = tuple(a.labels[kept[a.column]] if a.column in kept else None for a in one.columns)
                out[names, " x ".join(table)] = float(where.sum())
        return out
    for sex in SEX.labels:
        inside = labels["sex"] == sex
        if isinstance(one, Ranges):
            for label, (a, b) in zip(one.labels, one.pairs, strict=True):
                upto = (age < EDGES[b]) | (b == 8)
                out[(sex, label), "ranges"] = float((inside & (age >= EDGES[a]) & upto).sum())
        elif isinstance(one, Distinct):
            out[(sex,), "distinct"] = float(len(set(labels["town"][inside])))
        elif isinstance(one, Count):
            for town in TOWN.labels:
                out[(sex, town), "count"] = float((inside & (labels["town"] == town)).sum())
        elif isinstance(one, Sum | SumOfMean):
            out[(sex,), "sum"] = float(age[inside].sum())
        elif isinstance(one, Variance):
            out[(sex,), "variance"] = float(age[inside].var())
        else:
            out[(sex,), "mean"] = float(age[inside].mean())
    return out


STATISTICS: dict[str, Statistic] = {
    "count": Count("x", (SEX,), bins=(TOWN,)),
    "distinct": Distinct("x", (SEX,), bins=(TOWN,)),
    "sum": Sum("x", (SEX,), amount=PLAIN),
    "sum of mean": SumOfMean("x", (SEX,), amount=CENTRED),
    "mean": Mean("x", (SEX,), amount=CENTRED),
    "variance": Variance("x", (SEX,), amount=CENTRED, square=product_of(CENTRED, CENTRED)),
    "marginals": Marginals("x", columns=(SEX, TOWN), tables=(("sex", "town"), ("town",))),
    "ranges": Ranges(
        "x",
        (SEX,),
        bands=Axis("age", interval_labels(EDGES), EDGES),
        pairs=WANTED,
        design=range_design(8, WANTED, "gaussian", True, True),
    ),
}


def load(one: Statistic, noise: str, budget: Fraction = Fraction(1, 2)) -> Workload:
    return Workload((one,), Unit(), noise, budget)


@pytest.mark.parametrize("noise", ["gaussian", "laplace"])
@pytest.mark.parametrize("name", STATISTICS)
def test_intervals_hold_the_true_numbers(name: str, noise: str) -> None:
    """Each of a few dozen numbers in 300 releases: 0.95 less 5 deviations, false alarm below 1e-4."""
    work, data = load(STATISTICS[name], noise), rows()
    true, totals = truth(STATISTICS[name], data), work.totals([data])
    bits, held = seeded_bits(np.random.default_rng(1)), defaultdict(int)
    for _ in range(RELEASES):
        for _, figure in work.figures(work.draw(totals, bits)):
            key = figure.groups, figure.quantity
            assert figure.low is not None
            assert figure.high is not None
            held[key] += figure.low <= true[key] + 1e-9 and true[key] - 1e-9 <= figure.high
    assert set(held) == set(true)
    assert min(held.values()) / RELEASES >= 0.95 - 5 * np.sqrt(0.95 * 0.05 / RELEASES)


@pytest.mark.parametrize("noise", ["gaussian", "laplace"])
def test_costs_add_up_to_no_more_than_the_budget(noise: str) -> None:
    work = Workload(
        tuple(STATISTICS[n] if n == "count" else _named(n) for n in STATISTICS), Unit(), noise, Fraction(1, 3)
    )
    assert Fraction(1, 3) * Fraction(999_999, 1_000_000) <= work.cost <= Fraction(1, 3)
    assert work.cost == sum(d.cost for d in work.drawers.values())


def _named(name: str) -> Statistic:
    from dataclasses import replace

    return replace(STATISTICS[name], name=name)


def test_marginals_agree_and_are_better_than_one_by_one() -> None:
    one = STATISTICS["marginals"]
    work, data = load(one, "gaussian"), rows()
    (part,) = one.parts
    assert isinstance(part, NoisyMarginals)
    drawer = work.drawers[part]
    noisy = drawer.draw(work.totals([data])[part.measurement], seeded_bits(np.random.default_rng(2)))
    tables = drawer.estimates(noisy)  # type: ignore[attr-defined]
    assert np.allclose(tables["sex", "town"].sum(axis=0), tables[("town",)])
    alone = part.strategy(Unit(), "gaussian", Fraction(1, 2)).root_mean_squared_error
    assert alone < np.sqrt(1 / (2 * 0.25))


@pytest.mark.parametrize(("budget", "how"), [(Fraction(1, 2), "unbiased"), (Fraction(1, 200), "joint")])
def test_printed_marginals_agree_and_say_how_they_were_found(budget: Fraction, how: str) -> None:
    one = STATISTICS["marginals"]
    work, data = load(one, "gaussian", budget), rows()
    drawn = work.draw(work.totals([data]), seeded_bits(np.random.default_rng(2)))
    printed: dict[str, dict[tuple[Any, ...], Fraction]] = {}
    for _, figure in work.figures(drawn):
        assert f"({how})" in figure.noise
        assert figure.value is not None
        assert figure.low is not None
        assert figure.high is not None
        assert figure.low <= figure.value <= figure.high
        printed.setdefault(figure.quantity, {})[figure.groups] = Fraction(repr(figure.value))
    assert min(v for counts in printed.values() for v in counts.values()) >= 0
    for (_, town), count in printed["town"].items():
        parts = sum(v for (_, t), v in printed["sex x town"].items() if t == town)
        # The joint table is rounded before it is summed, estimates without it one by one.
        assert abs(count - parts) <= (0 if how == "joint" else Fraction(2, 10**6))


def test_quantiles_are_near_and_in_their_order() -> None:
    one = Quantiles(
        "q", (SEX,), grid=GRID, levels=((1, 4), (1, 2), (3, 4)), middles=tuple(map(float, range(101)))
    )
    work, data = load(one, "laplace", Fraction(3)), rows()
    totals, bits = work.totals([data]), seeded_bits(np.random.default_rng(4))
    age, inside = data.numbers["age"], data.places["sex"] == 0
    for _ in range(20):
        found = [f.value for _, f in work.figures(work.draw(totals, bits))][:3]
        assert found == sorted(found)
        for value, level in zip(found, (0.25, 0.5, 0.75), strict=True):
            assert value is not None
            assert abs((age[inside] < value).mean() - level) < 0.15


def test_the_top_values_come_first() -> None:
    one = TopValues("t", bins=(TOWN,), most=2)
    work = load(one, "laplace", Fraction(5))
    drawn = work.draw(work.totals([rows()]), seeded_bits(np.random.default_rng(5)))
    found = [(f.quantity, f.groups) for _, f in work.figures(drawn)]
    assert found == [("top 1", ("a",)), ("top 2", ("b",))]


def test_targets_are_met_or_refused_with_what_would_do() -> None:
    from noiseproof.mechanisms.statistics.budget import InfeasibleBudgetError

    exact = Count("people", target=Target(Fraction(10)))
    other = Count("towns", bins=(TOWN,))
    work = Workload((exact, other), Unit(), "gaussian", Fraction(1, 4))
    law = work.drawers[exact.parts[0]].law  # type: ignore[attr-defined]
    assert law.half_width(Fraction(95, 100)) <= 10
    with pytest.raises(InfeasibleBudgetError, match="people"):
        _ = Workload((exact, other), Unit(), "gaussian", Fraction(1, 1000)).drawers


@pytest.mark.parametrize("noise", ["gaussian", "laplace"])
def test_a_regression_is_near_that_of_the_table_and_its_intervals_hold(noise: str) -> None:
    """Three coefficients in 200 releases: 0.95 less 5 deviations, false alarm below 1e-5."""
    from noiseproof.mechanisms.statistics.regression import Regression

    rng, n = np.random.default_rng(6), 3_000
    x, z = rng.uniform(0, 100, n), rng.uniform(-3, 3, n)
    y = np.clip(2 + x / 2 - 3 * z + rng.normal(0, 5, n), -50, 100)
    of = {
        c: steps_of(c, a, b, whole=False, centred=True)
        for c, a, b in (("x", 0, 100), ("z", -3, 3), ("y", -50, 100))
    }
    one = Regression("r", response=of["y"], features=(of["x"], of["z"]))
    work, data = load(one, noise, Fraction(2)), Rows(n, {}, {"x": x, "z": z, "y": y})
    totals, bits = work.totals([data]), seeded_bits(np.random.default_rng(8))
    true = np.linalg.lstsq(np.column_stack([np.ones(n), x, z]), y, rcond=None)[0]
    held = np.zeros(3)
    for _ in range(200):
        found = [f for _, f in work.figures(work.draw(totals, bits))]
        assert [f.quantity for f in found] == ["intercept", "slope of x", "slope of z"]
        held += [(f.low or 0) <= t <= (f.high or 0) for f, t in zip(found, true, strict=True)]
        assert abs((found[1].value or 0) - true[1]) < 0.1
    assert held.min() / 200 >= 0.95 - 5 * np.sqrt(0.95 * 0.05 / 200)


def test_a_regression_of_too_few_records_says_nothing() -> None:
    from noiseproof.mechanisms.statistics.regression import Regression

    of = {c: steps_of(c, 0, 1, whole=False, centred=True) for c in ("x", "y")}
    one = Regression("r", response=of["y"], features=(of["x"],))
    data = Rows(3, {}, {"x": np.array([0.1, 0.2, 0.9]), "y": np.array([0.0, 1.0, 0.5])})
    work = load(one, "gaussian", Fraction(1, 100))
    found = [
        f for _, f in work.figures(work.draw(work.totals([data]), seeded_bits(np.random.default_rng(9))))
    ]
    assert all(f.suppressed and f.value is None for f in found)
