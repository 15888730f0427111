"""Objects on their way to the project's own workers: pickled once, unpacked once by each process that needs them.

Only what this process made is unpacked, by workers that it started or that the user named; never a file.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import sys
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ....symbolic.errors import SpecError

T = TypeVar("T")
_KEPT = 64


@dataclass(frozen=True)
class Packed:
    """An object as bytes (n,), which libraries may share between processes, and the folders its modules come from."""

    key: str
    content: NDArray[np.uint8]
    folders: tuple[str, ...] = ()

    @classmethod
    def of(cls, value: Any, name: str, folders: tuple[str, ...] = ()) -> Packed:
        """`value` packed; SpecError if it cannot be, which names it as `name`."""
        import cloudpickle

        try:
            content = cloudpickle.dumps(value)
        except Exception as error:  # whatever the user's objects raise when they are pickled
            raise SpecError(
                f"{name}: cannot be sent to another process ({type(error).__name__}: {_first_line(error)}); define the release as a "
                "function of a module, open files and connections inside of it, or leave out workers and cluster"
            ) from None
        key = hashlib.blake2b(content, digest_size=16).hexdigest()
        return cls(key, np.frombuffer(content, dtype=np.uint8), folders)

    def value(self, name: str) -> Any:
        """The object; SpecError if a module that it needs is not here."""
        import cloudpickle

        missing = [f for f in self.folders if f not in sys.path and os.path.isdir(f)]
        if missing:
            sys.path += missing
            importlib.invalidate_caches()
        try:
            return cloudpickle.loads(self.content.tobytes())
        except ModuleNotFoundError as error:
            raise SpecError(
                f"{name}: a worker on {_host()} cannot import {error.name!r}; install that module there or start the worker in its folder "
                "(functions of a script, a notebook or a lambda are sent along, functions of modules are not)"
            ) from None
        except Exception as error:
            raise SpecError(
                f"{name}: a worker on {_host()} cannot read it ({type(error).__name__}: {_first_line(error)}); "
                "give it the same Python and the same packages"
            ) from None


class Recent(Generic[T]):
    """The values last used, by key."""

    def __init__(self, kept: int = _KEPT) -> None:
        self._kept, self._values = kept, OrderedDict[str, T]()

    def get(self, key: str) -> T | None:
        if key in self._values:
            self._values.move_to_end(key)
        return self._values.get(key)

    def put(self, key: str, value: T) -> list[T]:
        """Keep a value; those that fell out."""
        self._values[key] = value
        return [self._values.popitem(last=False)[1] for _ in range(len(self._values) - self._kept)]


def _host() -> str:
    import socket

    return socket.gethostname()


def _first_line(error: BaseException) -> str:
    text = str(error).splitlines()
    return text[0][:200] if text else ""
