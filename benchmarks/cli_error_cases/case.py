"""An error case: what lies in the folder, what was run before, and the line that is judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

HERE, APART, PYTHON = "here", "apart", "python"


@dataclass(frozen=True)
class Case:
    """One line in an empty folder; `kits` and `files` are put there first, then `before` is run and `edits` are made."""

    name: str
    line: str
    kits: tuple[str, ...] = ()
    files: Mapping[str, str | bytes] = field(default_factory=dict)
    before: tuple[str, ...] = ()
    edits: tuple[tuple[str, str, str], ...] = ()  # file, what stands there, what stands there then
    how: str = HERE  # in this process; APART: by a shell; PYTHON: the line is Python
    fine: bool = False  # nothing is wrong with it: exit code 0 is right
    environment: Mapping[str, str] = field(default_factory=dict)
    plain_user: bool = False  # not as root, to whom no folder is read-only


@dataclass(frozen=True)
class Outcome:
    """What came of a case; `before` and `after` are the digests of its files around the line."""

    code: int
    out: str
    err: str
    before: Mapping[str, str]
    after: Mapping[str, str]
    raised: str = ""  # the type of an exception that came through

    @property
    def message(self) -> str:
        """The line that says what is wrong; where nothing is, the last one."""
        lines = [line for text in (self.out, self.err) for line in text.splitlines() if line.strip()]
        wrong = [line for line in lines if line.lower().startswith(("error", "internal error", "fails "))]
        return (wrong or lines or [""])[-1].strip()
