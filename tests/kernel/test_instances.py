"""Instances of earlier steps and of cited lemmas: their hypotheses are shown one by one, or nothing follows."""

from __future__ import annotations

from typing import Any

import pytest
from proof_steps import step

from noiseproof.symbolic.proof.kernel.proof import check

SQUARE = ["^", ["-", ["sqrt", "a"], ["sqrt", "b"]], 2]
# Two nonnegative numbers add up to at least twice their geometric mean.
MEANS = step(
    ["+", "a", "b"],
    ">=",
    ["*", 2, ["sqrt", ["*", "a", "b"]]],
    "sign",
    hints={"as": SQUARE},
    variables={"a": ["nonnegative"], "b": ["nonnegative"]},
)
# What the kernel does not know of the sine, cited with what it says.
SINE: dict[str, Any] = {
    "by": "cited",
    "reason": "the sine of a number above 0 is below it (by name)",
    "for": {"t": ["real"]},
    "given": [["t", ">", 0]],
    "at": {"t": 1},
    "left": ["sin", "t"],
    "relation": "<",
    "right": "t",
}
COUNTED = step("k", ">=", 1, "sign", variables={"k": ["positive", "integer"]})


def using(lemma: Any, left: Any, relation: str, right: Any, put: Any, given: Any = (), **more: Any) -> Any:
    """A proof of two steps, the second by an instance of the first."""
    one = {"of": 1, "put": put, "given": list(given)}
    last = step(left, relation, right, "sign", hints={"instances": [one]}, **more)
    return {"schema": "noiseproof-proof-1", "claim": "mine", "conclusion": [2], "steps": [lemma, last]}


RECIPROCAL = using(
    MEANS, ["+", "p", ["/", 1, "p"]], ">=", 2, {"a": "p", "b": ["/", 1, "p"]}, variables={"p": ["positive"]}
)
SQUARED = using(
    SINE,
    ["sin", ["^", "x", 2]],
    "<=",
    ["^", "x", 2],
    {"t": ["^", "x", 2]},
    [{"by": "sign"}],
    variables={"x": ["nonzero"]},
)


def test_an_accepted_step_is_used_again() -> None:
    done = check(RECIPROCAL)
    assert done.complete, done


def test_a_lemma_that_is_cited_with_what_it_says_is_counted_as_cited() -> None:
    done = check(SQUARED)
    assert [a.word for a in done.answers] == ["cited", "accepted"], done
    assert done.concluded.word == "accepted"
    assert not done.complete


def changed(proof: Any, **last: Any) -> Any:
    """The proof with another second step."""
    return {**proof, "steps": [proof["steps"][0], {**proof["steps"][1], **last}]}


def put(proof: Any, **instance: Any) -> Any:
    """The proof with another instance."""
    old = proof["steps"][1]["with"]["instances"][0]
    return changed(proof, **{"with": {"instances": [{**old, **instance}]}})


