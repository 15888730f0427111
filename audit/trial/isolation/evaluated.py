"""A witness evaluated in a fork of this process, under limits of time and memory."""

from __future__ import annotations

import os

from ...record.limits import limit_memory
from ...record.own_process import MEMORY
from ...record.rerun import SECONDS
from ...record.rerun_process import answered
from ...record.terms import Terms
from ...record.witness import kinds
from .forked import DiedError, Forked, Message


def evaluated(terms: Terms, seconds: float = SECONDS) -> tuple[bool | None, str]:
    """Whether the witness stands in its terms, and what it says; None if no answer came within the limits."""
    kinds()  # the libraries are loaded before the clock runs
    asked = {"terms": terms.record()}
    if not hasattr(os, "fork"):
        return answered(asked)
    fork = Forked(_answer)
    try:
        reply, _ = fork.ask(asked, b"", seconds)
    except TimeoutError:
        return None, f"no answer within {seconds:g} s"
    except DiedError as death:
        return None, f"its process {death}"
    finally:
        fork.end()
    return reply["stands"], reply["says"]


def _answer(request: Message, body: memoryview) -> tuple[Message, memoryview]:
    limit_memory(MEMORY)
    try:
        stands, says = answered(request)
    except MemoryError:
        return {"stands": None, "says": "it needs more memory than a witness may take"}, body
    return {"stands": stands, "says": says}, body
