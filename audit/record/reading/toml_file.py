"""TOML that users write: whatever stands in it, or in the way of reading it, is one SpecError."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

from ....symbolic.errors import SpecError

LONGEST = 5_000_000
MOST_PARTS = 16
# What ends a key, the dots inside of one, and what may hold either without meaning it: texts, comments.
_PIECES = re.compile(
    r'''"""(?:\\.|[^\\])*?(?:"""|\Z)|\'\'\'.*?(?:\'\'\'|\Z)|"(?:\\.|[^"\\\n])*"?|\'[^\'\n]*\'?|#[^\n]*|[.=\n,{}\[\]]''',
    re.DOTALL,
)


def read_bytes(path: Path, expected: str) -> bytes:
    """The bytes of a file, of one that is longer than LONGEST one byte more than that."""
    try:
        with path.open("rb") as file:
            return file.read(LONGEST + 1)
    except (OSError, ValueError) as error:
        # A name that holds a NUL character is a ValueError.
        reason = "no such file" if isinstance(error, FileNotFoundError) else getattr(error, "strerror", None)
        raise SpecError(f"{reason or 'cannot be read'}; expected {expected}", file=str(path)) from None


def parse_toml(raw: bytes, expected: str, file: str) -> dict[str, Any]:
    """The tables of a TOML document; every number in it fits a double."""
    if len(raw) > LONGEST:
        raise SpecError(f"longer than {LONGEST:,} bytes: expected {expected}", file=file)
    try:
        text = raw.decode("utf-8-sig")
        deep = _deepest(text) > MOST_PARTS
        tree = {} if deep else tomllib.loads(text)
        huge = _huge(tree)
    except UnicodeDecodeError:
        raise SpecError("not valid TOML: the file is not UTF-8 text; save it as UTF-8", file=file) from None
    except tomllib.TOMLDecodeError as error:
        raise SpecError(f"not valid TOML: {error}", file=file) from None
    except (ValueError, RecursionError):
        # Numbers of thousands of digits are a ValueError of their own.
        raise SpecError("not valid TOML: nested too deeply, or a number too long", file=file) from None
    if deep:
        raise SpecError(
            f"not valid here: a key or the name of a table has more than {MOST_PARTS} parts", file=file
        )
    if huge is not None:
        raise SpecError(
            "expected numbers below 1.8e308 in size, got one of 309 or more digits",
            key=huge.removeprefix("."),
            file=file,
        )
    return tree


def without_texts(text: str) -> str:
    """The document with its texts and comments blank, line by line as long as it was."""
    return _PIECES.sub(lambda p: re.sub(r"[^\n]", " ", p[0]) if p[0][0] in "\"'#" else p[0], text)


def _deepest(text: str) -> int:
    """The most parts of a dotted key: the parser takes time and memory that grow with their square."""
    most = parts = 1
    for piece in _PIECES.finditer(text):
        if piece[0] == ".":
            parts += 1
            most = max(most, parts)
        elif piece[0] in "=\n,{}[]":
            parts = 1
    return most


def written_key(name: str) -> str:
    """A key as it is written in TOML, cut to 60 characters."""
    return name if re.fullmatch(r"[\w-]+", name) else f'"{name[:60]}"'


def _huge(value: Any) -> str | None:
    """The path to a whole number that no double holds."""
    if isinstance(value, int):
        return "" if abs(value) > sys.float_info.max else None
    steps: Any = ()
    if isinstance(value, dict):
        steps = ((f".{written_key(name)}", inner) for name, inner in value.items())
    elif isinstance(value, list):
        steps = ((f"[{number}]", inner) for number, inner in enumerate(value))
    for step, inner in steps:
        found = _huge(inner)
        if found is not None:
            return f"{step}{found}"
    return None
