"""Signs, hypotheses and the rules for inequalities: what follows is accepted, and never its opposite."""

from __future__ import annotations

from typing import Any

import pytest
from proof_steps import PI, accepted, reason, said

X2, ROOT_PI = ["^", "x", 2], ["sqrt", PI]
HALF, THIRD = ["/", 1, 2], ["/", 1, 3]
ONE_MORE = ["+", 1, X2]
SIGNS: list[tuple[Any, str, Any]] = [
    (X2, ">=", 0),
    (["*", "m", "p"], "<", 0),
    (["^", "z", 2], ">", 0),
    (["*", "z", "z"], ">", 0),
    (["+", ["^", ["/", ["-", 1, X2], ONE_MORE], 2], ["/", ["*", 4, X2], ["^", ONE_MORE, 2]]], ">", 0),
    (["^", "m", 3], "<", 0),
    (["^", "m", -2], ">", 0),
    (["/", "p", "m"], "<", 0),
    (["-", ["*", 2, "n"], 1], ">", 0),
    (["^", "n", 2], ">=", "n"),
    (["exp", "x"], ">", 0),
    (["exp", "p"], ">", 1),
    (["exp", "m"], "<", 1),
    (["exp", "x"], ">=", ["+", 1, "x"]),
    (["exp", "p"], ">", ["+", 1, "p"]),
    (["log", "p"], "<=", ["-", "p", 1]),
    (["log", ["+", 1, "u"]], ">=", 0),
    (["log", ["+", 1, "p"]], ">", 0),
    (["erf", "x"], "<", 1),
    (["erf", "x"], ">", -1),
    (["erf", "p"], ">", 0),
    (["cos", ["/", "x", 3]], "<=", 1),
    (["sin", ["/", "x", 3]], ">=", -1),
    (["abs", "x"], ">=", "x"),
    (["*", ["abs", "x"], ["abs", "y"]], ">=", ["-", ["*", "x", "y"]]),
    (["max", "x", "y"], ">=", "x"),
    (["min", "x", "y"], "<=", "y"),
    (["max", "x", "p"], ">", 0),
    (["min", "p", "q"], ">", 0),
    (["min", "u", "q"], ">=", 0),
    (["atan", "m"], "<", 0),
    (["gamma", "p"], ">", 0),
    (PI, ">", 3),
    (["const", "euler"], "<", ["/", 3, 5]),
    (["sqrt", 2], "<", ["/", 3, 2]),
    (["max", ["sqrt", 2], ["exp", ["/", 1, 3]]], "<", ["/", 3, 2]),
    (["gamma", THIRD], ">", 2),
    (["floor", ["/", 7, 2]], ">", 2),
    (["-", ["*", -1, X2], 1], "<", 0),
    (["^", ["-", "x", "x"], 2], "<=", 0),
    (["*", "x", ["-", "y", "y"]], ">=", 0),
    (["log", ["+", 1, X2]], "<=", X2),
    (["abs", ["-", ["sqrt", 2], 2]], ">", HALF),
]


@pytest.mark.parametrize(("left", "relation", "right"), SIGNS)
def test_a_sign(left: Any, relation: str, right: Any) -> None:
    assert accepted(said(left, relation, right, "sign"))
    turned = {"<": ">=", ">": "<=", "<=": ">", ">=": "<"}[relation]
    assert not accepted(said(left, turned, right, "sign"))


NO_SIGNS: list[tuple[Any, str, Any]] = [
    ("x", ">=", 0),
    ("u", ">", 0),
    ("z", ">", 0),
    (["*", "z", "x"], ">=", 0),
    (["-", "n", 1], ">", 0),
    (["exp", "x"], ">", ["+", 1, "x"]),
    (["log", "p"], ">=", 0),
    (["erf", "x"], ">=", 0),
    (["cos", ["/", "x", 3]], "<", 1),
    (["max", "x", "y"], ">=", 0),
    (["sign", "x"], "<=", 2),
    (["min", "x", "p"], ">", 0),
    (["+", "p", "m"], ">", 0),
    (["fn", "g", "p"], ">", 0),
    (["-", ["^", "n", 20], 1], ">=", 0),
    (["loggamma", "p"], ">", 0),
    (["atan", "x"], ">", 0),
    (["^", "x", 3], ">=", 0),
    (["-", ["sqrt", 2], ["sqrt", 2]], "<", 0),
    (["/", "u", "z"], ">=", 0),
    (["sum", ["fn", "g", "k"], "k", 1, "n"], ">=", 0),
]


