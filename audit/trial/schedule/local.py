"""Steps on the cores of this machine, through joblib."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any

from .pool import Call, LostError, Pool
from .safe_path import loky_processes
from .worker import perform


class Local(Pool):
    """`workers` processes of this machine, each on one thread; they wait for the next audit until this process ends."""

    def __init__(self, workers: int) -> None:
        super().__init__()
        self._workers, self.width = workers, 2 * workers

    def calls(self, waiting: Mapping[int, Call]) -> Iterator[tuple[int, Any]]:
        from joblib import Parallel, delayed

        with loky_processes():
            pool = Parallel(
                n_jobs=self._workers, return_as="generator_unordered", batch_size=1, mmap_mode="c"
            )
            try:
                # An interrupt is for this process, which then ends the others: they inherit that it is blocked.
                with interrupts_held():
                    results = pool(delayed(_numbered)(k, *call) for k, call in waiting.items())
                try:
                    yield from results
                finally:
                    results.close()
            except BrokenProcessPool:
                raise LostError("a worker process died") from None


def _numbered(k: int, *call: Any) -> tuple[int, Any]:
    return k, perform(None, *call)


@contextmanager
def interrupts_held() -> Iterator[None]:
    """An interrupt is for this process; those that are started inside inherit that it is blocked."""
    if not hasattr(signal, "pthread_sigmask") or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
