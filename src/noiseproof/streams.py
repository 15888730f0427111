"""Standard output and error as the command writes to them: a reader who left or an old encoding costs lines, never the work."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from noiseproof.console import BAD_INPUT, say


class _Lossy(io.FileIO):
    """A descriptor that takes everything; `lost` is a failure that is more than a reader who left."""

    lost: OSError | None = None

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            pass
        except OSError as error:
            self.lost = error
        return len(data)


@contextmanager
def streams_that_take_all() -> Iterator[None]:
    """Nothing that is written to either stream raises; what a full disk did not take makes a success exit with 2.

    A descriptor that is closed is opened on nothing: the first file that is written would take its number, and what a
    child process prints would go into that file.
    """
    while (spare := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(spare, True)
    os.close(spare)
    output, _ = _taken("stdout", 1), _taken("stderr", 2)
    try:
        yield
    except SystemExit as end:
        if output is None or output.lost is None:
            raise
        reason = f"standard output did not take all lines: {output.lost.strerror}"
        say(f"error: {reason}; make room and run again", err=True)
        raise SystemExit(end.code or BAD_INPUT) from None


def _taken(name: str, descriptor: int) -> _Lossy | None:
    stream = getattr(sys, name)
    if stream is not getattr(sys, f"__{name}__"):
        return None  # somebody reads it inside of this process
    if stream is not None and stream.isatty():
        stream.reconfigure(errors="backslashreplace")
        return None
    raw = _Lossy(descriptor, "w", closefd=False)
    encoding = "utf-8" if stream is None else stream.encoding
    text = io.TextIOWrapper(
        io.BufferedWriter(raw), encoding, "backslashreplace", line_buffering=descriptor == 2
    )
    setattr(sys, name, text)
    return raw
