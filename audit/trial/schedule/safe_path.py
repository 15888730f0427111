"""Processes that are started here never look for modules in the current folder first, whatever lies in it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from .orphans import end_with_parent

_SAFE = "PYTHONSAFEPATH"


@contextmanager
def safe_path() -> Iterator[None]:
    """Interpreters started inside do without the current folder; programs of users are not started inside."""
    before = os.environ.get(_SAFE)
    os.environ[_SAFE] = "1"
    try:
        yield
    finally:
        _restore(before)


@contextmanager
def loky_processes() -> Iterator[None]:
    """Joblib's processes, each on one thread, that end with this one."""
    from multiprocessing import resource_tracker

    from joblib import parallel_config
    from joblib._parallel_backends import LokyBackend
    from joblib.externals.loky.backend import resource_tracker as loky_tracker

    class SafeLoky(LokyBackend):  # type: ignore[misc]
        """Workers are started at any time, not only inside of a `with`: their environment says it."""

        def _prepare_worker_env(self, n_jobs: int) -> dict[str, str]:
            return {**super()._prepare_worker_env(n_jobs), _SAFE: "1"}

    with safe_path():
        # Trackers of shared memory are started when they are first needed, which would be too late.
        resource_tracker.ensure_running()
        loky_tracker.ensure_running()
    begun = {"initializer": _begin, "initargs": (os.getpid(), os.environ.get(_SAFE))}
    with parallel_config(backend=SafeLoky(**begun), inner_max_num_threads=1):
        yield


def _begin(parent: int, safe: str | None) -> None:
    end_with_parent(parent)
    # What a release starts in its turn finds its modules as it does elsewhere.
    _restore(safe)


def _restore(value: str | None) -> None:
    if value is None:
        os.environ.pop(_SAFE, None)
    else:
        os.environ[_SAFE] = value
