"""Witnesses evaluated again in another process, which knows their data alone and cannot take this one down."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any

from .checked import Checked
from .terms import Terms

SECONDS = 120.0
MEMORY = 2 * 2**30
ALTOGETHER = 900.0
_PACKAGE = __name__.split(".")[0]


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
    # -P: a module that lies in the current folder, the release perhaps, must not be imported.
    command = [
        sys.executable,
        "-P",
        "-m",
        f"{_PACKAGE}.audit.record.rerun_process",
        str(seconds),
        str(MEMORY),
    ]
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    try:
        done = subprocess.run(
            command,
            input=json.dumps(witnesses).encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=60 + min(seconds * len(witnesses), end - time.monotonic()),
            env={**os.environ, **threads},
            check=False,
        )
        output, status = done.stdout, done.returncode
    except subprocess.TimeoutExpired as error:
        output, status = error.stdout or b"", 0
    answers = []
    for line in output.splitlines():
        try:
            stands, says = json.loads(line)
        except ValueError:
            break
        answers.append((bool(stands), str(says)))
    return answers[: len(witnesses)], (
        f"no answer within {seconds:g} s" if status in (0, -14) else f"its process ended with status {status}"
    )
