"""Steps that the kernel once accepted though they are false, or say nothing; each beside one that is true and still accepted."""

from __future__ import annotations

from typing import Any

import pytest
from proof_steps import accepted, step, traced

REAL, POSITIVE, WHOLE = ["real"], ["positive"], ["positive", "integer"]
COUNT = ["nonnegative", "integer"]
N, K = {"n": WHOLE}, ["sum", "k", "k", 1, "n"]
INNER = ["sum", ["fn", "f", "j"], "j", 0, "k"]
PART = ["int", ["exp", ["^", "t", 2]], "t", 0, "k"]
GRAM, KNOWN = traced("W'", "W"), {"letters": {"W": "general"}, "at": {"x": 1}}


def times_index(inner: Any) -> dict[str, Any]:
    """The mean of k times g(k) as the product of two means, g being a sum or an integral up to k."""
    left = ["sum", ["*", "k", inner], "k", 1, "n"]
    right = ["/", ["*", ["sum", inner, "k", 1, "n"], K], "n"]
    return step(left, "=", right, variables=N)


def once(inner: Any) -> dict[str, Any]:
    """A factor that does not depend on the index leaves the sum."""
    return step(
        ["sum", ["*", "c", inner], "k", 1, "n"],
        "=",
        ["*", "c", ["sum", inner, "k", 1, "n"]],
        variables=N | {"c": REAL},
    )


def undefined_end(nothing: Any, kind: str, words: list[str]) -> dict[str, Any]:
    """A sum or an integral of 0 up to y/y."""
    return step(nothing, "=", 0, variables={"y": words}, hints={kind: [[nothing, 0]]})


