"""Texts as TOML writes them."""

from __future__ import annotations

import json


def text(printable: str) -> str:
    """A printable text, quoted."""
    return json.dumps(printable, ensure_ascii=False)
