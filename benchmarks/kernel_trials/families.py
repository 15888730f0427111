"""True steps by construction, one family for each rule of the kernel, with the hints by which they can be accepted."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from .families_of_laws import FAMILIES as MORE
from .slopes import slope
from .terms import SMOOTH, WORDS, Signs, Term, constant, positive, rewritten, smooth, wild

Step = dict[str, Any]
INFINITY, MINUS_INFINITY, ROOT_PI = ["const", "oo"], ["const", "-oo"], ["sqrt", ["const", "pi"]]


def _declared(rng: Random) -> tuple[list[str], Signs]:
    names = ["x", "y", "z"][: rng.randint(1, 3)]
    return names, {
        n: [rng.choice(["real", "real", "positive", "nonnegative", rng.choice(WORDS)])] for n in names
    }


def _step(left: Term, relation: str, right: Term, by: str, signs: Signs, **hints: Any) -> Step:
    found: Step = {"for": signs, "left": left, "relation": relation, "right": right, "by": by}
    return found | ({"with": hints} if hints else {})


def identity(rng: Random) -> Step:
    """An expression and the same written otherwise."""
    names, signs = _declared(rng)
    left = smooth(rng, names, rng.randint(1, 3))
    return _step(left, "=", rewritten(left, rng, names, signs, rng.randint(1, 3)), "ring", signs)


def derivative(rng: Random) -> Step:
    """A derivative that is written down, and what it is."""
    names, signs = _declared(rng)
    f = smooth(rng, names, 2)
    return _step(["diff", f, names[0], 1], "=", slope(f, names[0]), "ring", signs)


def squares(rng: Random) -> Step:
    """a <= a + squares and other things that are not negative."""
    names, signs = _declared(rng)
    a, b = smooth(rng, names, 2), smooth(rng, names, 2)
    more = rng.choice(
        [
            ["^", b, 2],
            ["*", positive(rng, names, 1, signs), ["^", b, 2]],
            ["abs", b],
            positive(rng, names, 2, signs),
        ]
    )
    left = rng.choice([a, rewritten(a, rng, names, signs, 1)])
    return _step(left, "<=", ["+", a, more], "sign", signs, **{"as": ["-", more]})


def bounded(rng: Random) -> Step:
    """A known bound of a function, with a positive factor."""
    names, signs = _declared(rng)
    a, c = smooth(rng, names, 1), positive(rng, names, 0, signs)
    left, right = rng.choice(
        [
            (["sin", a], 1),
            (["erf", a], 1),
            (["+", a, 1], ["exp", a]),
            (a, ["abs", a]),
            (["log", c], ["-", c, 1]),
            (-1, ["cos", a]),
            (a, ["max", a, ["sin", a]]),
        ]
    )
    return _step(left, "<=", right, "sign", signs)


def root(rng: Random) -> Step:
    """Two sides that are not negative, by their squares."""
    names, signs = _declared(rng)
    p, q = positive(rng, names, 1, signs), positive(rng, names, 1, signs)
    return _step(["sqrt", ["+", p, q]], "<=", ["+", ["sqrt", p], ["sqrt", q]], "squares", signs)


def size(rng: Random) -> Step:
    """|a| <= b."""
    names, signs = _declared(rng)
    a, p = smooth(rng, names, 1), positive(rng, names, 1, signs)
    squared = {
        "above": {"by": "sign", "with": {"as": ["-", ["^", ["-", a, 1], 2]]}},
        "below": {"by": "sign", "with": {"as": ["-", ["^", ["+", a, 1], 2]]}},
    }
    left, right, hints = rng.choice(
        [
            (["*", 2, a], ["+", 1, ["^", a, 2]], squared),
            (["*", p, ["sin", a]], p, {}),
            (a, ["+", ["abs", a], p], {}),
        ]
    )
    return _step(["abs", left], "<=", right, "absolute", signs, **hints)


def chain(rng: Random) -> Step:
    """Several links that point one way."""
    names, signs = _declared(rng)
    a, b, c = smooth(rng, names, 1), smooth(rng, names, 1), positive(rng, names, 1, signs)
    middle = ["+", a, ["^", b, 2]]
    links = [
        {"relation": "<=", "to": middle, "by": "sign"},
        {"relation": "=", "to": rewritten(middle, rng, names, signs, 1), "by": "ring"},
        {"relation": rng.choice(["<", "<="]), "to": ["+", middle, c], "by": "sign"},
    ]
    relation = "<" if links[2]["relation"] == "<" else "<="
    return _step(a, relation, ["+", a, ["^", b, 2], c], "chain", signs, links=links)


def monotone(rng: Random) -> Step:
    """f(x) >= f(a) along a half-line on which f grows."""
    start = rng.choice([0, 0, 1, -1, ["/", 1, 2]])
    signs: Signs = {"x": ["real"], "y": ["positive"]}
    f = rng.choice(
        [
            ["exp", ["*", "y", "x"]],
            ["atan", "x"],
            ["erf", "x"],
            ["*", "y", ["^", "x", 3]],
            ["-", ["exp", "x"], "x"],
            ["sinh", "x"],
            ["+", ["exp", "x"], ["*", "y", "x"]],
            ["-", "x", ["sin", "x"]],
            ["log", ["+", 3, "x"]],
            ["/", "x", ["+", 2, "x"]],
        ]
    )
    up = rng.random() < 0.7
    at = _put(f, start)
    found = _step(
        f,
        ">=" if up else "<=",
        at,
        "monotone",
        signs,
        variable="x",
        side="above" if up else "below",
        slope={"is": slope(f, "x"), "by": "sign"},
        **{"from": start},
    )
    return found | {"given": [["x", ">=" if up else "<=", start]], "at": {"x": start, "y": 1}}


def _put(term: Term, start: Term) -> Term:
    if term == "x":
        return start
    return [term[0], *(_put(a, start) for a in term[1:])] if isinstance(term, list) else term


def box(rng: Random) -> Step:
    """A bound over an interval, with some room."""
    import mpmath as mp

    from .values import value

    f = smooth(rng, ["x"], 2)
    low = rng.choice([0, -1, 1, 2])
    high = low + rng.choice([1, 1, 2])
    sampled = [value(f, {"x": mp.mpf(low) + mp.mpf(high - low) * i / 40}) for i in range(41)]
    most = max(sampled)
    room = mp.mpf(rng.choice([0.3, 0.1, 1])) * (1 + abs(most))
    right = ["/", int(mp.ceil((most + room) * 20)), 20]
    found = _step(f, "<", right, "box", {"x": ["real"]}, box={"x": [low, high]})
    return found | {"given": [["x", ">=", low], ["x", "<=", high]], "at": {"x": low}}


def integral(rng: Random) -> Step:
    """An integral with its antiderivative, between two ends."""
    signs: Signs = {"y": ["positive"], "z": ["real"]}
    primitive = rng.choice(
        [
            smooth(rng, ["t", "y"], 2),
            [rng.choice(SMOOTH), ["*", "y", "t"]],
            ["log", ["+", "t", 1]],
            ["^", ["+", "t", "y"], -1],
            ["*", ["/", 2, 3], ["^", "t", ["/", 3, 2]]],
            ["atan", "t"],
        ]
    )
    low, high = rng.choice([(0, 1), (1, 2), (0, "y"), (["-", "y"], "y"), (0, ["^", "z", 2])])
    body = slope(primitive, "t")
    term = ["int", body, "t", low, high]
    right = ["-", *(_for(primitive, "t", e) for e in (high, low))]
    return _step(term, "=", right, "ring", signs, integrals=[[term, primitive]])


def improper(rng: Random) -> Step:
    """An integral to infinity that has a value."""
    a = rng.choice([1, 2, "y", ["+", 1, ["^", "z", 2]]])
    bell = ["exp", ["-", ["/", ["^", "t", 2], ["*", 2, ["^", "y", 2]]]]]
    body, primitive, low, high, right = rng.choice(
        [
            (
                ["exp", ["-", ["*", a, "t"]]],
                ["-", ["/", ["exp", ["-", ["*", a, "t"]]], a]],
                0,
                INFINITY,
                ["/", 1, a],
            ),
            (["/", 1, ["^", ["+", a, "t"], 2]], ["/", -1, ["+", a, "t"]], 0, INFINITY, ["/", 1, a]),
            (
                ["/", bell, ["*", "y", ["sqrt", ["*", 2, ["const", "pi"]]]]],
                ["/", ["erf", ["/", "t", ["*", "y", ["sqrt", 2]]]], 2],
                MINUS_INFINITY,
                INFINITY,
                1,
            ),
            (
                ["*", "t", ["exp", ["-", ["^", "t", 2]]]],
                ["/", ["exp", ["-", ["^", "t", 2]]], -2],
                MINUS_INFINITY,
                INFINITY,
                0,
            ),
            (
                ["*", a, "t", ["exp", ["-", ["*", a, "t"]]]],
                ["*", ["-", ["+", "t", ["/", 1, a]]], ["exp", ["-", ["*", a, "t"]]]],
                0,
                INFINITY,
                ["/", 1, a],
            ),
            (["exp", "t"], ["exp", "t"], MINUS_INFINITY, "z", ["exp", "z"]),
        ]
    )
    term = ["int", body, "t", low, high]
    return _step(term, "=", right, "ring", {"y": ["positive"], "z": ["real"]}, integrals=[[term, primitive]])


def _for(term: Term, name: str, new: Term) -> Term:
    if term == name:
        return new
    return [term[0], *(_for(a, name, new) for a in term[1:])] if isinstance(term, list) else term


def summed(rng: Random) -> Step:
    """A sum that telescopes, or one that is linear in its body."""
    signs: Signs = {"n": ["positive", "integer"], "x": ["real"]}
    s = rng.choice(
        [
            ["^", "k", 2],
            ["*", "x", "k"],
            ["/", 1, ["+", "k", 1]],
            ["^", "k", 3],
            ["*", "k", ["-", "k", 1]],
            ["*", "x", ["^", "k", 2]],
        ]
    )
    body = rng.choice([["-", _for(s, "k", ["+", "k", 1]), s]])
    low, high = rng.choice(
        [(1, "n"), (0, "n"), (0, ["-", "n", 1]), (1, ["*", 2, "n"]), (2, ["+", "n", 1]), (1, 4)]
    )
    term = ["sum", body, "k", low, high]
    if rng.random() < 0.3:
        b = rng.choice(
            [
                ["fn", "g", "k"],
                ["exp", "k"],
                ["/", 1, "k"],
                ["^", "x", 2],
                ["sum", ["fn", "g", "j"], "j", 1, "k"],
            ]
        )
        c = rng.choice(["x", ["exp", "x"], ["/", 1, "n"]])
        one = ["sum", b, "k", 1, "n"]
        return _step(["sum", ["*", c, b], "k", 1, "n"], "=", ["*", c, one], "ring", signs)
    right = ["-", _for(s, "k", ["+", high, 1]), _for(s, "k", low)]
    return _step(term, "=", right, "ring", signs, **({} if high == 4 else {"sums": [[term, s]]}))


def trace(rng: Random) -> Step:
    """A trace of products, multiplied out or turned round."""
    letters = {"A": "general", "S": "symmetric", "v": "column", "W": "general"}
    a, t, s, w = ["mat", "A"], ["mat'", "A"], ["mat", "S"], ["mat", "W"]
    v, row, turned = ["mat", "v"], ["mat'", "v"], ["mat'", "W"]
    p, q, r = (rng.choice([a, t, s, w]) for _ in range(3))
    c = rng.choice([2, "x", -1])
    left, right = rng.choice(
        [
            (["tr", ["*", p, q, r]], ["tr", ["*", q, r, p]]),
            (
                ["tr", ["*", p, ["+", q, ["*", c, r]]]],
                ["+", ["tr", ["*", p, q]], ["*", c, ["tr", ["*", p, r]]]],
            ),
            (
                ["tr", ["*", ["+", a, s], ["+", t, s]]],
                ["+", ["tr", ["*", a, t]], ["*", 2, ["tr", ["*", s, a]]], ["tr", ["*", s, s]]],
            ),
            (["tr", ["*", row, p, v, row, q, v]], ["*", ["tr", ["*", row, p, v]], ["tr", ["*", row, q, v]]]),
            (["tr", ["*", p, turned, w, q]], ["tr", ["*", q, p]]),
            (["tr", ["*", t, a]], ["tr", ["*", a, t]]),
            (["tr", ["*", row, ["-", 1, ["*", turned, w]], p, v]], 0),
        ]
    )
    found = _step(left, "=", right, "ring", {"x": ["real"]})
    return found | {"letters": letters, "rules": [[["W'", "W"], 1]]}


def random(rng: Random) -> Step:
    """No theorem by construction: two expressions of the grammar, a relation, a rule and hints."""
    names, signs = _declared(rng)
    left, right = wild(rng, names, 3), rng.choice([wild(rng, names, 2), constant(rng)])
    relation = rng.choice(["=", "<=", ">=", "<", ">"])
    by = rng.choice(["ring", "sign", "monotone", "box", "squares", "absolute", "chain"])
    if by == "absolute":
        left, relation = ["abs", left], rng.choice(["<", "<="])
    x = rng.choice(names)
    slope_ = rng.choice([{"by": "sign"}, {"is": wild(rng, names, 1), "by": "sign"}])
    hints: dict[str, dict[str, Any]] = {
        "sign": rng.choice([{}, {"as": wild(rng, names, 2)}]),
        "monotone": {
            "variable": x,
            "from": constant(rng),
            "side": rng.choice(["above", "below"]),
            "slope": slope_,
        },
        "box": {"box": {n: sorted(rng.sample(range(-3, 5), 2)) for n in names if rng.random() < 0.9}},
        "chain": {
            "links": [
                {
                    "relation": rng.choice([relation, "="]),
                    "to": wild(rng, names, 1),
                    "by": rng.choice(["ring", "sign"]),
                },
                {"relation": relation, "to": right, "by": "sign"},
            ]
        },
    }
    return _step(left, relation, right, by, signs, **hints.get(by, {}))


FAMILIES: dict[str, Callable[[Random], Step]] = {
    f.__name__: f
    for f in (
        identity,
        derivative,
        squares,
        bounded,
        root,
        size,
        chain,
        monotone,
        box,
        integral,
        improper,
        summed,
        trace,
        random,
    )
} | MORE
