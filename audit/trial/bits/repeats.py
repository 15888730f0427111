"""Calls that repeat each other: a fixed seed, a state set anew at each call, a state that forked processes share.

A reference call is made on input 1, then another call on input 0 or 1; the event is that both give the same bytes.
The reference is the same for either input, so that a claim about each call bounds the event as it bounds any other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..attack.event_bound import EventCount
from ..isolation.forked import Forked
from ..sampling import draw

Call = Callable[[Any, tuple[int, ...]], int]

_SEED = 20_261
_STREAM = 2**29  # no unit of an audit has this number
_DEADLINE = 60.0  # seconds for one call in a forked process


def in_this_process(subject: Any) -> Call:
    """One outcome of the subject as a 64-bit number, equal for equal bytes; called here, one after the other."""

    def call(index: Any, stream: tuple[int, ...]) -> int:
        return int(draw(subject, index, 1, (_STREAM, *stream), _SEED).keys()[0])

    return call


def in_forks(subject: Any) -> Call:
    """The same, each call in a fork of this process of its own; raises TimeoutError or DiedError if a fork fails."""
    here = in_this_process(subject)

    def call(index: Any, stream: tuple[int, ...]) -> int:
        fork = Forked(lambda request, body: ({"key": str(here(index, stream))}, memoryview(b"")))
        try:
            answer, _ = fork.ask({}, b"", _DEADLINE)
        finally:
            fork.end()
        return int(answer["key"])

    return call


def count_repeats(subject: Any, pair: tuple[Any, Any], trials: int, forks: bool = False) -> EventCount:
    """How often a call on input 1 (k of n) and on input 0 (l of m) repeats a reference call on input 1.

    Every call has a generator of its own.  With `forks` the reference is made in a fork of this process and the other
    call here, right after: it moves on what forks share before the next trial.
    """
    here = in_this_process(subject)
    first = in_forks(subject) if forks else here
    hits = [0, 0]
    for trial in range(trials):
        for side in (0, 1):
            reference = first(pair[1], (trial, side, 0))
            hits[side] += here(pair[side], (trial, side, 1)) == reference
    return EventCount(hits[1], trials, hits[0], trials)
