"""Certificates read critically: verdicts, witnesses and proofs; and witnesses evaluated in another process."""

from __future__ import annotations

import copy
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from made_certificates import one_of_each
from sealed_release import made_certificate

import noiseproof as npf
from noiseproof.audit.record.certificate_check import check_certificate
from noiseproof.audit.record.seal.statement import results
from noiseproof.audit.witnesses import rerun

EVENT = made_certificate()["findings"][1]["evidence"][0]["witness"]


def faults(data: Any) -> str:
    return "\n".join(str(one) for one in check_certificate(data) if one.state == "fails")


def test_honest_certificates_pass() -> None:
    assert faults(made_certificate()) == ""
    assert faults(one_of_each().to_dict()) == ""


@pytest.mark.long
def test_every_planted_fault_gives_an_honest_certificate() -> None:
    for fault in npf.BROKEN_MECHANISMS:
        data = json.loads(npf.examine(fault.subject, fault.claim, samples=2000).to_json())
        assert faults(data) == "", fault.name


def _finding(number: int) -> Callable[[Any], Any]:
    return lambda data: data["findings"][number]


EDITED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "refuted turned into survived": (
        lambda d: d["findings"][1]["evidence"][0].update(verdict="SURVIVED"),
        "does not follow",
    ),
    "witness removed": (lambda d: d["findings"][1]["evidence"][0].update(witness=None), "without a witness"),
    "witness of another claim": (
        lambda d: d["findings"][1]["evidence"][0]["witness"].update(parameters={"epsilon": 0.1}),
        "about another claim",
    ),
    "a step that does not hold": (
        lambda d: d["findings"][0]["evidence"][0]["derivation"][0].update(truth="unknown"),
        "a step does not hold",
    ),
    "no steps": (lambda d: d["findings"][0]["evidence"][0].update(derivation=[]), "without a derivation"),
    "proved by an attack": (
        lambda d: d["findings"][0]["evidence"][0].update(kind="attack"),
        "proves nothing",
    ),
    "error beyond alpha": (lambda d: d["findings"][0]["evidence"][1].update(error=0.5), "beyond the alpha"),
    "finding twice": (lambda d: d["findings"].append(copy.deepcopy(d["findings"][0])), "same number"),
    "a list for a number": (lambda d: d["findings"][0].update(id=[1]), "damaged"),
    "unknown key": (lambda d: d.update(signed_by="the board"), "at signed_by: this key is unknown"),
    "unknown key inside": (
        lambda d: d["findings"][0].update(sure=True),
        "at findings.0.sure: this key is unknown",
    ),
    "no findings": (lambda d: d.pop("findings"), "incomplete or damaged"),
    "findings of numbers": (lambda d: d.update(findings=[1, 2]), "damaged"),
    "a number beyond doubles": (lambda d: d["findings"][0]["evidence"][0].update(error=10**400), "damaged"),
    "alpha a word": (lambda d: d["settings"].update(alpha="none"), "damaged at settings.alpha"),
}


@pytest.mark.parametrize("what", EDITED)
def test_an_edited_certificate_is_named(what: str) -> None:
    data = made_certificate()
    change, message = EDITED[what]
    change(data)
    assert message in faults(data)


def test_nothing_undecided_passes() -> None:
    data = one_of_each().to_dict()
    found = results(data)
    assert found["result"] == "FAILED"
    assert [name.split(":")[0] for name in found["passedTests"]] == ["1", "control 4"]
    assert [name.split(":")[0] for name in found["warnedTests"]] == ["3"]
    assert [name.split(":")[0] for name in found["failedTests"]] == ["2", "control 5"]


def test_witnesses_stand_or_fall_in_another_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A folder that somebody sent may hold modules: none of them is imported.
    (tmp_path / "json.py").write_text("raise SystemExit('imported')")
    (tmp_path / "noiseproof.py").write_text("raise SystemExit('imported')")
    monkeypatch.chdir(tmp_path)
    edited = {**EVENT, "count": {**EVENT["count"], "k": 12}}
    cut = {key: value for key, value in EVENT.items() if key != "count"}
    found = rerun([("a", EVENT), ("b", edited), ("c", cut), ("d", {"kind": "new"}), ("e", {}), ("f", EVENT)])
    assert [one.state for one in found] == ["holds", "fails", "fails", "fails", "fails", "holds"]
    assert "needs the entry 'count'" in found[2].message
    assert "unknown kind" in found[3].message


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="timers of POSIX")
def test_a_witness_that_takes_too_long_stays_open_and_the_rest_goes_on() -> None:
    epochs = [
        {
            "weights": [1.0, 0.0],
            "bets": [{"plus": [0.0, 0.1], "minus": [0.0, 0.0], "pairs": [[1, 0, 1]]}],
            "epsilon": 1.0,
            "delta": 0.0,
        }
    ]
    slow = {
        "kind": "bets",
        "predicate": "PureDP",
        "parameters": {"epsilon": 1.0},
        "alpha": 0.05,
        "epochs": epochs * 200_000,
    }
    found = rerun([("first", EVENT), ("slow", slow), ("last", EVENT)], seconds=5)
    assert [one.state for one in found] == ["holds", "open", "holds"]
    assert "no answer within 5 s" in found[1].message


@pytest.mark.long
def test_a_witness_that_needs_too_much_memory_takes_nothing_down(monkeypatch: pytest.MonkeyPatch) -> None:
    huge = {**EVENT, "kind": "rate boxes", "k0": [1] * 10, "k1": [1] * 10, "n0": 10**15, "n1": 10**15}
    found = rerun([("huge", huge), ("last", EVENT)], seconds=60)
    assert found[0].state in ("fails", "open")
    assert found[1].state == "holds"
