"""Certificates: their schema, their round trip, their repetition, and witnesses evaluated in another process."""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
from functools import cache
from typing import Any

import pytest
from dossier_section import reevaluated_elsewhere

import noiseproof as npf
from noiseproof.audit.record.plain import json_text
from noiseproof.audit.witnesses import reevaluate

AUDIT = """
import noiseproof as npf
declared = npf.LaplaceMechanism(1, 1)
claims = [
    npf.PureDP(1),
    npf.Claim(npf.ErrorBound(1.0), about="law"),
    npf.Claim(npf.PureDP(1), subject=npf.Mutant.noise_divided_by(declared, 1.5), expect="falls"),
]
print(npf.examine(declared, claims, samples=5_000, seed=3).to_json())
"""


@pytest.fixture(scope="module")
def certificate() -> dict[str, Any]:
    with contextlib.redirect_stdout(io.StringIO()) as said:
        exec(AUDIT, {})
    data: dict[str, Any] = json.loads(said.getvalue())
    return data


def test_the_same_seed_gives_the_same_bytes_in_another_process(certificate: dict[str, Any]) -> None:
    done = subprocess.run([sys.executable, "-c", AUDIT], capture_output=True, text=True, check=True)
    again = json.loads(done.stdout)
    for data in (certificate, again):
        assert set(data["timings"]) == {"total_seconds"}
    assert {**certificate, "timings": None} == {**again, "timings": None}
    assert json.dumps({**certificate, "timings": 0}) == json.dumps({**again, "timings": 0})


def test_the_round_trip_keeps_every_word(certificate: dict[str, Any]) -> None:
    text = npf.Certificate.from_json(json.dumps(certificate)).to_json()
    assert json.loads(text) == certificate
    assert npf.Certificate.from_json(text).to_json() == text
    # Indented as json does it, but for proofs, each of which is one line.
    bare = _without_proofs(certificate)
    assert json_text(bare) == json.dumps(bare, indent=1, ensure_ascii=False) + "\n"
    proofs = [line.strip() for line in text.splitlines() if line.strip().startswith('"proof": ')]
    assert proofs
    assert all(json.loads(f"{{{line.removesuffix(',')}}}")["proof"] for line in proofs)


def _without_proofs(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without_proofs(v) for k, v in value.items() if k != "proof"}
    return [_without_proofs(v) for v in value] if isinstance(value, list) else value


def test_verdicts_and_exit_code_are_those_of_the_claims(certificate: dict[str, Any]) -> None:
    assert [f["verdict"] for f in certificate["findings"]] == ["SURVIVED", "PROVED", "REFUTED"]
    assert certificate["verdict"] == "SURVIVED"
    assert certificate["exit_code"] == 0


@pytest.mark.parametrize("place", ["verdict", "exit_code", "finding", "evidence"])
def test_a_verdict_that_was_edited_is_refused(certificate: dict[str, Any], place: str) -> None:
    data = json.loads(json.dumps(certificate))
    if place == "verdict":
        data["verdict"] = "PROVED"
    elif place == "exit_code":
        data["exit_code"] = 1
    elif place == "finding":
        data["findings"][0]["verdict"] = "PROVED"
    else:
        for evidence in data["findings"][0]["evidence"]:
            evidence["verdict"] = "REFUTED"
    with pytest.raises(ValueError, match="does not follow"):
        npf.Certificate.from_json(json.dumps(data))


def test_a_damaged_certificate_is_refused(certificate: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="noiseproof-certificate-1"):
        npf.Certificate.from_json("{}")
    cut = {k: v for k, v in certificate.items() if k != "settings"}
    with pytest.raises(ValueError, match="incomplete or damaged"):
        npf.Certificate.from_json(json.dumps(cut))


@cache
def _witnesses() -> list[tuple[str, dict[str, Any]]]:
    found = []
    for fault in npf.BROKEN_MECHANISMS:
        certificate = npf.examine(fault.subject, fault.claim, samples=10_000)
        for evidence in certificate.to_dict()["findings"][0]["evidence"]:
            if evidence["verdict"] == "REFUTED":
                found.append((f"{fault.name}: {evidence['check']}", evidence["witness"]))
    return found


def test_every_witness_stands_in_another_process() -> None:
    witnesses = _witnesses()
    assert {w["kind"] for _, w in witnesses} >= {"event", "binomial", "histograms", "inequality", "profile"}
    answers = reevaluated_elsewhere([w for _, w in witnesses])
    assert [n for (n, _), (stands, _) in zip(witnesses, answers, strict=True) if not stands] == []


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("event", lambda w: w["count"].update(k=w["count"]["l"])),
        ("binomial", lambda w: w.update(successes=round(w["trials"] * w["probability"]))),
        ("histograms", lambda w: w.update(counts=[w["counts"][0], w["counts"][0]])),
        ("inequality", lambda w: w.update(left="0")),
        ("profile", lambda w: w.update(delta=0.0)),
    ],
)
def test_a_witness_that_was_edited_falls(kind: str, change: Any) -> None:
    for _, witness in _witnesses():
        if witness["kind"] == kind:
            edited = json.loads(json.dumps(witness))
            change(edited)
            assert not reevaluate(edited)[0]
            return
    pytest.fail(f"no witness of kind {kind}")
