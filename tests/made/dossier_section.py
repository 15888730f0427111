"""Statements of a claim, their formulas, and sabotage of these by one per cent or more."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import sympy as sp

from noiseproof.audit.dossier import PaperClaim
from noiseproof.audit.dossier.formula import Formula
from noiseproof.audit.dossier.parts import Parts
from noiseproof.audit.record.evidence import Evidence, Verdict, combine
from noiseproof.symbolic.proof.derivation import Derivation
from noiseproof.symbolic.proof.truth import Truth

MORE, LESS = sp.Rational(101, 100), sp.Rational(99, 100)
CORRECTED = ("refuted", "misprint")
TURNED = {"<": ">", ">": "<", ">=": "<", "<=": ">"}
# What is added to the left side to make a right side for which the relation is false wherever the left one is finite.
_BEYOND = {"=": 1, "<=": -1, "<": -1, ">=": 1, ">": 1}


def reevaluated_elsewhere(witnesses: Sequence[dict[str, Any]]) -> list[tuple[bool, str]]:
    """Whether each witness stands, and what it says, in a process that has seen nothing else."""
    program = (
        "import json, sys; from noiseproof.audit.witnesses import reevaluate\n"
        "print(json.dumps([reevaluate(w) for w in json.load(sys.stdin)]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=json.dumps(list(witnesses)),
        capture_output=True,
        text=True,
        check=True,
    )
    return [(stands, says) for stands, says in json.loads(done.stdout)]


def standing(claim: PaperClaim[Any], verdict: str) -> Any:
    """The data of the statement that is true: the printed one, or the correction of what is not."""
    statement = claim.twin if verdict in CORRECTED else claim.printed
    assert statement is not None
    return statement.data


def formulas(data: Any) -> tuple[Formula, ...]:
    """The formulas of a statement; none if it is made of other things."""
    return data.formulas if isinstance(data, Parts) else (data,) if isinstance(data, Formula) else ()


def evidence(claim: PaperClaim[Any], data: Any, seed: int = 0) -> list[Evidence]:
    """What each check of the claim says of the data."""
    return [check(data, np.random.default_rng(seed)) for check in claim.checks]


def judged(claim: PaperClaim[Any], data: Any) -> Verdict:
    """What the checks of the claim say of the data together."""
    return combine(evidence(claim, data))


def said_by(kind: str, claim: PaperClaim[Any], data: Any) -> Verdict:
    """What the one check of this kind (proof, computation, attack) says of the data."""
    [found] = [e for e in evidence(claim, data) if e.kind == kind]
    return found.verdict


def scaled(formula: Formula, side: str, factor: sp.Expr = MORE) -> Formula:
    """The formula with one side ("left" or "right") times `factor`; a side that is zero becomes one per cent."""
    value = getattr(formula, side)
    return replace(formula, **{side: value * factor if value != 0 else sp.Rational(1, 100)})


def tightened(formula: Formula) -> Formula:
    """The formula with its right side one per cent towards a stronger statement (an equation: one per cent more)."""
    return scaled(formula, "right", LESS if formula.relation in ("<=", "<") else MORE)


def falsified(formula: Formula) -> tuple[Formula, Formula]:
    """The formula with its right side one beyond the left, and with its left side one beyond the right: false everywhere."""
    beyond = sp.Integer(_BEYOND[formula.relation])
    return replace(formula, right=formula.left + beyond), replace(formula, left=formula.right - beyond)


def argued_formulas(claim: PaperClaim[Any]) -> list[Formula]:
    """The formulas of all statements of a claim that come with an argument."""
    statements = [s for s in (claim.printed, claim.twin, claim.without_condition) if s is not None]
    return [f for s in statements for f in formulas(s.data) if f.argument is not None]


def blind_sides(formula: Formula) -> list[str] | None:
    """The falsified formulas that the argument still proves, each a sentence; None if it does not prove the formula itself.

    Steps that the derivation of the formula has as well hold already, so that only the others are checked again.
    """
    assert formula.argument is not None
    true = formula.argument(formula)
    if true.check() is not Truth.HOLDS:
        return None
    blind = []
    for false in falsified(formula):
        try:
            steps = formula.argument(false).steps
        except (ValueError, TypeError, ZeroDivisionError, NotImplementedError, AttributeError):
            continue  # No derivation of it can be built.
        if all(step in true.steps or step.check() is Truth.HOLDS for step in steps):
            blind.append(false.sentence)
    return blind


def no_step_is_idle(derivation: Derivation, last: int | None = None) -> None:
    """Every step (up to `last`) holds; an equation does not with its left side changed, an inequality not turned round."""
    for step in derivation.steps[:last]:
        assert step.check().value == "holds", step.reason
        if step.relation == "=":
            wrong = replace(step, left=step.left * MORE + sp.Rational(1, 100))
        else:
            wrong = replace(step, relation=TURNED[step.relation])
        assert wrong.check().value != "holds", step.reason
