"""Rules over intervals: enclosures, the way to an end, chords and cases; each with what it says where its condition fails."""

from __future__ import annotations

from typing import Any

import pytest
from proof_steps import accepted, reason, step

HALF = ["/", 1, 2]
SIGN = {"by": "sign"}


def over(left: Any, relation: str, right: Any, by: str, hints: Any = None, **ends: Any) -> dict[str, Any]:
    """A step about variables between ends; the instance is at the upper ones."""
    given = [g for n, (a, b) in ends.items() for g in ([n, ">=", a], [n, "<=", b])]
    return step(
        left,
        relation,
        right,
        by,
        variables={n: ["real"] for n in ends},
        given=given,
        at={n: b for n, (_, b) in ends.items()},
        hints=hints or {},
    )


# --- signs by enclosures ------------------------------------------------------------------------------------------------


def test_the_sign_over_the_box_of_the_hypotheses() -> None:
    distance = ["-", ["const", "e"], ["^", ["+", ["exp", "x"], ["exp", "y"]], 2]]
    assert accepted(over(distance, "<", 0, "sign", x=(0, 1), y=(0, 1)))
    assert accepted(over(["/", 1, distance], "<", 0, "sign", x=(0, 1), y=(0, 1)))
    assert not accepted(over(distance, "<", 0, "sign", x=(-3, 1), y=(-3, 1)))
    assert not accepted(over(distance, "<", -2, "sign", x=(0, 1), y=(0, 1)))
    # Bounded from one side, or by a hypothesis of two variables: no box.
    one = step(distance, "<", 0, "sign", variables={"x": ["positive"], "y": ["positive"]})
    assert not accepted({**one, "given": [["x", "<=", 1]], "at": {"x": 1, "y": 1}})
    assert accepted({**one, "given": [["x", "<=", 1], [["*", -2, "y"], ">=", -2]], "at": {"x": 1, "y": 1}})
    turned = {"x": ["negative"], "y": ["negative"]}
    below = [["x", ">=", -1], ["y", ">=", -1]]
    minus = ["-", ["const", "e"], ["^", ["+", ["exp", ["-", "x"]], ["exp", ["-", "y"]]], 2]]
    assert accepted({**one, "left": minus, "for": turned, "given": below, "at": {"x": -1, "y": -1}})


def test_a_box_with_slopes_that_one_without_them_does_not_decide() -> None:
    top = ["/", 18197057412, 10**10]
    wave = ["*", "x", ["sin", "x"]]
    assert accepted(over(wave, "<=", top, "box", {"box": {"x": [0, 5]}}, x=(0, 5)))
    lower = ["/", 18197057411, 10**10]
    assert "4,000 boxes" in reason(over(wave, "<=", lower, "box", {"box": {"x": [0, 5]}}, x=(0, 5)))
    # An absolute value has no slope everywhere.
    assert accepted(
        over(["*", "x", ["abs", "x"]], "<", ["/", 11, 10], "box", {"box": {"x": [-1, 1]}}, x=(-1, 1))
    )
    assert accepted(over("x", ">", -1, "box", {"box": {"x": [0, 1]}}, x=(0, 1)))
    assert "4,000 boxes" in reason(over("x", ">", ["/", 1, 3], "box", {"box": {"x": [-1, 1]}}, x=(-1, 1)))
    assert "another sign" in reason(over("x", "<", 0, "box", {"box": {"x": [1, 2]}}, x=(1, 2)))


def test_the_mean_value_form_does_not_pass_a_jump() -> None:
    """atan(1/x) has at 0 a jump and beside it the slope -1/(1 + x^2), as if nothing were there."""
    jump = step(
        ["atan", ["/", 1, "x"]],
        ">",
        0,
        "box",
        variables={"x": ["nonzero"]},
        given=[["x", ">=", ["/", -2, 5]], ["x", "<=", 1]],
        at={"x": 1},
        hints={"box": {"x": [["/", -2, 5], 1]}},
    )
    assert not accepted(jump)
    assert accepted({**jump, "given": [["x", ">=", HALF], ["x", "<=", 1]], "with": {"box": {"x": [HALF, 1]}}})


# --- the way to an end ---------------------------------------------------------------------------------------------------


def test_what_is_affine_and_holds_at_both_ends_holds_on_the_way() -> None:
    hints = {"variable": "x", "from": 1, "side": "below"}
    assert accepted(over(["^", "x", 2], "<=", 1, "monotone", hints, x=(0, 1)))
    # From -3 the square is larger; the slope has two signs.
    assert not accepted(over(["^", "x", 2], "<=", 1, "monotone", hints, x=(-3, 1)))
    root = over(
        ["sqrt", ["-", "y", "x"]], ">=", ["sqrt", ["-", "y", 1]], "monotone", hints, x=(0, 1), y=(2, 3)
    )
    assert accepted(root)
    # y > x is known of this x only, not on the way up to 1.
    known = {**root, "given": [["y", ">", "x"], ["x", "<=", 1]], "at": {"x": 0, "y": 1}}
    assert not accepted({**known, "right": 0})


@pytest.mark.parametrize(
    ("left", "given", "start", "at"),
    [
        # The least value is at 3; x >= 3 does not hold at 1. False at x = 4.
        (["*", ["-", "x", 1], ["-", "x", 5]], [["x", ">=", 3]], 1, 6),
        # x^2 >= 9 holds at -4 and at 4 and not between. False at x = 3.
        (
            ["-", ["-", ["/", ["^", "x", 3], 3], ["*", 9, "x"]], ["/", 44, 3]],
            [["x", ">=", -4], [["^", "x", 2], ">=", 9]],
            -4,
            10,
        ),
        # 1/x > -1 holds at -2 and at 1 and is not affine: beyond 0 a slope of -1/x^2 is that of another branch.
        (["-", ["/", -1, "x"], HALF], [["x", ">=", -2], [["/", 1, "x"], ">", -1]], -2, -1),
    ],
)
def test_a_hypothesis_that_does_not_hold_on_the_way(left: Any, given: Any, start: int, at: int) -> None:
    hints = {"variable": "x", "from": start}
    row = step(
        left, ">=", 0, "monotone", variables={"x": ["nonzero"]}, given=given, at={"x": at}, hints=hints
    )
    assert not accepted(row)


