"""Rows, fences, parentheses and breaks of MathML."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .notation import Binding, Piece

# Where a line may break: before a sign, or after a comma.  It counts outside of every element, and says nothing inside.
BREAK = "\u200b"
SHORT = 22  # signs that one line always has room for
_TAG = re.compile(rf"<(/?)[a-z][^>]*>|{BREAK}")


def row(body: str) -> str:
    """One argument of a layout element, whatever it holds."""
    return f"<mrow>{body}</mrow>"


def loose(body: str) -> str:
    """A row of its own where it is short; a long one lies open, so that lines break within it."""
    if len(_TAG.sub("", body)) <= SHORT:
        return row(body)
    # A minus at the start of a row is a sign of its number by its place, and elsewhere only if it says so.
    minus = "<mo>−</mo>"
    return body.replace(minus, '<mo form="prefix">−</mo>', 1) if body.startswith(minus) else body


def fenced(left: str, body: str, right: str) -> str:
    """`body` between fences that grow with it."""
    if len(_TAG.sub("", body)) <= SHORT:
        return f"<mrow><mo>{left}</mo><mrow>{body}</mrow><mo>{right}</mo></mrow>"
    size = _size(body)
    return f'<mo {size} form="prefix">{left}</mo>{loose(body)}<mo {size} form="postfix">{right}</mo>'


def _size(body: str) -> str:
    """Fences that stand on different lines do not grow with what they hold: they are told how tall it is."""
    return 'minsize="2.4em" maxsize="2.4em"' if "<mfrac" in body else 'stretchy="false"'


def raised(body: str, exponent: str) -> str:
    """`body` in parentheses, which carry the exponent: a base that lines can break in."""
    size = _size(body)
    close = f'<msup><mrow><mo {size} form="postfix">)</mo></mrow>{exponent}</msup>'
    return f'<mo {size} form="prefix">(</mo>{loose(body)}{close}'


def lines(body: str) -> Iterator[str]:
    """The parts of `body` between which a line may break, each complete in itself; a short body is one."""
    if len(_TAG.sub("", body)) <= SHORT:
        yield body.replace(BREAK, "")
        return
    depth, part = 0, ""
    for token in re.findall(rf"<[^>]*>|{BREAK}|[^<{BREAK}]+", body):
        if token == BREAK and depth == 0 and part:
            yield _infix(part)
            part = BREAK
        elif token != BREAK:
            part += token
            depth += -1 if token.startswith("</") else 1 if token.startswith("<") else 0
    yield _infix(part)


def _infix(part: str) -> str:
    """A sign that begins a line stands between two terms all the same."""
    return part.replace(f"{BREAK}<mo>", '<mo form="infix">').replace(BREAK, "")


def wrap(piece: Piece, place: Binding) -> str:
    """The piece, in parentheses if it is weaker than its place."""
    return piece.body if piece.binding >= place else fenced("(", piece.body, ")")
