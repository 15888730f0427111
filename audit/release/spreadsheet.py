"""Texts in CSV files that a spreadsheet shows and does not run: what would begin a formula has an apostrophe before it."""

from __future__ import annotations

# What begins a formula, in full width too, and the apostrophe itself: the first one is left out on reading, whatever follows.
_BEGINS = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20", "'")
READ_BACK = "^'"  # the pattern of what reading leaves out


def guarded(text: str) -> str:
    """The text as a cell or a heading of a CSV file."""
    return f"'{text}" if text.lstrip().startswith(_BEGINS) else text


def unguarded(cell: str) -> str:
    """The text that was written as this cell."""
    return cell.removeprefix("'")
