"""A statement of several relations, which falls with one of them, and the same as a rule on instances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...evidence import Evidence
from ..formula import Formula, at_points, derivation
from ..instances import Instances, on_instances
from ..paper_claim import Check


@dataclass(frozen=True)
class Parts:
    """Relations that must all hold, and the same statement as a rule on instances."""

    formulas: tuple[Formula, ...]
    instances: Instances | None = None


def proof(parts: Parts, rng: np.random.Generator) -> Evidence:
    """PROVED if every relation is; REFUTED by the first that is."""
    return _together([derivation(formula, rng) for formula in parts.formulas])


def enclosures(parts: Parts, rng: np.random.Generator) -> Evidence:
    """The same, both sides of every relation enclosed at points; figures are left to the proof."""
    return _together([replace(at_points(formula, rng), series=()) for formula in parts.formulas])


def tried(parts: Parts, rng: np.random.Generator) -> Evidence:
    """The rule on its instances."""
    if parts.instances is None:
        raise ValueError("this statement has no rule: give instances, or drop the check")
    return on_instances(parts.instances, rng)


# The instances first: theirs is the more telling witness.
CHECKS: tuple[Check[Parts], ...] = (tried, proof, enclosures)


def _together(found: Sequence[Evidence]) -> Evidence:
    worst = min(found, key=lambda e: e.verdict)
    return Evidence(
        worst.check, worst.kind, worst.sentence, worst.verdict,
        "; ".join(e.statement for e in found), "; ".join(dict.fromkeys(e.detail for e in found)),
        witness=worst.witness,
        derivation=tuple(row for e in found for row in e.derivation),
        series=tuple(s for e in found for s in e.series),
    )  # fmt: skip
