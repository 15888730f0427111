"""`noiseproof ledger`: what it prints, its exit codes, and that no input is a traceback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from noiseproof.audit.release.ledger import Cost, Information, Ledger
from noiseproof.ledger_command import ledger as app


def run(*arguments: object) -> Result:
    """The command; whatever goes wrong must be an exit code."""
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.output
    return result


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "adult.jsonl"


def create(path: Path, *more: object) -> Result:
    return run("create", path, "--table", "adult", "--unit", "record", *more)


def release(folder: Path, opened: Ledger, number: int, **changed: Any) -> Path:
    """The folder of a release that names an entry."""
    folder.mkdir()
    data = {"ledger": opened.record(number), "costs": opened.entry(number).cost.to_dict(), **changed}
    (folder / "release.json").write_text(json.dumps(data))
    return folder


def test_made_spent_shown_and_handed_on(path: Path) -> None:
    made = create(path, "--rho", 1, "--information", "age=0.5/year")
    assert made.exit_code == 0, made.output
    assert "rho: 0 spent, 1 left of 1" in made.output
    assert "spent: nothing yet" in made.output
    ledger = Ledger.open(path, "adult")
    number = ledger.reserve(
        Cost.zcdp(0.25, fisher_information=(Information("age", 0.1, "year"),)), "table [bold]2026[/bold] <b>"
    )
    shown = run("show", path)
    assert shown.exit_code == 0
    assert "reserved   rho 0.25, Fisher information of 'age' 0.1  table" in shown.output
    assert "table [bold]2026[/bold] <b>" in shown.output
    assert (
        "typical error at least 3.16228 year (unbiased attackers only; others can do better)" in shown.output
    )
    assert run("withdraw", path, number, "--why", "nothing was drawn").exit_code == 0
    assert "(withdrawn: nothing was drawn)" in run("show", path).output
    data = json.loads(run("export", path).output)
    assert data["entries"][0]["state"] == "withdrawn"
    assert run("export", path, "-o", path.parent / "out.json").exit_code == 0
    assert json.loads((path.parent / "out.json").read_text()) == data


@pytest.mark.parametrize(
    ("budget", "said"),
    [
        (["--rho", 1], "rho 0.25, also (epsilon, delta) = (1.9, 1e-05)"),
        (["--epsilon", 2, "--delta", 1e-4], "epsilon 1.9, delta 1e-05, also rho 0.25"),
    ],
)
def test_both_costs_of_a_gaussian_release_are_shown_whatever_is_counted(
    path: Path, budget: list[object], said: str
) -> None:
    create(path, *budget)
    Ledger.open(path).reserve(Cost(rho=0.25, approximate=(1.9, 1e-5)), "ages")
    Ledger.open(path).reserve(Cost.pure(0.0), "nothing")
    assert f"reserved   {said}  ages" in run("show", path).output
    assert "reserved   0" in run("show", path).output


@pytest.mark.parametrize(
    ("budget", "expected"),
    [
        (["--epsilon", 1.5], Cost.pure(1.5)),
        (["--epsilon", 1.5, "--delta", 1e-6], Cost.approximate_dp(1.5, 1e-6)),
        (["--rho", 0.5, "--delta", 1e-9, "--slack", 0], Cost.zcdp(0.5)),
        (["--order", "2=0.5", "--order", "8=1"], Cost.renyi_points([(2, 0.5), (8, 1)], 1e-12)),
        (["--information", "a=b=1/m/s"], Cost(fisher_information=(Information("a=b", 1.0, "m/s"),))),
        (["--epsilon", 1, "--adjacency", "add-or-remove"], Cost.pure(1, adjacency="add-or-remove")),
    ],
)
def test_budgets_of_the_command(path: Path, budget: list[object], expected: Cost) -> None:
    result = create(path, *budget)
    assert result.exit_code == 0, result.output
    assert Ledger.open(path).book().budget == expected


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "expected a cost"),
        (["--rho", "nan"], "rho must be a finite number"),
        (["--rho", -1], "rho must be"),
        (["--rho", 1, "--epsilon", 1], "in one currency"),
        (["--delta", 1e-6, "--information", "a=1/m"], "--delta: goes with"),
        (["--rho", 1, "--delta", 0], "delta > 0"),
        (["--order", "two"], "--order: expected a number"),
        (["--order", "1=2"], "above 1"),
        (["--information", "age=0.5"], "COLUMN=VALUE/UNIT"),
        (["--rho", 1, "--unit", "row"], "record, person"),
    ],
)
def test_a_bad_budget_is_one_message(path: Path, arguments: list[object], words: str) -> None:
    result = create(path, *arguments)
    assert result.exit_code == 2
    assert words in result.output
    assert not path.exists()


def test_check_says_what_is_not_whole(path: Path, tmp_path: Path) -> None:
    create(path, "--epsilon", 1)
    ledger = Ledger.open(path)
    first, second = ledger.reserve(Cost.pure(0.1), "one"), ledger.reserve(Cost.pure(0.2), "two")
    ledger.settle(first)
    good = release(tmp_path / "good", ledger, first)
    cheaper = release(tmp_path / "cheaper", ledger, first, costs=Cost.pure(0.01).to_dict())
    gone = release(tmp_path / "gone", ledger, second, ledger={**ledger.record(second), "entry": 9})
    result = run("check", path, "--release", good, "--head", ledger.head, "--table", "adult")
    assert result.exit_code == 0
    assert "whole: 2 entries" in result.output
    assert "reserved, neither published nor withdrawn: 2" in result.output
    assert run("settle", path, second).exit_code == 0
    for arguments, words in [
        (["--release", cheaper], "cheaper: the release states the cost"),
        (["--release", gone], "gone: the release names entry 9"),
        (["--table", "lending"], "expected the ledger of table 'lending'"),
        (["--head", "0" * 64], "no line has the hash"),
    ]:
        result = run("check", path, *arguments)
        assert result.exit_code == 1
        assert "NOT WHOLE" in result.output
        assert words in result.output
    path.write_bytes(path.read_bytes().replace(b'"what":"one"', b'"what":"two"'))
    result = run("check", path)
    assert result.exit_code == 1
    assert "line 1 was edited" in result.output
    for command in (["show", path], ["export", path], ["settle", path, 1]):
        assert run(*command).exit_code == 2


def test_bad_usage_is_one_message(path: Path, tmp_path: Path) -> None:
    create(path, "--epsilon", 1)
    assert run("check", tmp_path / "missing").exit_code == 2
    assert run("check", path, "--release", tmp_path / "missing").exit_code == 2
    for name, content in [
        ("a", "{"),
        ("b", "[]"),
        ("c", '{"ledger": null}'),
        ("d", "[" * 100_000),
        ("e", '{"ledger": [1]}'),
        ("f", "\udcff"),
    ]:
        file = tmp_path / name
        file.write_text(content, errors="surrogateescape")
        assert run("check", path, "--release", file).exit_code in (1, 2)
    assert run("settle", path, 5).exit_code == 2
    assert run("create", path, "--table", "adult", "--unit", "record", "--epsilon", 1).exit_code == 2


def test_a_lost_head_is_adopted(path: Path) -> None:
    create(path, "--epsilon", 1)
    ledger = Ledger.open(path)
    known = ledger.record(ledger.reserve(Cost.pure(0.1), "one"))["head"]
    path.with_name("adult.jsonl.head").unlink()
    assert run("check", path).exit_code == 1
    assert run("adopt", path, "--head", "0" * 64).exit_code == 2
    assert run("adopt", path, "--head", known).exit_code == 0
    assert "made again" in run("check", path).output
