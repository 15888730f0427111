"""What is expensive is computed once in a run of pytest and read by all its workers."""

from __future__ import annotations

import fcntl
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest

T = TypeVar("T")


class Shelf:
    """Results by name in a folder that all workers of the run share."""

    def __init__(self, factory: pytest.TempPathFactory, worker: str) -> None:
        base = factory.getbasetemp()
        self.folder = (base if worker == "master" else base.parent) / "shared"
        self.folder.mkdir(exist_ok=True)

    def once(self, name: str, compute: Callable[[], T]) -> T:
        """What `compute` gives, from the first worker that asks; the others wait."""
        with self._locked(name):
            return self._kept(name, compute)

    def all(self, jobs: dict[str, Callable[[], Any]]) -> dict[str, Any]:
        """The results of all jobs; one that another worker has begun is left to it, and read at the end."""
        for name, compute in jobs.items():
            with self._locked(name, wait=False) as mine:
                if mine:
                    self._kept(name, compute)
        return {name: self.once(name, compute) for name, compute in jobs.items()}

    def place(self, name: str, make: Callable[[Path], Any]) -> Path:
        """A folder that `make` filled."""
        path = self.folder / name

        def made() -> bool:
            path.mkdir()
            make(path)
            return True

        self.once(f"{name} made", made)
        return path

    def _kept(self, name: str, compute: Callable[[], T]) -> T:
        path = self.folder / f"{name.replace('/', ' ')}.pickle"
        if not path.exists():
            result = compute()
            path.write_bytes(pickle.dumps(result))
        kept: T = pickle.loads(path.read_bytes())
        return kept

    @contextmanager
    def _locked(self, name: str, wait: bool = True) -> Iterator[bool]:
        with (self.folder / f"{name.replace('/', ' ')}.lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
            else:
                yield True
