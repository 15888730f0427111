"""The interface of an executor: steps go in, results come out as they are done; who does them changes no result."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Self, cast

from .session import Session
from .steps import Plans, Step
from .work import Work

Progress = Callable[[float], None]


@dataclass(frozen=True, eq=False)
class Task:
    """One step on one work; `plans` are those that the executor itself has returned for the work's checks."""

    work: Work
    step: Step
    plans: Plans = field(default_factory=dict)


class Executor(ABC):
    """Does steps; a context, so that whatever it started has ended when the audit has."""

    width: int = 1  # subjects under way at a time
    elsewhere: bool = True  # whether steps are done in other processes

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    @abstractmethod
    def run(self, tasks: Sequence[Task], progress: Progress | None = None) -> Iterator[tuple[Task, Any]]:
        """Each step with its result, in any order.  A plan in a result may be packed: it goes back as it came."""


class Serial(Executor):
    """In this process, in order, on one thread from the first step to the end of the context."""

    elsewhere = False

    def __init__(self, sessions: Mapping[int, Session]) -> None:
        self._sessions, self._modules, self._limits = sessions, 0, ExitStack()

    def __exit__(self, *_: object) -> None:
        self._limits.close()

    def run(self, tasks: Sequence[Task], progress: Progress | None = None) -> Iterator[tuple[Task, Any]]:
        for task in tasks:
            # Libraries that a step has loaded are held to one thread too.
            if len(sys.modules) != self._modules:
                self._modules = len(sys.modules)
                self._limits.enter_context(one_thread())
            yield task, task.step.done(self._sessions[task.work.number], task.plans, progress)


def one_thread() -> AbstractContextManager[Any]:
    """A context in which numerical libraries compute on one thread, so that processes add up to no more than the cores."""
    return cast(AbstractContextManager[Any], _controller(len(sys.modules)).limit(limits=1))


@lru_cache(1)
def _controller(modules: int) -> Any:
    """The thread pools of the libraries that are loaded; looked for again when there are more modules."""
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

    return ThreadpoolController()
