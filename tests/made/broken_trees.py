"""Trees of TOML broken in one place, for tests of what is said about them."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any


def places(tree: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, inner in items:
        yield (*at, key)
        yield from places(inner, (*at, key))


def written(value: Any) -> str:
    """A value as inline TOML."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {written(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(written, value)) + "]"
    return json.dumps(value)


def broken(tree: dict[str, Any], place: tuple[Any, ...], change: Any) -> str:
    tree = copy.deepcopy(tree)
    holder: Any = tree
    for key in place[:-1]:
        holder = holder[key]
    if change == "dropped":
        del holder[place[-1]]
    elif change == "foreign" and isinstance(holder, dict):
        holder["zzz"] = 1
    else:
        holder[place[-1]] = change
    return "\n".join(f"{k} = {written(v)}" for k, v in tree.items()) + "\n"
