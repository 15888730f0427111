"""Text from strangers on its way to a terminal, a log or a report: what cannot be seen, or commands who shows it, is shown as U+FFFD."""

from __future__ import annotations

import re

# Control characters, spaces that cannot be seen, overrides that can make text read backwards, and lone surrogates.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\ufeff\ufff9-\ufffb\ufffe\uffff"
    "\U000e0000-\U000e007f]"
)
# Between the two ranges: how Python keeps a byte that it cannot read.
_HALF_PAIR = re.compile("[\ud800-\udc7f\udd00-\udfff]")
_BREAKS = str.maketrans("\t\n\r", "   ")
# What runners of builds take for commands: at the start of a line, or anywhere.
_COMMAND = re.compile(r"^(\s*:):|(#)#(?=\[|vso\[|teamcity\[)")


def whole(text: str) -> str:
    """Text that UTF-8 holds: bytes of a name that the locale could not read are read as UTF-8, other half pairs show as U+FFFD."""
    return _HALF_PAIR.sub("\ufffd", text).encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def clean(text: str) -> str:
    """The text with every character that cannot be seen, or that reorders others, shown as U+FFFD."""
    return _HIDDEN.sub("\ufffd", text)


def one_line(text: str) -> str:
    """The same on one line that commands nobody; it keeps its length."""
    return _COMMAND.sub(lambda found: f"{found[1] or found[2]}\ufffd", clean(text).translate(_BREAKS))
