"""A proof in a certificate is of the claim beside it: swapped, cut or of other words, it is refused by every reader."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import noiseproof as npf
from noiseproof.audit.record.certificate import Certificate
from noiseproof.audit.record.certificate_check import check_certificate
from noiseproof.reports.kernel_words import steps
from noiseproof.reports.page import render_certificate
from noiseproof.symbolic.proof.kernel.__main__ import main


@cache
def _text() -> str:
    claims = [npf.Claim(npf.PureDP(epsilon), about="law") for epsilon in (1.0, 1.5)]
    return npf.examine(npf.LaplaceMechanism(1.0, 1.0), claims, samples=200).to_json()


def proofs(data: Any) -> list[Any]:
    return [e for f in data["findings"] for e in f["evidence"] if "proof" in e]


def swap(*keys: str) -> Callable[[Any], Any]:
    def change(data: Any) -> None:
        one, two = proofs(data)
        for key in keys:
            one[key], two[key] = two[key], one[key]

    return change


def test_a_certificate_says_of_which_claim_its_proofs_are_and_what_concludes() -> None:
    data = json.loads(_text())
    assert [e["proof"]["conclusion"] for e in proofs(data)] == [[6], [6]]
    assert len({e["proof"]["claim"] for e in proofs(data)}) == 2
    assert Certificate.from_json(_text()).to_json() == _text()
    assert "Conclusion: step 6." in render_certificate(data)
    for evidence in proofs(data):
        del evidence["proof"]
        for row in evidence["derivation"]:
            row.pop("proof", None)
    with pytest.raises(ValueError, match="'findings' is not as an audit writes it"):
        Certificate.from_data(data)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (swap("derivation"), "the steps of its proof"),
        (swap("derivation", "proof"), "another claim"),
        (lambda d: d["findings"][0].update(title="(1, 0)-private"), "another claim"),
        (lambda d: d["findings"][0]["claim"]["scope"].update(domain="all"), "another claim"),
        (lambda d: d["findings"][0]["claim"].update(assumptions=["the moon is full"]), "another claim"),
        (lambda d: proofs(d)[0]["derivation"].pop(0), "the steps of its proof"),
        (lambda d: proofs(d)[0]["derivation"].pop(), "the steps of its proof"),
        (lambda d: proofs(d)[0]["derivation"].insert(0, proofs(d)[0]["derivation"][1]), "the steps"),
        (lambda d: proofs(d)[0]["derivation"][0].update(reason="why not"), "the steps of its proof"),
        (lambda d: proofs(d)[0]["derivation"][0]["proof"].update({"for": {}}), "the steps of its proof"),
        (lambda d: proofs(d)[0]["proof"].update(conclusion=[1]), "the steps of its proof"),
        (lambda d: proofs(d)[0].pop("proof"), "does not say of which claim"),
    ],
)
def test_a_proof_of_something_else_is_refused(
    change: Callable[[Any], Any], why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = copy.deepcopy(json.loads(_text()))
    change(data)
    said = [one for one in check_certificate(data) if one.state == "fails"]
    assert any(why in one.message for one in said), said
    path = tmp_path / "certificate.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    assert main([str(path)]) == 1
    assert why in capsys.readouterr().out


def test_steps_are_named_by_their_numbers() -> None:
    assert [steps([7]), steps([3, 5]), steps([1, 2, 3])] == ["step 7", "steps 3 and 5", "steps 1, 2 and 3"]
