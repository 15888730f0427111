"""Bounds refuted by the exact error of a linear estimator: its witnesses, both words, and what they refuse."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
import sympy as sp
from adversary_trials import attack
from adversary_trials.linear import least_squares
from adversary_trials.linear_witness import linear_witness

from noiseproof import Verdict
from noiseproof.audit.studies.adversaries.linear_witness import evaluate_linear

R = sp.Rational
THIRD = sp.ones(1, 3) / 3
PLUS = sp.ones(3, 1)


def claim(theta: Any, power: int, factor: Any = 1, record: Any = (1, 2, 0)) -> Any:
    """|(I - C^+ C) x|^2 + factor theta/(CC')^power for the average of three."""
    x = sp.Matrix(record)
    hidden = x - PLUS * THIRD * x
    return (hidden.T * hidden)[0] + factor * theta / R(1, 3) ** power


def test_the_printed_bounds_of_section_5_are_refuted_by_least_squares_from_the_json_alone() -> None:
    theta = R(4)
    for factor in (R(1), R(1, 2)):
        printed = linear_witness(
            PLUS, THIRD, sp.Matrix([[theta]]), [1, 2, 0], claim(theta, 2, factor), mean_slope=PLUS * THIRD
        )
        stands, says = evaluate_linear(json.loads(json.dumps(printed)))
        assert stands
        assert "below" in says
        right = {**printed, "claimed": str(claim(theta, 1, factor))}
        assert not evaluate_linear(right)[0]
        relaxed = {**printed, "claimed": str(claim(theta, 1, factor) * R(1001, 1000))}
        assert evaluate_linear(relaxed)[0] is (factor == 1)


def test_an_attack_refutes_only_with_a_witness_of_an_exact_error() -> None:
    theta, x = R(4), [1, 2, 0]

    def release(record: Any, n: int, rng: np.random.Generator) -> Any:
        return np.mean(record) + rng.normal(0, 2, (n, 1))

    for power, verdict in ((2, Verdict.REFUTED), (1, Verdict.SURVIVED)):
        claimed = claim(theta, power)
        found = attack(float(claimed), release, x, least_squares(np.ones((1, 3)) / 3), samples=50_000)
        witness = linear_witness(PLUS, THIRD, sp.Matrix([[theta]]), x, claimed, mean_slope=PLUS * THIRD)
        evidence = found.evidence(witness)
        assert evidence.verdict is verdict
        assert (evidence.witness is not None) is (verdict is Verdict.REFUTED)


def test_the_printed_biased_bound_has_its_jacobian_transposed() -> None:
    """Eq. (5): Tr(G' I^{-1} G) in place of Tr(G I^{-1} G'), G_ij the derivative of g_i by x_j."""
    g, v = sp.Matrix([[0, 1], [0, 0]]), sp.diag(2, 1)
    printed, right = (g.T * v * g).trace(), (g * v * g.T).trace()
    assert (printed, right) == (2, 1)
    witness = linear_witness(g, sp.eye(2), v, [0, 0], printed, mean_slope=g)
    assert evaluate_linear(witness)[0]
    assert not evaluate_linear({**witness, "claimed": str(right)})[0]


def test_a_witness_of_another_kind_of_estimator_does_not_stand() -> None:
    witness = linear_witness(PLUS / 2, THIRD, sp.Matrix([[4]]), [1, 2, 0], R(1000), mean_slope=PLUS * THIRD)
    stands, says = evaluate_linear(witness)
    assert not stands
    assert "mean slope" in says
    for cut in ({**witness, "noise_covariance": [["-1"]]}, {**witness, "record": ["1", "2"]}):
        with pytest.raises(ValueError, match=r"covariance|needs"):
            evaluate_linear(cut)
    with pytest.raises(ValueError, match="unknown function"):
        evaluate_linear({**witness, "claimed": "open('x')"})
