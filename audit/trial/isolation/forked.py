"""A forked process that answers requests, each by a deadline; it ends with everything that it started.

Forked by hand, not by `multiprocessing`: a process of that module either may have no children of its own, which a
release may want, or keeps the interpreter from ending.  What crosses is JSON and bytes, never pickle.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import struct
import sys
import time
import traceback
import warnings
import weakref
from collections.abc import Callable
from typing import Any

Message = dict[str, Any]
Answer = Callable[[Message, memoryview], tuple[Message, memoryview]]

_LENGTHS = struct.Struct("<QQ")
_LOOK = 0.1  # seconds between two looks at whether the process still lives
_GRACE = 10.0  # seconds after its deadline in which a call outlives a dead parent


class DiedError(Exception):
    """The process ended without an answer; the text says how."""


class Forked:
    """`answer(request, body)`, run in a fork of this process as it is now; `end()` kills the fork and its children."""

    def __init__(self, answer: Answer) -> None:
        here, there = socket.socketpair()
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()  # or the fork would write what waits in the buffer a second time
        with warnings.catch_warnings():
            # Python 3.12 warns of threads, whose locks are copied as they are: hence a deadline for every call.
            warnings.simplefilter("ignore", DeprecationWarning)
            self._pid = os.fork()
        if self._pid == 0:
            status = 1
            try:
                here.close()
                _serve(there, answer)
                status = 0
            except BaseException:
                traceback.print_exc()  # a fault of this module, not of the release
            finally:
                os._exit(status)  # the exit handlers of the parent are not this process's business
        there.close()
        self._socket = here
        self._status: int | None = None
        self.end = weakref.finalize(self, _end, self._pid, here, os.getpid())

    def ask(self, request: Message, body: bytes, seconds: float) -> tuple[Message, memoryview]:
        """The answer.  TimeoutError if it is not complete within `seconds`, DiedError if there will be none."""
        deadline = time.monotonic() + seconds
        text = json.dumps({**request, "seconds": seconds}).encode()
        try:
            self._socket.settimeout(seconds)
            self._socket.sendall(_LENGTHS.pack(len(text), len(body)) + text + body)
            lengths = _LENGTHS.unpack(self._receive(_LENGTHS.size, deadline))
            header, payload = (self._receive(n, deadline) for n in lengths)
        except (ConnectionError, EOFError):
            raise DiedError(self._death()) from None
        return json.loads(bytes(header)), payload

    def _receive(self, size: int, deadline: float) -> memoryview:
        view = memoryview(bytearray(size))
        done = 0
        while done < size:
            # An answer that is there already counts, however late this process woke up.
            self._socket.settimeout(min(_LOOK, max(deadline - time.monotonic(), 0.001)))
            try:
                count = self._socket.recv_into(view[done:])
            except TimeoutError:
                if time.monotonic() >= deadline:
                    raise
                # A child of the fork may hold the socket open after the fork's own death.
                if self._ended():
                    raise EOFError from None
                continue
            if count == 0:
                raise EOFError
            done += count
        return view

    def _ended(self) -> bool:
        with contextlib.suppress(ChildProcessError):
            pid, status = os.waitpid(self._pid, os.WNOHANG)
            if pid == 0:
                return False
            self._status = os.waitstatus_to_exitcode(status)
        return True

    def _death(self) -> str:
        until = time.monotonic() + 1.0
        while self._status is None and not self._ended() and time.monotonic() < until:
            time.sleep(0.005)
        if self._status is None:
            return "closed its connection"
        if self._status >= 0:
            return f"ended with exit code {self._status}"
        with contextlib.suppress(ValueError):
            return f"was ended by the signal {signal.Signals(-self._status).name}"
        return f"was ended by signal {-self._status}"


def _end(pid: int, connection: socket.socket, owner: int) -> None:
    if os.getpid() != owner:
        return  # a copy of the parent's memory in another fork
    connection.close()
    try:
        os.killpg(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):  # it is gone, or has no group of its own yet
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, 0)


def _serve(connection: socket.socket, answer: Answer) -> None:
    """Answer requests until the other side is gone."""
    os.setsid()  # Ctrl-C is for the parent, who then ends this process and all that it started
    with contextlib.suppress(ValueError):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # for libraries that are loaded from here on
    while True:
        try:
            lengths = _LENGTHS.unpack(_read(connection, _LENGTHS.size))
            request, body = json.loads(bytes(_read(connection, lengths[0]))), _read(connection, lengths[1])
        except (EOFError, ConnectionError):
            return
        # Ends a call that hangs when the parent has died and cannot; while it lives, the parent is first.
        signal.setitimer(signal.ITIMER_REAL, request["seconds"] + _GRACE)
        reply, payload = answer(request, body)
        signal.setitimer(signal.ITIMER_REAL, 0)
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        text = json.dumps(reply).encode()
        with contextlib.suppress(ConnectionError):
            connection.sendall(_LENGTHS.pack(len(text), len(payload)) + text)
            connection.sendall(payload)


def _read(connection: socket.socket, size: int) -> memoryview:
    view = memoryview(bytearray(size))
    done = 0
    while done < size:
        count = connection.recv_into(view[done:])
        if count == 0:
            raise EOFError
        done += count
    return view
