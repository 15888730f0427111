"""What the tests of all sections of dossiers share: verdicts, twins, witnesses, and sabotage by one per cent.

A test module says `SECTION = Section(DOSSIER, MODULES, EXPECTED, refutations=40, equations=10)`, which the fixtures `claims` and
`findings` read, and gets all shared tests by `class TestSection(SectionTests): pass`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import sympy as sp

from noiseproof.audit.dossier import Dossier, PaperClaim, faults
from noiseproof.audit.dossier.formula import Formula, at_points, derivation
from noiseproof.audit.dossier.parts import Parts
from noiseproof.audit.record.evidence import Evidence, Verdict, combine
from noiseproof.audit.record.witness import reevaluate
from noiseproof.symbolic.proof.derivation import Derivation
from noiseproof.symbolic.proof.truth import Truth

MORE, LESS = sp.Rational(101, 100), sp.Rational(99, 100)
CORRECTED = ("refuted", "misprint")
TURNED = {"<": ">", ">": "<", ">=": "<", "<=": ">"}
# What is added to the left side to make a right side for which the relation is false wherever the left one is finite.
_BEYOND = {"=": 1, "<=": -1, "<": -1, ">=": 1, ">": 1}


@dataclass(frozen=True)
class Section:
    """Claims of a dossier: the modules that register them, the verdict on each id, and how many checks refute at least.

    `survived` names those whose correction is not proved; `equations` is how many true equations there are at least.
    """

    dossier: Dossier
    modules: tuple[ModuleType, ...]
    expected: dict[str, str]
    refutations: int
    equations: int
    survived: tuple[str, ...] = ()


class SectionTests:
    """Every verdict is the expected one, every twin flips, every refutation has a witness that stands by itself."""

    def test_the_verdicts_are_computed_and_the_twins_flip(
        self, request: pytest.FixtureRequest, findings: dict[str, dict[str, Any]]
    ) -> None:
        assert {
            name: finding["verdict"] for name, finding in findings.items()
        } == request.module.SECTION.expected
        assert faults([{"findings": list(findings.values())}]) == []
        for finding in findings.values():
            assert bool(finding["correction"]) == (finding["verdict"] in CORRECTED), finding["id"]

    def test_every_claim_of_these_modules_is_expected_here(self, request: pytest.FixtureRequest) -> None:
        names = {module.__name__ for module in request.module.SECTION.modules}
        claims = request.module.SECTION.dossier.claims
        here = {key.split("/", 1)[1] for key, build in claims.items() if build.__module__ in names}
        assert here == set(request.module.SECTION.expected)

    def test_what_asserts_nothing_has_no_checks(
        self, request: pytest.FixtureRequest, claims: dict[str, PaperClaim[Any]]
    ) -> None:
        for name, claim in claims.items():
            assert (request.module.SECTION.expected[name] in ("definition", "undecided")) == (
                not claim.checks
            ), name
            assert claim.checks or claim.twin is None, name

    def test_every_refutation_has_a_witness_that_stands_when_read_from_json(
        self, request: pytest.FixtureRequest, findings: dict[str, dict[str, Any]]
    ) -> None:
        rows = [row for finding in findings.values() for row in finding["evidence"]]
        assert all((row["verdict"] == "REFUTED") == (row["witness"] is not None) for row in rows)
        refuted = [row for row in rows if row["verdict"] == "REFUTED"]
        twins = sum(bool(finding["twin"]) for finding in findings.values())
        # Of every claim that is checked the statement or its twin falls, often by several checks.
        assert len(refuted) >= max(request.module.SECTION.refutations, twins) > 0
        for row in refuted:
            stands, says = reevaluate(json.loads(json.dumps(row["witness"])))
            assert stands, (row["statement"], says)

    def test_a_refutation_of_a_printed_statement_shows_its_witness(
        self, findings: dict[str, dict[str, Any]]
    ) -> None:
        for finding in findings.values():
            assert (finding["witness"] is not None) == (finding["verdict"] in CORRECTED), finding["id"]

    def test_corrections_are_proved(
        self, request: pytest.FixtureRequest, findings: dict[str, dict[str, Any]]
    ) -> None:
        found = {name: f["twin"]["verdict"] for name, f in findings.items() if f["verdict"] in CORRECTED}
        survived = set(request.module.SECTION.survived)
        assert found == {name: "survived" if name in survived else "proved" for name in found}
        assert survived <= set(found)

    def test_one_per_cent_on_a_side_of_an_equation_refutes(
        self, request: pytest.FixtureRequest, claims: dict[str, PaperClaim[Any]]
    ) -> None:
        section, rng, tried = request.module.SECTION, np.random.default_rng(0), 0
        for name, claim in claims.items():
            for formula in formulas(standing(claim, section.expected[name])) if claim.checks else ():
                if formula.relation != "=":
                    continue
                tried += 1
                # One per cent more of a side that is equal to zero is zero.
                for side, other in (("left", formula.right), ("right", formula.left)):
                    if other == 0:
                        continue
                    wrong = scaled(formula, side)
                    assert derivation(wrong, rng).verdict is Verdict.REFUTED, (name, side)
                    assert at_points(wrong, rng).verdict is Verdict.REFUTED, (name, side)
        assert tried >= section.equations


def reevaluated_elsewhere(witnesses: Sequence[dict[str, Any]]) -> list[tuple[bool, str]]:
    """Whether each witness stands, and what it says, in a process that has seen nothing else."""
    program = (
        "import json, sys; from noiseproof.audit.record.witness import reevaluate\n"
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
