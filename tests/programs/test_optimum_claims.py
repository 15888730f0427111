"""Claims about programs and functionals through `examine`: both words of each, witnesses that replay, certificates that are read again."""

from __future__ import annotations

import json

import pytest
import sympy as sp

import noiseproof as npf
from noiseproof.audit.witnesses import evaluator_of, kinds

X, Y, T = sp.symbols("x y t", real=True)
U = sp.Function("u")
CLIP = npf.Program((X - T) ** 2, [X], [X >= 0, X <= 1], [T])
NEAREST = npf.Program(X**2 + Y**2, [X, Y], [X + Y >= 1])
STRING = npf.Functional(U(X).diff(X) ** 2 / 2 - X * U(X), U(X), (X, 0, 1), boundary={0: 0})

TRUE = [
    (CLIP, npf.Minimiser("max(0, min(1, t))")),
    (CLIP, npf.OptimalValue("(t - max(0, min(1, t)))**2")),
    (NEAREST, npf.Minimiser([0.5, 0.5])),
    (NEAREST, npf.Minimiser({"y": "1/2", "x": 0.5})),
    (NEAREST, npf.OptimalValue(0.5)),
    (NEAREST, npf.OptimalValue(0.501, tolerance=0.002)),
    (STRING, npf.Minimiser("x/2 - x**3/6")),
    (STRING, npf.OptimalValue(-0.0666666667, tolerance=1e-9)),
]
FALSE = [
    (CLIP, npf.Minimiser("t")),
    (CLIP, npf.Minimiser({"x": "t/2"})),
    (CLIP, npf.OptimalValue("0")),
    (NEAREST, npf.Minimiser([0.5, 0.500001])),
    (NEAREST, npf.Minimiser([0.5, 0.4])),
    (NEAREST, npf.OptimalValue(0.51)),
    (NEAREST, npf.OptimalValue(0.51, tolerance=0.009)),
    (STRING, npf.Minimiser("x/2")),
    (STRING, npf.OptimalValue(-0.06)),
]


@pytest.mark.parametrize(("subject", "claim"), TRUE)
def test_what_is_true_is_proved(subject: object, claim: object) -> None:
    certificate = npf.examine(subject, claim)
    assert certificate.verdict is npf.Verdict.PROVED
    assert npf.Certificate.from_json(certificate.to_json()).verdict is npf.Verdict.PROVED


@pytest.mark.parametrize(("subject", "claim"), FALSE)
def test_what_is_false_is_refuted_with_a_witness_that_stands(subject: object, claim: object) -> None:
    certificate = npf.examine(subject, claim)
    assert certificate.verdict is npf.Verdict.REFUTED
    kinds()
    read = npf.Certificate.from_json(certificate.to_json())
    witnesses = [e.witness for f in read.findings for e in f.evidence if e.witness]
    assert witnesses
    for witness in witnesses:
        assert evaluator_of(witness["kind"])(witness)[0]


@pytest.mark.parametrize("change", ["point", "claimed value"])
def test_a_witness_that_was_edited_is_noticed(change: str) -> None:
    claim = npf.OptimalValue(0.51) if change == "claimed value" else npf.Minimiser([0.5, 0.6])
    data = json.loads(npf.examine(NEAREST, claim).to_json())
    for evidence in data["findings"][0]["evidence"]:
        witness = evidence["witness"]
        if witness is None:
            continue
        if change == "claimed value":
            witness["claimed"] = "3"
        else:
            witness["point"] = {"x": "0", "y": "0"}
    with pytest.raises(ValueError, match="witness"):
        npf.Certificate.from_json(json.dumps(data))


@pytest.mark.parametrize("better", [{"x": "0", "y": "0"}, {"x": "1", "y": "1"}, {"z": "1"}, None])
def test_a_better_point_that_is_none_does_not_replay(better: object) -> None:
    (evidence, *_) = npf.examine(NEAREST, npf.Minimiser([0.5, 0.6])).findings[0].evidence
    assert evidence.witness is not None
    kinds()
    assert not evaluator_of("better point")({**evidence.witness, "better": better})[0]


