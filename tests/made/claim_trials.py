"""The trial of one claim of a paper: its finding, and what sabotage of its statements should break and did not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from dossier_section import TURNED, argued_formulas, blind_sides, formulas, scaled, standing

from noiseproof.audit.dossier import PaperClaim, examine_claim, formula
from noiseproof.audit.dossier.formula import Formula, at_points
from noiseproof.audit.papers import papers
from noiseproof.audit.record.evidence import Verdict

EXPECTED = Path(__file__).parents[1] / "dossiers" / "expected"


@dataclass(frozen=True)
class Trial:
    """`faults` says what was not seen; the numbers count the formulas that were sabotaged."""

    finding: dict[str, Any]
    faults: tuple[str, ...]
    equations: int
    argued: int
    directed: int


def verdicts_of(paper: str, section: str = "") -> dict[str, str]:
    """The verdict on each id of the paper, or on those that one module of tests is about."""
    rows = (line.split() for line in (EXPECTED / f"{paper}.txt").read_text(encoding="utf-8").splitlines())
    return {name: verdict for name, verdict, where in rows if section in ("", where)}


@cache
def dossier_claims(paper: str) -> dict[str, Callable[[], PaperClaim[Any]]]:
    """What builds each claim, by id."""
    return dict(papers([paper])[0].claims)


def tried(identifier: str) -> Trial:
    """Statement, twin and sabotaged formulas share most steps, each of which is compared once."""
    claim = dossier_claims(identifier.split("/")[0])[identifier]()
    finding = examine_claim(identifier, claim)
    asserting = finding["verdict"] not in ("definition", "undecided")
    equations = [
        f
        for f in (formulas(standing(claim, finding["verdict"])) if claim.checks else ())
        if f.relation == "="
    ]
    arguments = argued_formulas(claim)
    sides = {f.sentence: blind_sides(f) for f in arguments}
    turned = [blind_turned(f) for f in arguments if f.relation != "="]
    faults = [
        *(["checks"] if asserting != bool(claim.checks) else []),
        *(["a twin without checks"] if claim.twin is not None and not claim.checks else []),
        *(f"proved although false: {s}" for found in sides.values() for s in found or ()),
        *(f"proved turned round: {s}" for found in turned for s in found or ()),
        *(f"not refuted at one per cent: {s}" for f in equations for s in blind_percent(f)),
    ]
    return Trial(
        finding,
        tuple(faults),
        len(equations),
        sum(found is not None for found in sides.values()),
        sum(found is not None for found in turned),
    )


def blind_turned(true: Formula) -> list[str] | None:
    """The formulas turned round that are still proved; None if the formula itself is not.

    Not even where both sides are equal: an argument establishes a direction, and the printed relation must be that one.
    """
    rng, beyond = np.random.default_rng(0), TURNED[true.relation]
    if formula.derivation(true, rng).verdict is not Verdict.PROVED:
        return None
    turned = [replace(true, relation=relation) for relation in (beyond, f"{beyond}=")]
    return [f.sentence for f in turned if formula.derivation(f, rng).verdict is Verdict.PROVED]


def blind_percent(equation: Formula) -> list[str]:
    """The equations with one side one per cent larger that the derivation or the points do not refute."""
    # One per cent more of a side that is equal to zero is zero.
    sides = {"left": equation.right, "right": equation.left}
    wrong = [scaled(equation, side) for side, other in sides.items() if other != 0]
    return [
        f.sentence
        for f in wrong
        for check in (formula.derivation, at_points)
        if check(f, np.random.default_rng(0)).verdict is not Verdict.REFUTED
    ]
