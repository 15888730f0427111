"""Docstrings in plain English become reStructuredText, in which nothing but code, lists and examples is markup.

Here `x` is code, |x| an absolute value and * a product; reStructuredText would read substitutions and emphasis.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any

_ITEM = re.compile(r"(?:[-*]|\d+\.) ")
_SPAN = re.compile(r"`([^`\n]+)`")
_MARKUP = re.compile(r"([\\*`|_])")


def to_rest(lines: list[str]) -> list[str]:
    """The lines of one docstring, dedented, as reStructuredText that can give no warning."""
    written: list[str] = []
    for blank, group in groupby(lines, key=lambda line: not line.strip()):
        if not blank:
            written += [*_paragraph(list(group)), ""]
    return written


def _paragraph(lines: list[str]) -> Iterator[str]:
    if lines[0].lstrip().startswith(">>>"):
        yield from (line.strip() for line in lines)
    elif all(line.startswith("    ") for line in lines):
        yield from ("::", "", *(f"    {line[4:]}" for line in lines))
    else:
        for position, line in enumerate(lines):
            text = line.strip()
            item = _ITEM.match(text)
            if item is None:
                # A line that goes on with an item stands below its text.
                yield ("  " if any(map(_is_item, lines[:position])) else "") + _escaped(text)
            else:
                if position and not _is_item(lines[position - 1]):
                    yield ""
                yield "- " + _escaped(text[item.end() :])


def _is_item(line: str) -> bool:
    return _ITEM.match(line.strip()) is not None


def _escaped(text: str) -> str:
    """One line: spans between single backticks as code, every other sign as itself."""
    written, end = "", 0
    for span in _SPAN.finditer(text):
        written += f"{_plain(text[end : span.start()])}\\ ``{_code(span[1])}``\\ "
        end = span.end()
    written += _plain(text[end:])
    # A first sign such as ":" or ".." would open a field or a comment.
    return f"\\ {written}"


def _plain(text: str) -> str:
    return _MARKUP.sub(r"\\\1", text)


def _code(text: str) -> str:
    # Inline code must neither begin nor end with a space.
    return text.strip() or "\u00a0"


def setup(app: Any) -> dict[str, bool]:
    """Rewrites what autodoc reads."""

    def rewrite(_app: Any, _what: str, _name: str, _object: Any, _options: Any, lines: list[str]) -> None:
        lines[:] = to_rest(lines)

    app.connect("autodoc-process-docstring", rewrite)
    return {"parallel_read_safe": True}
