"""Steps done by other processes: packed once, asked again if the process that had them is lost."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ....symbolic.errors import SpecError
from .digests import folders_of
from .executor import Executor, Progress, Task
from .packed import Packed
from .steps import Step
from .work import Work

_PATIENCE = 3  # losses without a single result in between
Call = tuple[Step, Packed, dict[int, Packed]]


class LostError(Exception):
    """Steps were lost with the processes that had them; the text says how."""


class Pool(Executor):
    """An executor in other processes: `calls` does what is waiting, and raises LostError if some of it must be asked again."""

    advice = "a release that ends its process or uses up the memory does this: try it without workers"

    def __init__(self) -> None:
        self._packed: dict[int, Packed] = {}

    @abstractmethod
    def calls(self, waiting: Mapping[int, Call]) -> Iterator[tuple[int, Any]]:
        """Numbers and results of calls of `worker.perform`, as they are done."""

    def run(self, tasks: Sequence[Task], progress: Progress | None = None) -> Iterator[tuple[Task, Any]]:
        waiting = {
            k: (
                task.step,
                self._pack(task.work),
                {j: task.plans[j] for j in task.step.jobs if j in task.plans} if task.step.plans else {},
            )
            for k, task in enumerate(tasks)
        }
        losses = 0
        while waiting:
            try:
                for k, result in self.calls(dict(waiting)):
                    del waiting[k]
                    losses = 0
                    yield tasks[k], result
                    if progress is not None:
                        progress(1 - len(waiting) / len(tasks))
            except LostError as lost:
                losses += 1
                if losses == _PATIENCE:
                    name = tasks[next(iter(waiting))].work.subject.name
                    raise SpecError(
                        f"{name}: workers ended {losses} times before they answered ({lost}); {self.advice}"
                    ) from None
                time.sleep(0.2 * losses)

    def _pack(self, work: Work) -> Packed:
        if work.number not in self._packed:
            if len(self._packed) >= 4 * self.width + 4:
                self._packed.clear()
            self._packed[work.number] = Packed.of(work, str(work.subject.name), folders_of(work.subject))
        return self._packed[work.number]
