"""A module of this package run in a process of its own, which cannot take this one down."""

from __future__ import annotations

import os
import subprocess
import sys

MEMORY = 2 * 2**30
_PACKAGE = __name__.split(".")[0]


def asked(module: str, question: bytes, seconds: float, *arguments: object) -> tuple[bytes, int | None]:
    """What the module writes about what it reads, and its exit status; None if its `seconds` are over."""
    # -P: a module that lies in the current folder, the release perhaps, must not be imported.
    command = [sys.executable, "-P", "-m", f"{_PACKAGE}.audit.{module}", *map(str, arguments)]
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    try:
        done = subprocess.run(
            command,
            input=question,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=seconds,
            env={**os.environ, **threads},
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        return error.stdout or b"", None
    return done.stdout, done.returncode
