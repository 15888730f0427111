"""Words for the proofs of steps: which rule of the kernel accepts a step, and how many rest on something else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

TRUSTED = "trusted: "
_RULES = {
    "ring": "kernel: equal normal forms",
    "sign": "kernel: the sign of the difference",
    "squares": "kernel: the sign of the difference of squares",
    "box": "kernel: enclosures over a box",
    "monotone": "kernel: the sign at an end and of the slope",
    "absolute": "kernel: both signs",
    "chain": "kernel: a chain",
}


def rule(proof: Mapping[str, Any]) -> str:
    """By what a step is accepted."""
    by = str(proof.get("by", ""))
    return (
        "rests on " + by.removeprefix(TRUSTED) if by.startswith(TRUSTED) else _RULES.get(by, f"kernel: {by}")
    )


def kernel_sentence(steps: Sequence[Mapping[str, Any]]) -> str:
    """How many of the steps the kernel accepts; empty where they come from before it was there."""
    with_proof = [s["proof"] for s in steps if s.get("proof")]
    if not with_proof:
        return ""
    accepted = sum(not str(p.get("by", "")).startswith(TRUSTED) for p in with_proof)
    if accepted == len(steps):
        return (
            "The kernel accepts the one step."
            if accepted == 1
            else f"The kernel accepts all {accepted} steps."
        )
    return f"The kernel accepts {accepted} of {len(steps)} steps; the others rest on sympy."