HOLES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "0^0 has the sign of 0": (step(["^", 0, 0], "=", 0, "sign"), step(["^", 0, 0], "=", 1, "sign")),
    "x^0 has the sign of x, which a hypothesis says to be 0": (
        step(["^", "x", 0], "<=", 0, "sign", variables={"x": REAL}, given=[["x", "=", 0]], at={"x": 0}),
        step(["^", "x", 0], ">", 0, "sign", variables={"x": REAL}, given=[["x", "=", 0]], at={"x": 0}),
    ),
    "the end of a sum is no part of it: a slope of 0": (
        step(K, "<=", 1, "monotone", variables=N, hints={"variable": "n", "from": 1}),
        step("n", ">=", 1, "monotone", variables=N, hints={"variable": "n", "from": 1}),
    ),
    "a derivative in a whole number": (
        step(["diff", K, "n", 1], "=", 0, variables=N),
        step(["diff", ["*", "c", K], "c", 1], "=", K, variables=N | {"c": REAL}),
    ),
    "a sum from 1/2": (
        step(["sum", 1, "k", ["/", 1, 2], "n"], "=", ["+", "n", ["/", 1, 2]], variables=N),
        step(["sum", 1, "k", 0, "n"], "=", ["+", "n", 1], variables=N),
    ),
    "a sum that is not looked at because its factor is 0": (
        step(["*", 0, ["sum", "k", "k", ["/", 1, 2], "n"]], "=", 0, "sign", variables=N),
        step(["*", 0, ["sum", "k", "k", 2, "n"]], "=", 0, "sign", variables=N),
    ),
    "a sum up to the index of the outer one leaves it": (times_index(INNER), once(INNER)),
    "an integral up to the index of the outer sum leaves it": (times_index(PART), once(PART)),
    "a sum of what is not 0 is not 0": (
        step(
            ["^", ["sum", ["/", "x", ["+", 1, ["*", "k", ["^", "x", 2]]]], "k", 1, "n"], -2],
            ">",
            0,
            "sign",
            variables={"n": COUNT, "x": ["nonzero"]},
        ),
        step(
            ["sum", ["/", 1, ["+", 1, ["*", "k", ["^", "x", 2]]]], "k", 1, "n"],
            ">=",
            0,
            "sign",
            variables={"n": COUNT, "x": ["nonzero"]},
        ),
    ),
    "an unknown function of the name erf": (
        step(["fn", "erf", "x"], ">", 0, "sign", variables={"x": POSITIVE}),
        step(["erf", "x"], ">", 0, "sign", variables={"x": POSITIVE}),
    ),
    "a matrix with the name of a transpose": (
        step(
            ["tr", ["*", ["mat", "W'"], ["mat", "W"], ["mat", "A"]]],
            "=",
            traced("A"),
            letters={"W": "general", "W'": "general", "A": "general"},
            rules=[[["W'", "W"], 1]],
        ),
        step(
            traced("W'", "W", "A"),
            "=",
            traced("A"),
            letters={"W": "general", "A": "general"},
            rules=[[["W'", "W"], 1]],
        ),
    ),
    "matrices for a variable that has not its sign": (
        step(
            traced("W'", "W", "A"),
            "=",
            ["*", ["-", "x"], traced("A")],
            variables={"x": POSITIVE},
            letters={"W": "general", "A": "general"},
            rules=[[["W'", "W"], ["-", "x"]]],
            matrices={"W": [[1]], "A": [[1]]},
            at={"x": -1},
        ),
        step(
            traced("W'", "W", "A"),
            "=",
            ["*", "x", traced("A")],
            variables={"x": POSITIVE},
            letters={"W": "general", "A": "general"},
            rules=[[["W'", "W"], "x"]],
            matrices={"W": [[1]], "A": [[1]]},
            at={"x": 1},
        ),
    ),
    "the slope of a trace whose value has the variable": (
        step(["diff", GRAM, "x", 1], "=", 1, variables={"x": REAL}, traces=[[GRAM, "x"]], **KNOWN),
        step(["diff", ["*", "x", GRAM], "x", 1], "=", GRAM, variables={"x": REAL}, **KNOWN),
    ),
    "a way on which the value of a trace moves, from a point at which it does not": (
        step(
            ["-", GRAM, ["+", "x", 1]],
            ">=",
            0,
            "monotone",
            variables={"x": ["nonnegative"]},
            given=[["x", ">=", 1]],
            traces=[[GRAM, "x"]],
            hints={"variable": "x", "from": 0},
            **KNOWN,
        ),
        step(
            ["-", GRAM, ["+", "x", 1]],
            "=",
            -1,
            variables={"x": ["nonnegative"]},
            given=[["x", ">=", 1]],
            traces=[[GRAM, "x"]],
            **KNOWN,
        ),
    ),
    "the end of an integral is not defined": (
        undefined_end(["int", 0, "x", 0, ["/", "y", "y"]], "integrals", REAL),
        undefined_end(["int", 0, "x", 0, ["/", "y", "y"]], "integrals", POSITIVE),
    ),
    "the end of a sum is not defined": (
        undefined_end(["sum", 0, "k", 1, ["/", "y", "y"]], "sums", REAL),
        undefined_end(["sum", 0, "k", 1, ["/", "y", "y"]], "sums", POSITIVE),
    ),
    "identities of two sizes": (
        step(
            ["tr", ["+", 1, ["*", ["mat", "W"], ["mat'", "W"]]]],
            "=",
            ["tr", ["+", 1, ["*", ["mat'", "W"], ["mat", "W"]]]],
            letters={"W": "general"},
        ),
        step(["tr", ["+", 1, ["mat", "S"]]], "=", ["+", ["tr", 1], traced("S")], letters={"S": "symmetric"}),
    ),
    "a number beside a product of columns": (
        step(
            ["tr", ["+", 1, ["*", ["mat'", "x"], ["mat", "x"]]]],
            "=",
            ["tr", ["+", 1, ["*", ["mat", "x"], ["mat'", "x"]]]],
            letters={"x": "column"},
        ),
        step(traced("x'", "x"), "=", traced("x", "x'"), letters={"x": "column"}),
    ),
    "a hypothesis that is not defined at the instance": (
        step(
            "x",
            ">=",
            2,
            "sign",
            variables={"x": REAL},
            given=[["x", ">=", 2], [["*", 0, ["asin", "x"]], ">=", 0]],
            at={"x": 2},
        ),
        step(
            "x",
            ">=",
            2,
            "sign",
            variables={"x": REAL},
            given=[["x", ">=", 2], [["*", 0, ["atan", "x"]], ">=", 0]],
            at={"x": 2},
        ),
    ),
    "the value of a variable at the instance is not defined": (
        step(
            "x",
            ">=",
            0,
            "sign",
            variables={"x": REAL},
            given=[["x", ">=", 0]],
            at={"x": ["*", 0, ["asin", 2]]},
        ),
        step(
            "x",
            ">=",
            0,
            "sign",
            variables={"x": REAL},
            given=[["x", ">=", 0]],
            at={"x": ["*", 0, ["asin", 0]]},
        ),
    ),
    "a slope of what has none inside a trace": (
        step(
            ["diff", ["tr", ["*", ["sqrt", "x"], ["mat", "W"]]], "x", 1],
            "=",
            ["diff", ["tr", ["*", ["sqrt", "x"], ["mat", "W"]]], "x", 1],
            variables={"x": ["nonnegative"]},
            letters={"W": "general"},
        ),
        step(
            ["diff", ["tr", ["*", ["sqrt", "x"], ["mat", "W"]]], "x", 1],
            "=",
            ["/", traced("W"), ["*", 2, ["sqrt", "x"]]],
            variables={"x": POSITIVE},
            letters={"W": "general"},
        ),
    ),
    # A trace stands for x, though x does not stand in it: along x it is not what its value is.
    "a trace whose value moves, along a variable": (
        step(
            GRAM,
            ">=",
            ["+", "x", 1],
            "monotone",
            variables={"x": ["nonnegative"]},
            given=[["x", ">=", 1]],
            traces=[[GRAM, "x"]],
            hints={"variable": "x", "from": 0, "side": "above", "slope": {"is": 0, "by": "sign"}},
            **KNOWN,
        ),
        step(
            GRAM,
            ">=",
            1,
            "sign",
            variables={"x": ["nonnegative"]},
            given=[["x", ">=", 1]],
            traces=[[GRAM, "x"]],
            **KNOWN,
        ),
    ),
}


@pytest.mark.parametrize("name", HOLES)
def test_what_is_false_is_rejected_and_its_true_neighbour_is_not(name: str) -> None:
    false, true = HOLES[name]
    assert not accepted(false)
    assert accepted(true)
