"""Random expressions of the proofs' language, and ways to write one otherwise that are right where the declarations allow them."""

from __future__ import annotations

from random import Random
from typing import Any

Term = Any
SMOOTH = ("exp", "sin", "cos", "tanh", "erf", "atan", "sinh", "cosh")
_NARROW = (
    "log",
    "sqrt",
    "gamma",
    "tan",
    "asin",
    "abs",
    "sign",
    "floor",
    "erfc",
    "acos",
    "loggamma",
    "factorial",
)
Signs = dict[str, list[str]]
WORDS = ("real", "positive", "nonnegative", "negative", "nonpositive", "nonzero")


def constant(rng: Random) -> Term:
    """A small rational number, now and then pi or e."""
    kind = rng.random()
    if kind < 0.7:
        return rng.choice([1, 2, 3, -1, -2, 0, 5])
    return (
        ["/", rng.choice([1, -1, 3, 2]), rng.choice([2, 3, 5])]
        if kind < 0.93
        else ["const", rng.choice(["pi", "e"])]
    )


def smooth(rng: Random, names: list[str], depth: int) -> Term:
    """Defined and smooth everywhere."""
    if depth <= 0 or rng.random() < 0.15:
        return rng.choice(names) if names and rng.random() < 0.75 else constant(rng)
    kind = rng.randrange(8)
    part = [smooth(rng, names, depth - 1) for _ in range(2)]
    if kind < 2:
        return ["+", *part]
    if kind < 4:
        return ["*", *part]
    if kind == 4:
        return ["-", *part]
    if kind == 5:
        return ["^", part[0], rng.choice([2, 2, 3])]
    if kind == 6:
        return ["/", part[0], ["+", 1, ["^", part[1], 2]]]
    return [rng.choice(SMOOTH), part[0]]


def positive(rng: Random, names: list[str], depth: int, signs: Signs) -> Term:
    """Positive everywhere, and seen to be so."""
    good = [n for n in names if "positive" in signs.get(n, [])]
    kind = rng.randrange(5)
    if kind == 0 and good:
        return rng.choice(good)
    if kind == 1:
        return ["exp", smooth(rng, names, depth - 1)]
    if kind == 2 and depth > 0:
        return [rng.choice(["+", "*"]), *(positive(rng, names, depth - 1, signs) for _ in range(2))]
    if kind == 3 and depth > 0:
        return ["sqrt", positive(rng, names, depth - 1, signs)]
    return ["+", rng.choice([1, 2, ["/", 1, 3]]), ["^", smooth(rng, names, depth - 1), 2]]


def wild(rng: Random, names: list[str], depth: int) -> Term:
    """Anything of the grammar, defined or not."""
    if depth <= 0 or rng.random() < 0.1:
        return smooth(rng, names, 0)
    kind = rng.randrange(9)
    part = [wild(rng, names, depth - 1) for _ in range(2)]
    if kind < 3:
        return [rng.choice("+*-/"), *part]
    if kind == 3:
        return ["^", part[0], rng.choice([0, -1, 2, 3, ["/", 1, 2], ["/", 1, 3], ["/", -3, 2], part[1]])]
    if kind == 4:
        return [rng.choice(SMOOTH), part[0]]
    if kind == 5:
        return [rng.choice(_NARROW), part[0]]
    if kind == 6:
        return [rng.choice(["max", "min"]), *part]
    if kind == 7:
        name = rng.choice([*names, "t"])
        body = wild(rng, [*names, name], depth - 2)
        ends = [rng.choice([0, 1, 2, -1, *names]) for _ in range(2)]
        return rng.choice([["sum", body, name, 1, rng.choice([3, *names])], ["int", body, name, *ends]])
    if names and rng.random() < 0.5:
        return ["diff", part[0], rng.choice(names), 1]
    return ["fn", rng.choice(["g", "erf", "h"]), part[0]]


# --- the same, written otherwise --------------------------------------------------------------------------------------


def places(term: Term, at: tuple[int, ...] = ()) -> list[tuple[int, ...]]:
    """Where parts stand that are expressions, bound bodies left out."""
    found = [at]
    if isinstance(term, list) and term[0] not in ("int", "sum", "diff", "const", "fn", "tr", "mat", "mat'"):
        for i, part in enumerate(term[1:], 1):
            found += places(part, (*at, i))
    return found


