"""How many steps of derivations the kernel accepts, and what the others rest on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

TRUSTED = "trusted: "


def kernel_sentence(steps: Iterable[Mapping[str, Any]]) -> str:
    """The count in words; empty where no step that is checked has a proof, as in certificates from before there was a kernel."""
    checked = [s for s in steps if s["truth"] != "cited"]
    held = [s for s in checked if s["truth"] == "holds"]
    proofs = [s["proof"] for s in held if s.get("proof")]
    if not proofs:
        return ""
    accepted = sum(not str(p.get("by", "")).startswith(TRUSTED) for p in proofs)
    one, which = (
        ("the one step", "") if len(held) == len(checked) else ("the one step that holds", " that hold")
    )
    if accepted == len(held):
        return (
            f"The kernel accepts {one}."
            if accepted == 1
            else f"The kernel accepts all {accepted} steps{which}."
        )
    return f"The kernel accepts {accepted} of {len(held)} steps{which}; the others rest on sympy."
