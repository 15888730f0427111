"""What runs in a worker: one step at a time, on one thread, by the same code and versions as those of who asked."""

from __future__ import annotations

import platform
import threading
from contextlib import ExitStack
from importlib import metadata
from typing import Any

from ....symbolic.errors import SpecError
from ...record.seal.environment import code_digest
from .executor import one_thread
from .packed import Packed, Recent, _host
from .session import Session
from .steps import Step

_PACKAGES = ("noiseproof", "numpy", "scipy", "sympy", "scikit-learn", "cloudpickle")
_LOCK = threading.Lock()  # a release need not bear two calls at a time
_WORKS: Recent[tuple[Session, ExitStack]] = Recent(16)
_PLANS: Recent[Any] = Recent()


def identity() -> dict[str, str]:
    """The versions and the code that results depend on, of this process."""
    versions = {name: metadata.version(name) for name in _PACKAGES}
    return {"python": platform.python_version(), **versions, "engine": code_digest()}


def perform(asker: dict[str, str] | None, step: Step, work: Packed, plans: dict[int, Packed]) -> Any:
    """The result of a step, packed if it is not kept in a checkpoint and so may be anything.

    `asker` is the identity of who asks, which must be this process's; None if it is the parent process.
    """
    if asker is not None:
        require_same(asker)
    with _LOCK:
        on = _opened(work)
        name = str(on.work.subject.name)
        with one_thread():
            result = step.done(on, {j: _plan(p, name) for j, p in plans.items()})
        return result if step.kept or isinstance(result, bool) else Packed.of(result, name)


def _opened(packed: Packed) -> Session:
    found = _WORKS.get(packed.key)
    if found is None:
        stack = ExitStack()
        found = Session(packed.value("the subject of a claim"), stack), stack
        for _, old in _WORKS.put(packed.key, found):
            old.close()
    return found[0]


def _plan(packed: Packed, name: str) -> Any:
    found = _PLANS.get(packed.key)
    if found is None:
        found = (packed.value(name),)
        _PLANS.put(packed.key, found)
    return found[0]


def require_same(asker: dict[str, str]) -> None:
    """SpecError unless this process has the versions and the code of who asks."""
    here = identity()
    different = [
        "the code of noiseproof differs"
        if key == "engine"
        else f"{key} is {here.get(key)} there, {value} here"
        for key, value in asker.items()
        if here.get(key) != value
    ]
    if different:
        raise SpecError(
            f"a worker on {_host()} would not give the same numbers: {'; '.join(different)}; install the same versions on all workers"
        )
