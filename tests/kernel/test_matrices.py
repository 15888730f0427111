"""Traces of words of matrices: their laws, rules for neighbours, and matrices that obey the hypotheses of a step."""

from __future__ import annotations

from typing import Any

import pytest
from proof_steps import accepted, reason, step, traced

from noiseproof.symbolic.proof.kernel.gram import positive_semidefinite

LETTERS = {
    "A": "general",
    "B": "general",
    "S": "symmetric",
    "P": "positive definite",
    "x": "column",
    "y": "column",
}
P = ["mat", "P"]
A, AT, B, S, X, XT = ["mat", "A"], ["mat'", "A"], ["mat", "B"], ["mat", "S"], ["mat", "x"], ["mat'", "x"]


def tr(*word: Any) -> list[Any]:
    return ["tr", ["*", *word]]


def said(left: Any, right: Any, relation: str = "=", by: str = "ring", **more: Any) -> dict[str, Any]:
    return step(
        left,
        relation,
        right,
        by,
        variables={"c": ["real"], "p": ["positive"]},
        **{"letters": LETTERS, **more},
    )


TRUE = {
    "rotation": (tr(A, B, S), tr(S, A, B)),
    "transposition": (tr(A, B), tr(["mat'", "B"], AT)),
    "a sum": (tr(A, ["+", B, S]), ["+", tr(A, B), tr(A, S)]),
    "a difference": (tr(A, ["-", B, S]), ["-", tr(A, B), tr(A, S)]),
    "a negative": (tr(A, ["-", B]), ["-", tr(A, B)]),
    "a number": (tr("c", A, B), ["*", "c", tr(A, B)]),
    "a divisor": (tr(A, ["/", B, "p"]), ["/", tr(A, B), "p"]),
    "a square of a sum": (["tr", ["^", ["+", A, B], 2]], ["+", tr(A, A), ["*", 2, tr(A, B)], tr(B, B)]),
    "powers of a definite letter": (tr(["^", P, 2], ["^", P, -1], A), tr(P, A)),
    "its root": (tr(["sqrt", P], A, ["sqrt", P]), tr(P, A)),
    "its root as a power": (tr(["^", P, ["/", 1, 2]], ["^", P, ["/", -1, 2]], A), tr(A)),
    "powers that meet round the circle": (tr(["^", P, -1], A, P), tr(A)),
    "whole powers of a symmetric letter": (tr(["^", S, 2], A, S), tr(A, ["^", S, 3])),
    "columns": (tr(XT, A, X, XT, B, X), ["*", tr(XT, A, X), tr(XT, B, X)]),
    "columns turned round": (tr(X, XT, A), tr(XT, A, X)),
    "a trace inside": (tr(["tr", A], B), ["*", ["tr", A], ["tr", B]]),
}
FALSE: dict[str, tuple[Any, Any, str]] = {
    "an order": (tr(A, B, S), tr(A, S, B), "different normal forms"),
    "a transpose": (tr(A, B), tr(AT, B), "different normal forms"),
    "a function of a matrix": (["tr", ["exp", A]], ["tr", ["exp", A]], "outside of a trace"),
    "a power of a general letter": (["tr", ["^", A, -1]], ["tr", ["^", A, -1]], "a power of a sum"),
    "a root of a symmetric letter": (
        ["tr", ["sqrt", ["*", S, S]]],
        ["tr", S],
        "not declared positive definite",
    ),
    "an inverse of a symmetric letter": (tr(["^", S, -1], S), ["tr", 1], "not declared positive definite"),
    "no power of a column": (tr(["^", X, 0], A), ["tr", A], "a power of a sum"),
    "a high power of a sum": (["tr", ["^", ["+", A, B], 9]], 0, "a power of a sum"),
    "a power that is no number": (["tr", ["^", S, "c"]], 0, "no number"),
    "a letter that is not declared": (["tr", ["mat", "Z"]], 0, "is not declared"),
    "a divisor that may vanish": (tr(A, ["/", B, "c"]), ["/", tr(A, B), "c"], "a divisor"),
    "too many words": (["tr", ["*", *[["^", ["+", A, B], 7]] * 2]], 0, "too many words"),
    "a column and no row": (tr(A, X), 0, "do not alternate"),
}


@pytest.mark.parametrize("name", TRUE)
def test_a_law_of_traces(name: str) -> None:
    assert accepted(said(*TRUE[name]))


@pytest.mark.parametrize("name", FALSE)
def test_what_is_no_law_of_traces(name: str) -> None:
    left, right, why = FALSE[name]
    assert why in reason(said(left, right))


