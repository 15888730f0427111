"""All trials of cited lemmas, by what the text of a lemma begins with."""

from __future__ import annotations

from . import analysis, convexity, instruments, matrices, probability
from .trial import REGISTRY, Tried

MODULES = (analysis, convexity, instruments, matrices, probability)  # each fills the registry
TRIALS: tuple[Tried, ...] = tuple(REGISTRY)


def found(text: str) -> Tried | None:
    """The trial of the lemma with this text."""
    return next((t for t in TRIALS if any(text.startswith(b) for b in t.begins)), None)
