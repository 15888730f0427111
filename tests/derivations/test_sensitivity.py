"""The sensitivity of the covariance: exact values, bounds on both sides, and a chain that can break."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from noiseproof.symbolic.proof.enclosure import compare
from noiseproof.symbolic.proof.truth import Truth
from noiseproof.symbolic.sensitivity.sign_matrices import (
    ENUMERATION_LIMIT,
    N,
    P,
    block_signs,
    distance,
    exact_sensitivity,
    extreme_pair,
    norm_chain,
    search,
    upper_bound,
)

ROOT2 = sp.sqrt(2)


@pytest.mark.parametrize("p", range(1, ENUMERATION_LIMIT + 1))
def test_exact_value_lies_between_a_pair_that_was_found_and_the_upper_bound(p: int) -> None:
    exact = exact_sensitivity(p)
    assert compare(exact / N, "<=", upper_bound().subs(P, p)) is Truth.HOLDS
    pair = search(p, np.random.default_rng(0))
    assert compare(sp.Rational(distance(pair)), "<=", exact) is Truth.HOLDS
    assert compare(sp.Rational(distance(pair)), ">=", exact * (1 - sp.Rational(1, 10**5))) is Truth.HOLDS


@pytest.mark.parametrize("p", [2, 4])
def test_upper_bound_is_attained_in_even_dimensions(p: int) -> None:
    assert sp.simplify(exact_sensitivity(p) - ROOT2 * p) == 0


@pytest.mark.parametrize("p", [2, 6, 10, 16])
def test_block_signs_come_within_a_millionth_of_the_upper_bound(p: int) -> None:
    found = float(distance(extreme_pair(block_signs(p))))
    assert np.sqrt(2) * p * (1 - 1e-5) < found <= np.sqrt(2) * p


def test_exact_value_agrees_with_brute_force_over_the_unit_ball() -> None:
    rng = np.random.default_rng(3)
    u, v = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in rng.normal(size=(2, 20_000, 3)))
    reached = np.abs(u[:, :, None] * u[:, None, :] - v[:, :, None] * v[:, None, :]).sum(axis=(1, 2)).max()
    assert 0.95 * float(exact_sensitivity(3)) < reached <= float(exact_sensitivity(3))


def test_chain_holds_for_its_own_bound_and_every_step_fails_when_sabotaged() -> None:
    chain = norm_chain(P, ROOT2, ROOT2 * P / N)
    assert chain.check() is Truth.HOLDS
    for step in chain.steps:
        # Inequalities "<=" are tightened; a looser right-hand side would still be true.
        wrong = replace(step, right=step.right * sp.Rational(99, 100))
        assert wrong.check() is Truth.FAILS, step.reason


@pytest.mark.parametrize(
    ("factor", "diameter", "bound"),
    [
        (sp.sqrt(P), sp.Integer(2), 2 * sp.sqrt(P) / N),
        (P, ROOT2 * sp.Rational(99, 100), ROOT2 * P / N),
        (P, ROOT2, ROOT2 * P / N * sp.Rational(99, 100)),
    ],
)
def test_chain_breaks_at_exactly_one_step(factor: sp.Expr, diameter: sp.Expr, bound: sp.Expr) -> None:
    truths = [step.check() for step in norm_chain(factor, diameter, bound).steps]
    assert truths.count(Truth.FAILS) == 1
    assert truths.count(Truth.HOLDS) == len(truths) - 1


def test_bad_arguments_are_errors() -> None:
    with pytest.raises(ValueError, match="longer than 1"):
        distance(((Fraction(1), Fraction(1)), (Fraction(0), Fraction(0))))
    with pytest.raises(ValueError, match="one length"):
        distance(((Fraction(1),), (Fraction(0), Fraction(0))))
    with pytest.raises(ValueError, match="p = 6"):
        exact_sensitivity(6)
