"""One change of a step: a sign, a constant, an operation, an end, a relation, a declaration, a hypothesis, a hint."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from random import Random
from typing import Any

from .terms import WORDS

_HEADS = {
    "+": ["-", "*"],
    "-": ["+"],
    "*": ["+", "/"],
    "/": ["*"],
    "exp": ["sinh", "cosh", "log"],
    "sin": ["cos"],
    "cos": ["sin"],
    "sqrt": ["abs", "log"],
    "abs": ["sqrt", "sign"],
    "log": ["exp", "sqrt"],
    "erf": ["erfc", "atan"],
    "atan": ["erf", "tanh"],
    "tanh": ["erf"],
    "sinh": ["cosh"],
    "cosh": ["exp"],
    "max": ["min"],
    "min": ["max"],
    "mat": ["mat'"],
    "mat'": ["mat"],
}
_RELATIONS = {
    "=": ["<", ">"],
    "<=": [">=", "=", "<"],
    ">=": ["<=", "=", ">"],
    "<": [">", "="],
    ">": ["<", "="],
}


def edited(step: dict[str, Any], rng: Random) -> dict[str, Any]:
    """The step with one to three changes, the hints changed with the sides now and then."""
    found = copy.deepcopy(step)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        kind = rng.random()
        if kind < 0.62:
            _term(found, rng)
        elif kind < 0.72:
            found["relation"] = rng.choice(_RELATIONS[found["relation"]])
        elif kind < 0.86 and found.get("for"):
            name = rng.choice(sorted(found["for"]))
            whole = ["integer"] if "integer" in found["for"][name] and rng.random() < 0.6 else []
            found["for"][name] = [rng.choice(WORDS), *whole]
        elif kind < 0.93 and found.get("given"):
            found["given"].pop(rng.randrange(len(found["given"])))
        elif found.get("rules"):
            found.pop("rules")
        else:
            _term(found, rng)
    return found


def _term(found: dict[str, Any], rng: Random) -> None:
    """One leaf or operation of a side; or of everything, and then in each place where the same part stands."""
    everywhere = rng.random() < 0.4 and "with" in found
    parts = [found["left"], found["right"], *([found["with"], *found.get("given", [])] if everywhere else [])]
    spots = [spot for part in parts for spot in _spots(part)]
    for key in ("left", "right"):
        if not isinstance(found[key], list):
            spots.append((found, key))
    if not spots:
        return
    holder, key = rng.choice(spots)
    old, new = holder[key], _changed(holder[key], rng, sorted(found.get("for", {})))
    if key == 0 and new in ("-", "/") and len(holder) != 3:
        return
    holder[key] = new
    if everywhere and rng.random() < 0.5:
        for other, place in spots:
            if other[place] == old and (place != 0 or len(other) == len(holder)) and rng.random() < 0.7:
                other[place] = new


def _spots(data: Any) -> Iterator[tuple[Any, Any]]:
    """Where numbers, names and operations stand, with what holds them."""
    if isinstance(data, dict):
        for key, value in data.items():
            if isinstance(value, list | dict):
                yield from _spots(value)
            elif key not in ("by", "variable", "side", "relation"):
                yield data, key
    elif isinstance(data, list) and data and data[0] != "const":
        for i, value in enumerate(data):
            if isinstance(value, list | dict):
                yield from _spots(value)
            elif (
                (i or value in _HEADS)
                and not (i in (2, 3)[: 1 + (data[0] == "diff")] and data[0] in ("int", "sum", "diff"))
                and not (i == 1 and data[0] in ("fn", "mat", "mat'"))
            ):
                yield data, i


def _changed(value: Any, rng: Random, names: list[str]) -> Any:
    if isinstance(value, int):
        return rng.choice(
            [value + 1, value - 1, -value, 0, 2 * value, *names, ["/", value, 2], ["const", "pi"]]
        )
    return (
        rng.choice(_HEADS[value])
        if value in _HEADS
        else rng.choice([*names, "t", 0, 1, -1, ["-", value], ["^", value, 2], ["abs", value]])
    )
