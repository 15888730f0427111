"""What one subject of an audit needs done: its inputs, its checks and the source of its outcomes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from ....mechanisms.mechanism import Subject
from ..check import Check
from ..checks.sequential import Sequential
from ..isolation.isolated import Isolated
from ..outcomes import Outcomes
from ..sampling import draw, fingerprint
from .orphans import end_with_parent

_KEPT = 16 << 20  # bytes: more than the numbers of one unit


@dataclass(frozen=True, eq=False)
class Work:
    """The checks of all claims about one subject, by number, and the inputs at which they want outcomes.

    `number` is the place of the subject in all streams, `places` of a check are those of its inputs in `inputs`.
    A check belongs to one claim and one pair of neighbours; since all checks of a subject look at the same outcomes, a
    shard is drawn once and counted for every (claim, pair) of the subject.
    """

    number: int
    subject: Any
    inputs: tuple[Any, ...]
    checks: dict[int, Check]
    places: dict[int, tuple[int, ...]]
    seed: int
    share: float
    call_seconds: float | None

    @classmethod
    def of(
        cls,
        number: int,
        subject: Any,
        checks: dict[int, Check],
        seed: int,
        share: float,
        call_seconds: float | None,
    ) -> Work:
        """The work on `subject`; inputs that are equal are one input."""
        inputs: dict[str, Any] = {}
        for check in checks.values():
            for x in _needs(check):
                inputs.setdefault(fingerprint(x), x)
        order = {key: place for place, key in enumerate(inputs)}
        places = {j: tuple(order[fingerprint(x)] for x in _needs(check)) for j, check in checks.items()}
        return cls(number, subject, tuple(inputs.values()), checks, places, seed, share, call_seconds)


class Open:
    """A work that can be done here: `source` is the subject, or the process that holds it."""

    def __init__(self, work: Work, stack: ExitStack) -> None:
        _keep_freed_memory()
        self.work = work
        self.source: Any = work.subject
        if work.call_seconds is not None and work.inputs:
            watched = cast(Subject, _Watched(work.subject))
            self.source = stack.enter_context(Isolated(watched, work.call_seconds, work.inputs))

    def draw(self, place: int, size: int, stream: Sequence[int]) -> Outcomes:
        """`size` outcomes at one input of the work."""
        return draw(self.source, self.work.inputs[place], size, stream, self.work.seed)


class _Watched:
    """A subject that ends its process soon after that of its audit is gone, even in the middle of a call."""

    def __init__(self, subject: Subject) -> None:
        self._subject, self.name, self._home, self._watching = subject, subject.name, os.getpid(), False

    def neighbours(self) -> tuple[tuple[Any, Any], ...]:
        return self._subject.neighbours()

    def sample(self, index: Any, size: int, rng: np.random.Generator) -> Any:
        if not self._watching and os.getpid() != self._home:
            self._watching = True
            end_with_parent(self._home)
        return self._subject.sample(index, size, rng)


def _keep_freed_memory() -> None:
    """Let the allocator keep what a unit frees for the next unit: giving it back and getting it again takes longer than counting.

    glibc learns from the largest block that was freed how much to keep; the pages of this one are never touched.
    """
    np.empty(_KEPT, dtype=np.uint8)


def _needs(check: Check) -> tuple[Any, ...]:
    return check.pair if isinstance(check, Sequential) else check.inputs()