def part_at(term: Term, at: tuple[int, ...]) -> Term:
    """The part that stands there."""
    for i in at:
        term = term[i]
    return term


def replaced(term: Term, at: tuple[int, ...], new: Term) -> Term:
    """The expression with another part there."""
    if not at:
        return new
    return [*term[: at[0]], replaced(term[at[0]], at[1:], new), *term[at[0] + 1 :]]


def rewritten(term: Term, rng: Random, names: list[str], signs: Signs, times: int) -> Term:
    """The same value, by `times` laws at random parts."""
    for _ in range(times):
        at = rng.choice(places(term))
        if (
            len(at)
            and isinstance(part_at(term, at[:-1]), list)
            and part_at(term, at[:-1])[0] == "^"
            and at[-1] == 2
        ):
            continue
        term = replaced(term, at, _otherwise(part_at(term, at), rng, names, signs))
    return term


def _otherwise(t: Term, rng: Random, names: list[str], signs: Signs) -> Term:
    by_head = _by_head(t, rng)
    if by_head is not None and rng.random() < 0.75:
        return by_head
    a, p = smooth(rng, names, 1), positive(rng, names, 1, signs)
    ways = [
        ["+", t, 0],
        ["-", ["+", t, a], a],
        ["/", ["*", t, p], p],
        ["log", ["exp", t]],
        ["*", t, 1],
        ["*", ["*", t, ["exp", a]], ["exp", ["-", a]]],
        ["*", t, ["+", ["^", ["sin", a], 2], ["^", ["cos", a], 2]]],
    ]
    if isinstance(t, str) and "positive" in signs.get(t, []):
        ways += [
            ["exp", ["log", t]],
            ["^", ["sqrt", t], 2],
            ["sqrt", ["^", t, 2]],
            ["abs", t],
            ["/", 1, ["/", 1, t]],
        ]
        ways += [["/", ["gamma", ["+", t, 1]], ["gamma", t]], ["^", ["^", t, ["/", 1, 3]], 3]]
    if isinstance(t, str) and "nonnegative" in signs.get(t, []):
        ways += [["^", ["sqrt", t], 2], ["abs", t], ["max", t, ["-", t]]]
    return rng.choice(ways)


def _by_head(t: Term, rng: Random) -> Term | None:
    if not isinstance(t, list):
        return None
    op, *rest = t
    a, b = rest[0], rest[-1]
    if op in ("+", "*"):
        if op == "*" and isinstance(b, list) and b[0] == "+" and len(rest) == 2:
            return ["+", *(["*", a, part] for part in b[1:])]
        return [op, *rest[::-1]]
    if op == "-" and len(rest) == 2:
        return ["+", a, ["*", -1, b]]
    if op == "/":
        return rng.choice([["*", a, ["/", 1, b]], ["*", a, ["^", b, -1]]])
    if op == "^" and b == 2:
        return rng.choice([["*", a, a], ["^", ["abs", a], 2]])
    if op == "^" and b == 3:
        return ["*", a, a, a]
    if op == "exp":
        if isinstance(a, list) and a[0] == "+":
            return ["*", *(["exp", part] for part in a[1:])]
        return rng.choice(
            [["/", 1, ["exp", ["-", a]]], ["^", ["exp", ["/", a, 2]], 2], ["+", ["sinh", a], ["cosh", a]]]
        )
    if op == "sqrt":
        return rng.choice([["^", a, ["/", 1, 2]], ["/", a, ["sqrt", a]]] if rest[0] != 0 else [t])
    laws: dict[str, Term] = {
        "abs": ["sqrt", ["^", a, 2]],
        "sin": rng.choice([["-", ["sin", ["-", a]]], ["*", 2, ["sin", ["/", a, 2]], ["cos", ["/", a, 2]]]]),
        "cos": rng.choice([["cos", ["-", a]], ["-", 1, ["*", 2, ["^", ["sin", ["/", a, 2]], 2]]]]),
        "tanh": ["/", ["sinh", a], ["cosh", a]],
        "sinh": ["/", ["-", ["exp", a], ["exp", ["-", a]]], 2],
        "cosh": ["/", ["+", ["exp", a], ["exp", ["-", a]]], 2],
        "erf": rng.choice([["-", 1, ["erfc", a]], ["-", ["erf", ["-", a]]]]),
        "atan": ["-", ["atan", ["-", a]]],
    }
    return laws.get(op)
