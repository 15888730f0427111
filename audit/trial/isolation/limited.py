"""One answer from a fork of this process, under limits of time and memory: it cannot take this process down."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from ...record.limits import limit_memory
from .forked import DiedError, Forked, Message

MEMORY = 2 * 2**30


class NoAnswerError(Exception):
    """There is no answer; the text says why."""


def limited(answer: Callable[[Message], Message], question: Message, seconds: float) -> Message:
    """What `answer` says; NoAnswerError if that takes longer, needs more memory, or ends the fork."""
    if not hasattr(os, "fork"):
        return answer(question)

    def guarded(request: Message, body: memoryview) -> tuple[Message, memoryview]:
        limit_memory(MEMORY)
        # What lies in the current folder, the release perhaps, must not be imported.
        sys.path[:] = [place for place in sys.path if os.path.realpath(place) != os.path.realpath("")]
        try:
            return {"answer": answer(request)}, body
        except MemoryError:
            return {"answer": None}, body

    fork = Forked(guarded)
    try:
        reply, _ = fork.ask(question, b"", seconds)
    except TimeoutError:
        raise NoAnswerError(f"no answer within {seconds:g} s") from None
    except DiedError as death:
        raise NoAnswerError(f"its process {death}") from None
    finally:
        fork.end()
    found: Message | None = reply["answer"]
    if found is None:
        raise NoAnswerError(f"it needs more than {MEMORY >> 30} GB of memory")
    return found
