"""Evidence of version 0.1.0 carries no key of its claim: its statement quotes the claim, and some witnesses name it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

# Their evaluation uses the claim, so they name it in every certificate; other kinds do so in newer ones.
_NAMING = frozenset(
    {
        "event",
        "rate boxes",
        "bets",
        "histograms",
        "importance sample",
        "additive noise",
        "privacy loss at a point",
    }
)
_QUOTED = re.compile(
    r"(?:the declared law|the declared law, integrated numerically(?: at [^:]+ alone)?|no event of the declared law, however rare, breaks): (.+)"
    r"|.* than (.+differentially private) allows",
    re.DOTALL,
)


def quotes_another(statement: str, sentence: str) -> str | None:
    """The claim that a statement quotes where it is not this sentence."""
    quoted = _QUOTED.fullmatch(statement)
    if quoted is None or sentence in quoted.groups():
        return None
    return str(quoted[1] or quoted[2])


def must_name(witness: Mapping[str, Any]) -> bool:
    """Whether witnesses of this kind have always named the claim that they break."""
    return witness.get("kind") in _NAMING


def names_its_claim(witness: Mapping[str, Any]) -> bool:
    """Whether a witness of a kind that need not do so says which claim it breaks: then all of its certificate do."""
    return not must_name(witness) and "predicate" in witness
