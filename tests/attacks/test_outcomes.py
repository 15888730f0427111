"""Outcomes of any kind in one form: nothing that could tell two inputs apart is lost, nothing unreadable passes."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from itertools import count, product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import noiseproof as npf
from noiseproof.audit.trial.attack.scores import atom_score, law_score, linear_score, usual_kind
from noiseproof.audit.trial.outcomes import (
    Grid,
    Kinds,
    Outcomes,
    canonical,
    interquartile_range,
    is_plain,
    join,
    raised,
    thin,
    widen,
)
from noiseproof.audit.trial.sampling import Schedule, draw, fingerprint, probe
from noiseproof.mechanisms.black_box import BlackBox


@dataclass
class Answer:
    name: str
    value: float


BIG = 2**60

DIFFERENT: list[Any] = [
    *(0, 0.5, True, None, "0", b"0", "a", (0,), [0], (0, 0), {"a": 0}, {"b": 0}, {"a": 1}, 1 + 2j),
    *(1 + 3j, BIG, BIG + 1, -BIG, 10**400, 10**400 + 1, Fraction(1, 3), Fraction(1, 7)),
    *(Decimal("0.1"), float("nan"), float("inf"), float("-inf"), ValueError("x"), KeyError("x")),
    *(np.zeros(2), np.zeros(3), np.zeros((3, 1)), np.ones(2, dtype=np.float32), Answer("a", 1.0)),
    *(Answer("b", 1.0), Answer("a", 2.0), frozenset({1, 2}), frozenset({1, 3})),
    *(np.array(["a", "b"]), np.array(["a", "c"])),
]


def test_outcomes_that_differ_have_different_keys_and_equal_ones_the_same() -> None:
    both = canonical([*DIFFERENT, *DIFFERENT], 2 * len(DIFFERENT))
    keys = both.keys()
    assert len(set(keys.tolist())) == len(DIFFERENT)
    assert np.array_equal(keys[: len(DIFFERENT)], keys[len(DIFFERENT) :])


WHOLE: list[Callable[[int], Any]] = [
    *(int, float, Fraction, Decimal, np.int64, np.uint8, np.float16, np.float32, np.float64, np.longdouble),
    np.array,
]
EQUAL: dict[str, list[Callable[[int], Any]]] = {
    "whole numbers": WHOLE,
    "whole numbers in a list": [lambda v, t=t: [t(v), 0] for t in WHOLE],  # type: ignore[misc]
    "whole numbers under a key": [lambda v, t=t: {"a": t(v)} for t in WHOLE],  # type: ignore[misc]
    "arrays": [lambda v, t=t: np.array([v, 1], dtype=t) for t in (int, float, np.int8, np.float32, object)],  # type: ignore[misc]
    "truth": [lambda v: v > 4, lambda v: np.bool_(v > 4), lambda v: int(v > 4)],
    "large": [lambda v, t=t: t(BIG + v) for t in (int, np.int64, np.uint64, Fraction)],  # type: ignore[misc]
    "huge": [lambda v, t=t: t(2 ** (300 + 85 * v)) for t in (int, float, Fraction, Decimal)],  # type: ignore[misc]
    "beyond doubles": [lambda v: 10**400 + v, lambda v: Fraction(10**400 + v)],
    "complex": [lambda v: v + 1j, lambda v: np.complex64(v + 1j)],
    "text": [str, lambda v: np.str_(v)],
    "bytes": [lambda v: b"%d" % v, lambda v: np.bytes_(b"%d" % v)],
    "texts": [lambda v: np.array([str(v)]), lambda v: np.array([str(v)], dtype="U40")],
    "keys": [lambda v: {v: 1}, lambda v: {np.int64(v): 1}, lambda v: {float(v): 1}],
    "sets": [lambda v: {v, 10}, lambda v: {np.int64(v), 10.0}],
    "times": [lambda v: datetime(2026, 1, 1 + v), lambda v: np.datetime64(datetime(2026, 1, 1 + v))],
}


@pytest.mark.parametrize("name", EQUAL)
def test_equal_values_are_equal_outcomes_whatever_their_types(name: str) -> None:
    samples = [canonical([make(v) for v in range(9)], 9) for make in EQUAL[name]]
    assert len({s.keys().tobytes() for s in samples}) == 1
    assert len(set(samples[0].keys().tolist())) == (2 if name == "truth" else 9)


@pytest.mark.parametrize("seconds", [None, 30.0])
def test_types_that_tell_the_inputs_apart_are_noted_and_on_trial_where_asked(seconds: float | None) -> None:
    def release(d: int, size: int, rng: np.random.Generator) -> list[Any]:
        return [(int, np.int64)[d](n) for n in rng.integers(9, size=size)]

    boxes = [npf.BlackBox(release, (0, 1), types=typed) for typed in (False, True)]
    found = [npf.examine(box, npf.PureDP(1.0), samples=500, call_seconds=seconds) for box in boxes]
    assert [c.verdict.name for c in found] == ["SURVIVED", "REFUTED"]
    (note,) = found[0].notes
    assert "int on input 0 and int64 on input 1; equal values are equal outcomes" in note
    witness = found[1].findings[0].evidence[0].witness
    assert witness is not None
    assert "int" in witness["score"]


def test_types_that_vary_alike_are_not_noted_and_calls_of_one_outcome_have_types() -> None:
    def release(d: int, size: int, rng: np.random.Generator) -> list[Any]:
        return [(int, float)[next(calls) % 2](3)] * size

    calls = count()
    assert probe(npf.BlackBox(release, (0, 1)), (0, 1), 0).note == ""
    found = draw(npf.BlackBox(release, (0, 1), types=True), 0, 4, (0,), 0, single=True).kinds.names
    assert {*found} == {"tuple[str 'int', number]", "tuple[str 'float', number]"}


def test_numbers_of_every_kind_are_numbers() -> None:
    for word in ("inf", "-inf", "nan"):
        out = canonical([t(word) for t in (float, np.float32, np.longdouble, Decimal)], 4)
        assert out.kinds.names == (f"number non-finite at 0:{word}",)
    assert canonical([np.array([2**53 + 1, "a"], dtype=object)], 1).values.tolist() == [[2.0**53, 1.0]]
    for value in (Fraction(1, 2), Decimal("0.5"), np.float32(0.5), 0.5):
        assert canonical([value], 1).values[0, 0] == 0.5
    assert canonical([Answer("a", 0.5)], 1).values[0, 0] == 0.5
    assert canonical(np.array([1 + 2j]), 1).values.tolist() == [[1.0, 2.0]]


def test_whole_numbers_beyond_doubles_keep_their_last_digits() -> None:
    rows = [[BIG], [BIG + 1], [BIG + 255]]
    for raw in (np.array(rows), [row[0] for row in rows]):
        out = canonical(raw, 3)
        assert [sum(map(int, row)) for row in out.values.tolist()] == [BIG, BIG + 1, BIG + 255]
    unsigned = canonical(np.array([2**64 - 1, 2**63], dtype=np.uint64), 2)
    assert int(unsigned.values[0, 0]) + int(unsigned.values[0, 1]) == 2**64 - 1
    huge = canonical([2**300 + 2**200 + 7, Decimal("1e400"), Decimal("1e401")], 3)
    assert 7 in huge.values[0]
    assert len(set(huge.keys().tolist())) == 3


def test_zeros_of_both_signs_are_one_outcome() -> None:
    assert len(set(canonical(np.array([0.0, -0.0]), 2).keys().tolist())) == 1


def test_rows_of_few_small_numbers_have_keys_of_their_own() -> None:
    rows = np.array(list(product((-1, 0, 1), repeat=9)))
    for raw in (rows, rows.tolist(), rows / 4, rows == 1):
        assert len(set(canonical(raw, len(raw)).keys().tolist())) == len(np.unique(raw, axis=0))


def test_non_finite_numbers_and_exceptions_are_not_plain() -> None:
    out = canonical([1.0, float("nan"), ValueError("x"), "non finite"], 4)
    assert out.plain().tolist() == [True, False, False, True]
    assert np.all(np.isfinite(out.values))
    assert not raised(KeyError("a"), 3).plain().any()
    where = canonical(np.array([[1.0, np.nan], [np.nan, 1.0], [np.inf, 1.0]]), 3)
    assert len(where.kinds.names) == len(set(where.kinds.codes.tolist())) == 3


def test_tables_are_read_row_by_row() -> None:
    table = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    assert canonical(table, 2).values.tolist() == [[1.0, 3.0], [2.0, 4.0]]
    assert canonical(table["a"], 2).values.tolist() == [[1.0], [2.0]]


class Opaque:
    pass


@pytest.mark.parametrize(
    "raw", [np.zeros(3), 3.0, "abcd", [1, 2, 3], {"a": 1}, np.float64(1.0), [Opaque()] * 4]
)
def test_what_cannot_be_read_as_four_outcomes_is_refused(raw: Any) -> None:
    with pytest.raises(ValueError, match=r"expected|shows nothing"):
        canonical(raw, 4)


@given(arrays(np.float64, (40, 2), elements=st.floats(-1e300, 1e300)))
@settings(max_examples=100, deadline=None, derandomize=True)
def test_rounding_is_idempotent_finite_and_close(values: np.ndarray) -> None:
    sample = Outcomes(values, Kinds.same("float64", 40))
    grid = Grid.of(sample)
    once = grid.round(sample)
    assert np.all(np.isfinite(once.values))
    assert np.array_equal(grid.round(once).values, once.values)
    assert np.all(np.abs(once.values - values) <= grid.steps / 2 * (1 + 1e-9) + 1e-15 * np.abs(values))
    # Never coarser than a small part of the spread, so that no leak is rounded away.
    spread = interquartile_range(values)
    assert np.all((spread == 0) | (spread < 1e-280) | (grid.steps <= spread / 64))


@pytest.mark.parametrize("centre", [0.0, 1e6, 1e15, -1e15])
@pytest.mark.parametrize("sentinel", [None, 1e18, np.finfo(float).max])
def test_a_grid_keeps_inputs_apart_far_from_zero_and_beside_sentinels(
    centre: float, sentinel: float | None
) -> None:
    rng = np.random.default_rng(1)
    values = centre + np.repeat([0.0, 1.0], 500) + rng.normal(0, 1e-3, 1000)
    if sentinel is not None:
        values[::50] = sentinel
    sample = Outcomes(values[:, None], Kinds.same("float64", 1000))
    rounded = Grid.of(sample).round(sample).values[:, 0]
    # Twenty sentinels, none of them rounded away, and inputs whose outcomes hardly meet.
    usual = rounded[rounded < 1e17]
    assert len(usual) == (1000 if sentinel is None else 980)
    assert np.median(rounded[:500]) < np.median(rounded[500:])


def test_constant_columns_and_zero_spread_stay_as_they_are() -> None:
    sample = Outcomes(np.full((10, 1), np.finfo(float).max), Kinds.same("float64", 10))
    assert Grid.of(sample).round(sample).values[0, 0] == np.finfo(float).max


words = st.lists(
    st.sampled_from(["float64", "int", "None", "raises ValueError", "float64 non-finite at 0:nan"]),
    min_size=1,
    max_size=30,
)


@given(words, words, st.data())
@settings(max_examples=100, deadline=None, derandomize=True)
def test_structures_are_kept_word_for_word(one: list[str], two: list[str], data: st.DataObject) -> None:
    first, second = Kinds.of(one), Kinds.of(two)
    both = Kinds.join([first, second])
    assert both.words() == one + two
    assert list(both.names) == sorted({*one, *two})
    assert len(both) == len(one) + len(two)
    assert both.counts() == {name: (one + two).count(name) for name in {*one, *two}}
    assert both.plain().tolist() == [is_plain(word) for word in one + two]
    table = {name: float(i + 1) for i, name in enumerate(both.names[1:])}
    assert both.look_up(table).tolist() == [table.get(word, 0.0) for word in one + two]
    start = data.draw(st.integers(0, len(both)))
    part = both[start:]
    assert part.words() == (one + two)[start:]
    # Names that no longer occur are not counted.
    assert part.counts() == {name: c for name in both.names if (c := (one + two)[start:].count(name))}
    odd = np.arange(len(both)) % 2 == 1
    assert both[odd].words() == (one + two)[1::2]


def test_one_structure_for_all_costs_no_memory() -> None:
    many = Kinds.same("float64", 10**12)
    assert len(many) == 10**12
    assert many.counts() == {"float64": 10**12}
    few = many[:3]
    assert few.words() == ["float64"] * 3
    assert Kinds.same("float64", 0).counts() == {}
    assert Kinds.join([Kinds.same("a", 2), Kinds.same("a", 3)]).names == ("a",)


def test_whether_a_structure_is_a_value_is_read_off_its_words() -> None:
    assert not is_plain("raises ValueError")
    assert not is_plain("float64 non-finite at 0:nan")
    # Text that an outcome holds is quoted, so that it cannot pass for an exception.
    assert canonical(["raises ValueError"], 1).plain().all()


def test_keys_do_not_depend_on_padding_or_on_the_order_of_structures() -> None:
    one = canonical([1.0, (2.0, 3.0), None], 3)
    two = canonical([None, (2.0, 3.0), 1.0, "later"], 4)
    assert one.keys().tolist() == two.keys()[[2, 1, 0]].tolist()
    assert widen(one, 7).keys().tolist() == one.keys().tolist()


def test_thinning_keeps_evenly_spread_rows() -> None:
    values = np.arange(100_003.0)[:, None]
    few = thin(values, 1000)
    assert 1000 <= len(few) <= 2000
    assert np.ptp(np.diff(few[:, 0])) == 0
    assert thin(values[:10], 1000).shape == (10, 1)


def test_joining_and_widening_pad_with_zeros() -> None:
    one, two = canonical([1.0], 1), canonical([(1.0, 2.0)], 1)
    both = join([one, two])
    assert both.values.tolist() == [[1.0, 0.0], [1.0, 2.0]]
    assert widen(one, 1) is one


def test_the_usual_structure_is_that_of_values_even_if_most_outcomes_fail() -> None:
    def sample(*words: str) -> Outcomes:
        return Outcomes(np.zeros((len(words), 1)), Kinds.of(words))

    assert usual_kind([sample(*["raises ValueError"] * 7, *["float"] * 3)]) == "float"
    assert usual_kind([sample(*["raises ValueError"] * 3)]) == "raises ValueError"
    # Of both inputs together.
    assert usual_kind([sample("int", "int", "float"), sample("float", "float")]) == "float"


def test_a_linear_score_finds_a_shift_in_one_of_many_columns() -> None:
    rng = np.random.default_rng(0)
    zero, one, fresh = (
        canonical(rng.normal(size=(500, 400)) * 0.05 + np.eye(400)[0] * s, 500) for s in (0, 1, 1)
    )
    score = linear_score(zero, one)
    assert score is not None
    assert score.of(fresh).min() > score.of(zero).max()


def test_a_linear_score_finds_noise_that_cancels_between_columns() -> None:
    rng = np.random.default_rng(0)

    def sample(shift: float) -> Outcomes:
        w = rng.normal(size=(500, 1))
        return canonical(np.hstack([w, w + shift]), 500)

    zero, one = sample(0.0), sample(1e-3)
    score = linear_score(zero, one)
    assert score is not None
    assert score.of(one).min() > score.of(zero).max()


@pytest.mark.parametrize("unit", [1e-25, 1e-12, 1.0, 1e12, 1e250])
def test_a_linear_score_does_not_depend_on_the_unit(unit: float) -> None:
    rng = np.random.default_rng(0)
    zero, one = (canonical(unit * (rng.normal(size=200) * 0.01 + s), 200) for s in (0, 1))
    score = linear_score(zero, one)
    assert score is not None
    assert np.round(score.of(one), 9).min() > np.round(score.of(zero), 9).max()


def test_too_few_outcomes_give_no_linear_score_and_unique_words_no_table() -> None:
    one = canonical([1.0, 2.0, 3.0], 3)
    assert linear_score(one, one) is None
    words = canonical([f"word {i}" for i in range(20)], 20)
    score = atom_score(words, canonical([f"other {i}" for i in range(20)], 20))
    assert score is None or not score.of(words).any()


def test_the_score_of_a_law_survives_outcomes_of_another_width() -> None:
    def log_density(y: np.ndarray, x: Any) -> np.ndarray:
        return np.asarray(-np.abs(y - np.zeros(2)).sum(axis=1))

    usual, wide = canonical(np.zeros((4, 2)), 4), canonical(np.zeros((4, 3)), 4)
    score = law_score(log_density, (0, 1), *usual.kinds.names, 2)
    assert score.of(wide).tolist() == [0.0] * 4


@given(st.integers(100, 3_000_000), st.integers(1, 2000), st.booleans())
@settings(max_examples=200, deadline=None, derandomize=True)
def test_a_schedule_uses_exactly_the_budget(samples: int, width: int, known: bool) -> None:
    schedule = Schedule.of(samples, width, known)
    assert sum(schedule.learning) + sum(schedule.units) == samples
    assert min(schedule.learning) > 0
    assert schedule.units
    assert sum(schedule.learning) <= min(
        50_000 if known else 200_000, max(2, samples * 0.15 if known else samples / 4)
    )
    # Outcomes of many numbers are learnt from fewer of them.
    assert sum(schedule.learning) * width <= max(6_000_000, 20_000 * width)
    assert len(schedule.learning) >= 2


def test_fingerprints_tell_inputs_apart_that_are_not_equal() -> None:
    different: list[Any] = [
        *(0, 1, 0.0, BIG, BIG + 1, "a", "b", None, (1, 2), [1, 2], {"a": 1}, np.zeros(2), np.zeros(3)),
        *(np.array([1 + 0j]), np.array([1 + 5j]), np.array(["a"]), np.array(["b"]), np.array([BIG])),
        *(np.array([BIG + 1]), np.array([None, 1], dtype=object), pd.DataFrame({"a": [1]})),
        *(pd.DataFrame({"b": [1]}), object(), object()),
    ]
    assert len({fingerprint(v) for v in different}) == len(different)
    assert fingerprint({"a": [np.zeros(2), 1]}) == fingerprint({"a": [np.zeros(2), 1]})


@pytest.mark.parametrize("failing", [lambda x: 1 / 0, lambda x: x * np.nan, lambda x: x[1:]])
def test_a_release_that_fails_at_times_is_not_refused(failing: Any) -> None:
    box = BlackBox(lambda d, n, r: failing(np.ones(n)) if r.random() > 0.8**n else r.laplace(size=n), (0, 1))
    assert all(probe(box, (0, 1), seed)[0] == 1 for seed in range(40))


OVERFLOWING: dict[str, Any] = {
    "normal": lambda d, n, r: (r.normal(size=n) + d) * 1e308,
    "constant": lambda d, n, r: np.full((n, 3), 1.7e308),
    "long": lambda d, n, r: (r.normal(size=n) + d).astype(np.longdouble) * np.longdouble("1e4000"),
    "complex": lambda d, n, r: (r.normal(size=n) + 1j * r.normal(size=n)) * 1e300,
    "of its own": lambda d, n, r: np.log(r.integers(0, 2, n) - d),
}


@pytest.mark.parametrize("name", OVERFLOWING)
def test_numbers_that_overflow_warn_nobody(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        for options in ({}, {"noise": "laplace"}):
            subject = npf.BlackBox(OVERFLOWING[name], (0, 1), **options)  # type: ignore[arg-type]
            npf.examine(subject, [npf.PureDP(1.0), npf.FisherInformation(1.0)], samples=500, bits=True)
