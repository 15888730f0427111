"""JSON from strangers, read so that every reader sees the same data: one value per key, finite numbers, bounded size."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

MAX_BYTES = 16 * 2**20  # what is read of them takes some thirty times as much memory
MAX_DEPTH = 64


class StrictJsonError(ValueError):
    """A text that is not JSON, or that two readers could understand differently."""


def read_strict(raw: bytes, *, longest: int = MAX_BYTES) -> Any:
    """The data in `raw`, UTF-8 without a byte order mark.

    StrictJsonError for more than `longest` bytes, nesting beyond 64, a key that stands twice in one object, a number
    that no double holds, NaN, or half of a surrogate pair.
    """
    if len(raw) > longest:
        raise StrictJsonError(f"more than {longest:,} bytes; a certificate is a few megabytes at most")
    try:
        data = json.loads(
            raw.decode("utf-8"), object_pairs_hook=_object, parse_constant=_constant, parse_float=_float
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


def read_strict_file(path: Path, *, longest: int = MAX_BYTES) -> Any:
    """The data in a file, of which no more than `longest` bytes are read; OSError if it cannot be read at all."""
    with path.open("rb") as file:
        return read_strict(file.read(longest + 1), longest=longest)


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
        raise StrictJsonError(f"the number {text[:40]} is beyond the range of doubles")
    return value


def _walk(data: Any) -> None:
    """Depth and text, without recursion: the depth is what is in doubt."""
    waiting: list[tuple[Any, int]] = [(data, 1)]
    while waiting:
        value, depth = waiting.pop()
        if isinstance(value, str):
            _text(value)
        elif isinstance(value, dict | list):
            if depth > MAX_DEPTH:
                raise StrictJsonError(f"nested more than {MAX_DEPTH} deep")
            if isinstance(value, dict):
                for key in value:
                    _text(key)
            waiting.extend((v, depth + 1) for v in (value.values() if isinstance(value, dict) else value))


def _text(text: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise StrictJsonError("a text holds half of a surrogate pair") from None
