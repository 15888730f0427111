"""Laws of the kernel's arithmetic: what is equal agrees, what is not does not, and what is too large is refused."""

from __future__ import annotations

from typing import Any

import pytest
from proof_steps import MINUS_INFINITY, PI, accepted, reason, said

X2, ROOT_PI = ["^", "x", 2], ["sqrt", PI]
HALF, THIRD = ["/", 1, 2], ["/", 1, 3]
ONE_MORE = ["+", 1, X2]
EQUAL: dict[str, tuple[Any, Any]] = {
    "a root of a quotient": (["sqrt", ["/", "p", ONE_MORE]], ["/", ["sqrt", "p"], ["sqrt", ONE_MORE]]),
    "a root of a squared divisor": (
        ["sqrt", ["*", ["/", 1, ["+", "p", "q"]], ["/", 1, ["+", "p", "q"]]]],
        ["/", 1, ["+", "p", "q"]],
    ),
    "a root of a squared divisor below 0": (
        ["sqrt", ["*", ["/", 1, ["-", "m", "p"]], ["/", 1, ["-", "m", "p"]]]],
        ["/", 1, ["-", "p", "m"]],
    ),
    "a root of a square of a quotient": (
        ["sqrt", ["^", ["/", ["+", "x", "y"], "p"], 2]],
        ["/", ["abs", ["+", "x", "y"]], "p"],
    ),
    "a root in a divisor": (["/", 1, ["sqrt", ONE_MORE]], ["/", ["sqrt", ONE_MORE], ONE_MORE]),
    "a root of a sum, cubed": (["^", ["sqrt", ONE_MORE], 3], ["*", ONE_MORE, ["sqrt", ONE_MORE]]),
    "a root of a number": (["sqrt", 12], ["*", 2, ["sqrt", 3]]),
    "a root of a fraction": (["sqrt", ["/", 2, 9]], ["/", ["sqrt", 2], 3]),
    "a number to a fraction": (["^", 8, ["/", -2, 3]], ["/", 1, 4]),
    "a root of a negative's negative": (["sqrt", ["-", "m"]], ["^", ["abs", "m"], HALF]),
    "a root of what has a square in it": (["sqrt", ["*", X2, "p"]], ["*", ["abs", "x"], ["sqrt", "p"]]),
    "a root of a root": (["sqrt", ["sqrt", "p"]], ["^", "p", ["/", 1, 4]]),
    "a root of a root of a sum": (["sqrt", ["sqrt", ONE_MORE]], ["^", ["sqrt", ONE_MORE], HALF]),
    "a reciprocal of a quotient": (["/", 1, ["/", "p", ONE_MORE]], ["/", ONE_MORE, "p"]),
    "terms that cancel": (["*", ["+", "x", "y"], ["-", "x", "y"]], ["-", X2, ["^", "y", 2]]),
    "abs with a factor below 0": (["abs", ["*", "x", ["-", "m", "p"]]], ["*", ["abs", "x"], ["-", "p", "m"]]),
    "a slope over a constant sum": (["diff", ["/", "x", ["+", "p", 1]], "x", 1], ["/", 1, ["+", 1, "p"]]),
    "a root of 0": (["sqrt", ["-", "p", "p"]], 0),
    "a root of a product, as it is written": (
        ["^", ["*", "u", ["^", "p", 2]], HALF],
        ["*", ["sqrt", "u"], "p"],
    ),
    "a root of an even power": (["^", X2, ["/", 3, 2]], ["^", ["abs", "x"], 3]),
    "a whole power of a square": (["^", X2, 2], ["^", "x", 4]),
    "a variable exponent": (["^", "p", "x"], ["exp", ["*", "x", ["log", "p"]]]),
    "its product": (["*", ["^", "p", "x"], ["^", "p", "y"]], ["^", "p", ["+", "x", "y"]]),
    "exp of a logarithm": (["exp", ["*", 3, ["log", ONE_MORE]]], ["^", ONE_MORE, 3]),
    "exp of a quotient": (
        ["exp", ["/", ["+", "x", "y"], ONE_MORE]],
        ["*", ["exp", ["/", "x", ONE_MORE]], ["exp", ["/", "y", ONE_MORE]]],
    ),
    "e": (["^", ["const", "e"], "x"], ["exp", "x"]),
    "log of a product": (["log", ["*", "p", ONE_MORE]], ["+", ["log", "p"], ["log", ONE_MORE]]),
    "log of a quotient": (
        ["log", ["/", ["*", 6, "p"], ONE_MORE]],
        ["-", ["+", ["log", 2], ["log", 3], ["log", "p"]], ["log", ONE_MORE]],
    ),
    "log of a quotient in normal form": (
        ["log", ["+", ["/", "p", ONE_MORE], 0]],
        ["-", ["log", "p"], ["log", ONE_MORE]],
    ),
    "log of a sum with a factor": (
        ["log", ["+", ["*", 2, "p"], ["*", 2, "q"]]],
        ["+", ["log", 2], ["log", ["+", "p", "q"]]],
    ),
    "log of exp": (["log", ["*", "p", ["exp", "x"]]], ["+", "x", ["log", "p"]]),
    "log of a root": (["log", ["sqrt", ONE_MORE]], ["/", ["log", ONE_MORE], 2]),
    "log of what is only whole positive": (
        ["log", ["-", ["*", 2, "n"], 1]],
        ["log", ["-", ["+", "n", "n"], 1]],
    ),
    "log of a product of negatives": (["log", ["*", "m", ["-", "m", 1]]], ["log", ["-", ["^", "m", 2], "m"]]),
    "abs of a quotient": (["abs", ["/", "x", ["+", "p", 1]]], ["/", ["abs", "x"], ["+", 1, "p"]]),
    "abs of a product": (["abs", ["*", -2, "x", "y"]], ["*", 2, ["abs", "x"], ["abs", "y"]]),
    "abs of a sum and its negative": (["abs", ["-", "x", "y"]], ["abs", ["-", "y", "x"]]),
    "abs of a negative": (["abs", ["-", "m", 1]], ["-", 1, "m"]),
    "abs with a root": (["abs", ["*", ["sqrt", "u"], "x"]], ["*", ["sqrt", "u"], ["abs", "x"]]),
    "abs of a number": (["abs", -3], 3),
    "a square of abs": (["^", ["abs", ["-", "x", "y"]], 2], ["^", ["-", "x", "y"], 2]),
    "sign": (["+", ["sign", "p"], ["sign", "m"], ["sign", ["-", "x", "x"]]], 0),
    "sin squared": (["+", ["^", ["sin", "x"], 2], ["^", ["cos", "x"], 2]], 1),
    "sin of a sum": (
        ["sin", ["+", "x", "y"]],
        ["+", ["*", ["sin", "x"], ["cos", "y"]], ["*", ["cos", "x"], ["sin", "y"]]],
    ),
    "cos of a turn": (["cos", ["+", "x", PI]], ["-", ["cos", "x"]]),
    "sin of a third": (["sin", ["-", ["/", "x", 3]]], ["-", ["sin", ["/", "x", 3]]]),
    "tan": (["*", ["tan", 1], ["cos", 1]], ["sin", 1]),
    "tanh": (
        ["tanh", "x"],
        ["/", ["-", ["exp", "x"], ["exp", ["-", "x"]]], ["+", ["exp", "x"], ["exp", ["-", "x"]]]],
    ),
    "cosh and sinh": (["-", ["^", ["cosh", "x"], 2], ["^", ["sinh", "x"], 2]], 1),
    "erf is odd": (["erf", ["-", "x"]], ["-", ["erf", "x"]]),
    "erfc": (["+", ["erfc", "x"], ["erfc", ["-", "x"]]], 2),
    "erf of 0": (["erf", 0], 0),
    "gamma": (["gamma", ["+", "p", 3]], ["*", ["+", "p", 2], ["+", "p", 1], "p", ["gamma", "p"]]),
    "gamma of a whole number": (["gamma", 5], 24),
    "factorial": (["factorial", ["+", "n", 1]], ["*", ["+", "n", 1], ["factorial", "n"]]),
    "gamma below its place": (["gamma", ["-", ["+", "p", 5], 5]], ["gamma", "p"]),
    "max of what is ordered": (["max", "p", "m", ["+", "p", 1]], ["+", 1, "p"]),
    "min of what is ordered": (["min", "p", "m", ["-", "m", 1]], ["-", "m", 1]),
    "max of what is not": (["max", "x", "y"], ["max", "y", "x"]),
    "a sum of numbers": (["sum", ["^", "k", 2], "k", 1, 4], 30),
    "a sum without terms": (["sum", ["fn", "g", "k"], "k", 1, 0], 0),
    "a sum of a constant": (["sum", "x", "k", 0, "n"], ["*", "x", ["+", "n", 1]]),
    "a sum under a divisor": (
        ["sum", ["/", "x", ["+", "k", "n"]], "k", 1, "n"],
        ["sum", ["/", "x", ["+", "n", "k"]], "k", 1, "n"],
    ),
    "an integral with a factor": (
        ["int", ["*", 3, ["exp", X2]], "x", 0, 1],
        ["*", 3, ["int", ["exp", ["^", "t", 2]], "t", 0, 1]],
    ),
    "an integral of 0": (["int", ["-", "t", "t"], "t", 0, 1], ["*", 0, ["int", "t", "t", 0, 1]]),
    "a slope": (
        ["diff", ["/", ["exp", "x"], ONE_MORE], "x", 1],
        ["/", ["*", ["exp", "x"], ["^", ["-", 1, "x"], 2]], ["^", ONE_MORE, 2]],
    ),
    "a slope of a logarithm": (["diff", ["log", ONE_MORE], "x", 1], ["/", ["*", 2, "x"], ONE_MORE]),
    "a slope of a root": (["diff", ["sqrt", ONE_MORE], "x", 1], ["/", "x", ["sqrt", ONE_MORE]]),
    "slopes of sin, cos, erf and atan": (
        ["diff", ["+", ["sin", "x"], ["cos", "x"], ["erf", "x"], ["atan", "x"]], "x", 1],
        [
            "+",
            ["cos", "x"],
            ["-", ["sin", "x"]],
            ["/", ["*", 2, ["exp", ["-", X2]]], ROOT_PI],
            ["/", 1, ONE_MORE],
        ],
    ),
    "a second slope": (["diff", ["^", "x", 3], "x", 2], ["*", 6, "x"]),
    "mixed slopes": (
        ["diff", ["diff", ["fn", "g", "x", "y"], "x", 1], "y", 1],
        ["diff", ["diff", ["fn", "g", "x", "y"], "y", 1], "x", 1],
    ),
    "the product rule": (
        ["diff", ["*", "x", ["fn", "g", "x"]], "x", 1],
        ["+", ["fn", "g", "x"], ["*", "x", ["diff", ["fn", "g", "x"], "x", 1]]],
    ),
}


