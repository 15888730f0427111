"""Words for the proofs of steps: which rule of the kernel accepts a step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..audit.record.kernel_steps import TRUSTED

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
}


def rule(proof: Mapping[str, Any]) -> str:
    """By what a step is accepted."""
    by = str(proof.get("by", ""))
    if by.startswith(TRUSTED):
        return "rests on " + by.removeprefix(TRUSTED)
    return _RULES.get(by, f"kernel: {by}") + _where(proof)


def _where(proof: Mapping[str, Any]) -> str:
    """The ends between which variables lie, where these are hypotheses of the step."""
    said = [
        f"{name} {relation} {_number(end)}"
        for name, relation, end in proof.get("given", [])
        if isinstance(name, str) and _number(end)
    ]
    names = {one.split()[0] for one in said}
    signs = [f"{n} {w[0]}" for n, w in proof.get("for", {}).items() if n in names and w[0] != "real"]
    return f"; for {', '.join(signs + said)}" if said else ""


def _number(data: Any) -> str:
    if isinstance(data, int):
        return str(data)
    ratio = isinstance(data, list) and data[:1] == ["/"] and all(isinstance(v, int) for v in data[1:])
    return "/".join(map(str, data[1:])) if ratio else ""


def steps(numbers: Sequence[int]) -> str:
    """Which steps these are: "step 7", "steps 3, 4 and 5"."""
    *first, last = map(str, numbers)
    return f"steps {', '.join(first)} and {last}" if first else f"step {last}"
