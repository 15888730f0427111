"""A work opened in this process: the source of its outcomes, which may be a process of its own."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np

from ....mechanisms.mechanism import Subject
from ..isolation.isolated import Isolated
from ..outcomes import Outcomes
from ..sampling import draw
from .orphans import end_with_parent
from .work import Work

_KEPT = 16 << 20  # bytes: more than the numbers of one unit


class Session:
    """A work that can be done here: `source` is the subject, or the process that holds it."""

    def __init__(self, work: Work, stack: ExitStack) -> None:
        _keep_freed_memory()
        self.work = work
        self.source: Subject | Isolated = work.subject
        if work.call_seconds is not None and work.inputs:
            self.source = stack.enter_context(
                Isolated(_Watched(work.subject), work.call_seconds, work.inputs)
            )

    def draw(self, place: int, size: int, stream: Sequence[int], single: bool = False) -> Outcomes:
        """`size` outcomes at one input of the work, asked for one at a time if `single`."""
        return draw(self.source, self.work.inputs[place], size, stream, self.work.seed, single)


class _Watched(Subject):
    """A subject that ends its process soon after that of its audit is gone, even in the middle of a call."""

    def __init__(self, subject: Subject) -> None:
        self._subject, self.name, self._home, self._watching = subject, subject.name, os.getpid(), False
        self.types = subject.types

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
