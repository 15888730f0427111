"""A derivation becomes one page: the model, its information, every step with the answer of its check, and the curves."""

from __future__ import annotations

from typing import Any

from .environment import page
from .words import BOUND_NAMES, derivation_word

SCHEMA = "noiseproof-derivation-1"


def render_derivation(record: dict[str, Any]) -> str:
    """The page of a derivation given as the plain data of its JSON."""
    if record.get("schema") != SCHEMA:
        raise ValueError(
            f'expected a derivation with "schema": "{SCHEMA}", got {record.get("schema")!r}; '
            "write one with `noiseproof derive MODEL`"
        )
    return page(
        "derivation.html", record=record, word=derivation_word(record["outcome"]), bound_names=BOUND_NAMES
    )
