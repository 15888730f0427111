"""A ledger as one JSON document: entries, totals, statements and the column of Fisher information."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from ....symbolic.errors import SpecError
from .accountant import COVERS_BUDGET, COVERS_SPENT, said, statement
from .amounts import digits
from .book import Book
from .information import information_totals

SCHEMA = "noiseproof-ledger-export-1"


def exported(book: Book, head: str) -> dict[str, Any]:
    """All that the book says; amounts as exact decimals in strings.  `head` is the hash of its last line."""
    return {
        "schema": SCHEMA,
        "table_id": book.table_id,
        "unit_of_privacy": book.budget.unit,
        "adjacency": book.budget.adjacency,
        "opened": book.opened,
        "head": head,
        "budget": book.budget.to_dict(),
        "limits": _digits(book.limits),
        "spent": _digits(book.spent()),
        "remaining": _digits(book.remaining()),
        "statements": {
            "budget": _said(book, book.limits, COVERS_BUDGET),
            "spent": _said(book, book.spent(), COVERS_SPENT),
        },
        "fisher_information": [
            {
                "about": c.about,
                "unit": c.unit,
                "total": digits(c.total),
                "limit": c.limit,
                "error_bound": c.error_bound,
                "unstated": list(c.unstated),
            }
            for c in information_totals(book)
        ],
        "entries": [
            {
                "entry": e.number,
                "at": e.at,
                "state": e.state,
                "what": e.what,
                "note": e.note,
                "cost": e.cost.to_dict(),
                "charge": _digits(e.charge),
                "hash": e.hash,
            }
            for e in book.entries.values()
        ],
        "remarks": book.remarks,
    }


def _digits(amounts: Mapping[str, Fraction]) -> dict[str, str]:
    return {name: digits(value) for name, value in amounts.items()}


def _said(book: Book, amounts: Mapping[str, Fraction], covers: str) -> Mapping[str, Any] | None:
    try:
        return said(statement(book.budget, dict(amounts), book.delta, covers))
    except SpecError as error:
        return {"undecided": error.message}
