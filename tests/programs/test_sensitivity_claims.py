"""Claims of sensitivities through `examine`: both words, by proof and by search, witnesses that replay."""

from __future__ import annotations

import json

import pytest
import sympy as sp

import noiseproof as npf
from noiseproof.audit.witnesses import evaluator_of, kinds

X = sp.symbols("x")
MEAN = npf.DatasetQuery([sp.exp(X), sp.sin(X)], npf.Box(0, 3), records=[X], each="mean", n=4)
MIDDLE = npf.DatasetQuery(npf.queries.median(), npf.Box(0, 1), n=5)
PRODUCTS = npf.DatasetQuery(npf.queries.gram(), npf.Box(-1, 1, dimension=2), n=4)
ENDLESS = npf.DatasetQuery(1 / X, sp.Interval.Lopen(0, 1), records=[X], each="sum", n=3)


@pytest.mark.parametrize(
    ("query", "claim"),
    [
        (MEAN, npf.SensitivityBound("(exp(3) + sin(3) - 1)/4", "l1")),
        (MIDDLE, npf.SensitivityBound(1, "l1")),
        (PRODUCTS, npf.SensitivityBound(2, "spectral")),
        (PRODUCTS, npf.SensitivityBound("2*sqrt(2)", "frobenius")),
    ],
)
def test_a_true_bound_is_proved_and_withstands_the_search(query: object, claim: object) -> None:
    certificate = npf.examine(query, claim)
    assert certificate.verdict is npf.Verdict.PROVED
    assert npf.Certificate.from_json(certificate.to_json()).verdict is npf.Verdict.PROVED


@pytest.mark.parametrize(
    ("query", "claim"),
    [
        (MEAN, npf.SensitivityBound(4.7, "l1")),
        (MIDDLE, npf.SensitivityBound(0.9, "l1")),
        (PRODUCTS, npf.SensitivityBound(1.99, "spectral")),
        (PRODUCTS, npf.SensitivityBound(2.8, "frobenius")),
        (ENDLESS, npf.SensitivityBound(10**6, "l1")),
    ],
)
def test_a_false_one_is_refuted_by_a_pair_that_replays(query: object, claim: object) -> None:
    certificate = npf.examine(query, claim)
    assert certificate.verdict is npf.Verdict.REFUTED
    kinds()
    witnesses = [
        e.witness for f in npf.Certificate.from_json(certificate.to_json()).findings for e in f.evidence
    ]
    shown = [w for w in witnesses if w]
    assert shown
    assert all(evaluator_of("worse pair")(w)[0] for w in shown)


def test_answers_that_are_not_the_query_s_do_not_replay() -> None:
    (evidence, *_) = npf.examine(MEAN, npf.SensitivityBound(4, "l1")).findings[0].evidence
    assert evidence.witness is not None
    kinds()
    forged = {**evidence.witness, "answers": [["9", "0"], ["0", "0"]]}
    assert not evaluator_of("worse pair")(forged)[0]


@pytest.mark.parametrize("two", [["3", "3", "3", "3"], ["0", "0", "0"]])
def test_data_sets_that_are_no_neighbours_do_not_replay(two: list[str]) -> None:
    (evidence, *_) = npf.examine(MEAN, npf.SensitivityBound(4, "l1")).findings[0].evidence
    assert evidence.witness is not None
    kinds()
    forged = {**evidence.witness, "one": ["0", "0", "0", "0"], "two": two}
    assert "no neighbours" in evaluator_of("worse pair")(forged)[1]


def test_a_pair_of_another_claim_is_noticed() -> None:
    data = json.loads(npf.examine(MIDDLE, npf.SensitivityBound(0.9, "l1")).to_json())
    data["findings"][0]["evidence"][0]["witness"]["claimed"] = "1/2"
    with pytest.raises(ValueError, match="witness"):
        npf.Certificate.from_json(json.dumps(data))


def test_another_adjacency_is_another_claim() -> None:
    total = npf.DatasetQuery(X, npf.Box(-1, 3), records=[X], each="sum", n=4)
    assert npf.examine(total, npf.SensitivityBound(3, "l1", "add-or-remove")).verdict is npf.Verdict.PROVED
    assert npf.examine(total, npf.SensitivityBound(3, "l1")).verdict is npf.Verdict.REFUTED


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: npf.DatasetQuery(X, npf.Box(0, 1)), "records= is missing"),
        (lambda: npf.DatasetQuery(npf.queries.median(), npf.Box(0, 1), records=[X]), "leave records="),
        (lambda: npf.examine(X**2, npf.SensitivityBound(1, "l1")), "say where its records lie"),
        (
            lambda: npf.examine(npf.queries.median(), npf.SensitivityBound(1, "l1")),
            "say where its records lie",
        ),
        (lambda: npf.examine(MIDDLE, npf.PureDP(1)), "SensitivityBound can be said of it"),
        (lambda: npf.examine(MIDDLE, npf.SensitivityBound(1, "spectral")), "norm"),
    ],
)
def test_bad_input_gets_one_message(build: object, words: str) -> None:
    with pytest.raises(npf.SpecError, match=words):
        build()  # type: ignore[operator]