@pytest.mark.parametrize(("left", "relation", "right"), NO_SIGNS)
def test_no_sign(left: Any, relation: str, right: Any) -> None:
    assert not accepted(said(left, relation, right, "sign"))


def test_a_difference_is_what_it_is_said_to_be() -> None:
    row = said(["*", 2, "x", "y"], "<=", ["+", X2, ["^", "y", 2]], "sign")
    assert not accepted(row)
    assert accepted({**row, "with": {"as": ["-", ["^", ["-", "x", "y"], 2]]}})
    assert "not what it is said" in reason({**row, "with": {"as": ["-", ["^", ["+", "x", "y"], 2]]}})
    assert not accepted({**row, "with": {"as": ["*", ["/", "x", "x"], ["-", ["^", ["-", "x", "y"], 2]]]}})


# --- hypotheses -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "at", "left", "relation", "right", "good"),
    [
        ([["x", ">", 1]], 2, "x", ">", 1, True),
        ([["x", ">", 1]], 2, ["*", 3, "x"], ">", 2, True),
        ([["x", ">=", 1]], 1, "x", ">", 1, False),
        ([["x", "=", 1]], 1, ["*", 2, "x"], "<=", 2, True),
        ([["x", "<", 0]], -1, ["*", "x", "p"], "<", 0, True),
        ([["x", ">=", 0]], 0, ["sqrt", "x"], ">=", 0, True),
        ([["x", ">", 0], ["x", ">=", 0]], 1, ["/", 1, "x"], ">", 0, True),
        ([["x", ">=", 0], ["x", ">", 0]], 1, ["/", 1, "x"], ">", 0, True),
        ([["z", ">=", 0]], 1, "z", ">", 0, True),
        ([["z", "<=", 0]], -1, "z", "<", 0, True),
        ([["z", "<", 0]], -1, "z", "<", 0, True),
        ([[["exp", "x"], "<", 2]], 0, ["exp", "x"], "<", 3, True),
        ([[["exp", "x"], "<", ["exp", 1]]], 0, ["exp", "x"], "<=", ["exp", 1], True),
        ([["x", "<=", ["sqrt", 2]]], 1, ["-", "x", ["sqrt", 2]], "<=", 0, True),
        ([["m", ">", -3]], -1, "m", ">=", -3, True),
    ],
)
def test_hypotheses(given: Any, at: Any, left: Any, relation: str, right: Any, good: bool) -> None:
    values = {
        "x": 1,
        "y": 0,
        "p": 1,
        "q": 1,
        "m": -1,
        "u": 0,
        "z": 1,
        "n": 1,
        given[0][0] if isinstance(given[0][0], str) else "x": at,
    }
    assert accepted(said(left, relation, right, "sign", given=given, at=values)) is good
    assert "a hypothesis does not hold" in reason(said(0, "=", 0, given=[*given, [0, ">", 1]], at=values))