@pytest.mark.parametrize("name", EQUAL)
def test_a_law(name: str) -> None:
    left, right = EQUAL[name]
    assert accepted(said(left, "=", right))
    assert not accepted(said(left, "=", ["+", right, ["/", 1, 1000]]))


REFUSED: dict[str, tuple[Any, str]] = {
    "a large gamma": (["gamma", ["+", "p", 62]], "above 60"),
    "a long product": (["*", *[["^", ["+", "x", "y", "p", "q", "u", 1], 8]] * 2], "too long"),
    "a long polynomial": (["^", ["+", "x", "y", "p", "q", "u", 1], 20], "a polynomial of more"),
    "many terms": (["^", ["+", *[["fn", f"f{i}", "x"] for i in range(120)]], 2], "terms"),
    "a power of a root that is too large": (["^", ["sqrt", 2], 20_000], "too large"),
    "a power of a number that is too large": (["^", 3, 20_000], "too large"),
    "a number of too many bits": (["*", *[10**1_900 + 1] * 8], "bits"),
    "many roots of large numbers": (
        ["+", *[["sqrt", 10**1_900 + k] for k in range(400)]],
        "products of terms",
    ),
    "sign of what may have several": (["sign", "x"], "several signs"),
    "a slope of asin": (["diff", ["asin", ["/", 1, ["+", 2, "p"]]], "p", 1], "not in the language"),
    "a variable exponent of what may be 0": (["^", "u", "p"], "no number"),
    "an end at infinity": (["sum", "k", "k", 1, ["const", "oo"]], "an infinite sum"),
    "a division by 0": (["/", 1, ["-", "x", "x"]], "a divisor"),
    "an infinite range": (["int", 1, "t", MINUS_INFINITY, "x"], "infinite range"),
    "a variable that is not declared": ("w", "is not declared"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str) -> None:
    term, why = REFUSED[name]
    assert why in reason(said(term, "=", term))


WHOLE = {"j": ["real", "integer"], "k": ["nonzero", "integer"], "x": ["real"]}


@pytest.mark.parametrize(
    ("left", "right", "good"),
    [
        (["cos", ["*", 2, PI, "j", "k"]], 1, True),
        (["sin", ["*", -4, PI, "j", ["^", "k", 2]]], 0, True),
        (["cos", ["+", ["*", 2, PI, "j"], "x"]], ["cos", "x"], True),
        (["cos", ["*", PI, "j"]], 1, False),
        (["cos", ["*", 2, PI, "x"]], 1, False),
        (["cos", ["/", ["*", 2, PI], "k"]], 1, False),
        (["cos", ["*", 2, "j"]], 1, False),
        (["cos", ["*", 2, ["^", PI, 2], "j"]], 1, False),
    ],
)
def test_whole_turns_are_none(left: Any, right: Any, good: bool) -> None:
    row = {"for": WHOLE, "left": left, "relation": "=", "right": right, "by": "ring"}
    assert accepted(row) is good
