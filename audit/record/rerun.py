"""Witnesses evaluated again in another process, which knows their data alone and cannot take this one down."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from .checked import Checked

SECONDS = 120.0
MEMORY = 4 * 2**30
_PACKAGE = __name__.split(".")[0]


def rerun(witnesses: Sequence[tuple[str, dict[str, Any]]], seconds: float = SECONDS) -> list[Checked]:
    """One answer per (name, witness): holds if the refutation stands, fails if not, open if no answer came in time."""
    found: list[Checked] = []
    while len(found) < len(witnesses):
        waiting = witnesses[len(found) :]
        answers, death = _ask([witness for _, witness in waiting], seconds)
        for (name, _), (stands, says) in zip(waiting, answers, strict=False):
            found.append(Checked(f"witness of {name}", "holds" if stands else "fails", says))
        if len(answers) < len(waiting):
            found.append(Checked(f"witness of {waiting[len(answers)][0]}", "open", death))
    return found


def _ask(witnesses: list[dict[str, Any]], seconds: float) -> tuple[list[tuple[bool, str]], str]:
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
            timeout=60 + seconds * len(witnesses),
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
