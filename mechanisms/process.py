"""A release that runs in a program of its own: another interpreter, another environment, another language.

Both sides write one line of JSON at a time.  Asked on its standard input
    {"id": 1, "size": 3, "seed": 5209, "input": [0, 1, 1]}
the program answers on its standard output {"id": 1, "outcomes": [2.5, 1.0, 3.25]}.  Its exceptions are outcomes:
{"id": 1, "raises": "ValueError", "message": "..."} for the whole call, "raised": {"2": "ValueError"} beside "outcomes"
for the outcome at place 2.  A program that hangs, dies or answers anything else is no outcome and ends the audit.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import shutil
import signal
import subprocess
import sys
import time
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..symbolic.errors import counted

_LARGEST = 2**28  # bytes of one answer
_SEEDS = 2**53  # whole numbers below are the same in the JSON of every language
_SAID = 4_000  # bytes kept of what the program writes on its standard error


class UnansweredError(BaseException):
    """The program gave no answer; like an interrupt no Exception, or it would pass for an outcome of the release."""


class Process:
    """`release(data, size, rng)` answered by `command`, which is started at the first call and kept alive.

    `seconds` is the limit of one call, the start of the program included in the first.  Inputs are numbers, text,
    None, arrays, lists and dicts with text as keys; arrays and tuples arrive as lists.  A fork starts its own program.
    Raises ValueError if `command` is not a list of words, if its program does not exist, or if the limit is unusable.
    """

    def __init__(self, command: Sequence[str], seconds: float = 60.0) -> None:
        words = list(command) if isinstance(command, list | tuple) else []
        if not words or not all(isinstance(word, str) and word for word in words):
            raise ValueError(
                f'command must be a list of words such as ["python3", "release.py"], got {command!r}'
            )
        if shutil.which(words[0]) is None:
            raise ValueError(
                f"no program {words[0]!r}: give the path of an executable file, or a name on PATH"
            )
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < 1e7:
            raise ValueError(f"the limit per call must be a number of seconds > 0, got {seconds!r}")
        if sys.platform == "win32":
            raise ValueError("a release in a program of its own needs Linux or macOS")
        self.command, self.seconds = tuple(words), float(seconds)
        # Folders are the business of one machine: the name of a subject stands in its certificate.
        self.__name__ = " ".join(Path(word).name for word in words[1 if len(words) > 1 else 0 :])
        self._forget()

    def __reduce__(self) -> tuple[Any, ...]:
        return Process, (list(self.command), self.seconds)  # a copy elsewhere starts a program of its own

    def __call__(self, data: Any, size: int, rng: np.random.Generator) -> list[Any]:
        """`size` outcomes; raises what the program says it raised, UnansweredError if it does not answer."""
        return self._ask(data, int(size), int(rng.integers(_SEEDS)))

    def one(self, data: Any) -> Any:
        """One outcome without a seed, for `BlackBox.single`; raises the outcome if it is an exception."""
        outcome = self._ask(data, 1, None)[0]
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def close(self) -> None:
        """End the program; a later call starts it anew."""
        if self._end is not None and self._owner == os.getpid():
            self._end()
        self._forget()

    def _forget(self) -> None:
        self._program: subprocess.Popen[bytes] | None = None
        self._end: Any = None
        self._owner, self._asked, self._rest, self._said = os.getpid(), 0, b"", b""

    def _ask(self, data: Any, size: int, seed: int | None) -> list[Any]:
        try:
            question = {"id": self._asked + 1, "size": size, "seed": seed, "input": sendable(data)}
        except ValueError as error:
            raise UnansweredError(f"{self.__name__}: {error}") from None
        if self._program is None or self._owner != os.getpid():
            self._start()
            question["id"] = 1
        self._asked = int(question["id"])
        try:
            line = self._exchange(
                json.dumps(question).encode() + b"\n", f"asked for {counted(size, 'outcome')}"
            )
            return self._read(line, size)
        except BaseException as error:
            if not isinstance(error, Exception):
                self.close()  # half an answer may be under way
            raise

    def _start(self) -> None:
        self._forget()
        try:
            self._program = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
            )
        except OSError as error:
            raise UnansweredError(
                f"{self.__name__}: the program could not be started: {error.strerror}"
            ) from None
        for stream in (self._program.stdin, self._program.stdout, self._program.stderr):
            assert stream is not None
            os.set_blocking(stream.fileno(), False)
        self._end = weakref.finalize(self, _end, self._program, os.getpid())

    def _exchange(self, question: bytes, where: str) -> bytes:
        """The next line of the answer; both directions at once, since pipes are short."""
        program = self._program
        assert program is not None
        stdin, stdout, stderr = program.stdin, program.stdout, program.stderr
        assert stdin is not None and stdout is not None and stderr is not None  # noqa: PT018
        deadline = time.monotonic() + self.seconds
        left, parts, held = memoryview(question), [self._rest], len(self._rest)
        with selectors.DefaultSelector() as ready:
            ready.register(stdin, selectors.EVENT_WRITE)
            ready.register(stdout, selectors.EVENT_READ)
            ready.register(stderr, selectors.EVENT_READ)
            while b"\n" not in parts[-1] or left:
                events = ready.select(max(deadline - time.monotonic(), 0.0))
                if not events:
                    raise UnansweredError(
                        f"{self.__name__}: no answer within {self.seconds:g} s, {where}; the program was ended. How long a call takes depends "
                        f"on the machine too, so this is no evidence on any claim: make it answer, or allow more seconds{self._words()}"
                    )
                for key, _ in events:
                    if key.fileobj is stdin:
                        try:
                            left = left[os.write(key.fd, left[: 1 << 16]) :]
                        except BrokenPipeError:
                            left = left[:0]  # the end of its output will say more
                        if not left:
                            ready.unregister(stdin)
                        continue
                    chunk = os.read(key.fd, 1 << 16)
                    if key.fileobj is stderr:
                        self._said = (self._said + chunk)[-_SAID:]
                        if not chunk:
                            ready.unregister(stderr)
                        continue
                    if not chunk:
                        raise UnansweredError(
                            f"{self.__name__}: the program {self._death()}, {where}; this may be the machine's doing (memory, say), so it "
                            f'is no evidence on any claim. Exceptions are outcomes: let it answer {{"raises": ...}} for them{self._words()}'
                        )
                    parts.append(chunk)
                    held += len(chunk)
                    if held > _LARGEST:
                        raise UnansweredError(
                            f"{self.__name__}: an answer of more than {_LARGEST:,} bytes; is it one line?"
                        )
        line, self._rest = b"".join(parts).split(b"\n", 1)
        return line

    def _read(self, line: bytes, size: int) -> list[Any]:
        """The outcomes in an answer; UnansweredError if it does not follow the protocol."""
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            raise self._nonsense("expected one line of JSON", line) from None
        if not isinstance(answer, dict) or answer.get("id") != self._asked:
            raise self._nonsense(f'expected {{"id": {self._asked}, ...}}, one answer to each question', line)
        if "raises" in answer:
            raise _exception(self, answer["raises"], str(answer.get("message", "")), line)
        outcomes, raised = answer.get("outcomes"), answer.get("raised", {})
        if not isinstance(outcomes, list) or not isinstance(raised, dict):
            raise self._nonsense('expected "outcomes": [...] or "raises": "Name"', line)
        if len(outcomes) != size:
            raise self._nonsense(f"expected {counted(size, 'outcome')}, got {len(outcomes):,}", line)
        for place, name in raised.items():
            if not (place.isascii() and place.isdigit() and int(place) < size):
                raise self._nonsense(
                    f'"raised" names the place {place!r} of {counted(size, "outcome")}', line
                )
            outcomes[int(place)] = _exception(self, name, "", line)
        return outcomes

    def _nonsense(self, expected: str, line: bytes) -> UnansweredError:
        shown = repr(line[:80].decode("utf-8", "replace")) + ("..." if len(line) > 80 else "")
        return UnansweredError(
            f"{self.__name__}: {expected}, the program wrote {shown}; nothing but answers may go to its standard output{self._words()}"
        )

    def _words(self) -> str:
        """The last line that the program wrote on its standard error."""
        stream = None if self._program is None else self._program.stderr
        with contextlib.suppress(OSError, AttributeError):
            self._said += os.read(stream.fileno(), _SAID)  # type: ignore[union-attr]
        lines = [
            t.strip() for t in self._said.decode("utf-8", "replace").splitlines() if t.strip().isprintable()
        ]
        last = next((t for t in reversed(lines) if t), "")
        return f". Its last words: {last[:300]}" if last else ""

    def _death(self) -> str:
        assert self._program is not None
        try:
            status = self._program.wait(2.0)
        except subprocess.TimeoutExpired:
            return "closed its output"
        if status >= 0:
            return f"ended with exit code {status}"
        with contextlib.suppress(ValueError):
            return f"was ended by the signal {signal.Signals(-status).name}"
        return f"was ended by signal {-status}"


def sendable(value: Any) -> Any:
    """An input as JSON data; ValueError if it cannot be sent."""
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "biufU":
        return value.tolist()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.ndarray) and value.dtype.kind == "O":
        return sendable(value.tolist())
    if isinstance(value, list | tuple):
        return [sendable(v) for v in value]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {key: sendable(v) for key, v in value.items()}
    raise ValueError(
        f"an input of type {type(value).__name__} cannot be sent to another program: give numbers, text, None, arrays, lists, or dicts "
        "with text as keys"
    )


def _exception(process: Process, name: Any, message: str, line: bytes) -> BaseException:
    """An exception of that name, made here: nothing of the program's own is loaded."""
    if not (isinstance(name, str) and name.isidentifier() and len(name) <= 100):
        return process._nonsense("expected the name of an exception", line)
    error: Exception = type(name, (Exception,), {})(message)
    return error


def _end(program: subprocess.Popen[bytes], owner: int) -> None:
    if os.getpid() != owner:
        return  # a copy of the owner's memory in a fork
    for stream in (program.stdin, program.stdout, program.stderr):
        with contextlib.suppress(OSError):
            if stream is not None:
                stream.close()
    program.kill()
    program.wait()
