"""The executor that the settings of an audit ask for."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from ....symbolic.errors import SpecError
from .cluster import Cluster
from .executor import Executor, Serial
from .local import Local
from .session import Session

_ADDRESS = re.compile(r"[a-z]+://\S+")
MOST_WORKERS = 1024


def executor_of(workers: int, cluster: str | None) -> Callable[[Mapping[int, Session]], Executor]:
    """What makes the executor of these settings.

    Raises SpecError if they are unusable, or if a library that they need is missing.
    """
    if isinstance(workers, bool) or not isinstance(workers, int) or not 1 <= workers <= MOST_WORKERS:
        raise SpecError(f"workers must be a whole number from 1 to {MOST_WORKERS}, got {workers!r}")
    if cluster is None:
        if workers == 1:
            return Serial
        return lambda sessions: Local(workers)
    if workers != 1:
        raise SpecError("give workers or a cluster: the workers of a cluster are started with it")
    if not isinstance(cluster, str) or not _ADDRESS.fullmatch(cluster):
        raise SpecError(
            f'cluster must be the address of a Dask scheduler such as "tcp://127.0.0.1:8786", got {cluster!r}'
        )
    address = cluster
    return lambda sessions: Cluster(address)
