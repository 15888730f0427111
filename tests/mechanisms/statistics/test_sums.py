"""Sums over records by cells: the vectorised code against one that goes from record to record with fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import isnan
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noiseproof.mechanisms.statistics.amounts import One, Steps, product_of, steps_of
from noiseproof.mechanisms.statistics.intervals import Intervals
from noiseproof.mechanisms.statistics.measurement import Measurement
from noiseproof.mechanisms.statistics.rows import Axis, Condition, Rows

SEX = Axis("sex", ("f", "m"))
AGES = Axis("age", ("young", "middle", "old"), (16.0, 30.5, 60.0, 100.0))
AGE = steps_of("age", 16.0, 100.0, whole=True, centred=True)
WEIGHT = steps_of("weight", 30.0, 200.0, whole=False, centred=True)
CASES = {
    "counts": Measurement((SEX,), (One(),)),
    "nothing but one cell": Measurement((), (One(),)),
    "counts by two": Measurement((AGES, SEX), (One(),)),
    "sums": Measurement((SEX,), (One(), AGE)),
    "squares": Measurement((SEX,), (One(), WEIGHT, product_of(WEIGHT, WEIGHT))),
    "with conditions": Measurement(
        (SEX,), (One(), WEIGHT), (Condition("age", (), 20.0, None), Condition("sex", (1,)))
    ),
}
PLACES = st.integers(-1, 1)
WHOLE = st.integers(-(2**62), 2**62) | st.integers(10, 110)
NUMBERS = st.floats() | st.floats(20, 210)
RECORDS = st.lists(st.tuples(PLACES, WHOLE | st.none(), NUMBERS), max_size=30)


def slowly(case: Measurement, records: list[dict[str, Any]]) -> list[list[int]]:
    """The same sums, one record after the other."""
    cells = list(product(*(range(n) for n in case.shape)))
    out = [[0] * len(case.amounts) for _ in cells]
    for record in records:
        numbers = {n: v for n, v in record.items() if n != "sex" and v is not None and not isnan(v)}
        places = [_group(axis, record, numbers) for axis in case.axes]
        needed = [name for amount in case.amounts for name in amount.columns]
        met = all(_met(condition, record, numbers) for condition in case.where)
        if -1 in places or not met or any(name not in numbers for name in needed):
            continue
        for j, amount in enumerate(case.amounts):
            out[cells.index(tuple(places))][j] += _amount(amount, numbers)
    return out


def _group(axis: Axis, record: dict[str, Any], numbers: dict[str, float]) -> int:
    if axis.edges is None:
        return int(record[axis.column])
    if axis.column not in numbers:
        return -1
    return sum(numbers[axis.column] >= edge for edge in axis.edges[1:-1])


def _met(condition: Condition, record: dict[str, Any], numbers: dict[str, float]) -> bool:
    if condition.column == "sex":
        return record["sex"] in condition.places
    value = numbers.get(condition.column)
    return (
        value is not None
        and (condition.low is None or value >= condition.low)
        and (condition.high is None or value <= condition.high)
    )


def _amount(amount: Any, numbers: dict[str, float]) -> int:
    if isinstance(amount, One):
        return 1
    if isinstance(amount, Steps):
        clipped = min(max(numbers[amount.column], amount.low), amount.high)
        return round((Fraction(clipped) - amount.centre) / amount.step)
    exact = Fraction(_amount(amount.first, numbers) * _amount(amount.second, numbers), 1 << amount.shift)
    return min(max((2 * exact + 1) // 2, amount.least), amount.most)


@given(RECORDS, st.integers(1, 7))
@settings(max_examples=60, deadline=None)
def test_sums_of_batches_are_those_of_the_records_one_by_one(
    drawn: list[tuple[int, int | None, float]], size: int
) -> None:
    records = [{"sex": s, "age": a, "weight": w} for s, a, w in drawn]
    for case in CASES.values():
        totals = case.zeros()
        for start in range(0, len(records), size):
            case.add(rows_of(records[start : start + size]), totals)
        assert totals.tolist() == slowly(case, records)


def rows_of(records: list[dict[str, Any]]) -> Rows:
    """A batch; of ages whole numbers where all are there, as a table is read."""
    ages = [r["age"] for r in records]
    found = (
        np.array([np.nan if a is None else float(a) for a in ages])
        if None in ages
        else np.array(ages, dtype=np.int64)
    )
    places = np.array([r["sex"] for r in records], dtype=np.int64)
    return Rows(
        len(records),
        {"sex": places},
        {"age": found, "weight": np.array([r["weight"] for r in records], dtype=float)},
    )


@pytest.mark.parametrize("count", [2, 3, 9, 40, 1025])
@pytest.mark.parametrize("equal", [True, False])
def test_every_number_lies_in_the_interval_that_a_search_finds(count: int, equal: bool) -> None:
    rng = np.random.default_rng(count)
    edges = (
        np.linspace(-3.0, 7.0, count)
        if equal
        else np.sort(rng.normal(size=count) * 10.0 ** rng.integers(-3, 4))
    )
    near = np.concatenate([edges, np.nextafter(edges, np.inf), np.nextafter(edges, -np.inf)])
    values = np.concatenate([near, rng.normal(size=2_000) * 10, [np.inf, -np.inf, 1e308, -1e308, 0.0, -0.0]])
    wanted = np.searchsorted(edges[1:-1], values, side="right")
    assert np.array_equal(Intervals(edges).of(values), wanted)
    whole = np.concatenate([rng.integers(-2000, 2000, 2_000), [2**62, -(2**62)]])
    assert np.array_equal(Intervals(edges).of(whole), np.searchsorted(edges[1:-1], whole, side="right"))


def test_nan_disturbs_no_other_number() -> None:
    found = Intervals(np.linspace(0.0, 1.0, 101)).of(np.array([np.nan, 0.555, np.nan, 2.0]))
    assert found[[1, 3]].tolist() == [55, 99]