# --- rules ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "good"),
    [
        (said(["sqrt", ["+", "p", "q"]], "<=", ["+", ["sqrt", "p"], ["sqrt", "q"]], "squares"), True),
        (said(["sqrt", X2], "=", ["abs", "x"], "squares"), True),
        (said(["abs", "x"], "=", ["abs", "y"], "squares"), False),
        (said("p", "<", ["+", "p", "q"], "squares"), True),
        (said(["abs", "x"], "<", ["+", "x", 1], "squares"), False),
        (
            said(
                ["abs", ["*", 2, "x"]],
                "<=",
                ONE_MORE,
                "absolute",
                hints={
                    "above": {"by": "sign", "with": {"as": ["-", ["^", ["-", "x", 1], 2]]}},
                    "below": {"by": "sign", "with": {"as": ["-", ["^", ["+", "x", 1], 2]]}},
                },
            ),
            True,
        ),
        (said(["abs", ["sin", ["/", "x", 3]]], "<=", 1, "absolute"), True),
        (said(["abs", ["sin", ["/", "x", 3]]], "<", 1, "absolute"), False),
        (said(["abs", "x"], ">=", 0, "absolute"), False),
        (said("x", "<=", 1, "absolute"), False),
        (said(["abs", "x"], "<=", "x", "absolute"), False),
        (said(["log", "p"], "<=", ["-", "p", 1], "ring"), False),
        (said("x", "<", "x", "ring"), False),
        (said("x", ">=", "x", "ring"), True),
        (said("x", "=", "y", "monotone", hints={"variable": "x", "from": 0}), False),
        (
            said(
                ["exp", "m"],
                "<=",
                1,
                "monotone",
                hints={"variable": "m", "from": 0, "side": "below", "slope": {"by": "sign"}},
            ),
            True,
        ),
        (
            said(
                ["exp", "u"],
                ">=",
                ["+", 1, "u"],
                "monotone",
                hints={
                    "variable": "u",
                    "from": 0,
                    "slope": {
                        "is": ["-", ["exp", "u"], 1],
                        "by": "monotone",
                        "with": {"variable": "u", "from": 0},
                    },
                },
            ),
            True,
        ),
        (
            said(
                ["exp", "u"],
                ">=",
                ["+", 1, "u"],
                "monotone",
                hints={"variable": "u", "from": 0, "slope": {"is": ["exp", "u"]}},
            ),
            False,
        ),
        (said(["-", "u"], "<=", 0, "monotone", hints={"variable": "u", "from": 0}), True),
        (said("u", ">", -1, "monotone", hints={"variable": "u", "from": 0}), True),
        (said("u", ">", 0, "monotone", hints={"variable": "u", "from": 0}), False),
        (said("p", ">", 0, "monotone", hints={"variable": "p", "from": 0}), False),
        (
            said(
                ["+", "p", 1], ">=", 1, "monotone", hints={"variable": "p", "from": ["*", 0, "x"], "slope": 7}
            ),
            False,
        ),
    ],
)
def test_a_rule(row: dict[str, Any], good: bool) -> None:
    assert accepted(row) is good


@pytest.mark.parametrize(
    ("left", "relation", "right", "box", "good"),
    [
        (["-", ["exp", "x"], "x"], ">", ["/", 9, 10], {"x": [0, 1]}, True),
        (["-", ["exp", "x"], "x"], ">", 1, {"x": [0, 1]}, False),
        ("x", "<", HALF, {"x": [0, 1]}, False),
        (["abs", "x"], "<=", 2, {"x": [0, 1]}, True),
        (["*", ["max", "x", HALF], ["min", "x", 2], ["sqrt", ONE_MORE]], "<", 2, {"x": [0, 1]}, True),
        (["/", 1, ["+", "x", 1]], ">", THIRD, {"x": [0, 1]}, True),
        (["^", ["cos", ["/", "x", 3]], 70], "<", 2, {"x": [0, 1]}, True),
        (["^", ["+", "x", 1], ["/", 1, 2]], "<", 2, {"x": [0, 1]}, True),
        (["fn", "g", "x"], "<", 2, {"x": [0, 1]}, False),
        (["*", "x", "y"], "<", 2, {"x": [0, 1]}, False),
        (["sqrt", 2], "<", 2, {}, True),
        (["sqrt", 5], "<", 2, {}, False),
        ("x", "<", 2, {"x": [0]}, False),
        (["/", 1, ["-", ["exp", "x"], "x"]], "<", 2, {"x": [0, 1]}, True),
        (["/", 1, ["-", ["exp", "x"], 2]], "<", 2, {"x": [0, 1]}, False),
    ],
)
def test_boxes(left: Any, relation: str, right: Any, box: Any, good: bool) -> None:
    values = {"x": 1, "y": 0, "p": 1, "q": 1, "m": -1, "u": 0, "z": 1, "n": 1}
    row = said(
        left, relation, right, "box", given=[["x", ">=", 0], ["x", "<=", 1]], at=values, hints={"box": box}
    )
    assert accepted(row) is good


