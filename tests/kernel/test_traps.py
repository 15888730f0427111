"""The known traps: each step is false, not defined, or about nothing, and each is rejected for a reason that says so."""

from __future__ import annotations

from typing import Any

import pytest
from proof_steps import INFINITY, MINUS_INFINITY, PI, accepted, over, reason, step, traced

REAL, POSITIVE, NONZERO, NEGATIVE = ({"x": [w]} for w in ("real", "positive", "nonzero", "negative"))
NONNEGATIVE = {"x": ["nonnegative"]}
X2 = ["^", "x", 2]


def integral(
    body: Any, low: Any, high: Any, value: Any, primitive: Any, variables: dict[str, Any]
) -> dict[str, Any]:
    term, hints = over(body, "t", low, high, primitive)
    return step(term, "=", value, variables=variables, hints=hints)


A = {"a": ["real"]}
GROWING = ["exp", ["*", "a", "t"]]
TRAPS: dict[str, tuple[dict[str, Any], str]] = {
    "0/0": (step(["/", "x", "x"], "=", 1, variables=REAL), "a divisor that is not known to be nonzero"),
    "0 times what is not defined": (step(["*", 0, ["log", -1]], "=", 0, "sign"), "log of"),
    "0^-1": (step(["^", 0, -1], "=", 0), "a power of a base"),
    "0^x at 0": (step(["^", 0, "x"], "=", 0, variables=NONNEGATIVE), "a power of a base"),
    "x^0 is not 0": (step(["^", "x", 0], "=", 0, variables=REAL), "different normal forms"),
    "sqrt(x^2) is not x": (step(["sqrt", X2], "=", "x", variables=REAL), "different normal forms"),
    "(x^2)^(3/2) is not x^3": (
        step(["^", X2, ["/", 3, 2]], "=", ["^", "x", 3], variables=REAL),
        "different normal forms",
    ),
    "a root of a product of negatives": (
        step(
            ["sqrt", ["*", "x", "y"]],
            "=",
            ["*", ["sqrt", "x"], ["sqrt", "y"]],
            variables=NEGATIVE | {"y": ["negative"]},
        ),
        "sqrt of",
    ),
    "(-8)^(1/3)": (step(["^", -8, ["/", 1, 3]], "=", -2), "a power of a base"),
    "an even root of a negative": (
        step(["^", "x", ["/", 1, 4]], ">=", 0, "sign", variables=REAL),
        "a power of a base",
    ),
    "log of a negative": (step(["log", "x"], "=", ["log", "x"], variables=NEGATIVE), "log of"),
    "log x^2 is not 2 log x": (step(["log", X2], "=", ["*", 2, ["log", "x"]], variables=NONZERO), "log of"),
    "exp(log x) at negative x": (step(["exp", ["log", "x"]], "=", "x", variables=REAL), "log of"),
    "a pole of gamma": (step(["gamma", 0], "=", ["gamma", 0]), "gamma of"),
    "a pole of tan": (step(["tan", ["/", PI, 2]], "=", ["tan", ["/", PI, 2]]), "tan of"),
    "asin of 2": (step(["asin", "x"], "<=", 2, "sign", variables=REAL), "asin of"),
    "the slope of |x| at 0": (step(["diff", ["abs", "x"], "x", 1], "=", 1, variables=REAL), "no slope at 0"),
    "|x| along the line": (
        step(
            ["abs", "x"],
            ">=",
            "x",
            "monotone",
            variables=REAL,
            given=[["x", ">=", -1]],
            at={"x": 0},
            hints={"variable": "x", "from": -1},
        ),
        "no slope at 0",
    ),
    "a slope of a step": (step(["diff", ["floor", "x"], "x", 1], "=", 0, variables=REAL), "floor of"),
    "a slope of a root at 0": (
        step(["diff", ["sqrt", "x"], "x", 1], ">=", 0, "sign", variables=NONNEGATIVE),
        "sqrt of",
    ),
    "a jump of an antiderivative": (
        integral(
            ["/", 1, ["+", 1, ["^", "t", 2]]], -1, 1, ["-", ["/", PI, 2]], ["-", ["atan", ["/", 1, "t"]]], {}
        ),
        "a divisor",
    ),
    "an antiderivative with floor": (
        integral(1, 0, 2, ["-", 2, 2], ["-", "t", ["floor", "t"]], {}),
        "floor of",
    ),
    "an antiderivative with sign": (integral(0, -1, 1, 2, ["sign", "t"], {}), "sign of"),
    "1/t across 0": (integral(["/", 1, "t"], -1, 1, 0, ["log", ["abs", "t"]], {}), "a divisor"),
    "1/t^2 across 0": (integral(["^", "t", -2], -1, 1, -2, ["/", -1, "t"], {}), "a power of a base"),
    "1/t up to 0": (integral(["/", 1, "t"], 0, 1, 0, ["log", "t"], {}), "do not cancel"),
    "an integral backwards": (step(["int", 1, "t", 1, 0], "=", 1), "lower end"),
    "an integral from oo": (step(["int", 1, "t", INFINITY, MINUS_INFINITY], "=", 0), "begins at oo"),
    "an integral that may not exist": (
        step(["int", ["exp", "t"], "t", 0, INFINITY], "=", ["int", ["exp", "t"], "t", 0, INFINITY]),
        "infinite range",
    ),
    "an end that no statement names": (
        step(["+", ["const", "oo"], 1], "=", ["const", "oo"]),
        "the constants are",
    ),
    "oscillation": (integral(["cos", "t"], 0, INFINITY, 0, ["sin", "t"], {}), "a limit that is infinite"),
    "a limit of atan, twice as large": (
        integral(["/", 1, ["+", 1, ["^", "t", 2]]], 0, INFINITY, PI, ["atan", "t"], {}),
        "normal forms",
    ),
    "an exponent of unknown sign": (
        integral(["*", "a", GROWING], 0, INFINITY, -1, GROWING, A),
        "known to vanish",
    ),
    "an exponent that may be 0": (
        integral(["*", "a", GROWING], 0, INFINITY, -1, GROWING, {"a": ["nonpositive"]}),
        "known to vanish",
    ),
    "erf of a t where a may be 0": (
        integral(
            ["/", ["*", 2, "a", ["exp", ["-", ["^", ["*", "a", "t"], 2]]]], ["sqrt", PI]],
            0,
            INFINITY,
            1,
            ["erf", ["*", "a", "t"]],
            A,
        ),
        "no sign far out",
    ),
    "a leading coefficient that may be 0": (
        integral(
            ["/", ["-", "a"], ["^", ["+", 1, ["*", "a", "t"]], 2]],
            0,
            INFINITY,
            -1,
            ["/", 1, ["+", 1, ["*", "a", "t"]]],
            {"a": ["nonnegative"]},
        ),
        "leading coefficient",
    ),
    "growth hidden in a logarithm": (
        integral(
            ["/", ["exp", "t"], ["+", 1, ["exp", "t"]]], 0, INFINITY, 0, ["log", ["+", 1, ["exp", "t"]]], {}
        ),
        "a limit of exp",
    ),
    "slower than any power": (
        integral(
            ["/", ["/", -1, ["+", "t", 2]], ["^", ["log", ["+", "t", 2]], 2]],
            0,
            INFINITY,
            0,
            ["/", 1, ["log", ["+", "t", 2]]],
            {},
        ),
        "a limit of log",
    ),
    "a captured variable": (
        step(
            ["int", ["*", "x", "t"], "t", 0, 1],
            "=",
            ["/", 1, 2],
            variables=REAL,
            hints={"integrals": [[["int", ["*", "x", "t"], "t", 0, 1], ["/", ["^", "t", 2], 2]]]},
        ),
        "the slope of the antiderivative",
    ),
    "the bound variable and a free one of its name": (
        step(["int", "x", "x", 0, 1], "=", ["*", "x", ["int", 1, "x", 0, 1]], variables=REAL),
        "different normal forms",
    ),
    "a variable caught by putting in": (
        step(
            ["int", ["int", "x", "t", 0, 1], "x", 0, 1],
            "=",
            "x",
            variables=POSITIVE,
            hints={"integrals": [[["int", "x", "t", 0, 1], ["*", "x", "t"]]]},
        ),
        "different normal forms",
    ),
    "a bound variable that catches what is put in": (
        integral(
            ["int", ["*", 0, "s"], "s", 0, 1],
            0,
            "s",
            0,
            ["int", ["*", 0, "s", "t"], "s", 0, 1],
            {"s": ["positive"]},
        ),
        "has a slope",
    ),
    "a derivative under an integral": (
        step(["int", ["diff", ["exp", "t"], "t", 1], "t", 0, 1], ">=", 0, "sign"),
        "put into a derivative",
    ),
    "a slope of an integral": (
        step(["diff", ["int", ["exp", "t"], "t", 0, "x"], "x", 1], "=", ["exp", "x"], variables=POSITIVE),
        "has a slope",
    ),
    "a sum downwards": (
        step(["sum", 1, "k", "n", 1], "=", 0, variables={"n": ["positive", "integer"]}),
        "below its lower end",
    ),
    "an infinite sum": (step(["sum", ["^", "k", -2], "k", 1, ["const", "oo"]], "=", 2), "an infinite sum"),
    "too many terms": (step(["sum", "k", "k", 1, 10_000], "=", 1), "too many terms"),
    "a sum without terms makes 1/n defined": (
        step(
            ["sum", ["/", 1, "n"], "k", 1, "n"],
            "=",
            1,
            variables={"n": ["integer"]},
            given=[[["+", "n", 0], ">=", 0]],
            at={"n": 0},
        ),
        "a divisor",
    ),
    "a box that does not hold all": (
        step(
            "x",
            "<",
            2,
            "box",
            variables=REAL,
            given=[["x", ">=", 0]],
            at={"x": 0},
            hints={"box": {"x": [0, 1]}},
        ),
        "stay in its interval",
    ),
    "a box turned round": (
        step(
            "x",
            "<",
            2,
            "box",
            variables=REAL,
            given=[["x", ">=", 0], ["x", "<=", 5]],
            at={"x": 0},
            hints={"box": {"x": [5, 0]}},
        ),
        "stay in its interval",
    ),
    "a box with an end that is excluded, and a strict relation there": (
        step(
            "x",
            "<",
            1,
            "box",
            variables=REAL,
            given=[["x", ">=", 0], ["x", "<", 1]],
            at={"x": 0},
            hints={"box": {"x": [0, 1]}},
        ),
        "no strict sign",
    ),
    "squares without signs": (
        step("x", "<=", ["abs", "x"], "squares", variables=REAL),
        "not known to be nonnegative",
    ),
    "monotone to the wrong side": (
        step(
            "x",
            ">=",
            0,
            "monotone",
            variables=REAL,
            given=[["x", "<=", 0]],
            at={"x": 0},
            hints={"variable": "x", "from": 0},
        ),
        "on that side",
    ),
    "monotone from a point that moves": (
        step("x", ">=", "x", "monotone", variables=REAL, hints={"variable": "x", "from": "x"}),
        "depends on the variable",
    ),
    "monotone: what is known only at the end of the way": (
        step(
            ["^", ["-", "x", 1], 2],
            ">=",
            1,
            "monotone",
            variables=REAL,
            given=[["x", ">=", 2]],
            at={"x": 2},
            hints={"variable": "x", "from": 0},
        ),
        "the sign of the difference",
    ),
    "a chain of mixed relations": (
        step(
            1,
            "<=",
            0,
            "chain",
            hints={
                "links": [
                    {"relation": "<=", "to": 2, "by": "sign"},
                    {"relation": ">=", "to": 0, "by": "sign"},
                ]
            },
        ),
        "another way",
    ),
    "a strict chain without a strict link": (step(1, "<", 1, "chain", hints={"links": []}), "a strict link"),
    "hypotheses that contradict each other": (
        step(1, "=", 1, variables=REAL, given=[["x", ">", 1], ["x", "<", 0]], at={"x": 2}),
        "has not its sign",
    ),
    "hypotheses without an instance": (
        step(1, "=", 1, variables=REAL, given=[["x", ">", 1]]),
        "about nothing",
    ),
    "bounds of an integral that contradict each other": (
        step(["int", 1, "t", "x", 0], "=", 1, variables=POSITIVE),
        "lower end",
    ),
    "rules that no matrices obey": (
        step(traced("x", "x'"), "=", 0, letters={"x": "column"}, rules=[[["x'", "x"], -1]]),
        "need an instance",
    ),
    "matrices that do not obey": (
        step(
            traced("W'", "W"),
            "=",
            1,
            letters={"W": "general"},
            rules=[[["W'", "W"], 0], [["W", "W'"], 1]],
            matrices={"W": [[1]]},
        ),
        "does not obey",
    ),
    "traces that no matrices have": (
        step(traced("A'", "A"), "=", -1, letters={"A": "general"}, traces=[[traced("A'", "A"), -1]]),
        "no matrices are known",
    ),
    "a rule used where the letters do not meet": (
        step(
            traced("W", "W'", "A"),
            "=",
            traced("A"),
            letters={"W": "general", "A": "general"},
            rules=[[["W'", "W"], 1]],
        ),
        "different normal forms",
    ),
    "columns that make no number": (
        step(traced("x"), "=", traced("x"), letters={"x": "column"}),
        "do not alternate",
    ),
    "a matrix that stands alone": (
        step(["mat", "A"], "=", ["mat", "A"], letters={"A": "general"}),
        "outside of a trace",
    ),
    "a huge exponent": (step(["^", ["+", "x", 1], 10**9], "=", 1, variables=POSITIVE), "a power above"),
    "a huge exponent of a root": (
        step(["^", ["sqrt", ["+", "x", 1]], 9_999], "=", 1, variables=POSITIVE),
        "a power above",
    ),
    "a huge exponent of 2": (step(["^", 2, 10**9], "=", 1), "too large"),
    "sums in sums": (
        step(
            ["sum", ["sum", ["sum", ["sum", "x", "k", 1, 60], "k", 1, 60], "k", 1, 60], "k", 1, 60],
            "=",
            0,
            variables=REAL,
        ),
        "products of terms",
    ),
    "a relation that is none": (step(1, "!=", 2), "a statement is"),
    "a rule that is none": (step(1, "=", 1, "magic"), "no rule"),
}


@pytest.mark.parametrize("name", TRAPS)
def test_a_trap_is_seen(name: str) -> None:
    row, why = TRAPS[name]
    assert why in reason(row)


def test_zero_to_a_large_power_takes_no_time() -> None:
    assert accepted(step(["^", 0, 10**300], "=", 0))
    assert not accepted(step(["^", 0, 10**300], "=", 1))
