"""The parts of a record: rows of formulas, facts with their truths, steps with the answers of their checks."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any

import sympy as sp

from ....symbolic.programs.constraints import PSD, Inequality, NormCone, said
from ....symbolic.proof.derivation import RELATIONS, Derivation
from ....symbolic.proof.fact import Fact
from ...record.plain import plain
from ..model.answered import settled, steps_of
from ..model.provenance import provenance

SCHEMA = "noiseproof-problem-1"
# Outcome -> exit code of the command.
EXIT = {
    "derived": 0,
    "enclosed": 0,
    "bounded": 0,
    "infeasible": 1,
    "unbounded": 1,
    "unattained": 1,
    "infinite": 1,
    "unknown": 4,
}
_SIGNS: dict[type[Any], str] = {sp.Eq: "=", sp.Le: "<=", sp.Ge: ">=", sp.Lt: "<", sp.Gt: ">"}
Row = dict[str, str]


def row(left: Any, relation: str, right: Any, note: str = "") -> Row:
    """One formula: two sides and what stands between them."""
    assert relation in RELATIONS
    return {"left": text(left), "relation": relation, "right": text(right), "note": note}


def text(value: Any) -> str:
    """An expression or a matrix in sympy's text form, in one line."""
    if isinstance(value, sp.MatrixBase):
        return f"Matrix([{', '.join('[' + ', '.join(map(text, r)) + ']' for r in value.tolist())}])"
    return value if isinstance(value, str) else str(sp.sstr(value))


def condition_row(condition: Any, note: str = "") -> Row:
    """A constraint, or a relation, as a formula."""
    if isinstance(condition, NormCone):
        return row(
            condition.excess + condition.bound, "<=", condition.bound, note or f"the {condition.norm} norm"
        )
    if isinstance(condition, PSD):
        return row(condition.matrix, ">=", 0, note or "positive semidefinite")
    relation = getattr(condition, "written", condition)
    sign = _SIGNS.get(type(relation))
    if sign is None:
        if isinstance(condition, Inequality):
            return row(condition.excess, "<=", 0, note)
        return row(said(condition), "=", "true", note)
    return row(relation.lhs, sign, relation.rhs, note)


def fact(name: str, found: Fact) -> dict[str, str]:
    """A fact with what it is called."""
    return {"name": name, "truth": found.truth.value, "reason": found.reason}


def section(
    title: str,
    words: str = "",
    *,
    rows: Sequence[Row] = (),
    facts: Sequence[dict[str, str]] = (),
    derivation: Derivation | None = None,
) -> dict[str, Any]:
    """A part of a record; the steps of its derivation are checked again here."""
    return {
        "title": title,
        "words": words,
        "rows": list(rows),
        "facts": list(facts),
        "conclusion": "" if derivation is None else derivation.conclusion,
        "derivation": [] if derivation is None else steps_of(derivation),
    }


def checked(found: dict[str, Any]) -> bool:
    """Whether no step of a part is false or open."""
    return all(step["truth"] in ("holds", "cited") for step in found["derivation"])


def proved(found: dict[str, Any]) -> bool:
    """Whether a part has steps, and all of them hold."""
    return settled(found["derivation"])


def record_of(
    kind: str,
    title: str,
    outcome: str,
    reason: str,
    *,
    statement: Sequence[Row],
    parameters: Sequence[dict[str, Any]] = (),
    answer: dict[str, Any],
    sections: Sequence[dict[str, Any]],
    series: Iterable[Any] = (),
    planes: Iterable[Any] = (),
    digest: str | None = None,
    command: str | None = None,
    effort: float,
    start: float,
) -> dict[str, Any]:
    """The record of a derivation, as the published schema wants it."""
    return {
        "schema": SCHEMA,
        "kind": kind,
        "title": title,
        "outcome": outcome,
        "exit_code": EXIT[outcome],
        "reason": reason,
        "statement": list(statement),
        "parameters": list(parameters),
        "answer": plain(answer),
        "sections": list(sections),
        "series": [plain(one) for one in series],
        "planes": [plain(one) for one in planes],
        "asked": {"effort": effort},
        "provenance": provenance(digest, command),
        "timings": {"total_seconds": round(time.monotonic() - start, 3)},
    }
