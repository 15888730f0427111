"""The proof of a claim is tied to it: one of another claim, with other steps or another conclusion is none."""

from __future__ import annotations

import copy
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import pytest

from noiseproof.symbolic.proof.kernel.__main__ import main, piped
from noiseproof.symbolic.proof.kernel.documents import concluding, digest, document, documents, tied, untied
from noiseproof.symbolic.proof.kernel.language import Rejected
from noiseproof.symbolic.proof.kernel.proof import check


def row(left: str, relation: str, right: str, reason: str = "r", **more: Any) -> dict[str, Any]:
    return {"left": left, "relation": relation, "right": right, "reason": reason, "truth": "holds", **more}


SUM = row("x + x", "=", "2*x", "a sum")
SUM["proof"] = {
    "for": {"x": []},
    "left": ["+", "x", "x"],
    "relation": "=",
    "right": ["*", 2, "x"],
    "by": "ring",
}
TWO = row("2", "<=", "3", "numbers", proof={"left": 2, "relation": "<=", "right": 3, "by": "sign"})
LEMMA = {"left": "", "relation": "", "right": "", "reason": "a lemma", "truth": "cited"}
OPEN = row("x", "=", "x + 0", "no proof")


def evidence(
    *rows: Any, verdict: str = "PROVED", says: str = "a claim in words", check: str = "derivation"
) -> Any:
    return {"check": check, "verdict": verdict, "statement": says, "derivation": list(rows)}


def finding(*found: Any, statement: str = "two is at most three") -> Any:
    return tied(
        {
            "id": "p/1",
            "title": "t",
            "statement": statement,
            "twin": {"statement": "five"},
            "evidence": list(found),
        }
    )


PROVED = finding(evidence(SUM, LEMMA, OPEN, TWO))


def test_the_document_of_a_derivation_has_its_steps_its_lemmas_its_claim_and_its_conclusion() -> None:
    (said,) = PROVED["evidence"]
    made = document(PROVED, said)
    done = check(made, claim=said["proof"]["claim"])
    assert [a.word for a in done.answers] == ["accepted", "trusted", "accepted", "cited"]
    assert made["conclusion"] == said["proof"]["conclusion"] == [3]
    assert done.concluded.word == "accepted"
    assert not done.complete
    with pytest.raises(Rejected, match="another claim"):
        check(made, claim=digest("something else"))
    assert untied(PROVED, said) == ""


def _other(change: Callable[[Any], Any]) -> str:
    data = copy.deepcopy(PROVED)
    change(data)
    return untied(data, data["evidence"][0])


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda f: f.update(statement="two is at most one"), "another claim"),
        (lambda f: f.update(title="u"), "another claim"),
        (lambda f: f.update(claim={"predicate": "PureDP", "parameters": {"epsilon": 1}}), "another claim"),
        (lambda f: f["twin"].update(statement="six"), "another claim"),
        (lambda f: f.update(twin=None), "another claim"),
        (lambda f: f["evidence"][0].update(statement="other words"), "another claim"),
        (lambda f: f["evidence"][0].update(check="derivation [twin]"), "another claim"),
        (lambda f: f["evidence"][0].update(proof="yes"), "another claim"),
        (lambda f: f["evidence"][0]["derivation"].pop(), "the steps"),
        (lambda f: f["evidence"][0]["derivation"].pop(1), "the steps"),
        (lambda f: f["evidence"][0]["derivation"].reverse(), "the steps"),
        (lambda f: f["evidence"][0]["derivation"][3].update(right="4"), "the steps"),
        (lambda f: f["evidence"][0]["derivation"][3]["proof"].update(right=4), "the steps"),
        (lambda f: f["evidence"][0]["derivation"].append(TWO), "the steps"),
        (lambda f: f["evidence"][0]["proof"].update(conclusion=[1]), "the steps"),
        (lambda f: f["evidence"][0].pop("proof"), "does not say"),
        (lambda f: f["evidence"][0]["derivation"][3].update(right=1e999), "no data of JSON"),
    ],
)
def test_what_is_changed_in_claim_or_steps_unties_them(change: Callable[[Any], Any], why: str) -> None:
    assert why in _other(change)


