"""Improper integrals by what their antiderivatives tend to, at infinite ends and at ends where these are not defined."""

from __future__ import annotations

from typing import Any

import pytest
from proof_steps import INFINITY, MINUS_INFINITY, PI, accepted, over, reason, said


def power(base: Any, e: Any) -> list[Any]:
    return ["^", base, e]


HALF = ["/", 1, 2]
LOG = ["log", "t"]
OVER = ["/", 1, "t"]
NEAR_ONE = ["log", ["-", 1, "t"]]
UP = ["+", ["*", "u", "t"], 1]
ROOTED = ["sqrt", ["+", 1, power(LOG, 2)]]
SLOW = ["exp", ["/", ["*", ["-", "t"], LOG], ["+", "t", 1]]]


KNOWN: dict[str, tuple[Any, Any, Any, Any, Any]] = {
    "a free exponent": (
        ["*", "p", power("t", ["-", ["-", "p"], 1])],
        ["-", power("t", ["-", "p"])],
        1,
        INFINITY,
        1,
    ),
    "a free exponent at 0": (["*", "p", power("t", ["-", "p", 1])], power("t", "p"), 0, 1, 1),
    "a free exponent of a line": (
        ["*", "p", power(["+", 1, ["/", "t", "q"]], ["-", ["-", "p"], 1])],
        ["*", ["-", "q"], power(["+", 1, ["/", "t", "q"]], ["-", "p"])],
        0,
        INFINITY,
        "q",
    ),
    "a logarithm at 0": (LOG, ["-", ["*", "t", LOG], "t"], 0, 1, -1),
    "squared": (
        power(LOG, 2),
        ["+", ["-", ["*", "t", power(LOG, 2)], ["*", 2, "t", LOG]], ["*", 2, "t"]],
        0,
        1,
        2,
    ),
    "a logarithm at 1": (NEAR_ONE, ["-", ["*", ["-", "t", 1], NEAR_ONE], "t"], 0, 1, -1),
    "a root at 0": (power("t", ["-", HALF]), ["*", 2, ["sqrt", "t"]], 0, "p", ["*", 2, ["sqrt", "p"]]),
    "erf of a logarithm": (
        ["/", ["exp", ["-", power(LOG, 2)]], "t"],
        ["*", HALF, ["sqrt", PI], ["erf", LOG]],
        0,
        INFINITY,
        ["sqrt", PI],
    ),
    "atan": (
        ["/", 1, ["+", 1, power(["/", "t", "p"], 2)]],
        ["*", "p", ["atan", ["/", "t", "p"]]],
        MINUS_INFINITY,
        INFINITY,
        ["*", "p", PI],
    ),
    "atan that tends to a number": (
        ["/", 1, ["+", ["*", 2, power("t", 2)], ["*", 2, "t"], 1]],
        ["atan", ["/", "t", ["+", "t", 1]]],
        0,
        INFINITY,
        ["atan", 1],
    ),
    "erf that tends to 0": (
        ["*", ["/", -2, ["sqrt", PI]], ["exp", ["-", power("t", -2)]], power("t", -2)],
        ["erf", OVER],
        1,
        INFINITY,
        ["-", ["erf", 1]],
    ),
    "an exponential that tends to a number": (
        ["*", -1, power("t", -2), ["exp", OVER]],
        ["exp", OVER],
        1,
        INFINITY,
        ["-", 1, ["exp", 1]],
    ),
    "an exponent that tends to a number": (
        ["/", ["exp", ["/", "t", ["+", "t", 1]]], power(["+", "t", 1], 2)],
        ["exp", ["/", "t", ["+", "t", 1]]],
        0,
        INFINITY,
        ["-", ["exp", 1], 1],
    ),
    "a divisor that stays": (
        ["/", ["exp", ["-", "t"]], ["+", "p", "q"]],
        ["/", ["-", ["exp", ["-", "t"]]], ["+", "p", "q"]],
        0,
        INFINITY,
        ["/", 1, ["+", "p", "q"]],
    ),
    "a quotient that tends to a number": (
        ["/", "p", power(["+", "t", "p"], 2)],
        ["/", ["+", ["*", 3, "t"], ["*", 2, "p"]], ["+", "t", "p"]],
        0,
        INFINITY,
        1,
    ),
    "a root of a sum": (
        ["/", ["-", "t"], power(["+", 1, power("t", 2)], ["/", 3, 2])],
        power(["+", 1, power("t", 2)], ["-", HALF]),
        0,
        INFINITY,
        -1,
    ),
    "squared logarithms below an exponential": (
        ["*", -2, LOG, OVER, ["exp", ["-", power(LOG, 2)]]],
        ["exp", ["-", power(LOG, 2)]],
        1,
        INFINITY,
        -1,
    ),
    "a wave that dies out": (
        ["*", ["exp", ["-", "t"]], ["-", ["cos", "t"], ["sin", "t"]]],
        ["*", ["exp", ["-", "t"]], ["sin", "t"]],
        0,
        INFINITY,
        0,
    ),
    "a logarithm of a quotient": (
        ["-", ["/", 1, ["+", "t", 1]], ["/", 1, ["+", "t", 2]]],
        ["log", ["/", ["+", "t", 1], ["+", "t", 2]]],
        0,
        INFINITY,
        ["log", 2],
    ),
}

