"""Whether what a release says of its entry is what the ledger says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .book import Book


def entry_number(record: Mapping[str, Any]) -> int:
    """The number of the entry that a record names, written as a number or as its digits; -1 if it is neither."""
    found = record.get("entry")
    if isinstance(found, str) and found.isascii() and found.isdigit() and len(found) < 20:
        return int(found)
    return found if type(found) is int else -1


def fault_of_record(book: Book, record: Mapping[str, Any], cost: Mapping[str, Any] | None) -> str | None:
    """How a release's record (`Ledger.record`) or cost (`Cost.to_dict`) departs from the book; None if it does not."""
    if not isinstance(record, Mapping):
        return "expected the record of an entry: a table with table_id, entry and head"
    if record.get("table_id") != book.table_id:
        return f"the release is of table {record.get('table_id')!r:.80}, this ledger is of {book.table_id!r}"
    number = entry_number(record)
    entry = book.entries.get(number)
    if entry is None:
        return f"the release names entry {record.get('entry')!r:.40}, which this ledger does not have: it was cut off, or is another one"
    if record.get("head") != entry.hash:
        return f"entry {number} is not the one that the release names: the ledger was rewritten, or is another one"
    if entry.state == "withdrawn":
        return f"entry {number} was withdrawn ({entry.note}), and there is a release of it all the same"
    if cost is not None and cost != entry.cost.to_dict():
        return f"the release states the cost {cost!r:.200}, its entry {number} {entry.cost.to_dict()}"
    return None