def test_what_proves_nothing_needs_no_tie() -> None:
    for said in (evidence(SUM, verdict="UNDECIDED"), evidence(), evidence(OPEN), {"derivation": 5}):
        assert untied({"evidence": [said]}, said) == ""
    assert "proof" not in finding(evidence(SUM, verdict="REFUTED"))["evidence"][0]


def test_a_step_that_does_not_hold_is_rejected_in_a_proof() -> None:
    false = finding(evidence(SUM, {**TWO, "truth": "unknown"}))
    done = check(document(false, false["evidence"][0]))
    assert [a.word for a in done.answers] == ["accepted", "rejected"]


@pytest.mark.parametrize(
    ("says", "steps"),
    [
        ("2 <= 3", [4]),
        ("2 <= 3, y > 0", [4]),
        ("x + x = 2*x; 2 <= 3", [1, 4]),
        ("x + x <= y", [1]),
        ("y = x + 0, x > 0, y > 0", [2]),
        ("z = 2*x", [1]),
        ("nothing of it", [3, 4]),
        ("u < v", [3, 4]),
    ],
)
def test_the_conclusion_is_what_prints_the_statement_or_a_side_of_it_or_comes_last(
    says: str, steps: list[int]
) -> None:
    assert concluding([SUM, LEMMA, OPEN, TWO, TWO, {**TWO, "truth": "fails"}], says) == steps


def test_where_nothing_holds_nothing_concludes() -> None:
    assert concluding([LEMMA, {**TWO, "truth": "unknown"}], "2 <= 3") == []


def test_the_kernel_reads_findings_from_their_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "dossier.json"

    def said(*findings: Any, **more: Any) -> tuple[int, str]:
        path.write_text(json.dumps({"findings": findings, **more}), encoding="utf-8")
        code = main([str(path)])
        return code, capsys.readouterr().out

    code, text = said(PROVED)
    assert code == 0
    assert text == f"{path}: p/1, derivation: 2 accepted, 1 cited, 1 trusted; conclusion accepted (step 3)\n"
    undecided = finding(evidence(SUM, verdict="UNDECIDED"))
    undecided["evidence"].append("no evidence")
    code, text = said(undecided)
    assert (code, text) == (0, f"{path}: p/1, derivation: 1 accepted; conclusion trusted\n")
    other = finding(evidence(TWO), statement="two is at most three and more")
    one, two = copy.deepcopy(PROVED), copy.deepcopy(other)
    one["evidence"], two["evidence"] = two["evidence"], one["evidence"]
    code, text = said(one, two)
    assert (code, text.count("its proof is of another claim")) == (1, 2)
    # A derivation that is no evidence has no claim beside it.
    code, text = said(information={"derivation": [SUM, "no row", OPEN]})
    assert (code, text) == (0, f"{path}: 1 accepted; conclusion trusted\n")
    assert said(finding(evidence(OPEN, verdict="UNDECIDED"), evidence(verdict="UNDECIDED")))[0] == 2


@pytest.mark.parametrize("numbers", [[], [0], [2], ["1"], [True], [1.0]])
def test_a_conclusion_has_numbers_of_steps(numbers: Any) -> None:
    proof = {"schema": "noiseproof-proof-1", "steps": [TWO["proof"]], "conclusion": numbers}
    with pytest.raises(Rejected, match="numbers of steps"):
        check(proof)
    assert check({**proof, "conclusion": [1]}).complete


def test_digests_do_not_depend_on_the_order_of_keys() -> None:
    assert digest({"a": 1, "b": "é"}) == digest({"b": "é", "a": 1})
    assert digest({"a": 1}) != digest({"a": 1.0})
    assert not list(documents(5))


class _Closed(io.StringIO):
    """An output whose reader has gone."""

    def __init__(self, file: IO[str]) -> None:
        super().__init__()
        self.file = file

    def flush(self) -> None:
        raise BrokenPipeError

    def fileno(self) -> int:
        return self.file.fileno()


def test_a_reader_may_leave(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "proof.json"
    one = {"left": ["+", 1, 1], "relation": "=", "right": 2, "by": "ring"}
    path.write_text(json.dumps({"schema": "noiseproof-proof-1", "steps": [one]}))
    assert piped([str(path)]) == 0
    assert "1 accepted" in capsys.readouterr().out
    with (tmp_path / "out").open("w") as file:
        monkeypatch.setattr(sys, "stdout", _Closed(file))
        assert piped([str(path)]) == 1