UNKNOWN: dict[str, tuple[Any, Any, Any, Any, str]] = {
    "an exponent of either sign": (["*", "x", power("t", ["-", "x", 1])], power("t", "x"), 0, 1, "infinite"),
    "a logarithm alone": (OVER, LOG, 0, 1, "infinite"),
    "an exponential that grows": (["exp", "t"], ["exp", "t"], 0, INFINITY, "known to vanish"),
    "a logarithm times what tends to a number": (
        ["+", ["/", 1, ["+", "t", 1]], ["/", LOG, power(["+", "t", 1], 2)]],
        ["/", ["*", "t", LOG], ["+", "t", 1]],
        1,
        INFINITY,
        "and is none",
    ),
    "a logarithm times an exponential that tends to a number": (
        ["*", ["exp", OVER], ["-", OVER, ["/", LOG, power("t", 2)]]],
        ["*", LOG, ["exp", OVER]],
        1,
        INFINITY,
        "times an exponential",
    ),
    "logarithms that do not cancel": (
        ["-", ["/", 1, ["+", "t", 1]], ["/", 2, ["+", "t", 2]]],
        ["-", ["log", ["+", "t", 1]], ["*", 2, ["log", ["+", "t", 2]]]],
        0,
        INFINITY,
        "do not cancel",
    ),
    "a wave alone": (["cos", "t"], ["sin", "t"], 0, INFINITY, "has none"),
    "erf of what may fall": (
        ["*", 2, "x", ["exp", ["-", power(["*", "x", "t"], 2)]], ["/", 1, ["sqrt", PI]]],
        ["erf", ["*", "x", "t"]],
        0,
        INFINITY,
        "no sign far out",
    ),
    "an exponent that only grows like a logarithm": (
        ["*", SLOW, ["-", ["/", ["+", LOG, "t", 1], power(["+", "t", 1], 2)]]],
        SLOW,
        1,
        INFINITY,
        "and is none",
    ),
    "a function of which nothing is known": (
        ["*", ["gamma", "t"], ["polygamma", 0, "t"]],
        ["gamma", "t"],
        1,
        INFINITY,
        "a limit of gamma",
    ),
    "a leading coefficient that may be 0": (
        ["/", 1, power(["+", ["*", power("x", 2), "t"], 1], 2)],
        ["/", "t", ["+", ["*", power("x", 2), "t"], 1]],
        1,
        INFINITY,
        "leading coefficient",
    ),
    "a root whose leading coefficient is only known not to be negative": (
        ["/", "u", ["*", 2, ["sqrt", ["+", ["*", "u", "t"], 1]]]],
        ["sqrt", ["+", ["*", "u", "t"], 1]],
        0,
        INFINITY,
        "infinite",
    ),
    "a logarithm whose leading coefficient may be 0": (
        ["-", ["/", "u", ["*", UP, "t"]], ["/", ["log", UP], power("t", 2)]],
        ["/", ["log", ["+", ["*", "u", "t"], 1]], "t"],
        1,
        INFINITY,
        "no sign far out",
    ),
    "a root of a logarithm": (
        ["/", ["-", ["/", LOG, ROOTED], ROOTED], power("t", 2)],
        ["/", ROOTED, "t"],
        1,
        INFINITY,
        "a root of what",
    ),
}


@pytest.mark.parametrize("name", KNOWN)
def test_values_by_limits(name: str) -> None:
    body, primitive, low, high, right = KNOWN[name]
    term, hints = over(body, "t", low, high, primitive)
    assert accepted(said(term, "=", right, hints=hints))
    assert not accepted(said(term, "=", ["+", right, ["/", 1, 1000]], hints=hints))


@pytest.mark.parametrize("name", UNKNOWN)
def test_limits_that_are_not_known(name: str) -> None:
    body, primitive, low, high, why = UNKNOWN[name]
    term, hints = over(body, "t", low, high, primitive)
    assert why in reason(said(term, "=", 0, hints=hints))