WRONG = {
    "the sign of what is put is not known": (
        changed(RECIPROCAL, **{"for": {"p": ["nonzero"]}}),
        "not known to have its sign",
    ),
    "a hypothesis is not shown": (changed(SQUARED, **{"for": {"x": ["real"]}}), "the sign of the difference"),
    "a hypothesis has no rule": (put(SQUARED, given=[]), "one rule for each of 1 hypotheses"),
    "a rule has no hypothesis": (put(RECIPROCAL, given=[{"by": "sign"}]), "one rule for each of 0"),
    "a variable is left out": (put(RECIPROCAL, put={"a": "p"}), "a term is put for each variable"),
    "a variable is made up": (
        put(RECIPROCAL, put={"a": "p", "b": "p", "c": "p"}),
        "a term is put for each variable",
    ),
    "the instance says something else": (put(RECIPROCAL, put={"a": "p", "b": "p"}), "the sign of the"),
    "what is put is not defined": (
        put(RECIPROCAL, put={"a": "p", "b": ["/", 1, ["-", "p", 1]]}),
        "not known to be nonzero",
    ),
    "its own number": (put(RECIPROCAL, of=2), "no step before"),
    "a number of no step": (put(RECIPROCAL, of=0), "no step before"),
    "no number": (put(RECIPROCAL, of=[1]), "no step before"),
    "true is not 1": (put(RECIPROCAL, of=True), "no step before"),
    "no whole number is put": (
        using(COUNTED, "p", ">=", 1, {"k": "p"}, variables={"p": ["positive"]}),
        "not known to be a whole number",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_instance_is_rejected(name: str) -> None:
    proof, why = WRONG[name]
    done = check(proof)
    assert done.answers[1].word == "rejected"
    assert why in done.answers[1].why
    assert not done.complete


def test_a_whole_number_is_put_for_one() -> None:
    assert check(using(COUNTED, "m", ">=", 1, {"k": "m"}, variables={"m": ["positive", "integer"]})).complete


MATRICES = step(
    ["tr", ["*", ["mat", "A"], ["mat", "A"]]], ">=", 0, "sign", variables={}, letters={"A": "symmetric"}
)
FALSE = {**MEANS, "relation": ">"}
SIZE = step("n", ">=", 1, "sign", variables={"n": ["positive"]}, traces=[[["tr", 1], "n"]], at={"n": 1})


@pytest.mark.parametrize(
    "lemma",
    [
        pytest.param(FALSE, id="rejected"),
        pytest.param({**SINE, "by": "trusted: sympy"}, id="trusted"),
        pytest.param({"by": "cited", "reason": "in words alone"}, id="words"),
        pytest.param({**SINE, "right": ["+", "t", "s"]}, id="a variable that nobody declared"),
        pytest.param({**SINE, "at": {}}, id="without an instance"),
        pytest.param({**SINE, "given": [["t", ">", 0], ["t", "<", 0]]}, id="about nothing"),
        pytest.param(MATRICES, id="matrices"),
        pytest.param(SIZE, id="traces"),
    ],
)
def test_nothing_follows_from_what_is_neither_accepted_nor_said(lemma: Any) -> None:
    proof = using(lemma, ["sin", 1], "<", 1, {"t": 1}, [{"by": "sign"}], variables={})
    assert check(proof).answers[1].word == "rejected"
    assert "no step before" in check(proof).answers[1].why


def test_a_step_that_comes_later_is_no_earlier_one() -> None:
    later = put(RECIPROCAL, of=2)
    done = check({**later, "steps": later["steps"][::-1]})
    assert [a.word for a in done.answers] == ["rejected", "accepted"]


def test_what_is_put_is_not_caught_by_a_bound_variable() -> None:
    """The sum of k + x over k = 1..2 is 3 + 2 x: with k for x it would be 6."""
    total = ["sum", ["+", "k", "x"], "k", 1, 2]
    lemma = step(total, "=", ["+", 3, ["*", 2, "x"]], variables={"x": ["real"]})
    proof = using(lemma, 6, "=", ["+", 3, ["*", 2, "k"]], {"x": "k"}, variables={"k": ["real"]})
    done = check(proof)
    assert [a.word for a in done.answers] == ["accepted", "rejected"]
    assert "would catch" in done.answers[1].why


def test_a_lemma_is_used_inside_an_induction() -> None:
    """2^n > n from 2 t >= t + 1 for whole t >= 1."""
    lemma = step(["*", 2, "t"], ">=", ["+", "t", 1], "sign", variables={"t": ["positive", "integer"]})
    inner = {"by": "sign", "with": {"instances": [{"of": 1, "put": {"t": "n"}, "given": []}]}}
    last = step(
        ["^", 2, "n"],
        ">",
        "n",
        "induction",
        hints={"variable": "n", "from": 1, "base": {"by": "sign"}, "step": inner},
        variables={"n": ["positive", "integer"]},
        given=[["n", ">=", 1]],
        at={"n": 1},
    )
    proof = {"schema": "noiseproof-proof-1", "claim": "mine", "conclusion": [2], "steps": [lemma, last]}
    assert check(proof).complete, check(proof)
