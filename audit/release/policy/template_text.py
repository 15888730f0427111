"""Texts as TOML writes them."""

from __future__ import annotations

import json

from .table_guess import Guess


def text(printable: str) -> str:
    """A printable text, quoted."""
    return json.dumps(printable, ensure_ascii=False)


def named(found: Guess, name: str) -> str:
    """The line with the name of a column, and what is to be said of it."""
    remark = found.remarks.get(name)
    return f"name = {text(name)}\n" + (f"# {remark}\n" if remark else "")
