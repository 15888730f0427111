"""The lines of a ledger: canonical JSON, each with its own SHA-256 and that of the line before."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from ....symbolic.errors import SpecError, counted

START = "0" * 64
_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)
_EDITED = "the ledger is not as it was written; compare it with a copy, and do not spend on this one"


@dataclass(frozen=True)
class Head:
    """How far a ledger was known to be whole: its id, the number and bytes of its lines, the hash of the last."""

    ledger: str
    lines: int
    bytes: int
    hash: str


@dataclass(frozen=True)
class Chain:
    """The whole lines of a ledger in order, where they end (bytes), and what is left of a line that was cut off."""

    lines: tuple[dict[str, Any], ...]
    end: int
    torn: bytes

    @property
    def head(self) -> Head:
        return Head(str(self.lines[0].get("id")), len(self.lines), self.end, self.lines[-1]["hash"])


def canonical(data: Any) -> bytes:
    """The one way in which a line is written."""
    return _ENCODER.encode(data).encode("ascii")


def digest(content: bytes) -> str:
    """SHA-256 in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def sealed(content: dict[str, Any], line: int, previous: str) -> dict[str, Any]:
    """The content with its place in the chain and its hash."""
    placed = {**content, "line": line, "previous": previous}
    return {**placed, "hash": digest(canonical(placed))}


def read_chain(data: bytes, known: Head | None, file: str) -> Chain:
    """The lines of a ledger; `known` is what was acknowledged: nothing up to there may be missing or changed.

    Raises SpecError that names the line: edited, removed or inserted, the file cut off, or swapped.
    """
    first = _next(data, 0, [])
    if first is None or first[0].get("kind") != "open":
        raise SpecError("expected a ledger of noiseproof: its first line is not a ledger header", file=file)
    acknowledged = 0
    if known is not None:
        acknowledged = known.bytes
        if first[0].get("id") != known.ledger:
            raise SpecError(
                f"this is another ledger than the one whose head stands in {file}.head: one of the two files was swapped",
                file=file,
            )
        if len(data) < acknowledged:
            raise SpecError(
                f"the ledger was cut off: {counted(known.lines, 'line')} ({counted(acknowledged, 'byte')}) expected, {counted(len(data), 'byte')} left",
                file=file,
            )
    lines: list[dict[str, Any]] = []
    ends = {0: START}
    at = 0
    while at < len(data):
        found = _next(data, at, lines)
        if found is None:
            if at < acknowledged or any(_own(part) is not None for part in data[at:].split(b"\n")):
                raise _fault(data, at, lines, file)
            break
        line, at = found
        lines.append(line)
        ends[at] = line["hash"]
    if known is not None and ends.get(acknowledged) != known.hash:
        raise SpecError(
            f"line {known.lines - 1} of the ledger is not the one whose hash stands in {file}.head; {_EDITED}",
            file=file,
        )
    return Chain(tuple(lines), at, data[at:])


def _next(data: bytes, at: int, lines: list[dict[str, Any]]) -> tuple[dict[str, Any], int] | None:
    """The line at this place and where it ends; cut-off bytes that the line after them accounts for are passed over."""
    stop = data.find(b"\n", at)
    end = len(data) if stop < 0 else stop
    line = _line(data[at:end], lines)
    if line is not None:
        return line, min(end + 1, len(data))
    while stop >= 0 and stop + 1 < len(data):
        start = stop + 1
        stop = data.find(b"\n", start)
        end = len(data) if stop < 0 else stop
        line = _line(data[start:end], lines)
        if line is not None and line.get("kind") == "torn":
            cut = data[at : start - 1]
            if line.get("bytes") == len(cut) and line.get("sha256") == digest(cut):
                return line, min(end + 1, len(data))
    return None


def _line(content: bytes, lines: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The line, if it is whole and follows the last one."""
    line = _own(content)
    follows = lines[-1]["hash"] if lines else START
    return line if line is not None and line["line"] == len(lines) and line["previous"] == follows else None


def _own(content: bytes) -> dict[str, Any] | None:
    """The line, if it is written as lines are and has its own hash."""
    try:
        line = json.loads(content)
        if not isinstance(line, dict) or canonical(line) != content:
            return None
        rest = {key: value for key, value in line.items() if key != "hash"}
        whole = line["hash"] == digest(canonical(rest)) and type(line["line"]) is int and "previous" in line
        return line if whole else None
    except (ValueError, KeyError, RecursionError):
        return None


def _fault(data: bytes, at: int, lines: list[dict[str, Any]], file: str) -> SpecError:
    stop = data.find(b"\n", at)
    line = _own(data[at:] if stop < 0 else data[at:stop])
    number = len(lines)
    if line is None:
        return SpecError(
            f"line {number} was edited: its content does not have its hash; {_EDITED}", file=file
        )
    return SpecError(
        f"line {number} does not follow the one before it (it says that it is line {line['line']}): "
        f"a line was removed, inserted or exchanged; {_EDITED}",
        file=file,
    )
