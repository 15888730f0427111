"""Persons are counted once in each group, at most so many groups of each; what no declared category holds has a noisy number."""

from __future__ import annotations

from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp
from made_policies import GROUPED_SEX, KEY, PERSON, made_policy

from noiseproof.audit.record.evidence import Verdict
from noiseproof.audit.release.kinds.statistics import StatisticsKind
from noiseproof.audit.release.statistics.published import quantity_of
from noiseproof.audit.release.statistics.records import Records, fresh_key
from noiseproof.audit.release.tables import open_table
from noiseproof.audit.trial.checks.moved_totals import MovedTotals
from noiseproof.mechanisms.statistics.amounts import One
from noiseproof.mechanisms.statistics.measurement import Measurement, Unit
from noiseproof.mechanisms.statistics.rows import Axis
from noiseproof.symbolic.errors import SpecError
from noiseproof.symbolic.proof.truth import Truth

SEX = {**GROUPED_SEX, "missing": "skip", "undeclared": "skip"}
BY_SEX = {"name": "persons by sex", "measure": "persons", "by": ["sex"]}
ALL = {"name": "persons", "measure": "persons"}
COUNT = {"name": "records", "measure": "count", "by": ["sex"]}
LEFT_OUT = {"name": "elsewhere", "measure": "undeclared", "column": "sex"}


def kind_of(folder: Path, *statistics: Any, sex: Any = SEX, **table: Any) -> StatisticsKind:
    policy = made_policy(
        folder,
        (sex, KEY),
        {"rows_public": False, **(PERSON if "unit_of_privacy" not in table else {}), **table},
        {"kind": "statistics"},
        {"rho": 1.0},
        statistics=list(statistics),
    )
    return StatisticsKind.configure(policy)


def sums(kind: StatisticsKind, rows: list[tuple[str, str]]) -> dict[str, list[int]]:
    (kind.policy.folder / "table.csv").write_text("id,sex\n" + "".join(f"{k},{s}\n" for k, s in rows))
    read = Records(kind.policy, open_table(kind.policy).raw, fresh_key()).rows(kind.workload.measurements)
    found = kind.workload.totals(read)
    return {s.name: found[s.parts[0].measurement].ravel().tolist() for s in kind.workload.statistics}


@pytest.mark.parametrize(("cells", "most", "resizes"), [*product((1, 2, 3, 5), (1, 2, 4), (True, False))])
def test_persons_move_no_more_groups_than_they_can_be_in(cells: int, most: int, resizes: bool) -> None:
    axes = (Axis("ward", tuple(map(str, range(cells)))),) if cells > 1 else ()
    measured = Measurement(axes, (One(),), (), most)
    sets = [set(s) for n in range(min(most, cells) + 1) for s in combinations(range(cells), n)]
    moved = max(len(a ^ b) for a in sets for b in sets if not resizes or not b)
    for norm, far in (("l1", sp.Integer(moved)), ("l2", sp.sqrt(moved))):
        found = measured.sensitivity(norm, Unit(most, resizes, True))
        assert found.exact == far
        assert found.derivation.check() is Truth.HOLDS


def test_a_person_counts_once_in_each_group(tmp_path: Path) -> None:
    kind = kind_of(tmp_path, BY_SEX, ALL, COUNT, LEFT_OUT, rows_per_person=3)
    rows = [("a", "f"), ("b", "f"), ("a", "f"), ("a", "m"), ("b", "f"), ("c", "f"), ("d", ""), ("d", "other")]
    for order in (rows, rows[::-1]):
        assert sums(kind, order) == {
            "persons by sex": [3, 1],
            "persons": [4],
            "records": [5, 1],
            "elsewhere": [2],
        }
    # Of somebody with a thousand records in all groups no more groups than records count.
    bounded = kind_of(tmp_path, BY_SEX, ALL, rows_per_person=1)
    found = sums(bounded, [("a", ("f", "m")[i % 2]) for i in range(1000)] + [("b", "m")] * 1000)
    assert (sum(found["persons by sex"]), found["persons"]) == (2, [2])


def test_records_without_a_key_are_no_persons(tmp_path: Path) -> None:
    kind = kind_of(tmp_path, BY_SEX, COUNT, missing_person="drop")
    found = sums(kind, [("", "f"), ("", "m"), ("a", "f"), ("a", "f")])
    assert (found["persons by sex"], found["records without id"]) == ([1, 0], [2])


def test_the_noise_of_persons_is_that_of_their_groups_and_no_more(tmp_path: Path) -> None:
    kind = kind_of(tmp_path, BY_SEX, ALL, COUNT, rows_per_person=9)
    demands = {s.name: s.parts[0].demand(kind.workload.unit, "gaussian") for s in kind.workload.statistics}
    assert demands == {"persons by sex": 2, "persons": 1, "records": 81}
    said = [quantity_of(kind.workload, s, s.measure) for s in kind.workload.statistics]
    assert said[0] == "persons, by records that count (at most 9 a person)"
    assert said[2] == "count, records that count (at most 9 a person)"
    assert kind.terms.parameters["statistics"][0]["unit"] == said[0]


def test_code_that_counts_a_person_twice_falls_in_its_trial(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def verdicts() -> list[Verdict]:
        claims = kind_of(tmp_path, BY_SEX, ALL, rows_per_person=4)._trials.claims
        checks = [MovedTotals.bind(claim) for claim in claims]
        return [check.judge(None, None, 0.05).verdict for check in checks if check is not None]

    assert verdicts() == [Verdict.SURVIVED, Verdict.REFUTED] * 2  # each claim, and its control
    cell = Measurement._cell
    monkeypatch.setattr(Measurement, "cell", cell)
    assert verdicts() == [Verdict.REFUTED] * 4


def test_controls_fall_where_a_person_can_be_in_very_many_groups(tmp_path: Path) -> None:
    many = {
        "name": "ward",
        "kind": "category",
        "role": "private",
        "missing": "refuse",
        "undeclared": "refuse",
    }
    ward = {**many, "categories": [f"w{i}" for i in range(300)]}
    kind = kind_of(tmp_path, {**BY_SEX, "by": ["ward"]}, sex=ward, rows_per_person=70)
    trial = kind._trials
    (part,) = kind.workload.parts
    furthest = max(int(np.abs(np.subtract(*pair.totals)).sum()) for pair in trial.pairs(part))
    assert 50 < furthest <= 70


def test_left_out_records_are_said_to_be_these(tmp_path: Path) -> None:
    kind = kind_of(tmp_path, LEFT_OUT, COUNT)
    said = kind.terms.parameters["statistics"][0]
    assert (said["records"], said["measure"]) == (["no declared sex"], "count")


@pytest.mark.parametrize(
    ("statistic", "more", "said"),
    [
        (ALL, {"unit_of_privacy": "record"}, "persons are counted where"),
        (ALL, {"rows_per_person": 1001}, "declare fewer"),
        (
            LEFT_OUT,
            {"sex": {**SEX, "missing": "refuse", "undeclared": "refuse"}},
            "no record is left out for its 'sex'",
        ),
        ({"name": "elsewhere", "measure": "undeclared"}, {}, "the column of the undeclared"),
    ],
)
def test_what_cannot_be_counted_is_refused(
    statistic: Any, more: dict[str, Any], said: str, tmp_path: Path
) -> None:
    with pytest.raises(SpecError, match=said):
        kind_of(tmp_path, statistic, **more)
