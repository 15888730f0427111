"""A release in a process of its own: a call that hangs or dies ends the audit with a message, not the program.

One long-lived process per subject keeps the state that a release keeps between calls, so that its outcomes are
those of a run without isolation, bit for bit.

A hang and a dead process are no outcomes, unlike exceptions: both depend on the load and the memory of the machine,
and they take with them a whole call, whose outcomes are therefore not independent; counted as outcomes they could
refute a true claim.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Self

import numpy as np

from ....mechanisms.mechanism import Subject
from ....symbolic.errors import SpecError, counted
from ..outcomes import Kinds, Outcomes
from ..sampling import Apart, Recording, draw, fingerprint, first_line
from .forked import DiedError, Forked, Message
from .transfer import decoded, encoded

_LONGEST = 1e7  # seconds: beyond it there is no limit


class Isolated(Apart):
    """The outcomes of `subject`, drawn in a process of its own; no call takes longer than `seconds_per_call`.

    The process knows the subject's neighbours and `inputs` from its start; any other input is sent over with the call,
    which is possible for plain data only.  A release that changes its input in place is found at any call.
    Start it (`with`, or `start`) before threads and parallel libraries run: a fork copies their locks as they are.
    After a SpecError of `draw` the next call starts a new process from the state of the first: do not pool outcomes
    of the two if the release has randomness of its own, since it would repeat itself.
    Raises SpecError if the limit is not a number above zero, or if this system cannot fork.
    """

    def __init__(self, subject: Subject, seconds_per_call: float, inputs: Sequence[Any] = ()) -> None:
        if isinstance(seconds_per_call, bool) or not 0 < seconds_per_call < _LONGEST:
            raise SpecError(
                f"the limit per call must be a number of seconds > 0, got {seconds_per_call!r}; leave it out for none"
            )
        if not hasattr(os, "fork"):
            raise SpecError(
                f"a limit of seconds per call needs a system that can fork a process; {sys.platform} cannot: "
                "leave the limit out, or run under Linux or macOS"
            )
        self.subject, self.name, self.seconds_per_call = subject, subject.name, float(seconds_per_call)
        self.failure = self.seen = ""
        self._inputs: dict[str, Any] = {}
        for x in (*(x for pair in subject.neighbours() for x in pair), *inputs):
            self._inputs.setdefault(fingerprint(x), x)
        self._process: Forked | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> None:
        """Start the process unless it runs."""
        if self._process is None:
            self._process = Forked(partial(_answer, Recording(self.subject), self._inputs))

    def close(self) -> None:
        """End the process and everything that it started; a later `draw` starts a new one."""
        if self._process is not None:
            self._process.end()
            self._process = None

    def draw(self, index: Any, size: int, stream: Sequence[int], seed: int, single: bool = False) -> Outcomes:
        """What `sampling.draw` gives in this process.

        Raises SpecError if the call hangs, if the process dies, if the release changes its input or leaves by
        SystemExit or the like.
        """
        key = fingerprint(index)
        request: Message = {
            "input": key,
            "size": int(size),
            "stream": [int(i) for i in stream],
            "seed": int(seed),
            "single": single,
        }
        body = b""
        if key not in self._inputs:
            request["value"], body = self._encoded(index)
        # By number: the content of an input may be private.
        place = (
            f"input {list(self._inputs).index(key)}" if key in self._inputs else "an input found by search"
        )
        where = f"on {place}, asked for {counted(size, 'outcome')}"
        self.start()
        assert self._process is not None
        try:
            reply, payload = self._process.ask(request, body, self.seconds_per_call)
        except TimeoutError:
            self.close()
            raise SpecError(
                f"{self.name}: no answer within {self.seconds_per_call:g} s {where}; the call was ended. How long a call takes depends "
                "on the machine too, so this is no evidence on any claim: make the release return, allow more seconds per call, or "
                f"find out where it stands with release(data, {size}, rng) by hand"
            ) from None
        except DiedError as death:
            self.close()
            raise SpecError(
                f"{self.name}: its process {death} {where}. This may be the machine's doing (memory, say), so it is no evidence on "
                "any claim: make the release raise an exception instead, which counts as an outcome"
            ) from None
        except BaseException:
            self.close()  # half an answer may be under way
            raise
        self.failure, self.seen = str(reply.get("failure", "")), str(reply.get("seen", ""))
        if "left" in reply:
            raise SpecError(
                f"{self.name}: the call ended with {reply['left']} {where}; let the release return, or raise an Exception"
            )
        if reply["changed"]:
            raise SpecError(
                f"{self.name}: the release changes its input in place ({place}); let it work on a copy"
            )
        return _unpacked(reply["kinds"], payload)

    def _encoded(self, index: Any) -> tuple[Any, bytes]:
        try:
            return encoded(index)
        except TypeError as error:
            raise SpecError(
                f"{self.name}: {error}; name such inputs when the process starts, Isolated(subject, seconds, inputs=...)"
            ) from None


def _answer(
    recording: Recording, inputs: dict[str, Any], request: Message, body: memoryview
) -> tuple[Message, memoryview]:
    """One call, in the process of the release."""
    key, recording.failure, recording.seen = request["input"], "", ""
    try:
        index = decoded(request["value"], bytes(body)) if "value" in request else inputs[key]
        how = (request[name] for name in ("size", "stream", "seed", "single"))
        outcomes = draw(recording, index, *how)
    except BaseException as error:
        text = first_line(error)
        return {"left": type(error).__name__ + (f" ({text})" if text else "")}, memoryview(b"")
    return {
        "failure": recording.failure,
        "seen": recording.seen,
        "changed": fingerprint(index) != key,
        "kinds": outcomes.kinds.names,
    }, _packed(outcomes)


def _packed(outcomes: Outcomes) -> memoryview:
    buffer = io.BytesIO()
    np.save(buffer, outcomes.values, allow_pickle=False)
    if len(outcomes.kinds.names) > 1:
        np.save(buffer, outcomes.kinds.codes, allow_pickle=False)
    return buffer.getbuffer()


def _unpacked(names: Sequence[str], payload: memoryview) -> Outcomes:
    buffer = io.BytesIO(payload)
    values = np.load(buffer, allow_pickle=False)
    if len(names) == 1:
        return Outcomes(values, Kinds.same(names[0], len(values)))
    return Outcomes(values, Kinds(tuple(names), np.load(buffer, allow_pickle=False)))


def estimate_rate(
    subject: Subject | Isolated,
    inputs: Sequence[Any],
    seed: int,
    *,
    size: int = 10_000,
    seconds: float = 0.5,
    seconds_per_call: float = 60.0,
    single: bool = False,
) -> float:
    """Outcomes per second, on average over `inputs`, that calls of `size` outcomes will give.

    Measured with growing calls for about `seconds` in a process that is thrown away, so that the audit's own
    outcomes do not depend on the clock; without fork, in this process.  Raises SpecError if a call hangs or dies.
    """
    bare = subject.subject if isinstance(subject, Isolated) else subject
    with contextlib.ExitStack() as stack:
        take: Callable[..., Outcomes] = partial(draw, bare, single=single)
        if hasattr(os, "fork"):
            take = partial(stack.enter_context(Isolated(bare, seconds_per_call, inputs)).draw, single=single)
        total = sum(_seconds_for(take, x, i, seed, size, seconds / len(inputs)) for i, x in enumerate(inputs))
    return size * len(inputs) / max(total, 1e-9)


def _seconds_for(
    take: Callable[..., Outcomes], index: Any, place: int, seed: int, size: int, budget: float
) -> float:
    """What a call of `size` outcomes takes: a fixed part and a part per outcome, from the two longest calls timed."""

    def timed(number: int, call: int) -> float:
        start = time.perf_counter()
        take(index, number, (2**31 + 1, place, call), seed)
        return time.perf_counter() - start

    timed(1, 0)  # first calls load and compile
    (before, earlier), (number, later) = (0, 0.0), (1, timed(1, 1))
    spent, call = later, 1
    while number < size and (spent < budget or before == 0):
        before, earlier, number, call = number, later, min(4 * number, size), call + 1
        later = timed(number, call)
        spent += later
    if number == size:
        return later
    each = max(later - earlier, 0.0) / (number - before)
    expected = max(later - each * number, 0.0) + each * size
    # Small calls say little about a large fixed part: where it can be afforded, the call itself is timed.
    return expected if expected > 4 * budget else timed(size, call + 1)


def slowness(rate: float, samples: int, inputs: int, budget: float) -> str:
    """What to say if `samples` outcomes on each of so many inputs do not fit into `budget` seconds; "" if they do."""
    needed = samples * inputs / rate
    if needed <= budget:
        return ""
    return (
        f"slower than the budget allows: {samples:,} outcomes per input need about {needed:,.3g} s, the budget is {budget:g} s; "
        f"about {int(samples * budget / needed):,} per input fit"
    )
