"""One outcome in words, read as a person reads it: numbers, times, identifiers and words between separators.

What is read is the structure of an outcome in words (`Kinds.names`), which holds its text.  Reading decides only which
events are looked at; it may be as free as it likes.
"""

from __future__ import annotations

import ast
import base64
import binascii
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from urllib.parse import unquote
from zlib import crc32

_TOKEN = re.compile(
    r"(?P<uuid>\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b)"
    r"|(?P<time>\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)"
    r"|(?P<number>(?:(?<![\w)\]])[+-])?(?<!\w)(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w]))"
    r"|(?P<run>\w+)"
    r"|(?P<between>[^\w]+?(?=[+-]?\w|$)|[^\w]+)"
)
_BYTES = re.compile(r"bytes (b(?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"))")
_CODED = re.compile(r"[A-Za-z0-9+/_-]{10,}={0,2}")
# Begins where its letters begin: a long word is not tried again from each of its letters.
_PERCENT = re.compile(r"(?<![\w./~-])[\w./~-]*%[0-9a-fA-F]{2}[\w%./~-]*")
_HEX = re.compile(r"[0-9a-fA-F]{6,}")
_TOKENS, _TAIL = 300, 60  # tokens of an outcome that are read: the first and the last
_PLACES = 48  # letters of an identifier that are read by their place
_LONG, _GRAM = 8, 4  # a run of so many letters is read letter by letter too, and by groups


@dataclass(frozen=True)
class Text:
    """`template`: what stands between tokens, and of which sort these are; `columns`: their numbers; `words`: all that may repeat."""

    template: str
    columns: tuple[float, ...]
    words: tuple[str, ...]


@lru_cache(4)
def read_all(names: tuple[str, ...]) -> tuple[Text, ...]:
    """Each structure in words, read."""
    return tuple(read(name) for name in names)


def read(name: str) -> Text:
    """One structure in words, read."""
    name = _BYTES.sub(lambda found: _bytes_shown(found[1]), name)
    template: list[str] = []
    columns: list[float] = [float(len(name))]
    words: list[str] = [f"first {name[:1]!r}", f"last {name[-2:]!r}"]
    runs: list[str] = []
    before, between, long = "", "", 0
    for kind, token in _shortened(name):
        if kind == "between":
            template.append(token)
            words.append(f"between {token[:6]!r}")
            between = token
            continue
        sort, numbers = _numbers(kind, token)
        template.append(sort)
        columns += numbers
        if sort == "0":
            whole, _, part = token.partition(".")
            words.append(f"form {before[:20]} {len(whole)}.{len(part)}")
        if sort == "a" or len(token) <= 4:
            words.append(f"{before[:20]}{between[-3:]}{token[:40]}")
        if sort in "ax" and len(token) <= 40:
            words.append(token)
        if sort == "a":
            runs.append(token)
            words.append("upper" if token.isupper() else "lower" if token.islower() else "mixed")
        if (sort in "hx" or len(token) >= _LONG) and sort != "0" and long < 4:
            words += _letters(token, long) + (_groups(token) if sort in "ax" else [])
            long += 1
        before = token if sort == "a" else sort
    words += [f"{a[:20]} then {b[:20]}" for a, b in pairwise(runs)]
    counts = Counter(token for kind, token in _tokens(name) if kind != "between" and len(token) > 1)
    words += [f"{token[:40]} twice" for token, n in counts.items() if n > 1]
    words += ["some token twice"] if any(n > 1 for n in counts.values()) else []
    words += [f"decoded {word}" for _, text in _decoded(name) for word in re.findall(r"\w+", text)]
    form = "".join(template)
    words.append(f"form {form[:200]}")
    return Text(form, tuple(columns), tuple(dict.fromkeys(words)))


@lru_cache(4)
def _tokens(name: str) -> tuple[tuple[str, str], ...]:
    return tuple((str(found.lastgroup), found[0]) for found in _TOKEN.finditer(name))


def _shortened(name: str) -> tuple[tuple[str, str], ...]:
    found = _tokens(name)
    return found if len(found) <= _TOKENS + _TAIL else (*found[:_TOKENS], *found[-_TAIL:])


def _numbers(kind: str, token: str) -> tuple[str, list[float]]:
    """The sort of a token and the numbers that it gives; always as many for one sort."""
    if kind == "number":
        plain = token.replace(",", "")
        whole = plain.lstrip("+-").split(".")[0].split("e")[0].split("E")[0]
        value = float(plain)
        return "0", [value if abs(value) < 1e300 else 0.0, float(int(whole[-9:])), float(whole[-1])]
    if kind == "time":
        day, clock = token[:10], token[11:].split(":")
        seconds = float(clock[2]) if len(clock) > 2 else 0.0
        return "t", [float(day.replace("-", "")), float(clock[0]), float(clock[1]), seconds]
    if kind == "uuid" or (_HEX.fullmatch(token) and not token.isalpha()):
        digits = token.replace("-", "")
        return "u" if kind == "uuid" else "h", [float(int(digits[:8], 16)), float(int(digits[-8:], 16))]
    # Letters are a value that repeats or does not: the same number for the same letters.
    return "a" if token.isalpha() else "x", [float(crc32(token.encode()))]


def _letters(token: str, place: int) -> list[str]:
    """A run letter by letter, from either end."""
    found = [f"{place}@{i}{c}" for i, c in enumerate(token[:_PLACES])]
    return found + [f"{place}@-{i}{c}" for i, c in enumerate(reversed(token[-2:]), 1)]


def _groups(token: str) -> list[str]:
    """Neighbouring letters of a run, wherever they are in it."""
    return [f"group {token[i : i + _GRAM]}" for i in range(min(len(token), 120) - _GRAM + 1)]


def _bytes_shown(literal: str) -> str:
    """Bytes as their letters where they are such, and as whole numbers of one and of two bytes."""
    raw: bytes = ast.literal_eval(literal)
    letters = " ".join(re.findall(r"[ -~]{3,}", raw.decode("latin-1")))
    pairs = " ".join(
        str(int.from_bytes(raw[i : i + 2], "little", signed=True)) for i in range(0, min(len(raw), 64) - 1, 2)
    )
    return f"bytes {len(raw)} [{' '.join(map(str, raw[:64]))}] [{pairs}] {letters}"


def _decoded(name: str) -> Iterator[tuple[str, str]]:
    """(coded, said) of base64, hexadecimal digits and percent signs where they say text."""
    for found in _PERCENT.findall(name)[:8]:
        yield found, unquote(found)
    for found in _CODED.findall(name)[:8]:
        raw = b""
        try:
            body = found.rstrip("=").replace("-", "+").replace("_", "/")
            hexadecimal = _HEX.fullmatch(found) and len(found) % 2 == 0
            raw = bytes.fromhex(found) if hexadecimal else base64.b64decode(body + "=" * (-len(body) % 4))
        except (binascii.Error, ValueError):
            continue
        if len(raw) >= 4 and all(32 <= byte < 127 for byte in raw):
            yield found, raw.decode("ascii")


def unread(names: tuple[str, ...]) -> float:
    """The share of the letters of these structures that nothing reads: ends of long runs, and tokens beyond the first and the last."""
    read = 0
    for name in names:
        plain = name
        for coded, _ in _decoded(name):
            plain = plain.replace(coded, "")
        read += len(name) - len(plain)
        read += sum(min(len(t), _PLACES) if kind == "run" else len(t) for kind, t in _shortened(plain))
    return 1 - read / max(sum(map(len, names)), 1)
