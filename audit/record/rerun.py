"""Witnesses evaluated again in another process, which knows their data alone and cannot take this one down."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Any

from .checked import Checked
from .own_process import asked
from .terms import Terms

SECONDS = 120.0
ALTOGETHER = 900.0


def rerun(
    witnesses: Sequence[tuple[str, dict[str, Any] | Terms]],
    seconds: float = SECONDS,
    altogether: float = ALTOGETHER,
) -> list[Checked]:
    """One answer per (name, witness alone or in its terms): holds if the refutation stands, fails if not.

    It is open if no answer came within `seconds`, or no time was left of what all of them have.
    """
    found: list[Checked] = []
    end = time.monotonic() + altogether
    while len(found) < len(witnesses):
        waiting = witnesses[len(found) :]
        if time.monotonic() > end:
            said = f"no time was left: all witnesses together have {altogether:g} s"
            return [*found, *(Checked(f"witness of {name}", "open", said) for name, _ in waiting)]
        answers, death = _ask(
            [{"terms": one.record()} if isinstance(one, Terms) else {"witness": one} for _, one in waiting],
            seconds,
            end,
        )
        for (name, _), (stands, says) in zip(waiting, answers, strict=False):
            found.append(Checked(f"witness of {name}", "holds" if stands else "fails", says))
        if len(answers) < len(waiting):
            found.append(Checked(f"witness of {waiting[len(answers)][0]}", "open", death))
    return found


def _ask(witnesses: list[dict[str, Any]], seconds: float, end: float) -> tuple[list[tuple[bool, str]], str]:
    """The answers of one process until it ended, and why it ended early if it did."""
    output, status = asked(
        "record.rerun_process",
        json.dumps(witnesses).encode(),
        60 + min(seconds * len(witnesses), end - time.monotonic()),
        seconds,
    )
    answers = []
    for line in output.splitlines():
        try:
            stands, says = json.loads(line)
        except ValueError:
            break
        answers.append((bool(stands), str(says)))
    return answers[: len(witnesses)], (
        f"no answer within {seconds:g} s"
        if status in (None, 0, -14)
        else f"its process ended with status {status}"
    )
