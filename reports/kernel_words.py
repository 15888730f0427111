"""Words for the proofs of steps: which rule of the kernel accepts a step."""

from __future__ import annotations

from collections.abc import Mapping
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
}


def rule(proof: Mapping[str, Any]) -> str:
    """By what a step is accepted."""
    by = str(proof.get("by", ""))
    return (
        "rests on " + by.removeprefix(TRUSTED) if by.startswith(TRUSTED) else _RULES.get(by, f"kernel: {by}")
    )
