"""Evaluating what others wrote has limits: digits, sizes, seconds and memory, for commands and for scripts that stand alone."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from made_certificates import one_of_each
from typer.testing import CliRunner

import noiseproof as npf
from noiseproof.audit import witnesses as isolated
from noiseproof.audit.record import limits
from noiseproof.audit.record.certificate import Certificate
from noiseproof.audit.record.limits import bounded
from noiseproof.audit.record.terms import Terms
from noiseproof.audit.trial.gate.failure import failure_message
from noiseproof.audit.trial.isolation import limited
from noiseproof.audit.witnesses import reevaluate, rerun
from noiseproof.cli import app
from noiseproof.reports.proof_script import NotStandAloneError, render_proof_script

FORMULA = {"kind": "formula", "left": "s**2", "relation": "<", "right": "1", "where": [], "at": {"s": "2"}}
ENDLESS = ["1e99999999999", "1E+9_999_999", "-2.5e-99999999999", "9" * 5_000, "9" * 1_000_000, "x" * 30_000]


@pytest.mark.parametrize("text", ENDLESS, ids=[f"{t[:12]} {len(t)}" for t in ENDLESS])
def test_numbers_without_end_are_refused_unread(text: str) -> None:
    started = time.perf_counter()
    places = ({"at": {"s": text}}, {"left": text}, {"right": text}, {"where": [text]}, {"at": {text: "1"}})
    for change in places:
        witness: dict[str, Any] = {**FORMULA, **change}
        with pytest.raises(ValueError, match="too large") as refused:
            reevaluate(witness)
        assert len(str(refused.value)) < 200
        with pytest.raises(NotStandAloneError, match="too large"):
            render_proof_script(witness)
    assert time.perf_counter() - started < 5


def test_runs_of_digits_are_looked_at_once() -> None:
    started = time.perf_counter()
    bounded([("9" * 4_000 + " ") * 4] * 60)
    with pytest.raises(ValueError, match="too large"):
        bounded("1 " + "9" * 10_000)
    assert time.perf_counter() - started < 5


def test_whole_numbers_and_floats_are_bounded_too() -> None:
    for value in (10**30, float("inf"), float("nan"), {"a": [[-(10**400)]]}):
        with pytest.raises(ValueError, match=r"too large|not finite"):
            bounded(value)
    bounded({"a": [1, 2.5, "1e300", "9" * 4_000, None, True, "a sentence of 1e5 words"]})


@pytest.mark.parametrize(
    "change",
    [{"at": {"s": "1e99999999999"}}, {"left": "9**9**9**9"}, {"left": "2**s", "at": {"s": "9" * 300}}],
    ids=["exponent", "tower", "power"],
)
def test_a_script_that_was_edited_evaluates_nothing_without_end(
    change: dict[str, Any], tmp_path: Path
) -> None:
    script = render_proof_script(FORMULA)
    (line,) = [row for row in script.splitlines() if json.dumps(FORMULA, sort_keys=True) in row]
    edited = script.replace(line, f"    {json.dumps({**FORMULA, **change})!r}")
    (tmp_path / "s.py").write_text(edited)
    done = subprocess.run(
        [sys.executable, "-I", str(tmp_path / "s.py")],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("NOT EVALUATED: ValueError: ")


@pytest.mark.long
def test_the_limits_in_a_script_replace_no_name_of_its_evaluator() -> None:
    names = {name for name in vars(limits) if not name.startswith("__")} - {"annotations", "re", "Any"}
    from noiseproof.audit.standalone import standalone
    from noiseproof.audit.witnesses import kinds

    for kind in set(kinds()) - {"instance"}:
        try:
            source = standalone({"kind": kind}).source
        except NotStandAloneError:
            continue
        defined = {row.split("(")[0].split(" ")[1] for row in source.splitlines() if row.startswith("def ")}
        defined |= {row.split(" =")[0].split(":")[0] for row in source.splitlines() if " = " in row}
        assert not names & defined, kind


def _endless(request: dict[str, Any]) -> tuple[bool, str]:
    while True:
        pass


def test_no_answer_in_time_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    ((_, terms), *_) = Terms.all_of(Certificate.from_data(one_of_each().to_dict()))
    monkeypatch.setattr(isolated, "answered", _endless)
    assert isolated.evaluated(terms, seconds=0.2) == (None, "no answer within 0.2 s")


def test_no_memory_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    ((_, terms), *_) = Terms.all_of(Certificate.from_data(one_of_each().to_dict()))
    assert isolated.evaluated(terms)[0] is True
    monkeypatch.setattr(limited, "MEMORY", 0)
    monkeypatch.setattr(isolated, "answered", lambda request: {"says": len(bytearray(2**28))})
    assert isolated.evaluated(terms)[0] is None


def test_many_witnesses_have_their_time_together() -> None:
    witness = {"kind": "event"}
    found = rerun([("a", witness), ("b", witness)], altogether=-1.0)
    assert [(one.state, one.message[:17]) for one in found] == [("open", "no time was left:")] * 2


def test_replay_says_that_a_number_is_too_large(tmp_path: Path) -> None:
    data = one_of_each().to_dict()
    data["findings"][1]["evidence"][0]["witness"]["score"] = "1e99999999999"
    (tmp_path / "c.json").write_text(json.dumps(data))
    done = CliRunner().invoke(app, ["replay", f"{tmp_path / 'c.json'}#2"])
    assert done.exit_code == 2
    assert "too large" in done.output


@pytest.mark.parametrize("far", [10**30, "1e99999999999", "x" * 30_000], ids=["whole", "exponent", "text"])
def test_an_audit_of_inputs_that_nobody_could_read_is_read(far: Any) -> None:
    subject = npf.BlackBox(lambda x, size, rng: float(x == 0) + rng.laplace(0, 0.1, size), (0, far))
    found = Certificate.from_json(npf.examine(subject, npf.PureDP(0.2), samples=400).to_json())
    ((finding, terms),) = Terms.all_of(found)
    assert terms.witness["inputs"][1].startswith("not shown: a ")
    assert reevaluate(terms.witness, terms)[0]
    assert "(it does NOT stand" not in failure_message(found, [finding], "again")


def test_a_number_of_a_finding_may_have_any_length(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text(one_of_each().to_json())
    for number, code in (("0" * 5_000 + "2", 0), ("9" * 5_000, 2), ("0", 2)):
        done = CliRunner().invoke(app, ["replay", f"{tmp_path / 'c.json'}#{number}"])
        assert done.exit_code == code, done.output
