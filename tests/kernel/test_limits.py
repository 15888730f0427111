"""Improper integrals by what their antiderivatives tend to, at infinite ends and at ends where these are not defined."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from proof_steps import INFINITY, MINUS_INFINITY, PI, accepted, over, reason, said


def power(base: Any, e: Any) -> list[Any]:
    return ["^", base, e]


LOG = ["log", "t"]
OVER = ["/", 1, "t"]


_CASES = json.loads(Path(__file__).with_name("limits.json").read_text(encoding="utf-8"))
# A term, its primitive, both ends, and the value, or why the limit is not known.
KNOWN, UNKNOWN = _CASES["known"], _CASES["unknown"]


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
