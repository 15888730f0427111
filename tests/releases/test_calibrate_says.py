"""`noiseproof calibrate` says what the noise means: both currencies, its width, delta for so many records, and what to run next."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from pre_release_cases import CASES
from typer.testing import CliRunner

from noiseproof.audit.release.booking import Booking
from noiseproof.audit.release.calibration_record import calibration_record
from noiseproof.audit.release.next_steps import next_steps
from noiseproof.audit.release.plan import plan
from noiseproof.cli import app
from noiseproof.reports.calibration_page import render_calibration

LEDGER = {"path": "people.ledger", "table_id": "people 2026; rm"}


ADDED = {
    "mechanism": {**CASES["ron-gauss"].mechanism, "adjacency": "add-or-remove", "records": 50},
    "table": {"rows_public": False},
}


@pytest.mark.parametrize(
    ("name", "budget", "more"),
    [
        *((name, None, {}) for name in ("laplace", "gaussian", "optimal", "ron-gauss")),
        ("ron-gauss", None, ADDED),
        ("laplace", {"epsilon": 7.2345, "information": 0.123456}, {}),
        ("gaussian", {"epsilon": 7.2345, "delta": 0.000123456}, {}),
        ("gaussian", {"rho": 0.123456}, {}),
    ],
)
def test_the_ledger_that_is_named_next_has_room_for_the_release(
    tmp_path: Path, name: str, budget: dict[str, Any] | None, more: dict[str, Any]
) -> None:
    kept = LEDGER if budget is None else {**LEDGER, "budget": budget}
    planned = plan(CASES[name].policy(tmp_path, ledger=kept, **more), 300)
    command, *notes, release = next_steps(planned)
    assert [note.startswith("# that budget is for all releases") for note in notes] == [True] * (
        budget is None
    )
    words = shlex.split(command)
    assert words[:3] == ["noiseproof", "ledger", "create"]
    assert release.startswith("noiseproof release policy.toml -o ")
    made = CliRunner().invoke(app, words[1:])
    assert made.exit_code == 0, made.output
    assert Booking.of(planned) is not None
    assert next_steps(planned) == (f"noiseproof ledger show {tmp_path / 'people.ledger'}", release)


def test_a_ledger_is_named_in_the_policy_unless_the_release_makes_it(tmp_path: Path) -> None:
    first, _, named, release = next_steps(plan(CASES["laplace"].policy(tmp_path)))
    assert CliRunner().invoke(app, shlex.split(first)[1:]).exit_code == 0
    assert named.startswith('# in the policy: [ledger] with path = "policy.ledger" and table_id = "policy"')
    shown = f"noiseproof ledger show {tmp_path / 'policy.ledger'}"
    assert next_steps(plan(CASES["laplace"].policy(tmp_path))) == (shown, named, release)
    made = {**LEDGER, "create": True, "budget": {"epsilon": 5.0}}
    planned = plan(CASES["ron-gauss"].policy(tmp_path, ledger=made, **ADDED), 300)
    assert next_steps(planned) == (release,)
    assert Booking.of(planned) is not None


def test_what_has_no_cost_names_no_ledger(tmp_path: Path) -> None:
    without = next_steps(plan(CASES["constrained"].policy(tmp_path)))
    said, *rest = next_steps(plan(CASES["constrained"].policy(tmp_path, ledger=LEDGER)))
    assert said.startswith("# no ledger takes it")
    assert [*without] == rest == ["noiseproof release policy.toml -o release"]


def test_noise_that_is_wider_than_its_column_is_warned_of(tmp_path: Path) -> None:
    wide = plan(CASES["gaussian"].policy(tmp_path))
    record = calibration_record(wide, records=50_000)
    cost = wide.cost.rho
    assert cost is not None
    assert [w.partition(":")[0] for w in record["warnings"]] == ["age, hours", "delta"]
    assert record["delta_times_rows"] == pytest.approx(50_000 * 1e-4)
    assert [c["relative_error"] for c in record["columns"]] == pytest.approx([3.0, 3.75], rel=0.01)
    assert record["budgets"]["rho"] == cost
    assert 0 < record["budgets"]["epsilon"] <= 2
    page = render_calibration(record)
    for said in ("wider than the column", "delta times the number of records", "rho", "ledger create"):
        assert said in page, said
    assert [len(calibration_record(wide, False, n)["warnings"]) for n in (99, 101)] == [1, 2]
    some = {"kind": "gaussian", "deviation": {"age": 99.0, "hours": 81.0}}
    one = plan(CASES["gaussian"].policy(tmp_path, mechanism=some, limits={"epsilon": 9.0, "delta": 1e-4}))
    assert [w.partition(":")[0] for w in calibration_record(one, False)["warnings"]] == ["hours"]
    unmet = plan(CASES["gaussian"].policy(tmp_path, limits={"epsilon": 0.1, "delta": 1e-4}))
    assert calibration_record(unmet, False)["next"] == []
    narrow = calibration_record(plan(CASES["constrained"].policy(tmp_path)), figures=False)
    assert (narrow["warnings"], narrow["delta_times_rows"]) == ([], None)


def test_pure_epsilon_is_said_in_rho_too(tmp_path: Path) -> None:
    budgets = calibration_record(plan(CASES["laplace"].policy(tmp_path)), figures=False)["budgets"]
    assert budgets["epsilon"] == pytest.approx(2.0, rel=1e-3)
    assert budgets["rho"] == pytest.approx(budgets["epsilon"] ** 2 / 2)


def test_the_command_prints_the_same(tmp_path: Path) -> None:
    path = CASES["gaussian"].written(tmp_path)
    done = CliRunner().invoke(app, ["calibrate", str(path), "--rows", "100", "-o", str(tmp_path / "o")])
    assert done.exit_code == 0, done.output
    assert "warning: age, hours: " in done.output
    for said in (
        "rho 0.",
        "at delta 0.0001",
        "standard deviation over the width 3",
        "next: noiseproof ledger create",
    ):
        assert said in done.output, said
    record = json.loads((tmp_path / "o" / "calibration.json").read_text())
    assert record["delta_times_rows"] == pytest.approx(0.01)
    assert f"next: {record['next'][0]}" in done.output


def test_a_figure_has_one_quantity_and_says_what_its_delta_means(tmp_path: Path) -> None:
    error, epsilon, curve = plan(CASES["laplace"].policy(tmp_path)).kind.figures()
    assert [len(one.lines) for one in (error, epsilon)] == [1, 1]
    assert (error.y_label, epsilon.y_label) == ("error over the width", "epsilon")
    assert curve.title.startswith("Below the guaranteed epsilon of ")