LIMITS: dict[str, tuple[Any, Any, str, Any]] = {
    "far up": (["/", "t", ["+", "t", "p"]], INFINITY, "below", 1),
    "far down": (["exp", "t"], MINUS_INFINITY, "above", 0),
    "from the right": (["*", "t", LOG], 0, "above", 0),
    "from the left": (["atan", ["/", 1, ["-", "t", "x"]]], "x", "below", ["/", PI, -2]),
    "where it is a quotient of two zeros": (
        ["/", ["-", power("t", 2), power("p", 2)], ["-", "t", "p"]],
        "p",
        "above",
        ["*", 2, "p"],
    ),
}


@pytest.mark.parametrize("name", LIMITS)
def test_limits_that_are_written_down(name: str) -> None:
    body, end, side, value = LIMITS[name]
    term = ["lim", body, "t", end, side]
    assert accepted(said(term, "=", value))
    assert not accepted(said(term, "=", ["+", value, 1]))
    # A factor without the variable needs no slope.
    assert accepted(said(["diff", ["*", "y", term], "y", 1], "=", value))
    moving = ["lim", ["*", "y", body], "t", end, side]
    assert "has a slope" in reason(said(["diff", moving, "y", 1], "=", value))


@pytest.mark.parametrize(
    ("end", "side", "body", "why"),
    [
        (INFINITY, "above", "t", "approached from below"),
        (MINUS_INFINITY, "below", "t", "approached from below"),
        (0, "both", "t", "from above or below"),
        (0, "below", LOG, "log of"),
        (0, "above", OVER, "infinite"),
        (["/", 1, "x"], "above", "t", "a divisor"),
        ("w", "above", "t", "not declared"),
        (0, "above", ["int", ["*", "t", "k"], "k", 0, "t"], "a limit of int"),
    ],
)
def test_limits_that_are_none(end: Any, side: str, body: Any, why: str) -> None:
    assert why in reason(said(["lim", body, "t", end, side], "=", 0))


def test_a_limit_binds_its_variable() -> None:
    # What stands for x at a point of a proof of monotony is put into the body and the end, not for the bound variable.
    term = ["lim", ["+", ["*", "x", "t"], "u"], "t", "x", "above"]
    assert accepted(said(term, "=", ["+", ["^", "x", 2], "u"]))
    caught = ["lim", ["+", "u", ["*", 0, "t"]], "t", 0, "above"]
    hints = {"variable": "u", "from": 0, "side": "above", "slope": {"is": 1, "by": "sign"}}
    assert "has a slope" in reason(said(caught, ">=", 0, by="monotone", hints=hints))


def test_from_the_two_sides_of_a_point() -> None:
    """Over a range that is one point: its left limit less its right one would be -pi, the integral is 0."""
    body, jump = ["/", -1, ["+", 1, power(["-", "t", "x"], 2)]], ["atan", ["/", 1, ["-", "t", "x"]]]
    term, hints = over(body, "t", "x", "x", jump)
    for value in (["-", PI], 0):
        assert "may be a point" in reason(said(term, "=", value, hints=hints))


SIZE = ["exp", ["-", ["abs", ["-", "t", "x"]]]]
BEFORE, AFTER = ["exp", ["-", "t", "x"]], ["-", ["exp", ["-", "x", "t"]]]


def test_parts_of_a_range() -> None:
    term = ["int", SIZE, "t", MINUS_INFINITY, INFINITY]
    good = [term, BEFORE, "x", AFTER]
    assert accepted(said(term, "=", 2, hints={"integrals": [good]}))
    for bad, why in (
        ([term, BEFORE, "x"], "stand with the points"),
        ([term, BEFORE, "y", AFTER], "slope"),
        ([term, AFTER, "x", BEFORE], "slope"),
        ([term], "lists of a term"),
    ):
        assert why in reason(said(term, "=", 2, hints={"integrals": [bad]}))
    # A cut beyond the end would count a part twice, with another sign.
    over_all = ["int", SIZE, "t", "x", INFINITY]
    assert "lower end" in reason(
        said(over_all, "=", 1, hints={"integrals": [[over_all, BEFORE, ["-", "x", 1], AFTER]]})
    )


def test_a_sum_has_one_antidifference() -> None:
    term = ["sum", 1, "k", 1, "n"]
    assert "one antidifference" in reason(said(term, "=", "n", hints={"sums": [[term, "k", 1, "k"]]}))


def test_what_does_not_depend_on_the_variable_needs_no_slope() -> None:
    for bent in (["abs", "x"], ["floor", "x"], ["sign", ["-", ["*", "x", 0], 1]], ["max", "x", 1]):
        assert accepted(said(["diff", ["*", "y", bent], "y", 1], "=", bent))
        assert not accepted(said(["diff", ["*", "y", bent], "x", 1], "=", 0))
        assert not accepted(said(["diff", ["diff", ["*", "y", bent], "y", 1], "x", 1], "=", 0))
