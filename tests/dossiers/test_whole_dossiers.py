"""The dossiers of whole papers: every id answered, every twin flipped, every witness standing on its own."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp
from dossier_section import TURNED, argued_formulas, blind_sides, reevaluated_elsewhere

from noiseproof.audit.dossier import examine_claim, faults, papers, run
from noiseproof.audit.dossier.formula import Formula, argued, derivation
from noiseproof.audit.record.evidence import Verdict
from noiseproof.audit.record.witness import reevaluate
from noiseproof.reports import dossier_schema
from noiseproof.symbolic.proof.derivation import Derivation, Step

# Of each paper the number of ids, and those that introduce a term, an assumption or a procedure and assert nothing.
PAPERS: dict[str, tuple[int, set[str]]] = {
    "farokhi2019": (
        149,
        {
            "eq-1",
            "assumption-1",
            "support-families",
            "def-policy",
            "assumption-2",
            "eq-3",
            "problem-1",
            "assumption-4",
            "problem-2",
            "problem-3",
            "problem-4",
            "def-dp",
            "def-eps-delta-dp",
        },
    ),
    "farokhi2020": (
        85,
        {
            "eq-2",
            "eq-3",
            "assumption-2.1",
            "eq-6",
            "eq-7",
            "eq-8",
            "definition-2.1",
            "eq-release-correlated",
            "assumption-2.2",
            "eq-17",
            "example-ann",
            "sec-3.2.1-setup",
            "sec-3.2.2-setup",
            "sec-3.2.3-setup",
        },
    ),
    "zhou2009": (
        49,
        {"mechanism", "def-2.1", "def-2.2", "def-2.3", "def-2.4", "example-3.6", "procedure-4.2"},
    ),
    "pathak2010": (59, {"def-adjacent", "def-1", "eq-1", "margin-constraint", "eq-20", "eq-25"}),
    "chanyaswad2019": (63, {"def-1", "def-2", "threat-model", "label-bounded", "gmm-extension"}),
}
Dossier = dict[str, Any]


@pytest.fixture(scope="module", params=PAPERS)
def dossier(request: pytest.FixtureRequest) -> Dossier:
    return run(str(request.param))


def ids(dossier: Dossier) -> list[str]:
    """The ids of the paper, from the list of its claims."""
    return (Path(__file__).parent / "ids" / f"{dossier['key']}.txt").read_text(encoding="utf-8").split()


def test_every_id_has_a_finding(dossier: Dossier) -> None:
    found = [finding["id"].split("/", 1)[1] for finding in dossier["findings"]]
    assert len(ids(dossier)) == PAPERS[dossier["key"]][0]
    assert sorted(found) == sorted(ids(dossier))
    undecided = [finding["id"] for finding in dossier["findings"] if finding["verdict"] == "undecided"]
    assert len(undecided) <= 0.05 * len(found), undecided


def test_definitions_are_those_that_assert_nothing(dossier: Dossier) -> None:
    definitions = {f["id"].split("/", 1)[1] for f in dossier["findings"] if f["verdict"] == "definition"}
    assert definitions == PAPERS[dossier["key"]][1]


def test_every_twin_flips_and_no_check_is_vacuous(dossier: Dossier) -> None:
    assert faults([dossier]) == []
    for finding in dossier["findings"]:
        if finding["verdict"] not in ("definition", "undecided"):
            assert finding["twin"] is not None, finding["id"]
            assert finding["twin"]["statement"] != finding["statement"], finding["id"]
            assert any(not row["check"].endswith("]") for row in finding["evidence"]), finding["id"]


def test_the_dossier_satisfies_its_schema(dossier: Dossier) -> None:
    pytest.importorskip("jsonschema").validate(dossier, dossier_schema())
    assert json.loads(json.dumps(dossier, allow_nan=False)) == dossier


def test_every_refutation_carries_a_witness_that_stands_in_another_process(dossier: Dossier) -> None:
    rows = [
        row for finding in dossier["findings"] for row in finding["evidence"] if row["verdict"] == "REFUTED"
    ]
    witnesses = [row["witness"] for row in rows]
    assert len(witnesses) >= len(dossier["findings"]) - dossier["verdicts"].get("definition", 0) - dossier[
        "verdicts"
    ].get("undecided", 0)
    assert all(witnesses), [row["statement"] for row in rows if not row["witness"]]
    answers = reevaluated_elsewhere(witnesses)
    assert [says for stands, says in answers if not stands] == []
    assert answers[::20] == [reevaluate(w) for w in witnesses[::20]]


def test_no_argument_proves_a_false_formula(dossier: Dossier) -> None:
    """An argument that never reads a side of its formula would prove it whatever stands there."""
    blind, proved = {}, 0
    for name, build in papers([dossier["key"]])[0].claims.items():
        for formula in argued_formulas(build()):
            found = blind_sides(formula)
            proved += found is not None
            if found:
                blind[name, formula.sentence] = found
    assert blind == {}
    assert proved >= 10


def test_no_formula_is_proved_turned_round(dossier: Dossier) -> None:
    """Not even where both sides are equal: an argument establishes a direction, and the printed relation must be that one."""
    rng, proved, blind = np.random.default_rng(0), 0, []
    for build in papers([dossier["key"]])[0].claims.values():
        for formula in argued_formulas(build()):
            if formula.relation == "=" or derivation(formula, rng).verdict is not Verdict.PROVED:
                continue
            proved += 1
            beyond = TURNED[formula.relation]
            for turned in (replace(formula, relation=r) for r in (beyond, f"{beyond}=")):
                if derivation(turned, rng).verdict is Verdict.PROVED:
                    blind.append(turned.sentence)
    assert blind == []
    assert proved >= 3


def test_an_argument_that_does_not_read_its_formula_is_seen() -> None:
    x = sp.Symbol("x", positive=True)
    known = Step(x, "<=", x + 1, "what does not depend on the formula")
    tie = {
        side: lambda f, side=side: Step(getattr(f, side), "=", getattr(whole, side), "")
        for side in ("left", "right")
    }
    whole = Formula(x, "<=", x + 1, argument=argued())
    for read, seen in (((), 2), (("left",), 1), (("right",), 1), (("left", "right"), 0)):
        formula = replace(
            whole, argument=lambda f, read=read: Derivation("", (known, *(tie[side](f) for side in read)))
        )
        assert len(blind_sides(formula) or ()) == seen
    assert blind_sides(whole) == []
    assert blind_sides(replace(whole, right=x - 1)) is None


def test_findings_are_the_same_on_repetition(dossier: Dossier) -> None:
    claims = papers([dossier["key"]])[0].claims
    for finding in dossier["findings"][::7]:
        again = examine_claim(finding["id"], claims[finding["id"]]())
        assert json.dumps(again, allow_nan=False) == json.dumps(finding, allow_nan=False)


@pytest.mark.long
def test_the_whole_dossier_is_the_same_on_repetition(dossier: Dossier) -> None:
    again = run(str(dossier["key"]))
    print(f"{dossier['key']}: {dossier['verdicts']}, {dossier['timings']['total_seconds']:.0f} s")
    assert {**again, "timings": None} == {**dossier, "timings": None}
