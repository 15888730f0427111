"""Text that stands in another form: bytes, base64, hexadecimal digits, percent signs."""

from __future__ import annotations

import ast
import base64
import binascii
import re
from collections.abc import Iterator
from itertools import islice
from urllib.parse import unquote

HEX = re.compile(r"[0-9a-fA-F]{6,}")
_BYTES = re.compile(r"bytes (b(?:'[^'\\]*(?:\\.[^'\\]*)*'|\"[^\"\\]*(?:\\.[^\"\\]*)*\"))")
_CODED = re.compile(r"[A-Za-z0-9+/_-]{10,}={0,2}")
_ADDRESS, _BARE = re.compile(r"[\w%./~-]+"), re.compile(r"%(?![0-9a-fA-F]{2})")
_PLAIN = re.compile(rb"[ -~]{4,}")
_ESCAPED, _WHITE = re.compile(r"\\[nrt]"), {"\\n": " \n", "\\r": " \r", "\\t": " \t"}
_MOST = 8  # coded pieces of either sort that are read


def shown(name: str) -> str:
    """A structure in words, its bytes as their letters where they are such, and as whole numbers of one and of two bytes."""
    return _BYTES.sub(lambda found: _bytes_shown(found[1]), name) if "bytes b" in name else name


def unescaped(name: str) -> str:
    """A structure in words, as many letters, where white space of its text is no letter; bytes stay as they are."""
    text = "\\" in name and "bytes b" not in name
    return _ESCAPED.sub(lambda found: _WHITE[found[0]], name) if text else name


def bytes_of(name: str) -> bytes:
    """The bytes that an outcome is, from its structure in words; empty if it is anything else."""
    found = _BYTES.fullmatch(name) if name.startswith("bytes b") else None
    return bytes(ast.literal_eval(found[1])) if found else b""


def _bytes_shown(literal: str) -> str:
    try:
        raw: bytes = ast.literal_eval(literal)
    except (SyntaxError, ValueError):  # text that only looks like bytes
        return literal
    letters = " ".join(re.findall(r"[ -~]{3,}", raw.decode("latin-1")))
    pairs = " ".join(
        str(int.from_bytes(raw[i : i + 2], "little", signed=True)) for i in range(0, min(len(raw), 64) - 1, 2)
    )
    return f"bytes {len(raw)} [{' '.join(map(str, raw[:64]))}] [{pairs}] {letters}"


def decoded(text: str) -> Iterator[tuple[str, str]]:
    """(coded, said) of base64, hexadecimal digits and percent signs where they say text."""
    if "%" in text:
        for found in islice(_percent(text), _MOST):
            yield found, unquote(found)
    for match in islice(_CODED.finditer(text), _MOST):
        found, raw = match[0], b""
        try:
            body = found.rstrip("=").replace("-", "+").replace("_", "/")
            hexadecimal = HEX.fullmatch(found) and len(found) % 2 == 0
            raw = bytes.fromhex(found) if hexadecimal else base64.b64decode(body + "=" * (-len(body) % 4))
        except (binascii.Error, ValueError):
            continue
        if _PLAIN.fullmatch(raw):
            yield found, raw.decode("ascii")


def _percent(text: str) -> Iterator[str]:
    """Addresses from behind the last bare percent sign before the first coded letter, found in one scan."""
    for match in _ADDRESS.finditer(text):
        start, end = match.span()
        for bare in _BARE.finditer(text, start, end):
            if text.find("%", start, bare.start()) >= 0:
                break
            start = bare.end()
        if text.find("%", start, end) >= 0:
            yield text[start:end]
