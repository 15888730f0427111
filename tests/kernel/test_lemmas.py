"""Lemmas inside a step, and the laws that dossiers needed: each with its condition, and a step in which the condition fails."""

from __future__ import annotations

from typing import Any

import pytest
from proof_steps import PI, accepted, over, reason, said, step

HALF = ["/", 1, 2]
SQUARE = ["^", ["-", "x", "y"], 2]
APART = ["+", ["^", "x", 2], ["*", -2, "x", "y"], ["^", "y", 2]]
AT = {"x": 1, "y": 0, "p": 1, "q": 1, "m": -1, "u": 0, "z": 1, "n": 1}


def lemma(left: Any, relation: str, right: Any, by: str = "sign", **hints: Any) -> dict[str, Any]:
    return {"left": left, "relation": relation, "right": right, "by": by, "with": hints}


def test_a_lemma_is_proved_before_it_is_used() -> None:
    root = ["sqrt", APART]
    known = lemma(APART, ">=", 0, **{"as": SQUARE})
    assert reason(said(["*", root, root], "=", APART)) == "sqrt of what is not known to allow it"
    assert accepted(said(["*", root, root], "=", APART, hints={"lemmas": [known]}))
    for wrong in (
        lemma(APART, ">", 0, **{"as": SQUARE}),
        lemma(APART, ">=", 1, **{"as": ["-", SQUARE, 1]}),
        lemma(APART, ">=", 0),
        lemma(["-", "x", "y"], ">=", 0),
        lemma(["/", 1, "x"], "=", ["/", 1, "x"], "ring"),
    ):
        assert not accepted(said(["*", root, root], "=", APART, hints={"lemmas": [wrong]}))
        assert not accepted(said(root, ">=", 0, "sign", hints={"lemmas": [wrong]}))


def test_lemmas_use_those_before_them_and_only_those() -> None:
    first = lemma(APART, ">=", 0, **{"as": SQUARE})
    second = lemma(["+", ["sqrt", APART], "p"], ">", 0)
    row = said(["/", "p", ["+", ["sqrt", APART], "p"]], ">", 0, "sign", hints={"lemmas": [first, second]})
    assert accepted(row)
    row["with"]["lemmas"] = [second, first]
    assert not accepted(row)


@pytest.mark.parametrize("lemmas", [3, [3], [{}], [{"left": "x", "relation": "!=", "right": 0}]])
def test_what_is_no_lemma(lemmas: Any) -> None:
    assert not accepted(said("x", "=", "x", hints={"lemmas": lemmas}))


LAWS: list[tuple[Any, str, Any, str, bool]] = [
    # (a^2 b)^(1/2) = |a| b^(1/2), a of whatever sign, b not negative.
    (
        ["sqrt", ["/", ["*", "p", SQUARE], ["*", 4, "q"]]],
        "=",
        ["/", ["*", ["abs", ["-", "x", "y"]], ["sqrt", "p"]], ["*", 2, ["sqrt", "q"]]],
        "ring",
        True,
    ),
    (["sqrt", SQUARE], "=", ["-", "x", "y"], "ring", False),
    (["sqrt", ["*", "x", SQUARE]], "=", ["*", ["sqrt", "x"], ["abs", ["-", "x", "y"]]], "ring", False),
    # sin(pi k) = 0 and cos(pi k)^2 = 1 for whole k.
    (["sin", ["*", PI, "n"]], "=", 0, "ring", True),
    (["sin", ["*", PI, "x"]], "=", 0, "ring", False),
    (["sin", ["*", HALF, PI, "n"]], "=", 0, "ring", False),
    (["cos", ["*", HALF, PI, ["+", ["*", 2, "n"], 1]]], "=", 0, "ring", True),
    (["^", ["cos", ["*", 3, PI, "n"]], 2], "=", 1, "ring", True),
    (["cos", ["*", 3, PI, "n"]], "=", ["cos", ["*", -1, PI, "n"]], "ring", True),
    (["cos", ["*", PI, "n"]], "=", 1, "ring", False),
    (["cos", ["*", 2, PI, "n"]], "=", 1, "ring", True),
    (["cos", ["*", PI, "n"]], "=", -1, "ring", False),
    # What is in exponents over one divisor is taken apart.
    (
        ["exp", ["/", ["+", "x", ["*", "y", ["+", ["^", "x", 2], 1]]], ["+", ["^", "x", 2], 1]]],
        "=",
        ["*", ["exp", "y"], ["exp", ["/", "x", ["+", ["^", "x", 2], 1]]]],
        "ring",
        True,
    ),
    (
        ["exp", ["/", ["+", "x", ["*", "y", "x"]], ["+", "x", ["^", "x", 2], 1]]],
        "=",
        ["exp", "y"],
        "ring",
        False,
    ),
    # Signs that functions take from their arguments.
    (["sinh", ["*", "p", "q"]], ">", 0, "sign", True),
    (["tanh", "m"], "<", 0, "sign", True),
    (["sinh", "x"], ">", 0, "sign", False),
    (["sinh", "u"], ">", 0, "sign", False),
    # sin^2 + cos^2 = 1 over a sine, which is not 0 where it divides.
    (
        ["-", ["/", ["^", ["cos", "p"], 2], ["^", ["sin", "p"], 2]], ["/", 1, ["^", ["sin", "p"], 2]]],
        "=",
        -1,
        "ring",
        False,
    ),
]


