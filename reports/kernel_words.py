"""Words for the proofs of steps: which rule of the kernel accepts a step, and for which values."""

from __future__ import annotations

import json
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


class StepBook:
    """The steps of one page: what several results share is printed with the first, and referred to from the others."""

    def __init__(self) -> None:
        self._first: dict[str, tuple[int, int]] = {}
        self._names: list[str] = []

    def __call__(self, name: str, steps: Sequence[Any], word: str = "step") -> list[dict[str, Any]]:
        """The steps of the result `name`; a run of steps printed before is one entry, `again`, with `which` and the `same`."""
        block, shift, runs = len(self._names), (0, 0), list[dict[str, Any]]()
        self._names.append(name)
        for number, step in enumerate(steps, 1):
            at, place = self._first.setdefault(json.dumps(step, sort_keys=True), (block, number))
            again = (at, place) != (block, number)
            if not again or not runs or (at, place - number) != shift:
                shift = at, place - number
                runs.append({"again": again, "step": step, "id": f"{word}-{at}-{place}", "first": number})
            ends = ((k - number + runs[-1]["first"], k) for k in (number, place))
            which, same = (f"{word} {k}" if j == k else f"{word}s {j} to {k}" for j, k in ends)
            same += f" of {self._names[at]}" * (at != block)
            runs[-1] |= {"number": number, "which": which, "same": same}
        return runs


def steps(numbers: Sequence[int]) -> str:
    """Which steps these are: "step 7", "steps 3, 4 and 5"."""
    *first, last = map(str, numbers)
    return f"steps {', '.join(first)} and {last}" if first else f"step {last}"