def test_that_there_is_no_optimum_is_shown_again() -> None:
    kinds()
    for lost in (npf.Program(X, [X]), npf.Program(X, [X], [X >= 1, X <= 0])):
        (evidence,) = npf.examine(lost, npf.OptimalValue(0)).findings[0].evidence
        assert evidence.witness is not None
        assert evaluator_of("optimal value")(evidence.witness)[0]
        sound = npf.examine(NEAREST, npf.Minimiser([0.5, 0.6])).findings[0].evidence[0].witness
        assert sound is not None
        for program in (sound["program"], None):
            assert not evaluator_of("optimal value")({**evidence.witness, "program": program})[0]


def test_functions_of_a_witness_are_integrated_again() -> None:
    kinds()
    (evidence,) = npf.examine(STRING, npf.Minimiser("x/2")).findings[0].evidence
    witness = evidence.witness
    assert witness is not None
    evaluate = evaluator_of("better function")
    assert evaluate(witness)[0]
    for better in ("x/2", "x", "x/2 - x**3/6 + 1", ""):
        assert not evaluate({**witness, "better": better})[0], better
    minimum = {**witness["parameters"], "point": "x/2 - x**3/6"}
    assert not evaluate({**witness, "parameters": minimum})[0]


@pytest.mark.parametrize("function", ["sin(pi*x)**2", "6*x*(1 - x)"])
def test_a_function_that_keeps_not_all_conditions_is_seen_again(function: str) -> None:
    kinds()
    p = sp.Function("p")
    noise = npf.Functional(p(X).diff(X) ** 2 / p(X), p(X), (X, 0, 1), boundary={0: 0, 1: 0}, density=True)
    (evidence,) = npf.examine(noise, npf.Minimiser(function)).findings[0].evidence
    assert evidence.verdict is npf.Verdict.REFUTED
    assert evidence.witness is not None
    assert evaluator_of("better function")(evidence.witness)[0]
    sound = {**evidence.witness["parameters"], "point": "2*sin(pi*x)**2"}
    assert not evaluator_of("better function")({**evidence.witness, "parameters": sound})[0]


def test_a_proof_without_its_last_step_is_none() -> None:
    data = json.loads(npf.examine(NEAREST, npf.Minimiser([0.5, 0.5])).to_json())
    proof = data["findings"][0]["evidence"][0]
    proof["derivation"] = [
        row for row in proof["derivation"] if "bounds every feasible value" not in row["reason"]
    ]
    with pytest.raises(ValueError, match="compares with what is claimed"):
        npf.Certificate.from_json(json.dumps(data))


def test_the_infimum_that_no_point_attains_and_what_has_none() -> None:
    unbounded = npf.Program(X, [X])
    assert npf.examine(unbounded, npf.OptimalValue(0)).verdict is npf.Verdict.REFUTED
    empty = npf.Program(X, [X], [X >= 1, X <= 0])
    assert npf.examine(empty, npf.OptimalValue(0)).verdict is npf.Verdict.REFUTED
    assert npf.examine(empty, npf.Minimiser(0)).verdict is npf.Verdict.REFUTED


@pytest.mark.parametrize(
    ("subject", "claim", "words"),
    [
        (CLIP, lambda: npf.Minimiser([1, 2]), "a point has 1 number"),
        (CLIP, lambda: npf.Minimiser("q"), "unknown name 'q'"),
        (CLIP, lambda: npf.PureDP(1), "Minimiser and OptimalValue can be said of it"),
        (CLIP, lambda: npf.SensitivityBound(1, "l1"), "Minimiser and OptimalValue"),
        (npf.LaplaceMechanism(1, 1), lambda: npf.Minimiser(1), "examine a DatasetQuery, a Program"),
        (CLIP, lambda: npf.Minimiser([]), "at least one number"),
        (CLIP, lambda: npf.OptimalValue(float("nan")), "finite number"),
        (CLIP, lambda: npf.Minimiser(1, tolerance=-1), "tolerance"),
        (CLIP, lambda: npf.SensitivityBound(1, "l3"), "norm must be one of"),
    ],
)
def test_claims_that_do_not_fit_get_one_message(subject: object, claim: object, words: str) -> None:
    with pytest.raises(npf.SpecError, match=words):
        npf.examine(subject, claim())  # type: ignore[operator]
