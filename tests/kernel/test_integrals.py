"""Values of integrals and sums by what is given for them: its slope or differences, and what it tends to at the ends."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from proof_steps import INFINITY, MINUS_INFINITY, PI, accepted, over, reason, said

from noiseproof.symbolic.proof.kernel.atoms import Atom, Atoms
from noiseproof.symbolic.proof.kernel.context import Context
from noiseproof.symbolic.proof.kernel.language import Rejected
from noiseproof.symbolic.proof.kernel.normal_form import form

X2, ROOT_PI = ["^", "x", 2], ["sqrt", PI]
HALF, THIRD = ["/", 1, 2], ["/", 1, 3]
ONE_MORE = ["+", 1, X2]
BELL = ["exp", ["-", ["^", "t", 2]]]
LN = ["log", ["+", "t", 1]]


@pytest.mark.parametrize(
    ("body", "primitive", "low", "high", "right", "good"),
    [
        (["^", "t", -2], ["/", -1, "t"], 1, INFINITY, 1, True),
        (["/", 1, "t"], ["log", "t"], 1, INFINITY, 0, False),
        (["*", "t", BELL], ["/", BELL, -2], MINUS_INFINITY, 0, ["/", -1, 2], True),
        (BELL, ["/", ["*", ROOT_PI, ["erf", "t"]], 2], MINUS_INFINITY, INFINITY, ROOT_PI, True),
        (BELL, ["/", ["*", ROOT_PI, ["erf", "t"]], 2], 0, INFINITY, ["/", ROOT_PI, 2], True),
        (["exp", ["*", "m", "t"]], ["/", ["exp", ["*", "m", "t"]], "m"], 0, INFINITY, ["/", -1, "m"], True),
        (["exp", ["*", "x", "t"]], ["/", ["exp", ["*", "x", "t"]], "x"], 0, INFINITY, ["/", -1, "x"], False),
        (["/", ["-", 1, ["log", "t"]], ["^", "t", 2]], ["/", ["log", "t"], "t"], 1, INFINITY, 0, True),
        (["/", "p", ["^", ["+", "t", "p"], 2]], ["/", "t", ["+", "t", "p"]], 0, INFINITY, 1, True),
        (["/", "p", ["^", ["+", "t", "p"], 2]], ["/", ["-", "p"], ["+", "t", "p"]], 0, INFINITY, 1, True),
        (["/", ["+", 1, ["*", 0, "t"]], 2], ["/", "t", 2], 0, INFINITY, 1, False),
        (["*", -1, ["^", "t", -2], ["exp", ["/", 1, "t"]]], ["exp", ["/", 1, "t"]], 1, INFINITY, 0, False),
        (
            ["*", ["exp", "t"], ["exp", ["-", ["exp", "t"]]]],
            ["-", ["exp", ["-", ["exp", "t"]]]],
            0,
            INFINITY,
            ["exp", -1],
            False,
        ),
        (
            ["/", "t", ["sqrt", ["+", 1, ["^", "t", 2]]]],
            ["sqrt", ["+", 1, ["^", "t", 2]]],
            0,
            INFINITY,
            0,
            False,
        ),
        (
            ["*", HALF, ["^", "t", ["/", -1, 2]], ["cos", ["sqrt", "t"]]],
            ["sin", ["sqrt", "t"]],
            0,
            1,
            ["sin", 1],
            True,
        ),
        (["^", "t", ["/", -1, 2]], ["*", 2, ["sqrt", "t"]], 0, 4, 4, True),
        (["/", 1, ["+", "t", 1]], LN, 0, "u", ["log", ["+", "u", 1]], True),
        (["/", 1, ["+", "t", 1]], ["+", LN, "q"], 0, "u", ["log", ["+", "u", 1]], True),
        (["/", 1, ["+", "t", 1]], LN, "u", 0, 0, False),
        (["*", ["^", "t", -2], ["exp", ["*", ["-", "p"], "t"]]], ["exp", "t"], 1, INFINITY, 0, False),
        (["fn", "g", "t"], ["fn", "G", "t"], 0, 1, 0, False),
        (
            [
                "-",
                ["*", ["erf", "t"], 2, "t", BELL],
                ["/", ["*", 2, ["exp", ["*", -2, ["^", "t", 2]]]], ROOT_PI],
            ],
            ["-", ["*", ["erf", "t"], BELL]],
            0,
            INFINITY,
            0,
            True,
        ),
    ],
)
def test_integrals(body: Any, primitive: Any, low: Any, high: Any, right: Any, good: bool) -> None:
    term, hints = over(body, "t", low, high, primitive)
    assert accepted(said(term, "=", right, hints=hints)) is good
    assert not accepted(said(term, "=", ["+", right, 1], hints=hints))


@pytest.mark.parametrize(
    ("body", "primitive", "low", "high", "right", "good"),
    [
        (["*", 2, "k"], ["*", "k", ["-", "k", 1]], 1, "n", ["*", "n", ["+", "n", 1]], True),
        (["*", 2, "k"], ["^", "k", 2], 1, "n", ["*", "n", ["+", "n", 1]], False),
        (["^", "p", "k"], ["/", ["^", "p", "k"], ["-", "p", 1]], 0, "n", 0, False),
        (["/", 1, ["*", "k", ["+", "k", 1]]], ["/", -1, "k"], 1, "n", ["/", "n", ["+", "n", 1]], True),
        (1, "k", "n", 1, 0, False),
        (1, "k", 1, ["*", "n", ["+", "n", 1]], ["*", "n", ["+", "n", 1]], True),
        (1, "k", 1, ["/", "n", 2], ["/", "n", 2], False),
        (1, "k", 1, "p", "p", False),
        (1, "k", 1, ["^", 2, "n"], ["^", 2, "n"], False),
    ],
)
def test_sums(body: Any, primitive: Any, low: Any, high: Any, right: Any, good: bool) -> None:
    term = ["sum", body, "k", low, high]
    assert accepted(said(term, "=", right, hints={"sums": [[term, primitive]]})) is good
    assert not accepted(said(term, "=", ["+", right, 1], hints={"sums": [[term, primitive]]}))


def test_a_value_that_is_known_has_no_slope() -> None:
    term, hints = over(["exp", "t"], "t", 0, "u", ["exp", "t"])
    assert accepted(said(term, "=", ["-", ["exp", "u"], 1], hints=hints))
    assert "has a slope" in reason(said(["diff", term, "u", 1], "=", ["exp", "u"], hints=hints))


FAR = ["/", ["-", ["^", "t", 2]], ["+", "t", 1]]


def test_an_exponent_that_is_a_quotient() -> None:
    body = ["/", ["*", ["-", ["+", ["^", "t", 2], ["*", 2, "t"]]], ["exp", FAR]], ["^", ["+", "t", 1], 2]]
    term, hints = over(body, "t", 0, INFINITY, ["exp", FAR])
    assert accepted(said(term, "=", -1, hints=hints))
    assert not accepted(said(term, "=", 0, hints=hints))


def test_infinite_ends_stand_in_integrals_only() -> None:
    # No file says so: the reader stops it before.
    far, context = ("const", "oo"), Context({})
    with pytest.raises(Rejected, match="in an integral only"):
        form(far, context)
    with pytest.raises(Rejected, match="an infinite sum"):
        form(("sum", ("num", Fraction(1)), "k", ("num", Fraction(1)), far), context)


def test_a_root_is_never_left_below() -> None:
    atoms = Atoms()
    root = atoms.number("root", "key", Atom("root", {}, of={}))
    with pytest.raises(Rejected, match="not made free"):
        atoms.reduced({((root, Fraction(-1, 2)),): Fraction(1)})