@pytest.mark.parametrize(("left", "relation", "right", "by", "good"), LAWS)
def test_a_law_and_where_it_fails(left: Any, relation: str, right: Any, by: str, good: bool) -> None:
    assert accepted(said(left, relation, right, by)) is good


def test_a_sine_that_divides() -> None:
    sine, cosine = ["^", ["sin", "p"], 2], ["^", ["cos", "p"], 2]
    left = ["-", ["/", cosine, sine], ["/", 1, sine]]
    given = {"given": [[["sin", "p"], ">", 0]], "at": AT}
    assert accepted(said(left, "=", -1, **given))
    assert not accepted(said(left, "=", 1, **given))


@pytest.mark.parametrize(
    ("given", "divisor", "good"),
    [
        # A sum of squares, and a sum of sizes, that a hypothesis makes positive.
        (["+", ["^", "x", 2], ["^", "y", 2]], ["+", ["^", "x", 2], ["^", "y", 2]], True),
        (["+", ["^", "x", 2], ["^", "y", 2]], ["^", "x", 2], False),
        (["abs", "x"], ["+", ["abs", "x"], ["abs", "y"]], True),
        (["abs", "y"], ["abs", "x"], False),
        # What has a square above 0 is not 0.
        (["^", "x", 2], "x", True),
        (["^", ["-", "x", "y"], 2], ["-", "y", "x"], True),
        (["^", "x", 2], "y", False),
        (["^", "x", 2], ["+", "x", "y", "p", "q"], False),
    ],
)
def test_divisors_that_a_hypothesis_keeps_from_0(given: Any, divisor: Any, good: bool) -> None:
    row = said(["/", divisor, divisor], "=", 1, given=[[given, ">", 0]], at=AT)
    assert accepted(row) is good


def test_integrals_between_ends_in_any_order() -> None:
    bell = ["exp", ["-", ["^", "t", 2]]]
    size = ["/", ["sqrt", PI], 2]
    integral, hints = over(bell, "t", "x", "y", ["*", size, ["erf", "t"]])
    value = ["*", size, ["-", ["erf", "y"], ["erf", "x"]]]
    assert accepted(said(integral, "=", value, hints=hints))
    assert not accepted(said(integral, "=", ["-", value], hints=hints))
    assert not accepted(said(integral, ">=", 0, "sign", hints=hints))
    # On the whole line, not only where the range may lie: a pole, and an antiderivative with a jump.
    for body, primitive in (
        (["/", 1, ["^", "t", 2]], ["-", ["/", 1, "t"]]),
        (["/", 1, ["+", 1, ["^", "t", 2]]], ["-", ["atan", ["/", 1, "t"]]]),
        (["abs", "t"], ["/", ["*", "t", ["abs", "t"]], 2]),
        (bell, ["erf", "t"]),
    ):
        term, more = over(body, "t", "x", "y", primitive)
        assert not accepted(said(term, "=", term, hints=more))


def test_a_root_of_factors_whose_product_is_not_seen_to_be_positive() -> None:
    one, two = ["-", "p", "q"], ["-", "p", ["*", 2, "q"]]
    left = ["sqrt", ["*", one, two]]
    right = ["*", ["sqrt", one], ["sqrt", two]]
    at = {**AT, "p": 3}
    assert accepted(said(left, "=", right, given=[[one, ">", 0], [two, ">", 0]], at=at))
    assert not accepted(said(left, "=", right, given=[[one, ">", 0]], at=at))


def test_squares_of_a_sine_over_a_sine() -> None:
    sine, cosine = ["sin", "x"], ["cos", "x"]
    given: dict[str, Any] = {"given": [[sine, ">", 0]], "at": {"x": 1}, "variables": {"x": ["real"]}}
    left = ["+", ["/", ["^", cosine, 2], sine], sine]
    assert accepted(step(left, "=", ["/", 1, sine], **given))
    assert not accepted(step(left, "=", ["/", 2, sine], **given))
