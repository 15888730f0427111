"""Places in expressions of proofs: what stands there, and the expression with something else there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Term = Any
Path = tuple[int, ...]
# What follows the operation and is no expression: names, orders.
_NO_EXPRESSION = {
    "int": (2,),
    "sum": (2,),
    "diff": (2, 3),
    "lim": (2, 4),
    "polygamma": (1,),
    "fn": (1,),
    "const": (1,),
    "mat": (1,),
    "mat'": (1,),
}


def places(term: Term, at: Path = ()) -> Iterator[Path]:
    """Where expressions stand, the whole one first; infinite ends are none."""
    if term not in (["const", "oo"], ["const", "-oo"]):
        yield at
    if isinstance(term, list):
        for i, part in enumerate(term[1:], 1):
            if i not in _NO_EXPRESSION.get(term[0], ()):
                yield from places(part, (*at, i))


def part_at(term: Term, at: Path) -> Term:
    """What stands there."""
    for i in at:
        term = term[i]
    return term


def put_at(term: Term, at: Path, new: Term) -> Term:
    """The expression with another part there."""
    return new if not at else [*term[: at[0]], put_at(term[at[0]], at[1:], new), *term[at[0] + 1 :]]


def everywhere(data: Any, old: Term, new: Term) -> Any:
    """All of some data with one part exchanged wherever it stands."""
    if data == old and type(data) is type(old):
        return new
    if isinstance(data, dict):
        return {k: everywhere(v, old, new) for k, v in data.items()}
    if isinstance(data, list):
        return [everywhere(v, old, new) for v in data]
    return data


def size(term: Term) -> int:
    """How many parts."""
    return 1 + sum(map(size, term[1:])) if isinstance(term, list) else 1
