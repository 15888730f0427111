"""Ends, weights, names and units at their limits: refused with a reason, or summed and named as they are."""

from __future__ import annotations

import time
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp
from made_policies import policy_text

from noiseproof.audit.record.evidence import Verdict
from noiseproof.audit.release.kinds.statistics import StatisticsKind
from noiseproof.audit.release.policy import Policy, parse_policy
from noiseproof.audit.release.statistics.compiled import workload_of
from noiseproof.audit.release.statistics.formulas import Formulas
from noiseproof.audit.release.statistics.records import Records, fresh_key
from noiseproof.audit.release.statistics.trial_tables import TrialTable, neighbours
from noiseproof.audit.release.statistics.trials import Trials
from noiseproof.audit.release.statistics.words import caveats
from noiseproof.audit.trial.checks.moved_totals import MovedTotals
from noiseproof.mechanisms.statistics.intervals import Intervals, interval_labels
from noiseproof.mechanisms.statistics.rows import Rows
from noiseproof.symbolic.claim import Scope
from noiseproof.symbolic.domains.adjacency import Person
from noiseproof.symbolic.errors import SpecError
from noiseproof.symbolic.proof.truth import Truth
from noiseproof.symbolic.sensitivity.queries import grouped_sums
from noiseproof.symbolic.sensitivity.query_over import DatasetQuery
from noiseproof.symbolic.stated_optima import SensitivityBound

PERSON = {"unit_of_privacy": "person", "person_key": "id", "rows_per_person": 3}


def number(low: float, high: float, **more: Any) -> dict[str, Any]:
    return {
        "name": "x",
        "kind": "number",
        "role": "private",
        "low": low,
        "high": high,
        "missing": "skip",
        **more,
    }


def category(name: str) -> dict[str, Any]:
    return {"name": name, "kind": "category", "role": "private", "categories": ["a", "b"], "missing": "skip"}


def policy(*columns: Mapping[str, Any], statistics: Any, **parts: Any) -> Policy:
    table = {"rows_public": False, **parts.pop("table", {})}
    mechanism = {"kind": "statistics", "noise": "laplace", **parts.pop("mechanism", {})}
    text = policy_text(columns, table, mechanism, {"epsilon": 1.0}, statistics=statistics, **parts)
    return parse_policy(text.encode(), folder=Path())


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        ((0.0, 5e-324), "apart at least"),
        ((-1e300, 1e300), "in size"),
        ((0.0, 1e61), "in size"),
        ((1.0, 1.0000000000000002), "too near each other"),
    ],
)
@pytest.mark.parametrize("measure", ["sum", "mean", "variance"])
def test_ends_beyond_the_range_of_exact_sums_are_refused(
    ends: tuple[float, float], words: str, measure: str
) -> None:
    with pytest.raises(SpecError, match=words):
        policy(number(*ends), statistics=[{"name": "m", "measure": measure, "column": "x"}])


@pytest.mark.parametrize("ends", [(-1e60, 1e60), (0.0, 1e-60), (1e59, 2e59), (-1e-60, 1e-60)])
def test_statistics_of_the_largest_and_smallest_ends_are_split_and_summed(ends: tuple[float, float]) -> None:
    made = policy(
        number(*ends),
        statistics=[{"name": m, "measure": m, "column": "x"} for m in ("sum", "mean", "variance")],
    )
    load = workload_of(made, Fraction(1))
    assert 0 < load.cost <= 1
    for one, two in neighbours(made, True, 1, 20):
        key = fresh_key()
        totals = [load.totals(Records(made, side.read, key).rows()) for side in (one, two)]
        for part in load.parts:
            here, there = part.answers(*(t[part.measurement] for t in totals))
            bound = Fraction(int(part.measurement.distance("l1", load.unit)))
            assert sum(abs(a - b) for a, b in zip(here, there, strict=True)) <= bound