@pytest.mark.parametrize("word", [("A'", "A"), ("x'", "x"), ("x'", "A'", "A", "x"), ("A", "B", "B'", "A'")])
def test_a_gram_trace_is_not_negative(word: tuple[str, ...]) -> None:
    assert accepted(said(traced(*word), 0, ">=", "sign"))
    assert not accepted(said(traced(*word), 0, ">", "sign"))


def test_other_traces_have_no_sign() -> None:
    for word in (("A",), ("A", "A"), ("S",), ("x'", "S", "x"), ("A", "B")):
        assert not accepted(said(traced(*word), 0, ">=", "sign"))


# --- rules and values -------------------------------------------------------------------------------------------------

ORTHOGONAL = [[["A'", "A"], 1]]
ZERO = [[["A'", "B"], 0]]
SHAPES = {
    "A": [[1], [0]],
    "B": [[0], [1]],
    "S": [[2, 0], [0, 3]],
    "P": [[2, 0], [0, 3]],
    "x": [[1], [0]],
    "y": [[0], [1]],
}
AT_ = {"c": 1, "p": 2}


@pytest.mark.parametrize(
    ("row", "good"),
    [
        (said(traced("A'", "A", "B"), traced("B"), rules=ORTHOGONAL), True),
        (said(traced("B", "A'", "A", "B'"), traced("B", "B'"), rules=ORTHOGONAL), True),
        (said(traced("A", "B", "A'"), traced("B"), rules=ORTHOGONAL), True),
        (said(traced("A", "A'", "B"), traced("B"), rules=ORTHOGONAL), False),
        (said(traced("A'", "A"), 1, rules=ORTHOGONAL), False),
        (said(traced("A'", "A", "B"), ["*", "p", traced("B")], rules=[[["A'", "A"], "p"]]), True),
        (said(traced("A'", "B"), 0, rules=ZERO, matrices=SHAPES, at=AT_), True),
        (said(traced("A'", "B", "S"), 0, rules=ZERO, matrices={**SHAPES, "S": [[2]]}, at=AT_), True),
        (said(traced("A'", "B", "S"), 0, rules=ZERO, matrices=SHAPES, at=AT_), False),
        (said(traced("B", "A'", "S"), 0, rules=ZERO, matrices=SHAPES, at=AT_), False),
        (said(0, 0, rules=ZERO), False),
        (said(0, 0, rules=[[["A'", "A"], "c"]]), False),
        (said(0, 0, rules=[[["A'", "A"], ["/", 1, "c"]]], matrices=SHAPES, at=AT_), False),
    ],
)
def test_rules_for_neighbours(row: dict[str, Any], good: bool) -> None:
    assert accepted(row) is good


@pytest.mark.parametrize(
    ("matrices", "rules", "traces", "good"),
    [
        ({}, ORTHOGONAL, [], True),
        ({"A": [[1, 0], [0, 1]]}, ORTHOGONAL, [], True),
        ({"A": [[1, 2]]}, ORTHOGONAL, [], False),
        ({"A": [[2], [0]]}, ORTHOGONAL, [], False),
        ({"A": [[[3, 5]], [[4, 5]]]}, ORTHOGONAL, [], True),
        ({"A": [[[3, 0]], [1]]}, ORTHOGONAL, [], False),
        ({"A": [[True], [0]]}, ORTHOGONAL, [], False),
        ({"A": []}, ORTHOGONAL, [], False),
        ({"A": [[]]}, ORTHOGONAL, [], False),
        ({"A": [[1], [0, 1]]}, ORTHOGONAL, [], False),
        ({"A": [[1, 0], 1]}, ORTHOGONAL, [], False),
        ({"A": "A"}, ORTHOGONAL, [], False),
        ({"A": [[1]] * 13}, [], [], False),
        ({"S": [[1, 2], [3, 4]]}, [], [], False),
        ({"x": [[1, 2]]}, [], [], False),
        ({"more": [[1]]}, [], [], False),
        ({}, [], [[traced("A'", "A"), 1]], True),
        ({}, [], [[traced("A'", "A"), 2]], False),
        ({}, [], [[traced("S"), 5]], True),
        ({}, [], [[tr(S, S), ["+", 9, ["^", "p", 2]]]], True),
        ({}, [], [[["tr", ["^", S, 2]], 13]], True),
        ({}, [], [[tr(S, ["+", S, S]), 26]], False),
        ({"P": [[1, 0], [0, 1]]}, [], [[["tr", ["sqrt", P]], 2]], True),
        ({}, [], [[["tr", ["sqrt", P]], 2]], False),
        ({"P": [[1, 2], [2, 1]]}, [], [], False),
        ({"P": [[0]]}, [], [], False),
        ({"P": [[-1]]}, [], [], False),
        ({}, [], [[["mat", "S"], 1]], False),
        ({}, [], [[["*", 2, traced("S")], 10]], False),
        ({}, [], [[["tr", 1], 2]], False),
        ({}, [], [[tr(A, S), 1]], False),
        ({}, [], [[["tr", ["+", A, S]], 1]], False),
        ({}, [], [[["tr", ["-", S]], -5]], False),
        ({}, [], [[tr(["/", S, 5], S), ["/", 13, 5]]], False),
        ({}, [], [[traced("S"), ["exp", 1]]], False),
        ({}, [], [[["abs", traced("S")], 5]], False),
        ({}, [], [[traced("S"), ["+", traced("A'", "A"), 4]]], True),
        ({}, [], [[traced("x'", "x"), 1], [traced("x'", "y"), 0]], True),
    ],
)
def test_an_instance_has_to_obey(matrices: dict[str, Any], rules: Any, traces: Any, good: bool) -> None:
    row = said(0, 0, rules=rules, traces=traces, matrices={**SHAPES, **matrices}, at=AT_)
    assert accepted(row) is good


