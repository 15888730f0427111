"""One outcome in words, read as a person reads it: numbers, times, identifiers and words between separators.

What is read is the structure of an outcome in words (`Kinds.names`), which holds its text.  Reading decides only which
events are looked at; it may be as free as it likes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from functools import lru_cache
from itertools import chain, islice
from zlib import crc32

from .coded import HEX, shown, unescaped

_UUID = r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b"
# The two that are usual stand first, where nothing else could begin.
_TOKEN = re.compile(
    rf"((?!{_UUID})[^\W\d]\w*)|([^\w+-]+(?=\w))|({_UUID})"
    r"|(\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)"
    r"|((?:(?<![\w)\]])[+-])?(?<!\w)(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w]))"
    r"|(\w+)|([^\w]+?(?=[+-]?\w|$)|[^\w]+)"
)
_KINDS = ("", "run", "between", "uuid", "time", "number", "run", "between")
_TOKENS, _TAIL = 300, 60  # tokens of an outcome that are read: the first and the last
_ENTERED, _WINDOW = (
    8,
    512,
)  # tokens after which it no longer matters where reading began; letters that are tried
_SHORT = 24  # letters of a token that is remembered
Token = tuple[str, str]  # its sort and its letters


def _tokens(text: str, start: int = 0, most: int | None = None) -> list[Token]:
    return [(_KINDS[found.lastindex or 0], found[0]) for found in islice(_TOKEN.finditer(text, start), most)]


def read_tokens(text: str) -> tuple[list[Token], tuple[str, ...]]:
    """The first and the last tokens of a text, or all, and the parts of the text that they stand in.

    What lies between is not looked at: reading costs the same however long a text is.
    """
    tokens = _tokens(text, most=_TOKENS + _TAIL + 1)
    if len(tokens) <= _TOKENS + _TAIL:
        return tokens, (text,)
    del tokens[_TOKENS:]
    end, start, window = sum(len(token) for _, token in tokens), len(text), _WINDOW
    tail: list[Token] = []
    while start > end and len(tail) < _TAIL + _ENTERED:
        start = max(end, len(text) - window)
        tail = _tokens(text, start)
        window *= 4
    tail = tail[-_TAIL:]
    return tokens + tail, (text[:end], text[len(text) - sum(len(token) for _, token in tail) :])


def numbers_of(name: str) -> tuple[str, list[float]]:
    """What stands between the tokens of a structure in words, and of which sort these are; its length and their numbers."""
    name = shown(unescaped(name))
    found = sorted_tokens(read_tokens(name)[0])
    numbers = chain.from_iterable([numbers for _, numbers in found])
    return "".join([sort for sort, _ in found]), [float(len(name)), *numbers]


def sorted_tokens(tokens: Sequence[Token]) -> list[tuple[str, tuple[float, ...]]]:
    """The sort of each token and the numbers that it gives, always as many for one sort; what stands between is its own sort."""
    return [(_remembered if len(token) <= _SHORT else _sorted)(kind, token) for kind, token in tokens]


def _sorted(kind: str, token: str) -> tuple[str, tuple[float, ...]]:
    if kind == "between":
        return token, ()
    if kind == "number":
        plain = token.replace(",", "")
        whole = plain.lstrip("+-").split(".")[0].split("e")[0].split("E")[0]
        value = float(plain)
        return "0", (value if abs(value) < 1e300 else 0.0, float(int(whole[-9:])), float(whole[-1]))
    if kind == "time":
        day, clock = token[:10], token[11:].split(":")
        seconds = float(clock[2]) if len(clock) > 2 else 0.0
        minutes = 60 * int(clock[0]) + int(clock[1])
        since = 86_400.0 * _days(day) + 60 * minutes + seconds
        return "t", (float(day.replace("-", "")), float(clock[0]), float(clock[1]), seconds, since)
    if kind == "uuid" or (HEX.fullmatch(token) and not token.isalpha()):
        digits = token.replace("-", "")
        return "u" if kind == "uuid" else "h", (float(int(digits[:8], 16)), float(int(digits[-8:], 16)))
    # Letters are a value that repeats or does not: the same number for the same letters.
    return "a" if token.isalpha() else "x", (float(crc32(token.encode())),)


def _days(day: str) -> int:
    """Days up to a date such as 2026-01-31, 0 if there is none such."""
    try:
        return date.fromisoformat(day).toordinal()
    except ValueError:
        return 0


_remembered = lru_cache(1 << 14)(_sorted)
