"""The interface of an executor: steps go in, results come out as they are done; who does them changes no result."""

from __future__ import annotations

import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Self, cast

from ....symbolic.errors import SpecError
from .steps import Plans, Step
from .work import Open, Work

_ADDRESS = re.compile(r"[a-z]+://\S+")
MOST_WORKERS = 1024
Progress = Callable[[float], None]


@dataclass(frozen=True, eq=False)
class Asked:
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
    def run(self, asked: Sequence[Asked], progress: Progress | None = None) -> Iterator[tuple[Asked, Any]]:
        """Each step with its result, in any order.  A plan in a result may be packed: it goes back as it came."""


class Serial(Executor):
    """In this process, in order, on one thread from the first step to the end of the context."""

    elsewhere = False

    def __init__(self, opened: Mapping[int, Open]) -> None:
        self._opened, self._modules, self._limits = opened, 0, ExitStack()

    def __exit__(self, *_: object) -> None:
        self._limits.close()

    def run(self, asked: Sequence[Asked], progress: Progress | None = None) -> Iterator[tuple[Asked, Any]]:
        for a in asked:
            # Libraries that a step has loaded are held to one thread too.
            if len(sys.modules) != self._modules:
                self._modules = len(sys.modules)
                self._limits.enter_context(one_thread())
            yield a, a.step.do(self._opened[id(a.work)], a.plans, progress)


def executor_of(workers: int, cluster: str | None) -> Callable[[Mapping[int, Open]], Executor]:
    """What makes the executor of these settings.

    Raises SpecError if they are unusable, or if a library that they need is missing.
    """
    if isinstance(workers, bool) or not isinstance(workers, int) or not 1 <= workers <= MOST_WORKERS:
        raise SpecError(f"workers must be a whole number from 1 to {MOST_WORKERS}, got {workers!r}")
    if cluster is None:
        if workers == 1:
            return Serial
        from .local import Local

        return lambda opened: Local(workers)
    if workers != 1:
        raise SpecError("give workers or a cluster: the workers of a cluster are started with it")
    if not isinstance(cluster, str) or not _ADDRESS.fullmatch(cluster):
        raise SpecError(
            f'cluster must be the address of a Dask scheduler such as "tcp://127.0.0.1:8786", got {cluster!r}'
        )
    from .cluster import Cluster

    address = cluster
    return lambda opened: Cluster(address)


def one_thread() -> AbstractContextManager[Any]:
    """A context in which numerical libraries compute on one thread, so that processes add up to no more than the cores."""
    return cast(AbstractContextManager[Any], _controller(len(sys.modules)).limit(limits=1))


@lru_cache(1)
def _controller(modules: int) -> Any:
    """The thread pools of the libraries that are loaded; looked for again when there are more modules."""
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

    return ThreadpoolController()
