"""A limit of seconds on symbolic work that has none of its own."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class OutOfTimeError(Exception):
    """The seconds are used up; the text says at which step."""


@contextmanager
def time_limit(seconds: float, step: str) -> Iterator[None]:
    """OutOfTimeError after so many seconds of the clock.

    Only the main thread of a POSIX process can be interrupted; elsewhere there is no limit.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return
    if seconds <= 0:
        raise OutOfTimeError(step)

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise OutOfTimeError(step)

    before = signal.signal(signal.SIGALRM, stop)
    left, again = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        # A limit around this one goes on with what it had left.
        signal.setitimer(signal.ITIMER_REAL, left, again)
        signal.signal(signal.SIGALRM, before)