def test_the_split_does_not_depend_on_the_unit_of_a_column() -> None:
    """Metres or nanometres: the shares are the same."""
    other = {**number(0.0, 1.0), "name": "y"}
    shares = []
    for far in (1.0, 2.0**-40, 2.0**40):
        made = policy(
            number(0.0, far),
            other,
            statistics=[
                {"name": "m", "measure": "mean", "column": "x"},
                {"name": "n", "measure": "sum", "column": "y"},
            ],
        )
        shares.append([float(s) for s in workload_of(made, Fraction(1)).split.shares])
    assert np.allclose(shares[0], shares[1])
    assert np.allclose(shares[0], shares[2])


@pytest.mark.parametrize(
    ("statistic", "words"),
    [
        ({"measure": "quantiles", "column": "x", "quantiles": [0.5, 0.5000001]}, "both the quantile 1/2"),
        ({"measure": "quantiles", "column": "x", "quantiles": [0.9999]}, "0.001 to 0.999"),
        ({"measure": "quantiles", "column": "x", "quantiles": [0.5], "bins": 1}, "2 at least"),
        (
            {"measure": "quantiles", "column": "x", "quantiles": [1 / 997, 1 / 991, 1 / 983]},
            "common denominator 971,230,541",
        ),
        ({"measure": "count", "weight": 1e200}, "only ratios of weights"),
    ],
)
def test_what_would_be_another_statistic_is_refused(statistic: dict[str, Any], words: str) -> None:
    with pytest.raises(SpecError, match=words):
        policy(number(0.0, 1.0), statistics=[{"name": "q", **statistic}])


@pytest.mark.parametrize("measure", [{"measure": "histogram"}, {"measure": "quantiles", "quantiles": [0.5]}])
def test_intervals_that_doubles_do_not_tell_apart_are_refused(measure: dict[str, Any]) -> None:
    narrow = number(1.0, 1.0 + 2.0**-28)
    one = {"name": "h", "column": "x", "bins": 10_000, **measure}
    assert policy(narrow, statistics=[{**one, "bins": 100}])
    with pytest.raises(SpecError, match="measure from another origin"):
        policy(number(1.0, 1.0 + 2.0**-38), statistics=[one])
    wide = number(1e15, 1e15 + 2**22)
    assert policy(wide, statistics=[{**one, "bins": 100}])
    with pytest.raises(SpecError, match="doubles tell apart"):
        policy(number(2.0**52, 2.0**52 + 100, kind="integer"), statistics=[one])


def test_intervals_with_different_ends_have_different_names() -> None:
    edges = (1.0, 1.0000000000001, 1.0000000000002, 2.0)
    assert len(set(interval_labels(edges))) == 3
    assert interval_labels((0.0, 0.1, 1.0)) == ("[0, 0.1)", "[0.1, 1]")


def test_two_columns_never_share_a_published_name() -> None:
    counts = [{"name": "m", "measure": "count", "by": ["value", "value (group)"]}]
    with pytest.raises(SpecError, match="how the groups of a column 'value' are published"):
        policy(category("value"), category("value (group)"), statistics=counts)


def test_parts_have_names_of_their_own_whatever_statistics_are_called() -> None:
    made = policy(
        number(0.0, 1.0),
        category("sex"),
        statistics=[
            {"name": "a", "measure": "mean", "column": "x"},
            {"name": "a, part 1", "measure": "count", "by": ["sex"]},
        ],
    )
    load = workload_of(made, Fraction(1))
    assert len({load.name_of(p) for p in load.parts}) == len(load.parts) == len(load.split.shares)


def test_a_whole_number_beyond_2_to_53_counts_alike_whether_others_of_its_batch_are_missing() -> None:
    """A missing value makes a batch doubles: the same number must not change its interval by that."""
    edges = Intervals(np.array([0.0, 2.0**60, 2.0**60 + 256, 2.0**60 + 512, 2.0**61]))
    value = 2**60 + 255
    whole = edges.of(np.array([value, 1]))
    double = edges.of(np.array([float(value), np.nan]))
    assert whole[0] == double[0]