def test_signs_between_two_numbers() -> None:
    square = ["^", "x", 2]
    down = {"variable": "x", "from": -1, "side": "above"}
    assert accepted(over(square, "<=", 1, "monotone", down, x=(-1, 0)))
    assert accepted(
        step(
            ["/", 1, "x"],
            "<=",
            1,
            "monotone",
            variables={"x": ["positive"]},
            given=[["x", ">", HALF], ["x", ">=", 1]],
            at={"x": 2},
            hints={"variable": "x", "from": 1},
        )
    )
    # The range ends at a number that two hypotheses name.
    zero = [["x", "<=", 0], ["x", ">=", 0], ["y", ">=", "x"], ["y", "<=", 1]]
    row = step(
        "y", ">=", "x", "monotone", variables={"x": ["real"], "y": ["real"]}, given=zero, at={"x": 0, "y": 1}
    )
    assert accepted({**row, "with": {"variable": "y", "from": "x"}})


# --- chords --------------------------------------------------------------------------------------------------------------

CHORD = {"variable": "x", "low": -1, "high": 1}


@pytest.mark.parametrize(
    ("left", "relation", "right", "good"),
    [
        (["^", "x", 2], "<=", 1, True),
        (["^", "x", 2], "<", ["/", 11, 10], True),
        (["^", "x", 2], "<", 1, False),
        (["-", ["^", "x", 2]], ">=", -1, True),
        (["-", ["^", "x", 2]], "<=", -1, False),
        (["^", "x", 3], "<=", 1, False),
        (["*", "x", "y"], "<=", ["max", "y", ["-", "y"]], True),
        (["*", "x", "y"], "<=", "y", False),
        (["abs", "x"], "<=", 1, False),
        ("x", "<=", ["^", ["-", "x"], 3], False),
        (["exp", "x"], "<=", ["exp", 1], True),
        ("x", "=", 1, False),
    ],
)
def test_what_is_convex_is_largest_at_an_end(left: Any, relation: str, right: Any, good: bool) -> None:
    assert accepted(over(left, relation, right, "ends", CHORD, x=(-1, 1), y=(-1, 1))) is good


def test_a_chord_needs_the_interval() -> None:
    row = over(["^", "x", 2], "<=", 4, "ends", CHORD, x=(-2, 1))
    assert "between the points" in reason(row)
    assert "between the points" in reason({**row, "with": {**CHORD, "low": ["-", "x", 3]}})
    assert "is declared" in reason({**row, "with": {**CHORD, "variable": "w"}})
    assert accepted({**row, "with": {**CHORD, "low": -2}})
    # Both ends, one variable after the other: the vertices of a square.
    inner = {"by": "ends", "with": {"variable": "y", "low": 0, "high": 1}}
    both = {"variable": "x", "low": 0, "high": 1, "at": inner}
    corners = ["+", ["*", "x", "y"], ["*", -1, "x"], ["*", -1, "y"]]
    assert accepted(over(corners, "<=", 0, "ends", both, x=(0, 1), y=(0, 1)))
    assert not accepted(over(corners, "<=", ["/", -1, 9], "ends", both, x=(0, 1), y=(0, 1)))


# --- cases ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("left", "relation", "right", "of", "good"),
    [
        (["max", "x", "y"], "<=", 1, ["max", "x", "y"], True),
        (["max", "x", "y"], "<=", HALF, ["max", "x", "y"], False),
        (["min", "x", "y"], ">=", 0, ["min", "x", "y"], True),
        (["min", "x", "y"], ">=", HALF, ["min", "x", "y"], False),
        (["abs", ["-", "x", "y"]], "<=", 1, ["abs", ["-", "x", "y"]], True),
        (["abs", ["-", "x", "y"]], "<=", HALF, ["abs", ["-", "x", "y"]], False),
        (["-", ["max", "x", "y"], ["min", "x", "y"]], "<=", 1, ["max", "x", "y"], True),
        ("x", "<=", ["max", "x", "y"], ["max", "x", "y"], True),
        ("x", "<=", 1, ["+", "x", "y"], False),
        ("x", "<=", 1, ["max", "x", ["/", 1, ["-", "y", HALF]]], False),
    ],
)
def test_one_case_after_the_other(left: Any, relation: str, right: Any, of: Any, good: bool) -> None:
    hints = {"of": of, "each": [SIGN, SIGN]}
    assert accepted(over(left, relation, right, "cases", hints, x=(0, 1), y=(0, 1))) is good


def test_cases_are_complete_and_leave_alone_what_binds_a_variable() -> None:
    top = ["max", "x", "y"]
    row = over(top, "<=", 1, "cases", {"of": top, "each": [SIGN]}, x=(0, 1), y=(0, 1))
    assert "one rule for each case" in reason(row)
    # Inside of the sum k is another variable: the case of the outer one does not reach it.
    bound = ["sum", ["max", "k", 2], "k", 1, 3]
    inner = over(bound, "<=", 6, "cases", {"of": ["max", "k", 2], "each": [SIGN, SIGN]}, k=(0, 1))
    assert not accepted(inner)
    assert accepted({**inner, "right": 7})
