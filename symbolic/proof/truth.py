"""A question of mathematics has three answers: it holds, it fails, or nobody knows yet."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum


class Truth(Enum):
    """The outcome of a check that never guesses; it refuses to be used as a bool."""

    HOLDS = "holds"
    FAILS = "fails"
    UNKNOWN = "unknown"

    def __bool__(self) -> bool:
        raise TypeError("a Truth has three values: compare it with `is Truth.HOLDS` or `is Truth.FAILS`")

    def __invert__(self) -> Truth:
        return {Truth.HOLDS: Truth.FAILS, Truth.FAILS: Truth.HOLDS}.get(self, self)


def all_hold(truths: Iterable[Truth]) -> Truth:
    """FAILS if any fails, HOLDS if all hold (also of an empty collection), UNKNOWN otherwise."""
    seen = set(truths)
    if Truth.FAILS in seen:
        return Truth.FAILS
    return Truth.UNKNOWN if Truth.UNKNOWN in seen else Truth.HOLDS
