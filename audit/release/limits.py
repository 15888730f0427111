"""A limit of a policy against a number that is known exactly: settled before anything is sampled."""

from __future__ import annotations

from typing import Any

import sympy as sp

from ...symbolic.claim import Claim, Scope
from ...symbolic.predicates import Predicate, Relation
from ...symbolic.proof.derivation import Derivation, Step
from ...symbolic.proof.enclosure import enclose
from ...symbolic.proof.truth import Truth
from ..record.evidence import Evidence, Verdict
from .derived import Derived

_VERDICT = {Truth.HOLDS: Verdict.PROVED, Truth.FAILS: Verdict.REFUTED, Truth.UNKNOWN: Verdict.UNDECIDED}


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
) -> Derived:
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
        derivation=tuple(proof.record()),
    )
    return Derived(Claim(predicate, subject, scope, "law", title=title), (evidence,))


def unmet(derived: tuple[Derived, ...]) -> tuple[str, ...]:
    """One sentence for each derived claim that is not proved."""
    return tuple(
        f"{d.claim.predicate.sentence()}: {d.evidence[0].verdict.name}, {d.evidence[0].detail}"
        for d in derived
        if min(e.verdict for e in d.evidence) < Verdict.SURVIVED
    )
