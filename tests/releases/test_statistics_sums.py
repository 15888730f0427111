"""The sums of a release of statistics: what counts, in which cell, and which records of a person."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_policies import KEY, PERSON, policy_text

from noiseproof.audit.release.policy import Policy, parse_policy
from noiseproof.audit.release.statistics.bounding import crowded
from noiseproof.audit.release.statistics.compiled import workload_of
from noiseproof.audit.release.statistics.records import Records, fresh_key
from noiseproof.audit.release.statistics.trial_tables import Row, TrialTable, neighbours
from noiseproof.mechanisms.statistics.counts import Count
from noiseproof.mechanisms.statistics.quantiles import Quantiles
from noiseproof.mechanisms.statistics.statistic import Statistic
from noiseproof.mechanisms.statistics.summing import AllTotals
from noiseproof.mechanisms.statistics.sums import Mean, Sum, Variance
from noiseproof.mechanisms.statistics.workload import Workload
from noiseproof.symbolic.errors import SpecError

AGE = {"name": "age", "kind": "integer", "role": "private", "low": 0, "high": 100, "missing": "skip"}
PAY = {
    "name": "pay",
    "kind": "number",
    "role": "private",
    "low": -10.0,
    "high": 30.0,
    "missing": {"value": 0},
}
SEX = {
    "name": "sex",
    "kind": "category",
    "role": "private",
    "categories": ["f", "m", "other"],
    "missing": "skip",
    "undeclared": {"value": "other"},
}
STATISTICS: tuple[Mapping[str, Any], ...] = (
    {"name": "people", "measure": "count", "by": ["sex"]},
    {"name": "old", "measure": "count", "where": {"age": {"low": 65}}},
    {"name": "pay", "measure": "sum", "column": "pay", "by": ["sex"], "where": {"sex": ["f", "m"]}},
    {"name": "mean", "measure": "mean", "column": "age", "by": ["sex"]},
    {"name": "spread", "measure": "variance", "column": "age"},
    {"name": "ages", "measure": "histogram", "column": "age", "edges": [0, 18, 65, 100]},
    {"name": "median", "measure": "quantiles", "column": "age", "quantiles": [0.5]},
)


def policy(*statistics: Mapping[str, Any], columns: Any = (AGE, PAY, SEX, KEY), **parts: Any) -> Policy:
    table = {"rows_public": False, **parts.pop("table", {})}
    mechanism = {"kind": "statistics", "noise": "laplace", **parts.pop("mechanism", {})}
    text = policy_text(
        columns, table, mechanism, {"epsilon": 1.0}, statistics=statistics or STATISTICS, **parts
    )
    return parse_policy(text.encode(), folder=Path())


def totals(of: Policy, rows: list[Row], load: Workload, key: Any = None) -> AllTotals:
    return load.totals(Records(of, TrialTable(of, rows).read, fresh_key() if key is None else key).rows())


def row(age: Any, pay: Any, sex: Any, person: str = "p") -> Row:
    return {"age": age, "pay": pay, "sex": sex, "id": person}


ROWS = [
    row(10, 5.0, "f"),
    row(70, math.nan, "m"),
    row(200, math.inf, "f"),
    row(-5, -1e300, "x"),
    row(None, 1.0, "m"),
    row(40, 2.25, None),
]


def statistic(load: Workload, name: str) -> Statistic:
    return next(s for s in load.statistics if s.name == name)


def test_each_record_counts_where_the_policy_says() -> None:
    made = policy()
    load = workload_of(made, Fraction(1))
    found = totals(made, ROWS, load)

    def of(name: str, part: int = 0) -> list[int]:
        return [int(v) for v in found[statistic(load, name).parts[part].measurement][:, 0]]

    assert of("people") == [2, 2, 1]  # the undeclared one is "other", the missing one is left out
    assert of("old") == [2]
    pay = statistic(load, "pay")
    assert isinstance(pay, Sum)
    assert pay.amount is not None
    assert [v * float(pay.amount.step) for v in of("pay")] == pytest.approx([35.0, 1.0, 0.0], abs=1e-4)
    # Ages 10 and 100 of women, 70 of a man, 0 of another, from the centre 50.
    assert of("mean") == [10, 20, -50]
    assert of("mean", 1) == [2, 1, 1]  # a man without an age is no part of the mean
    assert of("spread", 1) == [40**2 + 20**2 + 50**2 + 50**2 + 10**2]
    assert of("ages") == [2, 1, 2]


def test_order_and_batches_are_none_of_the_sums_business() -> None:
    made = policy(table=PERSON)
    load = workload_of(made, Fraction(1))
    rng, key = np.random.default_rng(0), fresh_key()
    rows = [row(int(rng.integers(0, 99)), 1.0, "f", f"p{i % 7}") for i in range(40)]
    first = totals(made, rows, load, key)
    for _ in range(3):
        other = totals(made, [rows[int(i)] for i in rng.permutation(40)], load, key)
        assert all(np.array_equal(first[m], other[m]) for m in load.measurements)


def test_of_a_person_no_more_records_count_than_declared() -> None:
    made = policy({"name": "people", "measure": "count"}, table=PERSON)
    load = workload_of(made, Fraction(1))
    alike = [row(30, 1.0, "f", "a")] * 9 + [row(30, 1.0, "f", "b")]
    (found,) = totals(made, alike, load).values()
    assert found[0, 0] == 3
    drawn = [row(i, float(i), "f", "a") for i in range(50)]
    (found,) = totals(made, drawn, load).values()
    assert found[0, 0] == 2


def test_which_records_of_a_person_count_is_a_matter_of_chance() -> None:
    made = policy({"name": "ages", "measure": "histogram", "column": "age", "bins": 10}, table=PERSON)
    load = workload_of(made, Fraction(1))
    drawn = [row(10 * i + 5, 1.0, "f", "a") for i in range(10)]
    seen: Counter[int] = Counter()
    for _ in range(300):
        (found,) = totals(made, drawn, load).values()
        assert found.sum() == 2
        seen.update(np.flatnonzero(found[:, 0]).tolist())
    # Each of ten records counts with probability 1/5: beyond 5 deviations for one of ten below 1e-5.
    assert all(abs(seen[i] - 60) < 5 * math.sqrt(300 * 0.2 * 0.8) for i in range(10))


@pytest.mark.parametrize("bound", [1, 2, 3])
def test_crowded_persons_are_found_in_passes_as_in_one(bound: int) -> None:
    rng = np.random.default_rng(bound)
    persons = rng.integers(0, 40, 500).astype(np.uint64) * np.uint64(0x0655_7F3A_9C1D_2B11)
    contents = rng.integers(0, 30, 500).astype(np.uint64)

    def read() -> Any:
        yield from ((persons[i : i + 50], contents[i : i + 50]) for i in range(0, 500, 50))

    whole = crowded(read, bound)
    for most in (1, 37, 200):
        parts = crowded(read, bound, most)
        assert np.array_equal(whole.persons, parts.persons)
        assert np.array_equal(whole.last, parts.last)
        assert np.array_equal(whole.ties, parts.ties)
    kept = whole.kept(persons, contents)
    counts = Counter(persons[kept].tolist())
    assert all(counts[p] == min(bound, c) for p, c in Counter(persons.tolist()).items())


@pytest.mark.parametrize("table", [{}, PERSON])
@pytest.mark.parametrize("adjacency", ["add-or-remove", "replace-one"])
def test_no_neighbours_are_further_apart_than_proved(table: Mapping[str, Any], adjacency: str) -> None:
    made = policy(table=table, mechanism={"adjacency": adjacency})
    load = workload_of(made, Fraction(1))
    reached: dict[Any, float] = {}
    for one, two in neighbours(made, load.unit.resizes, 5, 80):
        key = fresh_key()
        first, second = (totals(made, side.rows, load, key) for side in (one, two))
        for part in load.parts:
            here, there = part.answers(first[part.measurement], second[part.measurement])
            apart = float(sum(abs(a - b) for a, b in zip(here, there, strict=True)))
            bound = float(part.stated().sensitivity("l1", load.unit.relation()).exact or 0)
            assert apart <= bound
            reached[part] = max(reached.get(part, 0.0), apart / bound)
    assert min(reached.values()) >= 0.5


def test_what_the_policy_refuses_is_refused_without_a_value() -> None:
    strict = {**SEX, "undeclared": "refuse"}
    made = policy(columns=(AGE, PAY, strict, KEY))
    load = workload_of(made, Fraction(1))
    with pytest.raises(SpecError, match="record 4: the value is none of the declared categories") as caught:
        totals(made, ROWS, load)
    assert "'x'" not in str(caught.value)


def test_statistics_are_what_was_asked_for() -> None:
    made = policy()
    load = workload_of(made, Fraction(1))
    kinds = [type(s) for s in load.statistics]
    assert kinds == [Count, Count, Sum, Mean, Variance, Count, Quantiles]


def test_what_two_statistics_need_is_drawn_once() -> None:
    every = {**AGE, "missing": {"value": 40}}
    made = policy(STATISTICS[0], STATISTICS[3], columns=(every, PAY, SEX, KEY))
    load = workload_of(made, Fraction(1))
    assert len(load.parts) == 2
    assert statistic(load, "people").parts[0] in statistic(load, "mean").parts


def test_a_derived_number_is_computed_clipped_and_left_out_where_it_has_no_value() -> None:
    ratio = {"name": "ratio", "expression": "log(age) * 2 + pay", "low": 0.0, "high": 10.0}
    made = policy(
        {"name": "total", "measure": "sum", "column": "ratio"},
        {"name": "some", "measure": "count", "where": {"ratio": {"low": 1.0}}},
        derived=[ratio],
    )
    load = workload_of(made, Fraction(1))
    found = totals(made, [row(1, 5.0, "f"), row(0, 5.0, "f"), row(None, 1.0, "f"), row(90, 30.0, "m")], load)
    total = statistic(load, "total")
    assert isinstance(total, Sum)
    assert total.amount is not None
    assert int(found[total.parts[0].measurement][0, 0]) * float(total.amount.step) == pytest.approx(
        15.0, abs=1e-4
    )
    assert found[statistic(load, "some").parts[0].measurement][0, 0] == 2


@pytest.mark.parametrize(
    ("derived", "words"),
    [
        ({"expression": "age +"}, "derived\\[0\\].expression"),
        ({"expression": "salary"}, "salary"),
        ({"expression": "sex * 2"}, "sex"),
        ({"expression": "3"}, "without a column"),
        ({"expression": "age", "name": "pay"}, "name of another column"),
        ({"expression": "age", "high": -1.0}, "low < high"),
        ({"expression": "__import__('os').system('x')"}, "derived"),
    ],
)
def test_a_formula_that_cannot_be_meant_is_refused(derived: Mapping[str, Any], words: str) -> None:
    with pytest.raises(SpecError, match=words):
        policy({"name": "n", "measure": "count"}, derived=[{"name": "d", "low": 0.0, "high": 1.0, **derived}])


@pytest.mark.parametrize(("noise", "limit"), [("gaussian", 3.0), ("laplace", 3.0), ("gaussian", 1e-4)])
def test_large_and_small_budgets_have_controls_that_fall(noise: str, limit: float) -> None:
    from noiseproof.audit.release.plan import plan
    from noiseproof.audit.release.trial import audited, failed

    text = policy_text(
        (AGE,),
        {"rows_public": False},
        {"kind": "statistics", "noise": noise},
        {"rho" if noise == "gaussian" else "epsilon": limit},
        statistics=[{"name": "people", "measure": "count"}],
        audit={"samples": 2_000, "alpha": 0.001},
    )
    certificate = audited(plan(parse_policy(text.encode(), folder=Path())))
    assert failed(certificate) == ()
    assert sum(f.is_control for f in certificate.findings) == 2
