"""Derivatives of expressions of the proofs' language, written down by the rules of a school book: nothing of the kernel is used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .values import UnknownError, of_unknown

Term = Any
ROOT_PI = ["sqrt", ["const", "pi"]]
_OUTER: dict[str, Callable[[Term], Term]] = {
    "gamma": lambda a: ["*", ["gamma", a], ["polygamma", 0, a]],
    "loggamma": lambda a: ["polygamma", 0, a],
    "exp": lambda a: ["exp", a],
    "log": lambda a: ["/", 1, a],
    "sqrt": lambda a: ["/", 1, ["*", 2, ["sqrt", a]]],
    "abs": lambda a: ["/", a, ["abs", a]],
    "sin": lambda a: ["cos", a],
    "cos": lambda a: ["-", ["sin", a]],
    "tan": lambda a: ["+", 1, ["^", ["tan", a], 2]],
    "sinh": lambda a: ["cosh", a],
    "cosh": lambda a: ["sinh", a],
    "tanh": lambda a: ["-", 1, ["^", ["tanh", a], 2]],
    "atan": lambda a: ["/", 1, ["+", 1, ["^", a, 2]]],
    "erf": lambda a: ["/", ["*", 2, ["exp", ["-", ["^", a, 2]]]], ROOT_PI],
    "erfc": lambda a: ["/", ["*", -2, ["exp", ["-", ["^", a, 2]]]], ROOT_PI],
}


def slope(term: Term, name: str) -> Term:
    """The derivative in the variable `name`; UnknownError for what these rules do not have."""
    if isinstance(term, int):
        return 0
    if isinstance(term, str):
        return int(term == name)
    op, *rest = term
    if op == "const":
        return 0
    if op in ("+", "-"):
        parts = [slope(a, name) for a in rest]
        return [op, *parts] if any(p != 0 for p in parts) else 0
    if op == "*":
        parts = [
            ["*", *rest[:i], d, *rest[i + 1 :]] for i, a in enumerate(rest) if (d := slope(a, name)) != 0
        ]
        return ["+", *parts] if parts else 0
    if op == "/":
        above, below = (slope(a, name) for a in rest)
        if above == 0 and below == 0:
            return 0
        first, second = ["/", above, rest[1]], ["/", ["*", rest[0], below], ["^", rest[1], 2]]
        return first if below == 0 else ["-", second] if above == 0 else ["-", first, second]
    if op == "^":
        return _power(rest[0], rest[1], name)
    if op == "fn":
        return slope(of_unknown(rest[0], rest[1:]), name)
    if op == "diff":
        inner = rest[0]
        for variable in (*[rest[1]] * rest[2], name):
            inner = slope(inner, variable)
        return inner
    if op == "sum" and name != rest[1] and not any(slope(e, name) != 0 for e in rest[2:]):
        inner = slope(rest[0], name)
        return 0 if inner == 0 else ["sum", inner, *rest[1:]]
    if op not in _OUTER:
        raise UnknownError(f"the slope of {op}")
    inner = slope(rest[0], name)
    return 0 if inner == 0 else ["*", _OUTER[op](rest[0]), inner]


def _power(base: Term, exponent: Term, name: str) -> Term:
    inner, outer = slope(base, name), slope(exponent, name)
    if outer != 0:
        return slope(["exp", ["*", exponent, ["log", base]]], name)
    less = exponent - 1 if isinstance(exponent, int) else ["-", exponent, 1]
    return 0 if inner == 0 or exponent == 0 else ["*", exponent, ["^", base, less], inner]
