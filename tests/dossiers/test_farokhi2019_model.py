"""Sections 1, 2 and 6 and Appendix A of farokhi2019: verdicts, twins, sabotage, witnesses from JSON alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy as sp
from claim_trials import verdicts_of
from dossier_section import no_step_is_idle, standing, tightened

from noiseproof.audit.dossier import PaperClaim
from noiseproof.audit.dossier.arguments.bounds_arguments import (
    bias_splits,
    cramer_rao,
    inverse_of_trace,
    kernel,
    least_eigenvalue,
    processing,
    weighted_average,
)
from noiseproof.audit.dossier.arguments.information_noise import almost_one_answer
from noiseproof.audit.dossier.formula import derivation
from noiseproof.audit.dossier.instances import on_instances
from noiseproof.audit.papers.farokhi2019.arguments import bounds_matrices
from noiseproof.audit.papers.farokhi2019.arguments.bounds_estimators import escaping_mass
from noiseproof.audit.record.evidence import Verdict
from noiseproof.audit.witnesses import reevaluate
from noiseproof.symbolic.proof.derivation import Step
from noiseproof.symbolic.proof.trace import Trace
from noiseproof.symbolic.proof.truth import Truth

PAPER = "farokhi2019"
EXPECTED = verdicts_of(PAPER, "model")
# Formulas of true statements that hold with equality somewhere: 1 % must refute them, not merely unprove them.
TIGHT = {
    "intro-unbounded": (0, 1, 2),
    "eq-2": (0,),
    "proposition-1a": (0,),
    "eq-7-chain": (0, 1),
    "eq-8": (0, 1),
    "eq-9": (0,),
    "remark-1c": (0, 1),
    "remark-3": (0,),
    "eq-10": (0,),
    "gamma-bar": (0,),
    "proposition-2": (0,),
    "proposition-2-consequence": (0,),
    "problem-2-welldefined": (0, 1),
    "appendix-a-eigen": (0, 1, 2),
    "proposition-5": (0, 1),
    "no-unbiased-estimator": (0,),
    "assumption-2-approximation": (0,),
    "intro-dp": (0,),
}


def test_proof_and_points_on_every_claim(findings: dict[str, dict[str, Any]]) -> None:
    for name, verdict in EXPECTED.items():
        if verdict != "definition":
            assert {"derivation", "enclosures"} <= {row["check"] for row in findings[name]["evidence"]}


def test_a_repaired_witness_does_not_stand(findings: dict[str, dict[str, Any]]) -> None:
    witness = findings["intro-measure"]["witness"]
    repaired = {**witness, "left": "0", "relation": "<=", "right": "1", "where": []}
    assert reevaluate(repaired)[0] is False


@pytest.mark.parametrize(("name", "part"), [(n, p) for n, ps in TIGHT.items() for p in ps])
def test_one_per_cent_is_seen(name: str, part: int, claims: dict[str, PaperClaim[Any]]) -> None:
    wrong = tightened(claims[name].printed.data.formulas[part])
    assert derivation(wrong, np.random.default_rng(0)).verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    ("name", "part"),
    [
        *((name, 0) for name in ("remark-1a", "remark-2", "conclusions", "proposition-1b", "eq-7")),
        ("def-Q", 0),
        ("def-Q", 1),
    ],
)
def test_one_per_cent_is_seen_in_corrections(
    name: str, part: int, claims: dict[str, PaperClaim[Any]]
) -> None:
    wrong = tightened(standing(claims[name], EXPECTED[name]).formulas[part])
    assert derivation(wrong, np.random.default_rng(0)).verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    "build", [bounds_matrices.least_eigenvalue, bounds_matrices.processed, bounds_matrices.weighted_mean]
)
def test_rules_see_one_per_cent(build: Any) -> None:
    said = [on_instances(build(f), np.random.default_rng(0)).verdict for f in ("1", "101/100")]
    assert said == [Verdict.SURVIVED, Verdict.REFUTED]


def test_rule_on_biased_estimators_sees_form_and_factor() -> None:
    cases = [("transposed last", "1"), ("transposed last", "101/100"), ("transposed first", "1")]
    said = [
        on_instances(bounds_matrices.linear_estimator(*c), np.random.default_rng(0)).verdict for c in cases
    ]
    assert said == [Verdict.SURVIVED, Verdict.REFUTED, Verdict.REFUTED]
    with pytest.raises(ValueError, match="form must be"):
        on_instances(bounds_matrices.linear_estimator("none"), np.random.default_rng(0))


ARGUMENTS = {
    "unbiased": lambda: cramer_rao(False),
    "biased": lambda: cramer_rao(True),
    "bias": bias_splits,
    "inverse of the trace": inverse_of_trace,
    "weights": lambda: weighted_average(sp.Integer(1)),
    "least eigenvalue": least_eigenvalue,
    "processing": processing,
    "kernel": kernel,
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_every_step_of_an_argument_can_fail(name: str) -> None:
    steps = ARGUMENTS[name]()
    assert all(step.check() is Truth.HOLDS for step in steps)
    for step in steps:
        assert spoilt(step).check() is not Truth.HOLDS


def spoilt(step: Step) -> Step:
    """The same step with its first trace, or its right side, one per cent larger."""
    traces = sorted(step.left.atoms(Trace), key=str)
    factor = sp.Rational(101, 100)
    return replace(step, left=factor * step.left) if traces else replace(step, right=factor * step.right)


@pytest.mark.parametrize("name", ["mass that escapes", "almost one answer", "bumps"])
def test_a_counterexample_is_what_it_is_said_to_be(name: str, claims: dict[str, PaperClaim[Any]]) -> None:
    """What breaks a statement is checked to be in its scope: every step but the broken statement, the last one."""
    bumps, _ = claims["assumption-2-unbounded"].printed.data.formulas
    formula = {
        "mass that escapes": escaping_mass(),
        "almost one answer": almost_one_answer(),
        "bumps": bumps,
    }[name]
    found = formula.argument(formula)
    assert len(found.steps) > 1
    no_step_is_idle(found, -1)


def test_weights_that_do_not_add_up_break_the_mean() -> None:
    assert any(s.check() is not Truth.HOLDS for s in weighted_average(sp.Rational(1, 2)))


def test_the_escaping_family_is_unbiased_and_beats_the_bound() -> None:
    """An independent look at the density that breaks Proposition 1: quadrature at x = 0.3 and near 0."""
    from scipy.integrate import quad

    deviation, x = 0.8, 0.3

    def density(y: float, at: float) -> float:
        def normal(mean: float) -> float:
            return float(np.exp(-((y - mean) ** 2) / (2 * deviation**2)) / (deviation * np.sqrt(2 * np.pi)))

        return (1 - at * at) * normal(at / (1 - at * at)) + at * at * normal(1 / at)

    breaks = [x / (1 - x * x), 1 / x]
    mean = quad(lambda y: y / 2 * density(y, x), -12, 16, points=breaks, limit=400)[0]
    h = 1e-2
    slope = quad(lambda y: ((density(y, h) - density(y, -h)) / (2 * h)) ** 2 / density(y, 1e-9), -6, 6)[0]
    assert mean == pytest.approx(x, abs=1e-9)
    assert slope == pytest.approx(1 / deviation**2, rel=1e-3)
    assert deviation**2 / 4 < 1 / slope
