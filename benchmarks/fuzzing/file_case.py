"""One edited file through the commands that read it: refused, read as before, or read as something else; never a crash."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from typer.testing import CliRunner

from .file_edits import Edited, edited
from .file_kinds import Kind, copied

Outcome = Literal["refused", "same", "pretended", "fault"]
SECONDS = 10.0  # of the processors, with every process that was started
CLOCK = 60.0  # by the clock, whatever else the machine does
_ANSWERS = {0, 1, 2, 4, 5}


@dataclass
class Tally:
    """Outcomes by kind of file and edit, what was pretended by place, and every fault."""

    outcomes: Counter[tuple[str, str, Outcome]] = field(default_factory=Counter)
    pretended: Counter[tuple[str, str]] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    slowest: float = 0.0

    def add(self, kind: Kind, edit: Edited, outcome: Outcome, said: str) -> None:
        """Count one case."""
        self.outcomes[kind.name, edit.edit, outcome] += 1
        if outcome == "pretended":
            self.pretended[kind.name, edit.place] += 1
        if outcome == "fault":
            self.faults.append(f"{kind.name}, {edit.edit} of {edit.place}: {said[:400]}")


def tried(kinds: tuple[Kind, ...], cases: int, seed: int, folder: Path, every: int = 1) -> Tally:
    """So many edits, each of a kind of file in turn; what Python reads goes through a command as well every so often."""
    tally = Tally()
    for number in range(cases):
        kind = kinds[number % len(kinds)]
        asked = number // len(kinds) % every == 0
        if every > 1 and kind.read is None and not asked:
            # What only commands read takes its turn when they do.
            kind, asked = kinds[0], False
        rng = np.random.default_rng([seed, number])
        which, other = rng.integers(len(kind.samples), size=2)
        original = kind.samples[int(which)]
        edit = edited(original, kind.samples[int(other)], rng)
        start, busy = time.perf_counter(), _processors()
        outcome, said = _case(kind, original, edit, folder, rng, asked)
        clock, seconds = time.perf_counter() - start, _processors() - busy
        tally.slowest = max(tally.slowest, seconds)
        if seconds > SECONDS or clock > CLOCK:
            outcome, said = "fault", f"{seconds:.1f} s of the processors, {clock:.1f} s by the clock"
        tally.add(kind, edit, outcome, said)
    return tally


def _processors() -> float:
    return sum(os.times()[:4])


def _case(
    kind: Kind, original: Any, edit: Edited, folder: Path, rng: np.random.Generator, asked: bool
) -> tuple[Outcome, str]:
    place = folder / "case"
    if kind.folder is not None:
        copied(kind.folder, place)
    else:
        shutil.rmtree(place, ignore_errors=True)  # a seal that is left there would refuse what is new
    place.mkdir(parents=True, exist_ok=True)
    path, honest = place / kind.file, folder / "honest.json"
    path.write_bytes(edit.raw)
    honest.write_text(json.dumps(original), encoding="utf-8")
    try:
        unchanged = bool(json.loads(edit.raw) == original)
    except (ValueError, RecursionError):
        unchanged = False
    accepted: list[str] = []
    if kind.read is not None:
        try:
            kind.read(_strict(edit.raw))
            accepted.append("Python")
        except ValueError:
            pass
        except Exception as error:
            return "fault", f"Python: {error!r}"
    commands = list(kind.commands(path, honest))
    if kind.read is not None:
        commands = [commands[int(rng.integers(len(commands)))]] if asked else []
    for words in commands:
        code, said = _run(words)
        if code not in _ANSWERS or "Traceback" in said:
            return "fault", f"{words[0]}: exit {code}: {said}"
        refused = code == 2 or (words[0] in ("verify", "ledger") and code == 1)
        # A witness that is missing, or does not stand, is no answer about the file as a whole.
        if words[0] == "replay" and code in (1, 2) and accepted:
            continue
        if kind.read is not None and refused is ("Python" in accepted):
            return "fault", f"{words[0]} and Python disagree: exit {code}: {said}"
        if not refused:
            accepted.append(words[0])
        elif words[0] in ("seal", "verify"):
            accepted.clear()
            break
    if not accepted:
        return "refused", ""
    if unchanged:
        return "same", ""
    if kind.guards(edit.place) and (kind.read is None or not only_less(original, json.loads(edit.raw))):
        return "fault", f"read by {', '.join(accepted)} though it says something else"
    return "pretended", ""


def only_less(original: Any, changed: Any, place: str = "") -> bool:
    """Whether the file says less in all that changed: undecided for survived, no pass for a pass, a larger alpha."""
    if type(original) is not type(changed):
        return False
    if isinstance(original, dict):
        return original.keys() == changed.keys() and all(
            only_less(value, changed[key], f"{place}.{key}") for key, value in original.items()
        )
    if isinstance(original, list):
        return len(original) == len(changed) and all(
            only_less(one, other, f"{place}[]") for one, other in zip(original, changed, strict=True)
        )
    less = (
        (original, changed) == ("SURVIVED", "UNDECIDED"),
        (place, original) in ((".findings[].as_expected", True), (".exit_code", 0)),
        place == ".settings.alpha" and original < changed,
    )
    return bool(original == changed) or any(less)


def _strict(raw: bytes) -> Any:
    from noiseproof.audit.record.reading.strict_json import read_strict

    return read_strict(raw)


def _run(words: tuple[str, ...]) -> tuple[int, str]:
    from noiseproof.cli import app

    done = CliRunner().invoke(app, list(words))
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        return 3, repr(done.exception)
    return done.exit_code, done.output