def test_an_instance_needs_all_matrices() -> None:
    assert "for each letter" in reason(said(0, 0, matrices=[], at=AT_))
    assert "instance of all variables" in reason(said(0, 0, matrices=SHAPES, at={}))


@pytest.mark.parametrize(
    ("traces", "good"),
    [
        ([[traced("A'", "A"), "p"], [traced("A'", "B"), 1], [traced("B'", "B"), 1]], True),
        ([[traced("A'", "A"), 1], [traced("A'", "B"), 2], [traced("B'", "B"), 1]], False),
        ([[traced("A'", "A"), 0], [traced("A'", "B"), 1]], False),
        ([[traced("A'", "A"), 1], [traced("A'", "A"), 2]], False),
        ([[traced("A'", "A"), 1], [traced("A", "A'"), 1]], True),
        ([[traced("A'", "A"), ["-", "p"]]], False),
        ([[traced("A"), 1]], False),
        ([[traced("A", "A"), 1]], False),
        ([[traced("A'", "A"), ["exp", "p"]]], False),
        ([[traced("A'", "Z"), 1]], False),
        ([[["tr", 1], 2]], False),
    ],
)
def test_traces_need_matrices_that_have_them(traces: Any, good: bool) -> None:
    assert accepted(said(0, 0, traces=traces, at=AT_)) is good


@pytest.mark.parametrize(("size", "good"), [("n", True), (["-", "n"], False), (["/", "n", 2], False)])
def test_the_size_of_symmetric_matrices_is_a_whole_number(size: Any, good: bool) -> None:
    more = {"letters": {"S": "symmetric"}, "traces": [[["tr", 1], size]], "at": {"n": 3}}
    row = step(
        ["tr", ["+", S, 2]],
        "=",
        ["+", ["tr", S], ["*", 2, size]],
        variables={"n": ["positive", "integer"]},
        **more,
    )
    assert accepted(row) is good


def test_values_are_used_one_after_the_other() -> None:
    traces = [[traced("A'", "A"), "p"], [traced("A'", "B"), ["*", 0, "p"]]]
    row = said(tr(AT, ["+", A, B]), "p", traces=traces, at=AT_)
    assert accepted(row)
    assert not accepted({**row, "right": ["*", 2, "p"]})


@pytest.mark.parametrize(
    ("rows", "good"),
    [
        ([[1, 1], [1, 1]], True),
        ([[0, 0], [0, 1]], True),
        ([[0, 1], [1, 1]], False),
        ([[1, 2], [2, 1]], False),
        ([[2, 1, 0], [1, 2, 1], [0, 1, 2]], True),
        ([[-1]], False),
    ],
)
def test_positive_semidefinite(rows: Any, good: bool) -> None:
    from fractions import Fraction

    assert positive_semidefinite([[Fraction(v) for v in r] for r in rows]) is good


@pytest.mark.parametrize(("size", "good"), [(2, True), (3, False)])
def test_the_trace_of_a_number_is_that_of_an_identity_of_the_one_size(size: int, good: bool) -> None:
    more = {
        "letters": {"S": "symmetric"},
        "traces": [[["tr", 1], size]],
        "matrices": {"S": [[1, 0], [0, 2]]},
        "at": {},
    }
    assert accepted(step(["tr", ["+", 1, S]], "=", ["+", size, ["tr", S]], **more)) is good
