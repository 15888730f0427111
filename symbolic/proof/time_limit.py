"""A limit of seconds on symbolic work that has none of its own."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from types import FrameType

_AGAIN = 0.5  # seconds from one alarm to the next: longer than an exception takes to leave


class OutOfTimeError(Exception):
    """The seconds are used up; the text says at which step."""


@contextmanager
def time_limit(seconds: float, step: str) -> Iterator[None]:
    """OutOfTimeError after so many seconds of the clock, and again every half second while it is swallowed inside.

    Work in a library of C is interrupted where it comes back.  Only the main thread of a POSIX process can be interrupted;
    elsewhere there is no limit.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return
    if seconds <= 0:
        raise OutOfTimeError(step)

    running = True

    def stop(_number: int, _frame: FrameType | None) -> None:
        if running:
            raise OutOfTimeError(step)

    start, (left, again) = monotonic(), signal.getitimer(signal.ITIMER_REAL)
    before = signal.getsignal(signal.SIGALRM)
    try:
        signal.signal(signal.SIGALRM, stop)
        # A limit around this one holds inside of it too, and goes on with what is left of it.
        # Again and again: foreign code that catches every exception swallows the first one.
        signal.setitimer(signal.ITIMER_REAL, min(seconds, left) if left else seconds, _AGAIN)
        yield
    finally:
        running = False
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
        if left:
            signal.setitimer(signal.ITIMER_REAL, max(left - (monotonic() - start), 1e-3), again)
