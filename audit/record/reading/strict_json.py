"""JSON from strangers, read so that every reader sees the same data: one value per key, finite numbers, bounded size."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

MAX_BYTES = 16 * 2**20  # what is read of them takes some thirty times as much memory
MAX_DEPTH = 64
MAX_PARTS = 500_000  # lists and objects: empty ones are small in a file and large in memory


class StrictJsonError(ValueError):
    """A text that is not JSON, or that two readers could understand differently."""


def read_strict_file(path: Path, *, longest: int = MAX_BYTES) -> Any:
    """The data in a file, of which no more than `longest` bytes are ever read; OSError as of opening it."""
    with path.open("rb") as file:
        return read_strict(file.read(longest + 1), longest=longest)


def read_strict(raw: bytes, *, longest: int = MAX_BYTES) -> Any:
    """The data in `raw`, UTF-8 without a byte order mark.

    StrictJsonError for more than `longest` bytes or 500,000 lists and objects, nesting beyond 64, a key that stands twice in one object, a number
    that no double holds, NaN, or half of a surrogate pair.
    """
    if len(raw) > longest:
        raise StrictJsonError(f"more than {longest:,} bytes; a certificate is a few megabytes at most")
    if raw.count(b"[") + raw.count(b"{") > MAX_PARTS:
        raise StrictJsonError(
            f"nested more than {MAX_DEPTH} deep, or more than {MAX_PARTS:,} lists and objects"
        )
    try:
        data = json.loads(
            raw.decode("utf-8"),
            object_pairs_hook=_object,
            parse_constant=_constant,
            parse_float=_float,
            parse_int=_int,
        )
    except UnicodeDecodeError as error:
        raise StrictJsonError(f"not UTF-8 text at byte {error.start}") from None
    except RecursionError:
        raise StrictJsonError(f"nested more than {MAX_DEPTH} deep") from None
    except StrictJsonError:
        raise
    except ValueError as error:
        raise StrictJsonError(f"not JSON: {error}") from None
    _walk(data)
    return data


def read_strict_text(text: str) -> Any:
    """The same of a text."""
    try:
        return read_strict(text.encode("utf-8"))
    except UnicodeEncodeError:
        raise StrictJsonError("a text holds half of a surrogate pair") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise StrictJsonError(f"the key {twice[:80]!r} stands twice in one object")
    return found


def _constant(word: str) -> Any:
    raise StrictJsonError(f"{word} is not a number of JSON")


def _float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise StrictJsonError(f"the number {text[:40]} is outside the range of double precision")
    return value


def _int(text: str) -> int:
    if len(text) > 310 or abs(value := int(text)) > sys.float_info.max:
        raise StrictJsonError(f"not JSON for every reader: the number {text[:40]} is too large for a double")
    return value


def _walk(data: Any) -> None:
    """Depth and text, without recursion: the depth is what is in doubt."""
    level = [data]
    for _ in range(MAX_DEPTH + 1):
        inner: list[Any] = []
        for value in level:
            if isinstance(value, str):
                _check_text(value)
            elif isinstance(value, dict):
                inner += [*value, *value.values()]
            elif isinstance(value, list):
                inner += value
        if not inner:
            return
        level = inner
    raise StrictJsonError(f"nested more than {MAX_DEPTH} deep")


def _check_text(text: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise StrictJsonError("a text holds half of a surrogate pair") from None
