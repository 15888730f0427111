"""The words of one outcome: tokens beside each other, letters at places, forms of numbers, all that may repeat."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from operator import add

from .coded import decoded, shown, unescaped
from .tokens import Token, read_tokens, sorted_tokens

_PLACES = 48  # letters of an identifier that are read by their place
_RUNS = 4  # of an outcome that are read by their letters
_AT = [[f"{place}@{i}" for i in range(_PLACES)] for place in range(_RUNS)]
_SHORT = 24  # letters of a token that is remembered
_LONG, _GRAM = 8, 4  # a run of so many letters is read letter by letter too, and by groups


def words_of(name: str) -> tuple[list[str], int]:
    """The words of one structure in words, none twice, and how many of its letters are read."""
    name = unescaped(name)
    plain = shown(name)
    tokens, parts = read_tokens(plain)
    found, form = _in_place(tokens)
    runs = [token for kind, token in tokens if kind != "between"]
    coded = [pair for part in parts for pair in decoded(part)]
    words = [f"first {plain[:1]!r}", f"last {plain[-2:]!r}", *found, *_twice(runs)]
    words += [f"decoded {word}" for _, text in coded for word in re.findall(r"\w+", text)]
    words.append(f"form {form[:200]}")
    if plain != name:
        tokens, parts = read_tokens(name)
        coded = [pair for part in parts for pair in decoded(part)]
    return list(dict.fromkeys(words)), _read(tokens, parts, [found for found, _ in coded])


def _in_place(tokens: Sequence[Token]) -> tuple[list[str], str]:
    """The words of tokens in their order, then those of neighbouring runs; and what stands between tokens of which sort."""
    words: list[str] = []
    runs: list[str] = []
    before, between, long = "", "", 0
    sorts = [sort for sort, _ in sorted_tokens(tokens)]
    for (kind, token), sort in zip(tokens, sorts, strict=True):
        if kind == "between":
            words.append(f"between {token[:6]!r}")
            between = token[-3:]
            continue
        words += (_remembered if len(token) <= _SHORT else _beside)(sort, token, before, between)
        if sort == "a":
            runs.append(token)
        if long < _RUNS and (sort in "hx" or len(token) >= _LONG) and sort != "0":
            words += _by_place(token, long) + (_groups(token) if sort in "ax" else [])
            long += 1
        before = token[:20] if sort == "a" else sort
    words += [f"{a[:20]} then {b[:20]}" for a, b in pairwise(runs)]
    return words, "".join(sorts)


def _beside(sort: str, token: str, before: str, between: str) -> list[str]:
    """The words of one token behind another."""
    words = []
    if sort == "0":
        whole, _, part = token.partition(".")
        words.append(f"form {before} {len(whole)}.{len(part)}")
    if sort == "a" or len(token) <= 4:
        words.append(f"{before}{between}{token[:40]}")
    if sort in "ax" and len(token) <= 40:
        words.append(token)
    if sort == "a":
        words.append("upper" if token.isupper() else "lower" if token.islower() else "mixed")
    return words


_remembered = lru_cache(1 << 14)(_beside)


def _twice(tokens: Sequence[str]) -> list[str]:
    """Which tokens stand in an outcome twice."""
    if len(set(tokens)) == len(tokens):
        return []
    counts = Counter(token for token in tokens if len(token) > 1)
    words = [f"{token[:40]} twice" for token, n in counts.items() if n > 1]
    # Names of types and words that every row holds repeat anyway: what is no word by itself, and how many do.
    codes = sum(1 for token, n in counts.items() if n > 1 and not token.isalpha())
    return [*words, "some token twice", f"{len(words)} tokens twice", f"{codes} codes twice"] if words else []


def _by_place(token: str, place: int) -> list[str]:
    """A run letter by letter, from either end."""
    return list(map(add, _AT[place], token)) + [
        f"{place}@-{i}{c}" for i, c in enumerate(reversed(token[-2:]), 1)
    ]


def _groups(token: str) -> list[str]:
    """Neighbouring letters of a run, wherever they are in it."""
    return [f"group {token[i : i + _GRAM]}" for i in range(min(len(token), 120) - _GRAM + 1)]


def _read(tokens: Sequence[Token], parts: Sequence[str], coded: Sequence[str]) -> int:
    """How many letters are read: not the ends of long runs, nor what lies between the first and the last tokens."""
    if not coded:
        return sum(map(len, parts)) - sum(
            len(token) - _PLACES for kind, token in tokens if kind == "run" and len(token) > _PLACES
        )
    letters = 0
    for part in parts:
        plain = part
        for found in coded:
            plain = plain.replace(found, "")
        letters += len(part) - len(plain) + _read(*read_tokens(plain), ())
    return letters
