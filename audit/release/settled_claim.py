"""A claim about the declared law that exact computation settles, with what settled it; no outcome is drawn for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy as sp

from ...symbolic.claim import Claim, Scope
from ...symbolic.predicates import Predicate, Relation
from ...symbolic.proof.derivation import Derivation, Step
from ...symbolic.proof.enclosure import enclose
from ...symbolic.proof.proofs.recorded import recorded
from ...symbolic.proof.truth import Truth
from ..record.evidence import Evidence, Verdict

_VERDICT = {Truth.HOLDS: Verdict.PROVED, Truth.FAILS: Verdict.REFUTED, Truth.UNKNOWN: Verdict.UNDECIDED}


@dataclass(frozen=True, eq=False)
class SettledClaim:
    """The claim and its evidence."""

    claim: Claim
    evidence: tuple[Evidence, ...]

    @property
    def unmet(self) -> str | None:
        """Why it is not proved; None if it is."""
        if min(e.verdict for e in self.evidence) >= Verdict.SURVIVED:
            return None
        first = self.evidence[0]
        return f"{self.claim.predicate.sentence()}: {first.verdict.name}, {first.detail}"


def settled(
    predicate: Predicate,
    left: sp.Expr,
    relation: Relation,
    right: sp.Expr,
    reason: str,
    *,
    subject: Any,
    scope: Scope,
    before: Derivation | None = None,
    title: str = "",
) -> SettledClaim:
    """The claim that `predicate` holds because `left relation right`; `before` are steps that give `left`."""
    step = Step(left, relation, right, reason)
    known = Derivation("", ()) if before is None else before
    proof = Derivation(predicate.sentence(), (*known.steps, step), known.lemmas)
    truth = step.check()
    # A premise that does not check again proves nothing, and refutes nothing.
    if known.steps and known.check() is not Truth.HOLDS:
        truth = Truth.UNKNOWN
    witness = None
    if truth is Truth.FAILS:
        witness = {
            "kind": "inequality",
            "left": sp.sstr(left),
            "relation": relation,
            "right": sp.sstr(right),
            "left_value": enclose(left).str(15),
            "right_value": enclose(right).str(15),
        }
    evidence = Evidence(
        "derivation",
        "proof",
        "law",
        _VERDICT[truth],
        f"the declared law: {predicate.sentence()}",
        f"{reason}: {float(left):.6g} {relation} {float(right):.6g}"
        if truth is Truth.HOLDS
        else f"{float(left):.6g} is not {relation} {float(right):.6g}",
        witness=witness,
        derivation=tuple(recorded(proof)),
    )
    return SettledClaim(Claim(predicate, subject, scope, "law", title=title), (evidence,))
