"""Steps on the workers of a Dask cluster that the user has started."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import Any, Self

from ....symbolic.errors import SpecError
from ...record.extra import from_extra
from .packed import Packed
from .pool import Call, LostError, Pool
from .worker import identity, perform, require_same

_CONNECT, _WORKERS_LOST = 10.0, 60.0  # seconds
_LARGE = 1_000_000  # bytes that are sent once to each worker, not with each call


class Cluster(Pool):
    """The workers behind the scheduler at `address`.

    Whoever runs the cluster can run code in this process: use your own.  Raises SpecError if Dask is not installed, nobody
    answers, or no worker comes.
    """

    advice = (
        "a release that ends its process or uses up the memory does this: look at the logs of the workers"
    )

    def __init__(self, address: str) -> None:
        super().__init__()
        self._address = address
        self._client: Any = None
        self._dask = from_extra("dask", "distributed", "a cluster needs Dask, which")

    def __enter__(self) -> Self:
        # A scheduler that is gone is said once, by this program.
        for name in ("distributed.client", "distributed.comm", "distributed.core"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
        try:
            self._client = self._dask.Client(self._address, timeout=_CONNECT, set_as_default=False)
        except (OSError, ValueError, TypeError, TimeoutError) as error:
            text = str(error).splitlines()
            raise SpecError(
                f"no Dask scheduler answers at {self._address} ({text[0][:200] if text else type(error).__name__}); start one with "
                "`dask scheduler`, and workers with `dask worker ADDRESS --nthreads 1`"
            ) from None
        try:
            self._client.wait_for_workers(1, timeout=_CONNECT)
        except TimeoutError:
            self._client.close(timeout=1)
            raise SpecError(
                f"the scheduler at {self._address} has no workers; start some with `dask worker {self._address} --nthreads 1`"
            ) from None
        self.width = 2 * max(self._count(), 1)
        self._identity, self._sent = identity(), dict[str, Any]()
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(Exception):
            self._client.close(timeout=2)

    def calls(self, waiting: Mapping[int, Call]) -> Iterator[tuple[int, Any]]:
        def start(step: Any, work: Packed, plans: Mapping[int, Packed]) -> Any:
            sent = [self._send(p) for p in (work, *plans.values())]
            return self._client.submit(_on_worker, self._identity, step, list(plans), *sent, pure=False)

        try:
            yield from self._results(((k, partial(start, *call)) for k, call in waiting.items()))
        except (
            self._dask.CancelledError,
            OSError,
            TimeoutError,
        ) as error:  # a closed connection is an OSError
            self._sent.clear()
            if not self._answers():
                raise SpecError(
                    f"the scheduler at {self._address} is gone; finished units stay in the checkpoint, if the audit has one: run it again when "
                    "the scheduler is back"
                ) from None
            raise LostError(f"{type(error).__name__} of a unit") from None

    def each(self, function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        """What a function of a module gives for each of the tasks, in any order; SpecError if workers are lost."""

        def start(task: tuple[Any, ...]) -> Any:
            return self._client.submit(_plainly, self._identity, function, task, pure=False)

        try:
            for _, result in self._results((k, partial(start, task)) for k, task in enumerate(tasks)):
                yield result
        except (self._dask.CancelledError, OSError, TimeoutError, LostError) as error:
            raise SpecError(
                f"the cluster at {self._address} was lost ({type(error).__name__}): look at the logs of its workers, and run this again"
            ) from None

    def _results(self, left: Iterator[tuple[int, Callable[[], Any]]]) -> Iterator[tuple[int, Any]]:
        """Numbers and results of what `left` starts, as they are done; no more at a time than keeps the workers busy."""
        numbers: dict[Any, int] = {}

        def submit(most: int) -> None:
            for k, start in islice(left, most):
                numbers[start()] = k

        try:
            submit(4 * self.width)
            while numbers:
                for future in self._done(list(numbers)):
                    submit(1)
                    try:
                        result = future.result()
                    except self._dask.KilledWorker:
                        raise LostError("the workers that had a unit died, one after the other") from None
                    yield numbers.pop(future), result
        finally:
            with suppress(Exception):
                self._client.cancel(list(numbers), asynchronous=False)

    def _done(self, futures: list[Any]) -> list[Any]:
        """Those of the futures that are done, one at least; SpecError if there has been no worker for long."""
        without = 0.0
        while True:
            try:
                with self._client.as_current():
                    return list(self._dask.wait(futures, timeout=5, return_when="FIRST_COMPLETED").done)
            except TimeoutError:
                if not self._answers():
                    raise
                without = 0.0 if self._count() else without or time.monotonic()
                if without and time.monotonic() - without > _WORKERS_LOST:
                    raise SpecError(
                        f"the scheduler at {self._address} has lost all its workers; start others and run the audit again"
                    ) from None

    def _send(self, packed: Packed) -> Any:
        if packed.content.nbytes < _LARGE:
            return packed
        if packed.key not in self._sent:
            if len(self._sent) > 4 * self.width:
                self._sent.clear()
            self._sent[packed.key] = self._client.scatter(packed, broadcast=True, hash=False)
        return self._sent[packed.key]

    def _count(self) -> int:
        return len(self._client.nthreads())

    def _answers(self) -> bool:
        return bool(self._client.status == "running")


def _on_worker(asker: dict[str, str], step: Any, jobs: list[int], work: Packed, *plans: Packed) -> Any:
    return perform(asker, step, work, dict(zip(jobs, plans, strict=True)))


def _plainly(asker: dict[str, str], function: Callable[..., Any], task: tuple[Any, ...]) -> Any:
    require_same(asker)
    return function(*task)
