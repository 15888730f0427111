"""The command `noiseproof plan`: tables, JSON, and messages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import noiseproof as npf
from noiseproof import cli
from noiseproof.audit.trial.planning.plan import plan_all

# --- the command -----------------------------------------------------------------------------------------------------

SPEC = """
[mechanism]
name = "laplace"
epsilon = [1, 2]
sensitivity = 1
[[claims]]
predicate = "pure-dp"
epsilon = "epsilon"
[[claims]]
predicate = "error-bound"
value = 0.5
where = { epsilon = 2 }
[[controls]]
predicate = "pure-dp"
epsilon = 0.5
where = { epsilon = 1 }
"""
LAW = '[mechanism]\nname = "laplace"\nepsilon = 1\nsensitivity = 1\n[[claims]]\npredicate = "pure-dp"\nepsilon = 1\nabout = "law"\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.toml").write_text(SPEC)
    (tmp_path / "law.toml").write_text(LAW)
    yield tmp_path
    assert sorted(p.name for p in tmp_path.iterdir()) == ["law.toml", "s.toml"]


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(cli.app, ["plan", *arguments])
    return result.exit_code, result.stdout, result.stderr


def test_a_spec_is_planned_one_row_per_claim_about_code(folder: Path) -> None:
    code, out, err = run("s.toml", "--resolution", "1.3")
    assert (code, err) == (0, "")
    rows = [line for line in out.splitlines() if "the noise scaled by 1/c" in line]
    assert len(rows) == 2
    assert all(" 1.3 " in row for row in rows)
    assert "shared by" in out
    assert out.count("not planned: ") == 2
    assert "a control, false on purpose" in out
    job = cli._job("s.toml", {})
    plans, _ = plan_all(job.claims, resolution=1.3)
    assert [f"{p.samples:,}" in row for p, row in zip(plans, rows, strict=True)] == [True, True]


def test_the_resolution_of_a_budget(folder: Path) -> None:
    code, out, _ = run("s.toml", "--samples", "5000")
    assert code == 0
    assert out.count(" 5,000") == 2


def test_a_claim_in_numbers_needs_no_spec() -> None:
    code, out, err = run("--epsilon", "1", "--delta", "1e-5", "--resolution", "1.1")
    assert (code, err) == (0, "")
    assert f"{npf.sample_size(None, npf.ApproxDP(1.0, 1e-5), 1.1).samples:,}" in out
    assert "use the row for yours" in out
    assert "> 1,000,000,000" in next(line for line in out.splitlines() if "scaled" in line)
    assert "1-Gaussian" in run("--mu", "1", "--resolution", "1.5")[1]
    assert "out of reach" in run("--epsilon", "1", "--resolution", "1.0001")[1]


def test_nothing_to_plan_gives_exit_code_5(folder: Path) -> None:
    code, out, err = run("law.toml")
    assert (code, err) == (5, "")
    assert "not planned: laplace: 1-differentially private: about the law alone" in out


USAGE = [
    ([], "expected either a spec, or a claim in numbers"),
    (["s.toml", "--mu", "1"], "expected either a spec, or a claim in numbers"),
    (["--epsilon", "1", "--mu", "1"], "expected one claim, got --epsilon and --mu"),
    (["--delta", "0.1"], "--delta: expected --epsilon beside it"),
    (["--epsilon", "1", "--delta", "2"], "--delta: delta must lie in [0, 1)"),
    (["--mu", "0"], "--mu: mu must be a finite number > 0"),
    (["--rho", "-1"], "--rho: rho must be a finite number > 0"),
    (["--mu", "1", "--resolution", "1.1", "--samples", "200"], "give one of --resolution and --samples"),
    (["--mu", "1", "--resolution", "0.9"], "resolution must be a finite number > 1"),
    (["--mu", "1", "--samples", "3"], "samples must be a whole number from 100"),
    (["--mu", "1", "--alpha", "1"], "--alpha: expected a number in (0, 1)"),
    (["--mu", "1", "--power", "1"], "power must lie in"),
    (["none.toml"], "no such file"),
]


@pytest.mark.parametrize(("arguments", "part"), USAGE, ids=[" ".join(u[0]) or "nothing" for u in USAGE])
def test_bad_usage_gives_exit_code_2_and_one_line(folder: Path, arguments: list[str], part: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert part in err
