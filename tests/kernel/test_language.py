"""The language is read strictly: nothing that is no expression, and nothing too large; a bound variable is not a free one."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from proof_steps import accepted, reason, step

from noiseproof.symbolic.proof.kernel.__main__ import main, read
from noiseproof.symbolic.proof.kernel.language import Reader, Rejected, free, put
from noiseproof.symbolic.proof.kernel.proof import Answer, answer, check

SCHEMA = "noiseproof-proof-1"
TRUE = step(["+", 1, 1], "=", 2)


def deep(depth: int) -> Any:
    term: Any = 1
    for _ in range(depth):
        term = ["-", term]
    return term


@pytest.mark.parametrize(
    ("term", "why"),
    [
        (True, "got bool"),
        (None, "got NoneType"),
        (1.0, "got float"),
        (float("nan"), "got float"),
        (float("inf"), "got float"),
        ({"num": 1}, "got dict"),
        ([], "begins with its operation"),
        ([1, 2], "begins with its operation"),
        ([["+"], 1], "begins with its operation"),
        ("", "a name is a text"),
        ("#0", "a name is a text"),
        ("x" * 201, "a name is a text"),
        (["plus", 1, 2], "no operation of the language"),
        (["/", 1], "no operation of the language"),
        (["exp", 1, 2], "no operation of the language"),
        (["const", "tau"], "the constants are"),
        (["const", "oo"], "the constants are"),
        (["const"], "the constants are"),
        (["int", 1, "x", 0], "needs 4 entries"),
        (["int", 1, ["x"], 0, 1], "a name is a text"),
        (["diff", 1, "x"], "needs 3 entries"),
        (["diff", "x", "x", 0], "the order of a derivative"),
        (["diff", "x", "x", 9], "the order of a derivative"),
        (["diff", "x", "x", True], "the order of a derivative"),
        (["mat"], "needs 1 entries"),
        (["fn", "g"], "fn needs a name"),
        (10**2_500, "digits"),
        (deep(121), "deeper than"),
        (["+", *[["+", *[1] * 4_999]] * 5], "nodes"),
    ],
)
def test_what_is_no_expression_is_rejected(term: Any, why: str) -> None:
    assert why in reason(step(term, "=", term))


def test_what_is_large_but_allowed_is_read() -> None:
    assert accepted(step(deep(118), "=", 1))
    assert accepted(step(["-", 10**2_000, 10**2_000], "=", 0))


BODY = ["*", "x", ["sum", ["fn", "g", "k"], "k", 1, "n"]]


@pytest.mark.parametrize(
    ("term", "names"),
    [
        (["int", ["+", "x", "y"], "x", "a", ["const", "oo"]], {"y", "a"}),
        (["sum", "k", "k", "k", "n"], {"k", "n"}),
        (["diff", 1, "x", 1], {"x"}),
        (["fn", "g", "x", ["const", "pi"]], {"x"}),
        (["tr", ["*", ["mat", "A"], "c"]], {"c"}),
    ],
)
def test_free_variables(term: Any, names: set[str]) -> None:
    assert free(Reader().term(term)) == names


@pytest.mark.parametrize(
    ("term", "value", "found"),
    [
        ("x", ["exp", "y"], ["exp", "y"]),
        (["fn", "x", "x"], 1, ["fn", "x", 1]),
        (["int", "x", "x", 0, "x"], 2, ["int", "x", "x", 0, 2]),
        (["sum", "k", "k", 1, "x"], "k", ["sum", "k", "k", 1, "k"]),
        (["diff", "y", "y", 1], 2, ["diff", "y", "y", 1]),
        (["tr", ["*", "x", ["mat", "x"]]], 3, ["tr", ["*", 3, ["mat", "x"]]]),
    ],
)
def test_what_is_put_in(term: Any, value: Any, found: Any) -> None:
    read_ = Reader().term
    assert put(read_(term), {"x": read_(value)}) == read_(found)


@pytest.mark.parametrize(
    "term", [["int", ["+", "x", "t"], "t", 0, 1], ["diff", "x", "x", 1], ["diff", ["*", "x", "y"], "y", 1]]
)
def test_what_cannot_be_put_in(term: Any) -> None:
    with pytest.raises(Rejected):
        put(Reader().term(term), {"x": ("var", "t")})


# --- steps and proofs that are none -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ([], "a step is an object"),
        ("ring", "a step is an object"),
        ({**TRUE, "more": 1}, "a step is an object"),
        ({**TRUE, "by": ["ring"]}, "TypeError"),
        ({**TRUE, "by": None}, "no rule"),
        ({**TRUE, "relation": ["="]}, "TypeError"),
        ({**TRUE, "with": []}, "with is an object"),
        ({**TRUE, "for": {"x": ["real", "positive"]}}, "a variable is declared by"),
        ({**TRUE, "for": {"x": ["complex"]}}, "a variable is declared by"),
        ({**TRUE, "for": {"x": "real"}}, "a list of at most 200"),
        ({**TRUE, "for": {"#": ["real"]}}, "a name is a text"),
        ({**TRUE, "given": [[1, "="]]}, "a statement is"),
        ({**TRUE, "given": [[1, "=", 1]] * 201}, "a list of at most 200"),
        ({**TRUE, "letters": {"A": "square"}}, "a matrix is one of"),
        ({**TRUE, "rules": [["A", 1]], "letters": {"A": "general"}}, "a list of at most 200"),
        ({**TRUE, "rules": [[["A"], 1]], "letters": {"A": "general"}}, "a rule is"),
        ({**TRUE, "rules": [[["A", "B"], 1]], "letters": {"A": "general"}}, "not declared"),
        ({**TRUE, "traces": [[1, 1]]}, "no matrices are known"),
        ({**TRUE, "with": {"integrals": [1]}}, "are lists of a term"),
        ({**TRUE, "with": {"integrals": [[1, 1]]}}, "of something else"),
        ({**TRUE, "with": {"sums": {}}}, "are a list of at most 200"),
        (step(1, "<", 2, "monotone", hints={"variable": "x", "from": 0}), "a variable that is declared"),
        (step(1, "<", 2, "box", hints={"box": []}), "is an object of JSON"),
        (step(1, "<", 2, "chain", hints={"links": [1]}), "is an object of JSON"),
        (step("x", "<", 2, "box", variables={"x": ["real"]}, hints={"box": {"x": ["x", 1]}}), "not declared"),
        (
            step("x", "<", 2, "box", variables={"x": ["real"]}, hints={"box": {"x": [["const", "pi"], 4]}}),
            "a rational number",
        ),
        (
            step(1, "=", 1, given=[["x", ">", 0]], variables={"x": ["integer"]}, at={"x": ["/", 1, 2]}),
            "no whole number",
        ),
        (
            step(1, "=", 1, given=[["x", ">", ["fn", "g", 0]]], variables={"x": ["real"]}, at={"x": 1}),
            "does not hold at the instance",
        ),
    ],
)
def test_a_step_that_is_none_is_rejected(row: Any, why: str) -> None:
    assert why in reason(row)


@pytest.mark.parametrize(("by", "word"), [("cited", "cited"), ("trusted: sympy", "trusted")])
def test_what_is_not_checked_is_called_so(by: str, word: str) -> None:
    row = {"by": by, "reason": "a book"}
    assert answer(row) == Answer(word)
    done = check({"schema": SCHEMA, "claim": "a", "steps": [row, TRUE]})
    assert not done.complete
    assert done.counts() == {"accepted": 1, "rejected": 0, "cited": 0, "trusted": 0} | {word: 1}
    assert done.concluded.word == "trusted"


@pytest.mark.parametrize(
    "change",
    [
        lambda p: [],
        lambda p: {**p, "schema": "noiseproof-proof-0"},
        lambda p: {**p, "claim": "b"},
        lambda p: {**p, "steps": []},
        lambda p: {**p, "steps": [TRUE] * 2_001},
        lambda p: {**p, "steps": {}},
        lambda p: {**p, "also": 1},
        lambda p: {**p, "conclusion": "1 + 1 = 2"},
    ],
)
def test_a_proof_that_is_none_is_rejected(change: Callable[[dict[str, Any]], Any]) -> None:
    proof = {"schema": SCHEMA, "claim": "a", "steps": [TRUE]}
    assert check(proof, "a").answers == (Answer("accepted"),)
    with pytest.raises(Rejected):
        check(change(proof), "a")


def test_the_conclusion_is_what_an_accepted_step_says_of_the_same_variables() -> None:
    row = step("x", "<=", ["abs", "x"], "sign", variables={"x": ["real"]})
    said = {k: row[k] for k in ("for", "left", "relation", "right")}
    proof = {"schema": SCHEMA, "claim": "a", "steps": [row], "conclusion": said}
    assert check(proof).complete
    for wrong in (
        {**said, "relation": "<"},
        {**said, "for": {"x": ["positive"]}},
        {**said, "given": [["x", ">", 0]]},
    ):
        assert check({**proof, "conclusion": wrong}).concluded.word == "trusted"
    assert check({**proof, "steps": [{**row, "by": "cited"}]}).concluded.word == "trusted"
    one = {"schema": SCHEMA, "claim": "a", "steps": [step(1, "=", 1)]}
    assert check({**one, "conclusion": {"left": 1, "relation": "=", "right": 1}}).complete
    for same in (True, 1.0):
        assert not check({**one, "conclusion": {"left": 1, "relation": "=", "right": same}}).complete


def test_a_proof_has_a_limit_of_work() -> None:
    done = check({"schema": SCHEMA, "steps": [TRUE]}, effort=0.0)
    (answer,) = done.answers
    assert (answer.word, "than are left for the proof" in answer.why) == ("rejected", True)


# --- files ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["NaN", "[Infinity]", "-Infinity", '{"a": 1, "a": 2}', '{"x": [{"y": 0, "y": 0}]}', "[", "1" * 5_000],
)
def test_a_file_that_says_two_things_or_none_is_not_read(text: str) -> None:
    with pytest.raises(ValueError):
        read(text)


def test_a_number_that_is_too_large_for_a_float_is_no_expression() -> None:
    assert "got float" in reason(step(read("1e400"), "=", 1))


def test_files_of_proofs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    proof = {
        "schema": SCHEMA,
        "claim": "a",
        "steps": [TRUE],
        "conclusion": {"left": ["+", 1, 1], "relation": "=", "right": 2},
    }
    wrong = {**proof, "steps": [{**TRUE, "right": 3}]}
    path = tmp_path / "proof.json"

    def said(data: Any) -> tuple[int, str]:
        path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
        code = main([str(path)])
        out = capsys.readouterr()
        return code, out.out + out.err

    assert said({"findings": [{"proof": proof}]}) == (0, f"{path}: 1 accepted; conclusion accepted\n")
    code, text = said([proof, wrong])
    assert code == 1
    assert "step 1: both sides have different normal forms" in text
    assert said({**proof, "steps": []})[0] == 1
    assert said({"no": "proof"})[0] == 2
    assert said("[" * 100_000)[0] == 2
    assert said("[" * 60 + json.dumps(proof) + "]" * 60)[0] == 2
    assert main([str(tmp_path / "none.json")]) == 2


def test_the_module_runs(tmp_path: Path) -> None:
    path = tmp_path / "proof.json"
    path.write_text(json.dumps({"schema": SCHEMA, "claim": "a", "steps": [TRUE]}), encoding="utf-8")
    command = [sys.executable, "-m", "noiseproof.symbolic.proof.kernel", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "1 accepted; conclusion trusted" in done.stdout
