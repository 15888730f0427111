"""Certificates edited by hand: what stands in a finding is about the claim of that finding, or verification says so."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import permutations
from typing import Any

import pytest
import sympy as sp
from made_certificates import certificate, one_of_each

from noiseproof.audit.record.certificate import Certificate, finding_of
from noiseproof.audit.record.certificate_check import check_certificate
from noiseproof.audit.record.evidence import Evidence, Verdict
from noiseproof.audit.release.settled_claim import settled
from noiseproof.audit.trial.examine import examine
from noiseproof.audit.witnesses import reevaluate
from noiseproof.mechanisms.covariance import LaplaceCovariance
from noiseproof.mechanisms.gaussian import GaussianMechanism, OptimalGaussian
from noiseproof.mechanisms.laplace import LaplaceMechanism
from noiseproof.symbolic import laws
from noiseproof.symbolic.claim import Claim, Scope
from noiseproof.symbolic.predicates import ErrorBound, FisherInformation, Limit, Predicate, RecordedPrior
from noiseproof.symbolic.privacy.guarantees import ApproxDP, GaussianDP, PureDP, RenyiDP, ZeroConcentratedDP

LAPLACE, NORMAL = LaplaceMechanism(1.0, 1.0), GaussianMechanism(sigma=1.0)
COVARIANCE, RECORD = LaplaceCovariance.printed(8, 100, 1.0), OptimalGaussian(100.0, ([0.0], [1.0]))
CLAIMS: list[tuple[Predicate, Any]] = [
    (PureDP(0.5), LAPLACE),
    (PureDP(0.25), LAPLACE),
    (PureDP(2.0), LAPLACE),
    (ApproxDP(0.5, 0.1), LAPLACE),
    (ApproxDP(0.25, 0.1), LAPLACE),
    (ApproxDP(0.5, 0.0), NORMAL),
    (GaussianDP(0.5), NORMAL),
    (GaussianDP(0.25), NORMAL),
    (GaussianDP(0.1), LAPLACE),
    (RenyiDP(2.0, 0.1), LAPLACE),
    (RenyiDP(3.0, 0.1), LAPLACE),
    (ZeroConcentratedDP(0.1), NORMAL),
    (ZeroConcentratedDP(0.01), LAPLACE),
    (ApproxDP(1.0, 1.6e-6), COVARIANCE),
    (ApproxDP(1.0, 1.5e-6), COVARIANCE),
    # Its exact number has more digits than a formula may have.
    (ApproxDP(1.0, 2.0**-128), NORMAL),
    (FisherInformation(5.0), RECORD),
    (FisherInformation(6.0), RECORD),
    (FisherInformation([[1.0, 0.0], [0.0, 1.0]]), RECORD),
    (ErrorBound(5.0), RECORD),
    (ErrorBound(6.0), RECORD),
    (ErrorBound(5.0, "minimax", domain=([0.0], [1.0])), RECORD),
]


@cache
def _text() -> str:
    found = examine(None, [Claim(p, subject=s, about="law") for p, s in CLAIMS], samples=200)
    return found.to_json()


def honest() -> Any:
    """A certificate with refutations of every kind that a proof or an integral finds, and one proof."""
    return json.loads(_text())


def refutations(data: Any) -> Iterator[tuple[Any, Any]]:
    return ((f, e) for f in data["findings"] for e in f["evidence"] if e["witness"])


def faults(data: Any) -> str:
    return "\n".join(one.message for one in check_certificate(data) if one.state == "fails")


def faults_where_changed(data: Any) -> str:
    """Those of the refuted findings that are no longer as they were written; as they were, all are checked at once."""
    pairs = zip(data["findings"], honest()["findings"], strict=True)
    changed = [now for now, before in pairs if now != before]
    assert changed
    return faults({**data, "findings": changed, "verdict": "REFUTED", "exit_code": 1})


def resaid(data: Any, number: int, predicate: Predicate, *, keys: bool = False) -> Any:
    """The finding as it would stand beside another claim, told by somebody who knows the sentences but not the mathematics."""
    finding = data["findings"][number]
    finding["claim"].update(
        predicate=type(predicate).__name__,
        parameters=json.loads(json.dumps(predicate.parameters())),
        sentence=predicate.sentence(),
    )
    finding["title"] = predicate.sentence()
    key = {name: finding["claim"][name] for name in ("predicate", "parameters")}
    for evidence in finding["evidence"] if keys else ():
        evidence["claim"] = key
        if evidence["witness"]:
            evidence["witness"].update(key)
    return data


def test_honest_certificates_pass_and_every_witness_names_its_claim() -> None:
    assert faults(honest()) == ""
    kinds = set()
    for finding, evidence in refutations(honest()):
        assert {key: evidence["witness"][key] for key in ("predicate", "parameters")} == {
            key: finding["claim"][key] for key in ("predicate", "parameters")
        }
        kinds.add(evidence["witness"]["kind"])
    assert kinds == {"inequality", "profile", "product profile", "information", "shape"}
    assert Certificate.from_json(_text()).verdict is Verdict.REFUTED


def test_every_witness_stands_when_it_is_evaluated_again() -> None:
    # Among them the exact number of 2^-128, whose digits are many.
    assert [e["check"] for _, e in refutations(honest()) if not reevaluate(e["witness"])[0]] == []


@pytest.mark.parametrize("check", ["derivation", "quadrature"])
def test_a_witness_or_evidence_of_another_finding_is_noticed(
    check: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = honest()
    found = [(f, e) for f, e in refutations(data) if e["check"] == check]
    assert len(found) >= 15
    for finding, _ in found:
        assert faults({**data, "findings": [finding], "verdict": "REFUTED", "exit_code": 1}) == ""
    # The steps of a derivation are checked above; whose they are is asked of all pairs.
    monkeypatch.setattr("noiseproof.audit.record.follows.derivation_faults", lambda *_: ())
    missed = set()
    for (finding, mine), (other, theirs) in permutations(found, 2):
        said = finding["claim"]["sentence"], other["claim"]["sentence"]
        one = {**data, "findings": [finding], "verdict": "REFUTED", "exit_code": 1}
        kept, mine["witness"] = mine["witness"], theirs["witness"]
        if faults(one) == "":
            missed.add(said)
        mine["witness"] = kept
        place = finding["evidence"].index(mine)
        finding["evidence"][place] = theirs
        assert "it is about another claim" in faults(one)
        finding["evidence"][place] = mine
    assert missed == set()


OTHERS: list[tuple[int, Predicate]] = [
    (0, PureDP(0.3)),
    (0, ApproxDP(0.5, 0.01)),
    (1, GaussianDP(0.3)),
    (3, ApproxDP(0.5, 0.05)),
    (6, GaussianDP(0.3)),
    (8, GaussianDP(0.2)),
    (9, RenyiDP(2.0, 0.2)),
    (11, ZeroConcentratedDP(0.2)),
    (12, ZeroConcentratedDP(0.02)),
    (13, ApproxDP(1.0, 1.4e-6)),
    (13, ApproxDP(0.5, 1.7e-6)),
    (16, FisherInformation(7.0)),
    (18, FisherInformation(5.0)),
    (19, ErrorBound(7.0)),
    (21, ErrorBound(7.0, "minimax", domain=([0.0], [1.0]))),
    (19, PureDP(5.0)),
    (0, ErrorBound(0.5)),
]


@pytest.mark.parametrize(("number", "other"), OTHERS, ids=lambda v: getattr(v, "sentence", lambda: v)())
def test_a_claim_that_was_edited_is_noticed(number: int, other: Predicate) -> None:
    numbers = honest()
    numbers["findings"][number]["claim"]["parameters"] = json.loads(json.dumps(other.parameters()))
    assert faults_where_changed(numbers) != ""
    assert "is about another claim" in faults_where_changed(resaid(honest(), number, other))
    everything = faults_where_changed(resaid(honest(), number, other, keys=True))
    assert "derivation: its witness compares with a number that is not the claim's" in everything
    assert "is about another claim" not in everything


def test_what_the_numbers_do_not_tell_the_name_does() -> None:
    # epsilon stands inside of the closed form, the order inside of the divergence.
    for number, other in ((3, ApproxDP(0.4, 0.1)), (9, RenyiDP(2.5, 0.1))):
        law_only = resaid(honest(), number, other)
        law_only["findings"][number]["evidence"] = law_only["findings"][number]["evidence"][:1]
        assert "is about another claim (parameters" in faults_where_changed(law_only)


def test_a_proof_of_another_claim_is_noticed() -> None:
    data = resaid(honest(), 2, PureDP(1.0))
    assert faults(data).count("it is about another claim (parameters {'epsilon': 2.0})") == 2


def _first(data: Any) -> Any:
    return data["findings"][0]["evidence"][0]


EDITS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "sentence": (
        lambda d: d["findings"][0]["claim"].update(sentence="0.1-differentially private"),
        "its sentence does not say its numbers, '0.5-differentially private' would",
    ),
    "statement": (
        lambda d: _first(d).update(statement="the declared law: 0.1-differentially private"),
        "findings.0.evidence.0.statement: this key is unknown",
    ),
    "no name": (
        lambda d: _first(d)["witness"].pop("parameters"),
        "does not say which claim it breaks (parameters is missing)",
    ),
    "no key": (lambda d: _first(d).pop("claim"), "evidence.0.claim: this key is missing"),
    "other key": (
        lambda d: _first(d)["claim"].update(parameters={"epsilon": 0.25}),
        "derivation: it is about another claim (parameters {'epsilon': 0.25})",
    ),
    "a key that says more": (lambda d: _first(d)["claim"].update(sure=True), "damaged"),
    "other name": (
        lambda d: _first(d)["witness"].update(predicate="ApproxDP"),
        "its witness is about another claim (predicate ApproxDP)",
    ),
    "relation": (
        lambda d: d["findings"][19]["evidence"][0]["witness"].update(relation="<="),
        "not the claim's",
    ),
    "right side": (lambda d: _first(d)["witness"].update(right="1/2 + 1/10"), "not the claim's"),
    "left side": (lambda d: _first(d)["witness"].update(left="3"), "no step of its derivation that fails"),
    "step that holds": (
        lambda d: [s.update(truth="holds") for s in _first(d)["derivation"] if s["truth"] == "fails"],
        "no step of its derivation that fails",
    ),
    "unreadable": (lambda d: _first(d)["witness"].update(right="a + b"), "not the claim's"),
    "numbers that no claim has": (
        lambda d: d["findings"][0]["claim"]["parameters"].update(epsilon=-1.0),
        "epsilon must be a finite number > 0",
    ),
    "kind": (lambda d: _first(d)["witness"].update(kind="shape", claimed=[1, 1]), "not the claim's"),
    "matrix": (
        lambda d: d["findings"][16]["evidence"][1]["witness"].update(claimed=[[5.1]]),
        "finding 17, quadrature: its witness compares with a number that is not the claim's",
    ),
}


@pytest.mark.parametrize("what", EDITS)
def test_each_fault_is_named(what: str) -> None:
    data = honest()
    change, message = EDITS[what]
    change(data)
    assert message in faults_where_changed(data)


def test_a_witness_whose_evaluation_uses_the_claim_names_it_always() -> None:
    data = one_of_each().to_dict()
    assert faults(data) == ""
    del data["findings"][1]["evidence"][0]["witness"]["predicate"]
    assert "does not say which claim it breaks (predicate is missing)" in faults(data)


def test_statements_are_made_of_the_claim_and_stored_nowhere() -> None:
    text = one_of_each().to_json()
    assert '"statement"' not in text
    assert '"detail"' not in text
    said = Certificate.from_json(text).findings[0].evidence[0].statement
    assert (
        said == "the tested events tell the two inputs apart no better than 1-differentially private allows"
    )


@pytest.mark.parametrize("name", ["PureDp", "PureDP\u200b", "puredp", "no more than 7 allows", "Predicate"])
def test_a_claim_whose_predicate_nobody_knows_is_refused(name: str) -> None:
    # Its numbers could not be held against anything.
    data = honest()
    data["findings"][0]["claim"]["predicate"] = name
    for evidence in data["findings"][0]["evidence"]:
        evidence["witness"]["predicate"] = evidence["claim"]["predicate"] = name
    assert "no predicate" in faults(data)


def found(claim: Predicate, evidence: Evidence) -> Any:
    """A certificate of one refuted claim about a law."""
    return certificate(finding_of(1, Claim(claim, about="law"), ("law",), (evidence,))).to_dict()


@pytest.mark.parametrize("relation", ["<=", ">="])
def test_limits_are_compared_with_their_number(relation: Any) -> None:
    limit = Limit("the mean squared error", relation, 2.5, "kg^2")
    broken, number = sp.Integer(3 if relation == "<=" else 2), sp.Rational(5, 2)
    evidence = settled(limit, broken, relation, number, "known", subject=None, scope=Scope()).evidence[0]
    assert faults(found(limit, evidence)) == ""
    for other in (replace(limit, value=2.4), replace(limit, relation="<=" if relation == ">=" else ">=")):
        said = replace(evidence, statement=f"the declared law: {other.sentence()}")
        assert faults(found(other, said)).endswith("not the claim's")


GRID = {"kind": "grid profile", "columns": [], "epsilon": "1/2", "claimed": "1/1000"}
RATIO = {"kind": "log-density ratio of compressions", "alpha": "3/2"}


@pytest.mark.parametrize(
    ("witness", "true", "false"),
    [
        (GRID, ApproxDP(0.5, 0.001), ApproxDP(0.5, 0.002)),
        (GRID, ApproxDP(0.5, 0.001), ApproxDP(0.75, 0.001)),
        (GRID, ApproxDP(0.5, 0.001), ErrorBound(0.5)),
        (RATIO, PureDP(1.5), PureDP(1.4)),
        (RATIO, PureDP(1.5), ApproxDP(1.5, 0.1)),
    ],
)
def test_other_kinds_are_compared_with_their_numbers(
    witness: dict[str, Any], true: Predicate, false: Predicate
) -> None:
    step = {"left": "delta(1/2)", "relation": "<=", "right": "1/1000", "reason": "r", "truth": "fails"}
    check = "derivation" if witness is GRID else "compression guarantee"
    evidence = Evidence(check, "proof", "law", Verdict.REFUTED, "s", "d", witness=witness, derivation=(step,))
    assert faults(found(true, evidence)) == ""
    assert faults(found(false, evidence)).endswith("not the claim's")
    if witness is GRID:
        assert "no step" in faults(found(true, replace(evidence, derivation=())))


def test_a_bound_on_average_over_a_prior_is_read_back() -> None:
    bound = ErrorBound(0.8, adversary="bayes", prior=laws.normal(0, 2))
    certificate = examine(GaussianMechanism(1.0, 1.0), Claim(bound, about="law"))
    assert Certificate.from_json(certificate.to_json()).verdict is Verdict.PROVED


def test_sentences_stay_as_they_are() -> None:
    """A certificate is read years later: a sentence that is worded otherwise makes those that are out fail."""
    said = {
        PureDP(0.5): "0.5-differentially private",
        ApproxDP(1.0, 1e-6): "(1, 1e-06)-differentially private",
        GaussianDP(0.25): "0.25-Gaussian differentially private",
        RenyiDP(2.0, 0.1): "(2, 0.1)-Renyi differentially private",
        ZeroConcentratedDP(0.01): "0.01-zero-concentrated differentially private",
        FisherInformation(5.0): "the Fisher information at theta is 5",
        FisherInformation(
            [[1.0, 0.0], [0.0, 1.0]]
        ): "the Fisher information at theta is the given 2 x 2 matrix",
        ErrorBound(5.0): "no unbiased adversary has a mean squared error below 5",
        ErrorBound(
            5.0, "informed"
        ): "no unbiased adversary, not even one who knows all other records, has a mean squared error below 5",
        ErrorBound(
            5.0, "minimax", domain=([0.0], [1.0])
        ): "no adversary, in the worst case over the domain, has a mean squared error below 5",
        ErrorBound(
            5.0, "bayes", [[2.0]], prior=RecordedPrior("normal")
        ): "no adversary, on average over the prior, has a weighted mean squared error below 5",
        Limit("rho", "<=", 0.5): "rho is at most 0.5",
        Limit("the error", ">=", 2.0, "kg^2"): "the error is at least 2 kg^2",
    }
    assert {
        predicate.sentence(): text for predicate, text in said.items() if predicate.sentence() != text
    } == {}
