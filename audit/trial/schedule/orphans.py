"""Processes that end when the audit that they work for does, however it ended."""

from __future__ import annotations

import os
import signal
import threading
import time

_LOOK = 0.5  # seconds between two looks at whether the parent still lives


def end_with_parent(parent: int) -> None:
    """From now on, end this process soon after `parent`, and with it the group of processes that it leads."""
    if os.name == "posix":  # elsewhere a process keeps the number of a parent that is gone
        threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK)
    if os.getpgrp() == os.getpid():
        os.killpg(os.getpgrp(), signal.SIGKILL)
    os._exit(1)
