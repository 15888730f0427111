"""A statement of several relations, with instances of the same sentence: it falls with any of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...symbolic.proof.derivation import Derivation
from ..record.evidence import Evidence, Measured, Verdict
from .formula import Formula, at_points, derivation, rechecked
from .instances import Instances, on_instances
from .paper_claim import Check, checks_of


@dataclass(frozen=True)
class Parts:
    """Relations that must all hold, instances of the same sentence, and an argument; two of the three may be left out.

    `argument` derives a sentence that no single formula states.  `missing` names the premise that the derivation
    lacks: then nothing is proved and the instances speak alone.
    """

    formulas: tuple[Formula, ...] = ()
    instances: Instances | None = None
    argument: Callable[[], Derivation] | None = None
    missing: str = ""

    def __post_init__(self) -> None:
        if not self.formulas and self.instances is None and self.argument is None:
            raise ValueError("a statement needs something to check: give formulas, instances or an argument")


def parts(*formulas: Formula, instances: Instances | None = None, missing: str = "") -> Parts:
    """The sentence that all these formulas hold, and the rule on its instances if one is given."""
    return Parts(formulas, instances, missing=missing)


def proof(data: Parts, rng: np.random.Generator) -> Evidence:
    """PROVED if every relation and the argument are; REFUTED by the first relation that is; UNDECIDED where a premise is missing."""
    if data.missing:
        said = (data.instances and data.instances.sentence) or "; ".join(f.sentence for f in data.formulas)
        return Evidence("derivation", "proof", "law", Verdict.UNDECIDED, said, data.missing)
    found = [derivation(formula, rng) for formula in data.formulas]
    if data.argument is not None:
        argued = data.argument()
        found.append(rechecked("derivation", argued, argued.conclusion))
    if not found:
        raise ValueError(
            "this statement has nothing to derive: give formulas or an argument, or drop the check"
        )
    return _together(found)


def enclosures(data: Parts, rng: np.random.Generator) -> Evidence:
    """The same, both sides of every relation enclosed at points; figures are left to the proof."""
    return _together([replace(at_points(formula, rng), series=()) for formula in data.formulas])


def tried(data: Parts, rng: np.random.Generator) -> Evidence:
    """The rule on its instances."""
    if data.instances is None:
        raise ValueError("this statement has no rule: give instances, or drop the check")
    return on_instances(data.instances, rng)


@checks_of.register
def _part_checks(data: Parts) -> tuple[Check[Parts], ...]:
    """Each check that finds something to look at: instances first, whose witness is more telling."""
    chosen = (
        (tried, data.instances is not None),
        (proof, bool(data.formulas) or data.argument is not None),
        (enclosures, bool(data.formulas)),
    )
    return tuple(check for check, has in chosen if has)


# Formulas that are not enclosed at points: the instances speak instead.
ARGUED: tuple[Check[Parts], ...] = (tried, proof)


def _together(found: Sequence[Evidence]) -> Evidence:
    worst = min(found, key=lambda e: e.verdict)
    return Evidence(
        worst.check,
        worst.kind,
        worst.sentence,
        worst.verdict,
        "; ".join(e.statement for e in found),
        "; ".join(dict.fromkeys(e.reason for e in found if e.reason)),
        witness=worst.witness,
        derivation=tuple(row for e in found for row in e.derivation),
        series=tuple(s for e in found for s in e.series),
        measured=Measured(parts=[e.measured for e in found if e.measured.model_fields_set]),
    )