# --- hypotheses whose form needs more than is known -------------------------------------------------------------------

OVER = ["/", 1, ["+", "x", "y"]]
VALUES = {"x": 1, "y": 0, "p": 1, "q": 1, "m": -1, "u": 0, "z": 1, "n": 1}


@pytest.mark.parametrize(
    ("left", "why"),
    [
        (["/", 1, ["-", "x", "x"]], "a division by zero"),
        (["^", ["-", "x", "x"], -1], "a negative power of zero"),
        (["sqrt", "x"], "a root of what is not known"),
        (["sqrt", ["*", OVER, OVER]], "a root over a denominator of unknown sign"),
        (["log", "x"], "a logarithm of what is not known"),
        (["tr", ["exp", ["mat", "A"]]], "exp of a matrix"),
        (["tr", ["mat", "Z"]], "is not declared"),
        (["sum", "k", "k", 1, ["const", "pi"]], "whole numbers"),
    ],
)
def test_a_hypothesis_that_has_no_form(left: Any, why: str) -> None:
    assert why in reason(said(0, "=", 0, given=[[left, ">", 0]], at=VALUES, letters={"A": "general"}))


def test_a_hypothesis_over_what_may_vanish_elsewhere() -> None:
    assert accepted(
        said(
            ["abs", OVER],
            ">",
            0,
            "sign",
            given=[[["+", "x", "y"], ">", 0], [["abs", OVER], ">", 0]],
            at=VALUES,
        )
    )
    assert "not known to be nonzero" in reason(
        said(["abs", OVER], ">", 0, "sign", given=[[["abs", OVER], ">", 0]], at=VALUES)
    )


def test_a_root_of_a_product_whose_sign_is_known_and_that_of_a_factor_is_not() -> None:
    term = ["*", "p", ["+", "x", "y"]]
    row = said(["sqrt", term], ">=", 0, "ring", given=[[term, ">=", 0]], at=VALUES)
    assert "a root of a factor" in reason(row)
    assert accepted({**row, "by": "sign", "given": [*row["given"], [["+", "x", "y"], ">=", 0]]})


# --- chains -----------------------------------------------------------------------------------------------------------

UP, EQUAL = (
    {"relation": "<=", "to": ["+", "x", X2], "by": "sign"},
    {"relation": "=", "to": ["+", X2, "x"], "by": "ring"},
)


@pytest.mark.parametrize(
    ("relation", "links", "right", "good"),
    [
        ("<=", [UP, EQUAL], ["+", X2, "x"], True),
        ("<=", [UP, {**UP, "relation": "<", "to": ["+", X2, "x", "p"]}], ["+", "p", "x", X2], True),
        ("<", [UP, {**UP, "relation": "<", "to": ["+", X2, "x", "p"]}], ["+", "p", "x", X2], True),
        ("<", [UP, EQUAL], ["+", X2, "x"], False),
        ("<=", [UP], "x", False),
        ("=", [UP], ["+", X2, "x"], False),
        ("=", [], "x", True),
        (">", [{"relation": ">", "to": ["-", "x", "p"], "by": "sign"}], ["-", "x", "p"], True),
        (">=", [{"relation": "<", "to": ["+", "x", "p"], "by": "sign"}], ["+", "x", "p"], False),
        ("<=", [{**UP, "to": ["/", "x", "x"]}], 1, False),
    ],
)
def test_chains(relation: str, links: Any, right: Any, good: bool) -> None:
    assert accepted(said("x", relation, right, "chain", hints={"links": links})) is good


def test_no_equality_by_monotony() -> None:
    assert "proves inequalities" in reason(
        said(["*", 0, "u"], "=", 0, "monotone", hints={"variable": "u", "from": 0})
    )