@pytest.mark.parametrize("most", [1, 3])
@pytest.mark.parametrize("adjacency", ["add-or-remove", "replace-one"])
def test_trials_move_every_sum_of_persons_beyond_half_of_its_bound(most: int, adjacency: str) -> None:
    """Also the number of records, which moves where one person takes the place of another with fewer."""
    made = policy(
        number(0.0, 1.0),
        category("sex"),
        {"name": "id", "role": "drop"},
        statistics=[
            {"name": "n", "measure": "count"},
            {"name": "s", "measure": "sum", "column": "x", "by": ["sex"]},
        ],
        table={**PERSON, "rows_per_person": most},
        mechanism={"adjacency": adjacency},
    )
    load = workload_of(made, Fraction(1))
    furthest = dict.fromkeys(load.parts, 0)
    for one, two in neighbours(made, load.unit.resizes, 1, 100):
        key = fresh_key()
        sides = [load.totals(Records(made, t.read, key).rows()) for t in (one, two)]
        for part in load.parts:
            here, there = part.answers(*(t[part.measurement] for t in sides))
            apart = sum(abs(a - b) for a, b in zip(here, there, strict=True))
            bound = part.measurement.distance("l1", load.unit)
            assert apart <= bound
            furthest[part] = max(furthest[part], apart)
    assert all(v > part.measurement.distance("l1", load.unit) / 2 for part, v in furthest.items())
    assert isinstance(one, TrialTable)


def test_the_number_of_rows_is_not_public_where_persons_differ_in_it() -> None:
    """Who takes the place of a person may have other rows than these in number: stated exactly, it would tell them apart."""
    one = [{"name": "n", "measure": "count"}]
    key = {"name": "id", "role": "drop"}
    replace = {"adjacency": "replace-one"}
    assert policy(category("sex"), statistics=one, table={"rows_public": True}, mechanism=replace)
    with pytest.raises(SpecError, match="may have more rows or fewer"):
        policy(category("sex"), key, statistics=one, table={**PERSON, "rows_public": True}, mechanism=replace)


def test_a_column_may_have_the_name_of_a_function() -> None:
    column = {**number(0.0, 10.0), "name": "exp"}
    made = {"name": "d", "expression": "exp(exp/100)", "low": 0.0, "high": 30.0}
    one = policy(column, statistics=[{"name": "m", "measure": "sum", "column": "d"}], derived=[made])
    found = Formulas.of(one).added(Rows(2, {}, {"exp": np.array([100.0, np.nan])})).numbers["d"]
    assert found[0] == pytest.approx(np.e)
    assert np.isnan(found[1])


def test_what_is_rounded_and_what_the_hash_of_persons_leaves_out_is_said() -> None:
    one = [{"name": "s", "measure": "sum", "column": "x"}]
    plain = policy(number(0.0, 1.0), statistics=one)
    whole = policy(
        number(0, 10, kind="integer"), {"name": "id", "role": "drop"}, statistics=one, table=PERSON
    )
    said = [" ".join(caveats(p, workload_of(p, Fraction(1)))) for p in (plain, whole)]
    assert ["rounded values" in text for text in said] == [True, False]
    assert ["n 2^-55" in text for text in said] == [False, True]


def test_which_records_tables_of_marginals_count_is_said() -> None:
    tables = [{"name": "t", "measure": "marginals", "columns": ["sex", "town"], "ways": 1}]
    made = policy(category("sex"), category("town"), statistics=tables)
    load = workload_of(made, Fraction(1))
    rows = [{"sex": "a", "town": None}, {"sex": "a", "town": "b"}]
    (found,) = load.totals(Records(made, TrialTable(made, rows).read, fresh_key()).rows()).values()
    assert found.sum() == 1
    assert "of every column" in " ".join(caveats(made, load))


