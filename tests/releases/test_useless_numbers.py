"""Numbers that their own noise makes useless are marked by one declared rule; counts of bounded persons say which records count."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from made_policies import GROUPED_SEX, KEY, PERSON, made_policy

from noiseproof.audit.record.reading.by_path import Record
from noiseproof.audit.release.checklist.privacy_unit import rows_are_bounded
from noiseproof.audit.release.kinds.statistics import StatisticsKind
from noiseproof.audit.release.statistics.predicted_utility import predict_utility
from noiseproof.audit.release.statistics.published import record_of
from noiseproof.audit.release.statistics.records import Records, fresh_key
from noiseproof.audit.release.tables import open_table
from noiseproof.mechanisms.grid_noise import seeded_bits
from noiseproof.reports.statistics_facts import statistics_facts

PAY = {"name": "pay", "kind": "number", "role": "private", "low": 0, "high": 100000, "missing": "skip"}
COUNT = {"name": "people", "measure": "count", "by": ["sex"]}
MEDIAN = {"name": "median", "measure": "quantiles", "column": "pay", "quantiles": [0.5], "by": ["sex"]}
MEAN = {"name": "mean", "measure": "mean", "column": "pay", "by": ["sex"]}
PHRASE = "records that count (at most 2 a person)"


def kind_of(folder: Path, statistics: Any, rho: float, *, person: bool = False) -> StatisticsKind:
    table = {"rows_public": False, **(PERSON if person else {})}
    columns = [GROUPED_SEX, PAY, *([KEY] if person else [])]
    policy = made_policy(folder, columns, table, {"kind": "statistics"}, {"rho": rho}, statistics=statistics)
    return StatisticsKind.configure(policy)


def numbers(kind: StatisticsKind, rows: list[str], seed: int = 1) -> list[dict[str, Any]]:
    """The rows of the data file for a table with these lines."""
    path = kind.policy.folder / "table.csv"
    path.write_text("sex,pay\n" + "\n".join(rows) + "\n")
    totals = kind.workload.totals(Records(kind.policy, open_table(kind.policy).raw, fresh_key()).rows())
    drawn = kind.workload.draw(totals, seeded_bits(np.random.default_rng(seed)))
    return [record_of(kind.workload, one, figure) for one, figure in kind.workload.figures(drawn)]


@pytest.mark.parametrize("beside", [[], [COUNT]], ids=["alone", "beside a count"])
def test_a_median_of_a_group_smaller_than_its_bound_in_ranks_is_marked(
    beside: list[Any], tmp_path: Path
) -> None:
    kind = kind_of(tmp_path, [*beside, MEDIAN], 0.002)
    pay = np.random.default_rng(3).normal(30000, 9000, 9110)
    rows = [f"{'f' if i < 110 else 'm'},{max(v, 0):.2f}" for i, v in enumerate(pay)]
    small, large = [n for n in numbers(kind, rows) if n["statistic"] == "median"]
    assert "within" in small["noise"]
    assert (small["suppressed"], large["suppressed"]) == (True, False)
    # No digits beyond a tenth of an interval between candidates.
    assert all(round(n["value"]) == n["value"] for n in (small, large))


def test_a_mean_whose_interval_says_nothing_is_marked_and_a_sharp_one_is_not(tmp_path: Path) -> None:
    rows = [f"{'f' if i % 2 else 'm'},{30000 + i}" for i in range(2000)]
    wide = [n for n in numbers(kind_of(tmp_path, [COUNT, MEAN], 1e-5), rows) if n["quantity"] == "mean"]
    sharp = [n for n in numbers(kind_of(tmp_path, [COUNT, MEAN], 1.0), rows) if n["quantity"] == "mean"]
    assert [n["suppressed"] for n in (*wide, *sharp)] == [True, True, False, False]
    for one in sharp:
        half = (one["high"] - one["low"]) / 2
        assert one["low"] <= one["value"] <= one["high"]
        assert len(f"{one['value']:g}") <= len(f"{30000:g}") + 1
        assert half > 1


@pytest.mark.parametrize("measure", ["mean", "variance"])
def test_what_calibrate_calls_useless_is_what_a_release_marks(measure: str, tmp_path: Path) -> None:
    """The rule of the release, on draws whose noise is zero, of a group of the declared size in the middle of the range."""
    said = []
    for size in (20, 60, 100, 140, 180, 250, 400, 2000):
        kind = kind_of(tmp_path, [{**MEAN, "measure": measure, "size": size}], 0.02)
        (one,) = predict_utility(kind.policy, kind.workload)
        middle = {
            part: (drawer, np.full((2, 1), size if part == one.statistic.parts[-1] else 0))
            for part, drawer in kind.workload.drawers.items()
        }
        marked = [figure.suppressed for figure in one.statistic.figures(middle)]
        assert marked == [one.useless] * 2, size
        assert ("USELESS" in one.line()) == one.useless
        said.append((one.useless, "if values lie near an end" in one.line()))
    assert {(True, False), (False, True), (False, False)} == set(said)


def test_counts_of_bounded_persons_say_so_everywhere(tmp_path: Path) -> None:
    kind = kind_of(tmp_path, [COUNT, MEAN], 1.0, person=True)
    count, _ = kind.terms.parameters["statistics"]
    assert count["unit"] == PHRASE
    (tmp_path / "table.csv").write_text("id,sex,pay\n" + "".join(f"p,f,{i}\n" for i in range(9)))
    totals = kind.workload.totals(Records(kind.policy, open_table(kind.policy).raw, fresh_key()).rows())
    drawn = kind.workload.draw(totals, seeded_bits(np.random.default_rng(1)))
    rows = [record_of(kind.workload, *pair) for pair in kind.workload.figures(drawn)]
    assert [row["quantity"] for row in rows] == [f"count, {PHRASE}"] * 2 + ["mean"] * 2
    assert any("of somebody with 4 records half are left out" in line for line in kind.terms.lines)
    manifest = {
        "mechanism": {"kind": "statistics", "parameters": kind.terms.parameters},
        "policy": kind.policy.public_data(),
        "utility": kind.terms.utility,
        "ledger": None,
    }
    found = statistics_facts(manifest)
    assert found is not None
    assert found.statistics[0].measure == f"number of {PHRASE}"
    assert all(PHRASE in one.records for one in found.statistics)
    answer = rows_are_bounded(
        SimpleNamespace(manifest=Record.of({**manifest, "unit_of_privacy": "person"}, "m"))
    )  # type: ignore[arg-type]
    assert PHRASE in str(answer)
    assert "no interval covers it" in str(answer)
    # Of records nothing is left out, and nothing else is said.
    assert kind_of(tmp_path, [COUNT], 1.0).terms.parameters["statistics"][0]["unit"] == "records"


def test_names_with_spaces_and_brackets_stand_between_backticks(tmp_path: Path) -> None:
    size = {**PAY, "name": "Größe [cm]"}
    formula = {"name": "m", "expression": "`Größe [cm]` / 100 + 0 * pay", "low": 0, "high": 9}
    made = {"statistics": [{"name": "mean", "measure": "mean", "column": "m"}]}
    policy = made_policy(
        tmp_path,
        (PAY, size),
        {"rows_public": False},
        {"kind": "statistics"},
        {"rho": 1.0},
        derived=[formula],
        **made,
    )
    (tmp_path / "table.csv").write_text("pay,Größe [cm]\n1,170\n")
    (rows,) = Records(policy, open_table(policy).raw, fresh_key()).rows()
    assert rows.numbers["m"].tolist() == [1.7]
    for wrong, said in (
        ("Größe [cm] / 2", "between backticks: `Größe [cm]`"),
        ("`Größe`", "no private number 'Größe'"),
    ):
        with pytest.raises(ValueError, match="backticks") as caught:
            made_policy(
                tmp_path,
                (PAY, size),
                {"rows_public": False},
                {"kind": "statistics"},
                {"rho": 1.0},
                derived=[{**formula, "expression": wrong}],
                **made,
            )
        assert said in str(caught.value)
