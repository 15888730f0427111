"""A wrong form of dates or a misspelt category does not end as a green page of zeros: the draft refuses, the holder is told, the page warns."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import noiseproof as npf
from noiseproof import cli
from noiseproof.audit.release.plan import plan
from noiseproof.audit.release.policy import read_policy
from noiseproof.audit.release.statements import left_out_unseen
from noiseproof.symbolic.errors import SpecError

DAYS = [f"{1 + i % 28:02d}/{1 + i % 12:02d}/2024" for i in range(60)]


def call(*words: str | Path) -> Any:
    return CliRunner().invoke(cli.app, [*map(str, words)])


def drafted(folder: Path, days: list[str], places: list[str], groups: str = '"north", "south"') -> Path:
    """The policy that `policy init` drafts, with what a person declares: groups by month and place."""
    rows = [f"{day},{place}" for day, place in zip(days, places, strict=True)]
    (folder / "t.csv").write_text("\n".join(["day,place", *rows]) + "\n", encoding="utf-8")
    done = call("policy", "init", folder / "t.csv", "--kind", "statistics")
    assert done.exit_code == 0, done.output
    path = folder / "policy.toml"
    assert f"noiseproof policy check {path}" in done.output
    text = path.read_text(encoding="utf-8").replace('role = "drop" ', 'role = "private" ')
    for key in ("kind", "date", "categories", "missing", "undeclared", "epsilon"):
        text = text.replace(f"\n# {key} =", f"\n{key} =")
    text = text.replace("categories = []", f"categories = [{groups}]").replace("epsilon = ", "epsilon = 1.0")
    path.write_text(text.replace('# by = ["COLUMN"]', 'by = ["day"]', 1), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("days", "form"),
    [
        (DAYS, '"%d/%m/%Y", part = "month" }\n'),
        ([*DAYS[:-1], "spring"], '"%d/%m/%Y", part = "month" }\n'),
        (["3.4.2024"] * 30, '"%d.%m.%Y", part = "month" }   # or "%m.%d.%Y"'),
        (["2024-12-31 07:45"] * 30, '"%Y-%m-%d %H:%M", part = "month" }\n'),
        (["31.12.99"] * 30, '"%d.%m.%y", part = "month" }\n'),
    ],
)
def test_a_draft_knows_the_form_of_dates(tmp_path: Path, days: list[str], form: str) -> None:
    path = drafted(tmp_path, days, ["north"] * len(days))
    text = path.read_text(encoding="utf-8")
    assert f"form = {form}" in text
    assert "2024" not in text
    assert plan(read_policy(path)).unmet == ()


def test_texts_that_are_no_dates_have_no_form(tmp_path: Path) -> None:
    path = drafted(tmp_path, ["2024-13-45", "1/2", "v1.2.3"] * 9, ["north"] * 27, '"a", "b"')
    assert "form =" not in path.read_text(encoding="utf-8")


def test_the_draft_stops_at_a_misspelt_category_and_nothing_is_spent(tmp_path: Path) -> None:
    path = drafted(tmp_path, DAYS, ["nroth", "north", ""] * 20)
    assert left_out_unseen(read_policy(path)) == ()
    ledger = '[ledger]\npath = "b"\ntable_id = "t"\ncreate = true\nbudget = { rho = 1.0 }\n#'
    path.write_text(path.read_text().replace("# [ledger] ", ledger))
    by = path.read_text().replace("# size = 100", 'by = ["place"]', 1).replace('by = ["day"]', "", 1)
    path.write_text(by)
    done = call("release", path, "-o", tmp_path / "out")
    assert (done.exit_code, "'place', record 1: the value is none of the declared" in done.output) == (
        2,
        True,
    )
    assert not (tmp_path / "out").exists()
    assert not (tmp_path / "b").exists()
    told = call("policy", "check", path)
    assert told.exit_code == 1, told.output
    assert "place: of 60 records 20 missing, 20 undeclared (the first is record 1" in told.output
    assert "the policy refuses what is undeclared" in told.output
    assert "day: of 60 records all as declared" in told.output
    assert "nroth" not in told.output
    other = path.read_text().replace('"north", "south"', '"south", "other"')
    path.write_text(
        other.replace('undeclared = "refuse"\n', 'undeclared = { value = "other" }\n').replace(
            'undeclared = { value = "other" }', 'undeclared = "refuse"', 1
        )
    )
    told = call("policy", "check", path)
    assert (told.exit_code, "20 missing, 40 undeclared" in told.output) == (0, True), told.output


def test_zeros_are_told_before_and_after(tmp_path: Path) -> None:
    path = drafted(tmp_path, DAYS, ["north"] * 60)
    text = (
        path.read_text()
        .replace("%d/%m/%Y", "%Y-%m-%d")
        .replace('undeclared = "refuse"', 'undeclared = "skip"')
    )
    path.write_text(f"{text}\n[audit]\nsamples = 20_000\nalpha = 0.001\n")
    told = call("policy", "check", path)
    assert (told.exit_code, "60 undeclared" in told.output, "NO record counts" in told.output) == (
        1,
        True,
        True,
    )
    warned = call("calibrate", path)
    assert (
        warned.exit_code,
        "day or place is none of the declared categories" in " ".join(warned.output.split()),
    ) == (0, True)
    done = call("release", path, "-o", tmp_path / "out")
    assert done.exit_code == 0, done.output
    assert "warning: records: the noise hides" in done.output
    assert f"data: {tmp_path / 'out' / 'numbers.csv'}" in done.output
    manifest = json.loads((tmp_path / "out" / "release.json").read_text())
    assert any("no number tells how many" in said for said in manifest["does_not_mean"])
    page = (tmp_path / "out" / "index.html").read_text()
    assert "hardly a record has a declared value" in page
    assert call("verify", tmp_path / "out").exit_code == 4  # nobody signed it


def test_numbers_are_counted_beyond_their_ends(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("age\n-1\n7\n\n200\n")
    call("policy", "init", tmp_path / "t.csv", "--kind", "statistics")
    path = tmp_path / "policy.toml"
    text = path.read_text().replace("# low =", "low = 0 #").replace("# high =", "high = 99 #")
    path.write_text(text.replace("# epsilon =", "epsilon = 1.0 #"))
    told = call("policy", "check", path)
    assert told.exit_code == 0, told.output
    assert "age: of 4 records 1 missing, 1 below low, 1 above high" in told.output
    assert f"next: noiseproof calibrate {path}" in told.output


def test_python_is_told_in_python() -> None:
    column = {"a": {"kind": "integer", "low": 0, "high": 9, "missing": "skip"}}
    for columns, more, said in (
        (column, {"nois": "laplace"}, "nois: unknown argument; did you mean 'noise'?"),
        (column, {"table": {"unit_of_privacy": "persn"}}, "unit_of_privacy"),
        ({"a": {"kind": "integer", "low": 0, "high": 9}}, {}, '"skip", or {"value": ...}'),
    ):
        with pytest.raises(SpecError) as caught:
            npf.Statistics(columns, {"c": {"measure": "count"}}, limits={"rho": 1.0}, **more)
        assert said in str(caught.value)
        assert "[[" not in str(caught.value)


def test_init_says_when_pytest_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "not installed" not in call("init", tmp_path / "test_a.py").output
    monkeypatch.setattr("noiseproof.init_command.find_spec", lambda name: None)
    assert "-m pip install pytest" in call("init", tmp_path / "test_b.py").output