def test_persons_with_so_many_records_that_a_certificate_could_not_be_read_are_refused() -> None:
    def made(most: int) -> Policy:
        return policy(
            number(0.0, 1.0),
            {"name": "id", "role": "drop"},
            statistics=[{"name": "m", "measure": "mean", "column": "x"}],
            table={**PERSON, "rows_per_person": most},
        )

    with pytest.raises(
        SpecError, match=r"rows_per_person: expected at most 100,000 with 2 draws, got 100,001"
    ):
        StatisticsKind.configure(made(100_001))
    assert StatisticsKind.configure(made(100_000)).workload.unit.most == 100_000


@pytest.mark.parametrize("alike", [1, 5, 13, 50_000])
def test_records_that_stand_many_times_in_a_pair_are_summed_and_shown_once(alike: int) -> None:
    query = grouped_sums(3, [(1, 1), (-2, 5)])
    record = {"cell": "cell 1", "number 2": sp.Integer(5)}
    once = tuple(query(({**record},)))
    begun = time.perf_counter()
    assert tuple(query((record,) * alike)) == tuple(alike * entry for entry in once)
    found = DatasetQuery(query, query.domain()).sensitivity("l1", Person("cell", most=alike))
    assert found.exact == 6 * alike
    assert found.derivation.check() is Truth.HOLDS
    shown = " ".join(step.reason for step in found.derivation.steps)
    assert (f"{alike:,} times" in shown) == (alike > 12)
    assert len(shown) < 4_000
    assert time.perf_counter() - begun < 20  # some minutes, one by one


@pytest.mark.parametrize("adjacency", ["add-or-remove", "replace-one"])
@pytest.mark.parametrize("most", [None, 7, pytest.param(400, marks=pytest.mark.long)])
def test_the_trial_reaches_what_is_seldom_met_and_what_many_records_move(
    most: int | None, adjacency: str
) -> None:
    """One of 60 values, a narrow range, fewer values than records of a person: half of each bound falls, none is exceeded."""
    country = {**category("country"), "categories": [f"c{i}" for i in range(60)]}
    made = policy(
        country,
        category("sex"),
        number(0.0, 1.0),
        {"name": "id", "role": "drop"},
        statistics=[
            {"name": "w", "measure": "count", "where": {"country": ["c17"]}},
            {
                "name": "v",
                "measure": "sum",
                "column": "x",
                "where": {"country": ["c18"], "x": {"low": 0.9, "high": 0.95}},
            },
            {"name": "d", "measure": "distinct", "column": "sex"},
            {"name": "one", "measure": "distinct", "column": "country", "where": {"country": ["c4"]}},
            {"name": "upper", "measure": "mean", "column": "x", "where": {"x": {"low": 0.5, "high": 1.0}}},
            {"name": "q", "measure": "quantiles", "column": "x", "quantiles": [0.5], "bins": 20},
        ],
        table={} if most is None else {**PERSON, "rows_per_person": most},
        mechanism={"adjacency": adjacency},
    )
    trials = Trials(made, workload_of(made, Fraction(1)), Scope("neighbours", "any records", "unit"))
    for claim in trials.claims:
        if isinstance(claim.predicate, SensitivityBound):
            check = MovedTotals.bind(claim)
            assert check is not None
            verdict = check.judge(None, None, 0.05).verdict
            assert verdict is (Verdict.REFUTED if claim.expect == "falls" else Verdict.SURVIVED), claim.title


@pytest.mark.parametrize(("kind", "ends"), [("number", (2.5, 10.0)), ("integer", (3.0, 10.0))])
def test_a_condition_on_the_number_itself_narrows_what_is_summed(
    kind: str, ends: tuple[float, float]
) -> None:
    wanted = {"x": {"low": 2.5, "high": 40.0}}
    made = policy(
        number(0, 10, kind=kind),
        statistics=[
            {"name": "m", "measure": "mean", "column": "x", "where": wanted},
            {"name": "all", "measure": "mean", "column": "x", "where": {"x": {"low": 9.9999}}},
        ],
    )
    narrow, whole = workload_of(made, Fraction(1)).statistics
    assert narrow.ends == ends
    assert whole.ends == (0.0, 10.0)
