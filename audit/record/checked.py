"""What verification says about one thing that it looked at."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from ...symbolic.errors import counted

State = Literal["holds", "fails", "open"]


@dataclass(frozen=True)
class Checked:
    """`holds`, `fails`, or `open`: not settled here, never to be read as a pass.  `what` is the thing, `file` its place."""

    what: str
    state: State
    message: str
    file: str = ""

    def __str__(self) -> str:
        place = f" ({self.file})" if self.file else ""
        return f"{self.state:<5}  {self.what}{place}: {self.message}"


def closing(found: Sequence[Checked]) -> str:
    """The exit code in words: VERIFIED, or where something fails or stays open."""
    code = exit_code(found)
    if code == 0:
        return f"VERIFIED, {counted(len(found), 'check')} held"
    word, state = ("FAILED", "fails") if code == 1 else ("OPEN", "open")
    places = dict.fromkeys(f"{one.what} {one.file}".rstrip() for one in found if one.state == state)
    return f"{word} at {', '.join(places) or 'nothing that was looked at'}"


def exit_code(found: Iterable[Checked]) -> int:
    """1 something fails, 4 something is open, 0 everything holds; 5 if nothing was looked at."""
    states = {checked.state for checked in found}
    return 1 if "fails" in states else 4 if "open" in states else 0 if states else 5
