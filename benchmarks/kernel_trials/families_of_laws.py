"""More true steps by construction, for rules and laws that came later: limits, gamma and beta, series, pieces, ends, cases, enclosures."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from .families_of_induction import climbed
from .terms import Signs, Term, smooth

Step = dict[str, Any]
INFINITY, MINUS_INFINITY, PI = ["const", "oo"], ["const", "-oo"], ["const", "pi"]
SIGNS: Signs = {"y": ["positive"], "z": ["real"]}
BETWEEN = {"given": [["x", ">=", 0], ["x", "<=", 1]], "at": {"x": ["/", 1, 2], "y": 1}}


def _step(
    left: Term, relation: str, right: Term, by: str, signs: Signs, hints: dict[str, Any], **more: Any
) -> Step:
    return {"for": signs, "left": left, "relation": relation, "right": right, "by": by, "with": hints} | more


def _by_law(term: Term, value: Term, kind: str, law: dict[str, Term]) -> Step:
    return _step(term, "=", value, "ring", SIGNS, {kind: [[term, law]]})


def gamma_law(rng: Random) -> Step:
    """int_0^oo t^(a - 1) exp(-b t^r) dt."""
    a, b = (
        rng.choice([1, 2, 3, "y", ["/", 1, 2], ["+", "y", 1]]),
        rng.choice([1, 2, "y", ["+", 1, ["^", "z", 2]]]),
    )
    r, times = rng.choice([1, 2, 1, ["/", 1, 2]]), rng.choice([1, 3, "z"])
    term = [
        "int",
        ["*", times, ["^", "t", ["-", a, 1]], ["exp", ["-", ["*", b, ["^", "t", r]]]]],
        "t",
        0,
        INFINITY,
    ]
    value = ["*", times, ["/", ["gamma", ["/", a, r]], ["*", r, ["^", b, ["/", a, r]]]]]
    return _by_law(term, value, "integrals", {"law": "gamma", "a": a, "b": b, "r": r, "times": times})  # type: ignore[dict-item]


def beta_law(rng: Random) -> Step:
    """int_0^1 t^(a - 1) (1 - t)^(b - 1) dt."""
    a, b, times = (rng.choice([1, 2, 3, "y", ["+", "y", 1]]) for _ in range(3))
    term = ["int", ["*", times, ["^", "t", ["-", a, 1]], ["^", ["-", 1, "t"], ["-", b, 1]]], "t", 0, 1]
    value = ["*", times, ["/", ["*", ["gamma", a], ["gamma", b]], ["gamma", ["+", a, b]]]]
    return _by_law(term, value, "integrals", {"law": "beta", "a": a, "b": b, "times": times})  # type: ignore[dict-item]


def series(rng: Random) -> Step:
    """The exponential and the binomial series."""
    times = rng.choice([1, 2, "z"])
    if rng.random() < 0.5:
        x = rng.choice([1, 2, "y", ["/", 1, "y"]])
        term = ["sum", ["*", times, ["/", ["^", x, "k"], ["factorial", "k"]]], "k", 0, INFINITY]
        return _by_law(term, ["*", times, ["exp", x]], "sums", {"law": "exponential", "x": x, "times": times})  # type: ignore[dict-item]
    x, r = rng.choice([["/", 1, 2], ["/", 1, 3], ["/", "y", ["+", "y", 1]]]), rng.choice([1, 2, "y"])
    part = ["/", ["gamma", ["+", "k", r]], ["*", ["gamma", r], ["factorial", "k"]]]
    term = ["sum", ["*", times, part, ["^", x, "k"]], "k", 0, INFINITY]
    value = ["*", times, ["^", ["-", 1, x], ["-", r]]]
    return _by_law(term, value, "sums", {"law": "binomial", "x": x, "r": r, "times": times})  # type: ignore[dict-item]


def limits(rng: Random) -> Step:
    """Integrals whose antiderivative has only a limit at an end."""
    half = ["/", 1, 2]
    log, more = ["log", "t"], ["+", "y", 1]
    body, primitive, low, high, right = rng.choice(
        [
            (["^", "t", ["/", -3, 2]], ["*", -2, ["^", "t", ["/", -1, 2]]], 1, INFINITY, 2),
            (["^", "t", ["/", -1, 2]], ["*", 2, ["sqrt", "t"]], 0, 1, 2),
            (log, ["-", ["*", "t", log], "t"], 0, 1, -1),
            (["/", log, ["^", "t", 2]], ["-", ["/", ["+", log, 1], "t"]], 1, INFINITY, 1),
            (["*", "y", ["^", "t", ["-", ["-", "y"], 1]]], ["-", ["^", "t", ["-", "y"]]], 1, INFINITY, 1),
            (["*", more, ["^", "t", "y"]], ["^", "t", more], 0, 1, 1),
            (["/", 1, ["+", 1, ["^", "t", 2]]], ["atan", "t"], 0, INFINITY, ["*", half, PI]),
            (["/", half, ["sqrt", ["-", 1, "t"]]], ["-", ["sqrt", ["-", 1, "t"]]], 0, 1, 1),
            (
                ["-", ["/", 1, ["+", "t", "y"]], ["/", 1, ["+", "t", ["*", 2, "y"]]]],
                ["-", ["log", ["+", "t", "y"]], ["log", ["+", "t", ["*", 2, "y"]]]],
                0,
                INFINITY,
                ["log", 2],
            ),
            (
                ["*", "y", ["^", "t", ["-", "y", 1]], ["exp", ["-", ["^", "t", "y"]]]],
                ["-", ["exp", ["-", ["^", "t", "y"]]]],
                0,
                INFINITY,
                1,
            ),
            (["/", ["exp", ["/", -1, "t"]], ["^", "t", 2]], ["exp", ["/", -1, "t"]], 0, INFINITY, 1),
            (
                ["*", "t", log],
                ["-", ["/", ["*", ["^", "t", 2], log], 2], ["/", ["^", "t", 2], 4]],
                0,
                1,
                ["/", -1, 4],
            ),
        ]
    )
    term = ["int", body, "t", low, high]
    return _step(term, "=", right, "ring", SIGNS, {"integrals": [[term, primitive]]})


def pieces(rng: Random) -> Step:
    """Integrals by antiderivatives of their parts."""
    size = ["abs", ["-", "t", "z"]]
    body, given, low, high, right = rng.choice(
        [
            (["abs", "t"], [["/", ["^", "t", 2], -2], 0, ["/", ["^", "t", 2], 2]], -1, 2, ["/", 5, 2]),
            (
                ["exp", ["-", ["abs", "t"]]],
                [["exp", "t"], 0, ["-", ["exp", ["-", "t"]]]],
                MINUS_INFINITY,
                INFINITY,
                2,
            ),
            (
                ["exp", ["-", ["/", size, "y"]]],
                [
                    ["*", "y", ["exp", ["/", ["-", "t", "z"], "y"]]],
                    "z",
                    ["*", -1, "y", ["exp", ["/", ["-", "z", "t"], "y"]]],
                ],
                MINUS_INFINITY,
                INFINITY,
                ["*", 2, "y"],
            ),
            (
                ["/", 1, ["sqrt", ["abs", "t"]]],
                [["*", -2, ["sqrt", ["-", "t"]]], 0, ["*", 2, ["sqrt", "t"]]],
                -1,
                1,
                4,
            ),
        ]
    )
    term = ["int", body, "t", low, high]
    return _step(term, "=", right, "ring", SIGNS, {"integrals": [[term, *given]]})


def ends(rng: Random) -> Step:
    """What bends one way is at most what it is at the ends."""
    f, most = rng.choice(
        [
            (["^", "x", 2], 1),
            (["exp", ["*", "y", "x"]], ["exp", "y"]),
            (["-", ["^", "x", 2], "x"], 0),
            (["-", ["*", "y", "x"]], 0),
            (["*", "y", ["^", ["-", "x", 2], 2]], ["*", 4, "y"]),
        ]
    )
    hints = {
        "variable": "x",
        "low": 0,
        "high": 1,
        "bend": {"by": "sign"},
        "at": {"by": rng.choice(["sign", "ring"])},
    }
    return _step(f, "<=", most, "ends", {"x": ["real"], "y": ["positive"]}, hints, **BETWEEN)


def cases(rng: Random) -> Step:
    """A statement about a maximum or an absolute value, for each of what it may be."""
    signs: Signs = {"x": ["real"], "y": ["positive"]}
    a = smooth(rng, ["x", "y"], 1)
    one, two = ["-", ["^", ["-", a, 1], 2]], ["-", ["^", ["+", a, 1], 2]]
    left, right, of, each = rng.choice(
        [
            (
                ["*", 2, ["abs", a]],
                ["+", 1, ["^", a, 2]],
                ["abs", a],
                [{"by": "sign", "with": {"as": one}}, {"by": "sign", "with": {"as": two}}],
            ),
            (["max", a, "y"], ["+", ["abs", a], "y"], ["max", a, "y"], [{"by": "sign"}, {"by": "sign"}]),
            (["min", a, "y"], "y", ["min", a, "y"], [{"by": "sign"}, {"by": "sign"}]),
        ]
    )
    return _step(left, "<=", right, "cases", signs, {"of": of, "each": each})


def corner(rng: Random) -> Step:
    """A bound over two intervals by enclosures and slopes, with some room."""
    f = smooth(rng, ["x", "y"], 2)
    from .values import value

    points = [{"x": i / 8, "y": 1 + j / 8} for i in range(9) for j in range(9)]
    most = max(float(value(f, p)) for p in points)
    right = ["/", int((most + 0.3 * (1 + abs(most))) * 20) + 1, 20]
    given = [["x", ">=", 0], ["x", "<=", 1], ["y", ">=", 1], ["y", "<=", 2]]
    by, hints = rng.choice([("box", {"box": {"x": [0, 1], "y": [1, 2]}}), ("sign", {})])
    at = {"x": 0, "y": 1}
    return _step(f, "<", right, by, {"x": ["real"], "y": ["positive"]}, hints, given=given, at=at)  # type: ignore[arg-type]


def along(rng: Random) -> Step:
    """Growth that only a hypothesis shows, which holds on the way too."""
    f, slope, start = rng.choice(
        [
            (["-", "x", ["/", ["^", "x", 2], 2]], ["-", 1, "x"], 0),
            (["*", "y", ["-", ["*", 3, "x"], ["^", "x", 3]]], ["*", "y", 3, ["-", 1, ["^", "x", 2]]], 0),
            (["-", ["log", ["-", 2, "x"]]], ["/", 1, ["-", 2, "x"]], 0),
            (["sqrt", ["+", "x", "y"]], ["/", 1, ["*", 2, ["sqrt", ["+", "x", "y"]]]], 0),
        ]
    )
    at = {"x": ["/", 1, 2], "y": 1}
    given = [["x", ">=", 0], rng.choice([["x", "<=", 1], ["x", "<", 1], ["x", "<=", ["*", 1, "y"]]])]
    value = _put(f, start)
    hints = {"variable": "x", "from": start, "side": "above", "slope": {"is": slope, "by": "sign"}}
    return _step(f, ">=", value, "monotone", {"x": ["real"], "y": ["positive"]}, hints, given=given, at=at)


def _put(term: Term, start: Term) -> Term:
    if term == "x":
        return start
    return [term[0], *(_put(a, start) for a in term[1:])] if isinstance(term, list) else term


def gammas(rng: Random) -> Step:
    """Recurrences of gamma, its logarithm and the slopes of that."""
    a = rng.choice(["y", ["+", "y", 1], ["+", 1, ["^", "z", 2]], ["/", "y", 2]])
    order = rng.randint(0, 3)
    factorials = [1, 1, 2, 6]
    sign = (-1) ** order * factorials[order]
    left, right = rng.choice(
        [
            (["gamma", ["+", a, 2]], ["*", ["+", a, 1], a, ["gamma", a]]),
            (["loggamma", ["+", a, 1]], ["+", ["loggamma", a], ["log", a]]),
            (["log", ["gamma", ["+", a, 1]]], ["+", ["log", a], ["loggamma", a]]),
            (
                ["polygamma", order, ["+", a, 1]],
                ["+", ["polygamma", order, a], ["/", sign, ["^", a, order + 1]]],
            ),
            (["diff", ["loggamma", ["*", 2, "y"]], "y", 1], ["*", 2, ["polygamma", 0, ["*", 2, "y"]]]),
            (["diff", ["gamma", "y"], "y", 1], ["*", ["gamma", "y"], ["polygamma", 0, "y"]]),
            (["gamma", ["/", 3, 2]], ["/", ["sqrt", PI], 2]),
        ]
    )
    return _step(left, "=", right, "ring", SIGNS, {})


def _known() -> dict[str, Callable[[Random], Step]]:
    """Those whose rule the kernel has."""
    from noiseproof.symbolic.proof.kernel import language, steps

    found: list[Callable[[Random], Step]] = [limits, along, corner]
    if "ends" in steps.RULES:
        found += [ends, cases]
    if hasattr(language, "arguments"):
        found += [gamma_law, beta_law, series, pieces, gammas]
    if "induction" in steps.RULES:
        found += [climbed]
    return {f.__name__: f for f in found}


FAMILIES = _known()
