"""The commands `release` and `calibrate`: exit codes, messages, and that nothing is left behind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from made_release import certificate
from pre_release_cases import CASES, write_table
from typer.testing import CliRunner

from noiseproof.audit.record.certificate import Certificate
from noiseproof.audit.release import releasing
from noiseproof.cli import app


def run(*arguments: Any) -> Any:
    return CliRunner().invoke(app, [str(a) for a in arguments])


def test_release_writes_the_folder_and_a_salt_beside_the_policy(tmp_path: Path) -> None:
    write_table(tmp_path)
    done = run("release", CASES["constrained"].written(tmp_path), "-o", tmp_path / "out")
    assert done.exit_code == 0, done.output
    assert "control, refuted as expected" in done.output
    assert "released: not differentially private" in done.output
    assert (tmp_path / "out" / "index.html").is_file()
    assert (tmp_path / "noiseproof.salt").stat().st_mode & 0o077 == 0
    assert json.loads((tmp_path / "out" / "release.json").read_text())["table"]["salted_digest"]
    questions = (tmp_path / "out.answers.toml").read_text()
    assert questions == run("answer", tmp_path / "out").output
    assert f"{questions.count(' = ')} questions are for the signer" in done.output
    (tmp_path / "out.answers.toml").write_text(questions.replace('""', '"yes: seen by R. Okafor"'))
    filled = run("answer", tmp_path / "out", tmp_path / "out.answers.toml")
    assert (filled.exit_code, "not answered" in filled.output) == (0, False), filled.output
    assert run("answer", tmp_path / "out").output.count(' = ""') == 0


def test_a_policy_that_is_not_met_exits_with_1_and_writes_nothing(tmp_path: Path) -> None:
    write_table(tmp_path)
    policy = CASES["constrained"].written(tmp_path, limits={"error": 1e5})
    done = run("release", policy, "-o", tmp_path / "out")
    assert done.exit_code == 1
    assert "nothing was written" in done.output
    assert "mean squared error below 100000" in done.output
    assert sorted(p.name for p in tmp_path.iterdir()) == ["policy.toml", "table.csv"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda t: t.replace("table.csv", "other.csv"), "no such file"),
        (lambda t: t.replace("table.csv", "../table.csv"), ".."),
        (lambda t: t.replace('"hours"', '"hour"'), "hour"),
        (lambda t: t + "\nnonsense = 1\n", "nonsense"),
        (lambda t: "not toml [", "TOML"),
    ],
)
def test_what_cannot_be_used_exits_with_2_without_a_traceback(tmp_path: Path, change: Any, said: str) -> None:
    write_table(tmp_path)
    policy = CASES["constrained"].written(tmp_path)
    policy.write_text(change(policy.read_text()))
    done = run("release", policy, "-o", tmp_path / "out")
    assert done.exit_code == 2, done.output
    assert said in done.output
    assert "Traceback" not in done.output
    assert not (tmp_path / "out").exists()


def test_another_table_can_be_named_and_the_digest_left_out(tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    table = write_table(folder)
    (tmp_path / "out.answers.toml").write_text("half an hour of work")
    policy = CASES["constrained"].written(tmp_path)
    done = run("release", policy, "-o", tmp_path / "out", "--table", table, "--no-digest", "-q")
    assert done.exit_code == 0, done.output
    assert (tmp_path / "out.answers.toml").read_text() == "half an hour of work"
    assert done.output == ""
    assert json.loads((tmp_path / "out" / "release.json").read_text())["table"]["salted_digest"] is None
    assert not (tmp_path / "noiseproof.salt").exists()


@pytest.mark.parametrize("place", ["tables.table.screened", "kinds.by_columns.ByColumns.apply"])
def test_a_fault_among_the_records_is_told_without_its_words(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def faulty(*arguments: Any) -> Any:
        raise KeyError("8675309")

    write_table(tmp_path)
    monkeypatch.setattr(releasing, "audited", lambda *_: Certificate.from_data(certificate()))
    monkeypatch.setattr(f"noiseproof.audit.release.{place}", faulty)
    arguments = ("release", CASES["optimal"].written(tmp_path), "-o", tmp_path / "out")
    done, debugged = run(*arguments), run(*arguments, "--debug")
    assert (done.exit_code, debugged.exit_code) == (3, 3)
    assert "KeyError among the records, whose words may quote one (--debug shows them)" in done.output
    assert "8675309" not in done.output
    assert "8675309" in debugged.output
    assert sorted(p.name for p in tmp_path.iterdir()) == ["policy.toml", "table.csv"]


def test_calibrate_prints_the_noise_and_draws_the_trade_off_without_a_table(tmp_path: Path) -> None:
    policy = CASES["optimal"].written(
        tmp_path, mechanism={"kind": "optimal", "calibrate": True}, limits={"error": 300.0}
    )
    done = run("calibrate", policy, "-o", tmp_path / "out")
    assert done.exit_code == 0, done.output
    assert "half width 71" in done.output
    record = json.loads((tmp_path / "out" / "calibration.json").read_text())
    assert sum(b["bound"] for b in record["error_bounds"]) >= 300
    page = (tmp_path / "out" / "index.html").read_text()
    assert "<svg" in page
    assert "Trade-off" in page


def test_calibrate_says_what_is_not_met(tmp_path: Path) -> None:
    policy = CASES["optimal"].written(tmp_path, limits={"epsilon": 1.0})
    done = run("calibrate", policy)
    assert done.exit_code == 1
    assert "no finite epsilon with delta = 0" in done.output


@pytest.mark.parametrize("kind", ["laplace", "gaussian", "optimal"])
@pytest.mark.parametrize(
    "limits",
    [
        {name: value}
        for name in ("epsilon", "rho", "error", "information")
        for value in (5e-324, 1e-300, 1e300)
    ],
    ids=str,
)
def test_calibrate_answers_the_smallest_and_largest_limits(
    tmp_path: Path, kind: str, limits: dict[str, float]
) -> None:
    delta = {"delta": 1e-6} if kind != "laplace" and "epsilon" in limits else {}
    policy = CASES[kind].written(
        tmp_path, mechanism={"kind": kind, "calibrate": True}, limits={**limits, **delta}
    )
    done = run("calibrate", policy, "-q")
    assert done.exit_code in (0, 1, 2), done.output
    assert bool(done.output.strip()) == (done.exit_code != 0)
    assert "Traceback" not in done.output


def test_calibrate_needs_the_number_of_records_where_the_guarantee_does(tmp_path: Path) -> None:
    path = CASES["compression"].written(tmp_path)
    assert run("calibrate", path).exit_code == 2
    done = run("calibrate", path, "--rows", 300)
    assert done.exit_code == 0, done.output
    assert "protected set" in done.output
