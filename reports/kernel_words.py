"""Words for the proofs of steps: which rule of the kernel accepts a step, and for which values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..audit.record.kernel_steps import TRUSTED
from .kernel_terms import said

_RULES = {
    "ring": "kernel: equal normal forms",
    "sign": "kernel: the sign of the difference",
    "squares": "kernel: the sign of the difference of squares",
    "box": "kernel: enclosures over a box",
    "monotone": "kernel: the sign at an end and of the slope",
    "absolute": "kernel: both signs",
    "chain": "kernel: a chain",
    "ends": "kernel: convex, and both ends",
    "cases": "kernel: case by case",
    "induction": "kernel: induction",
}
_DOMAINS = {
    "positive": "> 0",
    "nonnegative": ">= 0",
    "negative": "< 0",
    "nonpositive": "<= 0",
    "nonzero": "!= 0",
    "integer": "whole",
}


def rule(proof: Mapping[str, Any]) -> str:
    """By what a step is accepted."""
    by = str(proof.get("by", ""))
    if by.startswith(TRUSTED):
        return "rests on " + by.removeprefix(TRUSTED)
    return _RULES.get(by, f"kernel: {by}") + _where(proof)


def _where(proof: Mapping[str, Any]) -> str:
    """Of which values the step is said: the signs of its variables, and its hypotheses."""
    several: dict[str, list[str]] = {}
    for name, words in proof.get("for", {}).items():
        for word in words:
            if word in _DOMAINS:
                several.setdefault(_DOMAINS[word], []).append(name)
    parts = [f"{', '.join(names)} {word}" for word, names in several.items()]
    parts += [f"{said(left)} {relation} {said(right)}" for left, relation, right in proof.get("given", [])]
    return f"; for {', '.join(parts)}" if parts else ""


def steps(numbers: Sequence[int]) -> str:
    """Which steps these are: "step 7", "steps 3, 4 and 5"."""
    *first, last = map(str, numbers)
    return f"steps {', '.join(first)} and {last}" if first else f"step {last}"
