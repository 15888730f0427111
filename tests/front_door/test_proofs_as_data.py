"""A proof comes out of a finding or an answer as data, and what the kernel says of it is said in Python as from the command."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import sympy as sp
from proof_steps import step

import noiseproof as npf
from noiseproof.audit.record.plain import json_text
from noiseproof.reports import proof_schema
from noiseproof.symbolic.proof.derivation import Derivation, Step

SCHEMA = "noiseproof-proof-1"
GOOD, FALSE = step(["+", 1, 1], "=", 2), step(["+", 1, 1], "=", 3)
X, MU = sp.symbols("x mu", real=True)
S = sp.Symbol("s", positive=True)


@cache
def certificate() -> npf.Certificate:
    claims = [npf.Claim(npf.PureDP(epsilon), about="law") for epsilon in (1.0, 0.5)]
    return npf.examine(npf.LaplaceMechanism(1.0, 1.0), claims, samples=200)


def information() -> Any:
    law = npf.Law.from_density(
        sp.exp(-((X - MU) ** 2) / (2 * S**2)) / (S * sp.sqrt(2 * sp.pi)), X, ("-oo", "oo")
    )
    return npf.fisher_information(law, MU)


def program() -> Any:
    return npf.Program(X**2, over=[X], subject_to=[X >= 1])


ANSWERS = {
    "fisher_information": information,
    "sensitivity": lambda: npf.sensitivity(X**2, npf.Box(0, 1), records=[X], norm="l1", each="sum"),
    "kkt": lambda: program().kkt(),
    "certify": lambda: program().certify([1]),
    "convexity": lambda: program().convexity(),
    "split_budget": lambda: (
        npf.split_budget([npf.BudgetItem("a", 1, 1), npf.BudgetItem("b", 4, 2)], 1, "gaussian").certificate
    ),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_what_has_a_derivation_gives_its_proof(name: str) -> None:
    answer = ANSWERS[name]()
    proof = npf.extract_proof(answer, claim="mine")
    jsonschema.validate(proof, proof_schema(), jsonschema.Draft202012Validator)
    assert proof["claim"] == "mine"
    assert json.loads(json.dumps(proof)) == proof
    checked = npf.check_proof(answer)
    # That no chord lies below a formula is said in words, so that it rests on sympy: nothing that no step of it accepts is called accepted.
    assert checked.accepted is (name != "convexity")
    assert checked.counts["rejected"] == 0
    assert sum(checked.counts.values()) == len(proof["steps"])


def test_a_finding_gives_the_proof_of_its_claim() -> None:
    proved, refuted = certificate().findings
    proof = npf.extract_proof(proved)
    (tied,) = [e["proof"] for e in proved.record()["evidence"] if "proof" in e]
    assert proof["claim"] == tied["claim"]
    assert npf.extract_proof(json.loads(json_text(proved.record()))) == json.loads(json.dumps(proof))
    with pytest.raises(npf.SpecError, match="it has 0 proofs"):
        npf.extract_proof(refuted)
    with pytest.raises(npf.SpecError, match="by 'quadrature'"):
        npf.extract_proof(proved, check="quadrature")
    with pytest.raises(npf.SpecError, match="its own claim"):
        npf.extract_proof(proved, claim="mine")
    other = {**proved.record(), "title": "something else"}
    with pytest.raises(npf.SpecError, match="another claim"):
        npf.extract_proof(other)
    twice = {**proved.record(), "evidence": [e for e in proved.record()["evidence"] if "proof" in e] * 2}
    with pytest.raises(
        npf.SpecError, match="it has 2 proofs: give check=, one of 'derivation', 'derivation'"
    ):
        npf.extract_proof(twice)


def test_what_proves_nothing_is_named() -> None:
    for wrong, message in (
        (certificate(), "take one of its findings"),
        (3, "got int"),
        (Derivation("nothing was found", ()), "nothing was derived by steps: nothing was found"),
    ):
        with pytest.raises(npf.SpecError, match=message):
            npf.extract_proof(wrong)
    with pytest.raises(npf.SpecError, match="there is none"):
        npf.check_proof({"a": 1})
    with pytest.raises(npf.SpecError, match="got int"):
        npf.check_proof(3)


def test_everything_with_proofs_is_checked(tmp_path: Path) -> None:
    whole = npf.check_proof(certificate())
    assert whole.accepted
    assert whole.proofs[0].where == "1, derivation"
    assert whole.proofs[0].conclusion == "accepted"
    assert npf.check_proof(certificate().findings[0]).proofs == whole.proofs[:1]
    path = tmp_path / "certificate.json"
    path.write_text(certificate().to_json(), encoding="utf-8")
    assert npf.check_proof(path) == npf.check_proof(str(path)) == whole
    assert npf.check_proof(
        [{"schema": SCHEMA, "steps": [GOOD]}, {"schema": SCHEMA, "steps": [FALSE]}]
    ).counts == {"accepted": 1, "cited": 0, "trusted": 0, "rejected": 1}


def test_answers_say_why_and_how_much() -> None:
    assert npf.check_proof({"schema": SCHEMA, "steps": [GOOD], "conclusion": [1]}).complete
    cited = npf.check_proof({"schema": SCHEMA, "steps": [GOOD, {"by": "cited"}], "conclusion": [1]})
    assert cited.accepted
    assert not cited.complete
    assert not npf.check_proof(GOOD).complete
    for row in ({"by": "trusted: sympy"}, {"by": "cited"}):
        assert not npf.check_proof({"schema": SCHEMA, "steps": [row]}).accepted
    assert not npf.check_proof({"schema": SCHEMA, "steps": [GOOD, {"by": "trusted: sympy"}]}).accepted
    wrong = npf.check_proof(FALSE)
    assert not wrong.accepted
    assert repr(wrong) == "1 rejected; conclusion trusted\n  step 1: both sides have different normal forms"
    none = npf.check_proof({"schema": SCHEMA, "steps": []})
    assert (none.accepted, none.complete) == (False, False)
    assert repr(none) == "rejected; conclusion rejected\n  the proof: a proof has 1 to 2,000 steps"
    late = npf.check_proof(GOOD, effort=0)
    assert "than are left for the proof" in late.proofs[0].reasons[0][1]


@pytest.mark.parametrize("text", ["", "[NaN]", '{"a": 1, "a": 2}', "\x00"])
def test_a_file_that_is_no_json_is_named(text: str, tmp_path: Path) -> None:
    path = tmp_path / "proof.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(npf.SpecError, match="not readable as JSON"):
        npf.check_proof(path)
    with pytest.raises(npf.SpecError, match="No such file"):
        npf.check_proof(tmp_path / "none.json")


def test_a_derivation_of_ones_own_is_a_proof_with_its_last_step_as_the_conclusion() -> None:
    made = Derivation(
        "x", (Step(X + X, "=", 2 * X, "one"), Step(X**2, ">=", sp.Integer(0), "two")), ("a lemma",)
    )
    proof = npf.extract_proof(made)
    assert (proof["claim"], proof["conclusion"]) == ("x", [2])
    assert npf.check_proof(made).counts == {"accepted": 2, "cited": 1, "trusted": 0, "rejected": 0}
    with pytest.raises(npf.SpecError, match="a step fails: no"):
        npf.extract_proof(Derivation("x", (Step(X, "=", X + 1, "no"),)))
