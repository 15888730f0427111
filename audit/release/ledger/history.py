"""The charges of a ledger in their order, for a picture: days and amounts alone, no titles of other releases."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from .book import Book, Entry
from .currency import as_numbers

MOST = 60  # columns of a picture: charges before the last ones stand together in the first


def history(book: Book, here: int | None = None) -> list[dict[str, Any]]:
    """What counts as spent, in the order of the ledger: the day, the amounts, how many entries, whether one is the entry `here`.

    They add up to what is spent: entries that were withdrawn are no part of it.  Of more than `MOST` the first ones are one charge.
    """
    counted = [e for e in book.entries.values() if e.state != "withdrawn"]
    cut = len(counted) - MOST + 1 if len(counted) > MOST else 0
    groups = [counted[:cut], *([e] for e in counted[cut:])]
    return [_charge(book, group, here) for group in groups if group]


def _charge(book: Book, group: list[Entry], here: int | None) -> dict[str, Any]:
    sums = {name: sum((e.charge.get(name, Fraction(0)) for e in group), Fraction(0)) for name in book.limits}
    return {
        "day": group[-1].at[:10],
        "entries": len(group),
        "here": any(e.number == here for e in group),
        "charge": as_numbers(sums),
    }
