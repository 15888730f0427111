"""Trace identities: what agrees for all dimensions, what does not, and every wrong identity found out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from noiseproof.symbolic.proof.derivation import Step
from noiseproof.symbolic.proof.trace import (
    Column,
    Letter,
    Symmetric,
    Trace,
    cauchy_schwarz,
    contraction,
    gram,
    identity,
    normal,
    transpose,
)
from noiseproof.symbolic.proof.truth import Truth

A, S, B, C = Symmetric("A"), Symmetric("S"), Letter("B"), Letter("C")
U, V = Column("u"), Column("v")
R = sp.Symbol("r", positive=True)
HALF = sp.Rational(1, 2)

IDENTITIES = {
    "completed square": (
        gram(A**HALF * S**-HALF - R * S**HALF),
        Trace(A * S**-1) - 2 * R * Trace(A**HALF) + R**2 * Trace(S),
    ),
    "cyclic": (Trace(A * B * C), Trace(C * A * B)),
    "transposed": (Trace(A * B * C), Trace(C.T * B.T * A)),
    "frobenius": (gram(B), Trace(B * B.T)),
    "rank one": (
        gram(U * U.T - V * V.T),
        Trace(U.T * U) ** 2 + Trace(V.T * V) ** 2 - 2 * Trace(U.T * V) ** 2,
    ),
    "quadratic form": (Trace(B * U * U.T), Trace(U.T * B.T * U)),
    "powers": (Trace((A * B) ** 2), Trace(B * A * B * A)),
}


@pytest.mark.parametrize("step", [cauchy_schwarz(R, "a square"), contraction("a square")])
def test_a_named_identity_holds_and_its_sabotage_does_not(step: Step) -> None:
    assert step.check() is Truth.HOLDS
    for wrong in (replace(step, left=step.left * sp.Rational(101, 100)), replace(step, right=2 * step.right)):
        assert wrong.check() is not Truth.HOLDS


@pytest.mark.parametrize("name", IDENTITIES)
def test_identity_holds_and_its_sabotage_fails(name: str) -> None:
    left, right = IDENTITIES[name]
    step = identity(left, right, name)
    assert step.check() is Truth.HOLDS
    assert replace(step, right=right * sp.Rational(101, 100)).check() is Truth.FAILS


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (Trace(A * B * C), Trace(A * C * B)),
        (Trace(A * B * A * B), Trace(A**2 * B**2)),
        (Trace(B * C), Trace(B * C.T)),
    ],
)
def test_words_that_differ_only_in_higher_dimensions_are_not_identified(
    left: sp.Expr, right: sp.Expr
) -> None:
    # In dimension one both sides agree, so nothing is refuted either: the answer is unknown, never "holds".
    assert identity(left, right, "").check() is Truth.UNKNOWN


def test_rules_are_used_and_an_instance_that_obeys_them_refutes() -> None:
    w, x = Letter("W"), Column("x")
    rules: dict[tuple[Letter, ...], sp.Expr] = {(w.T, w): sp.Integer(1)}
    instance = {w: sp.Matrix([3, 4]) / 5, x: sp.Matrix([1, 2])}
    left, right = Trace(x.T * x) - gram(w.T * x), gram(x - w * w.T * x)
    assert identity(left, right, "", rules, instance=instance).check() is Truth.HOLDS
    assert identity(left, 2 * right, "", rules, instance=instance).check() is Truth.FAILS
    assert identity(left, 2 * right, "", rules).check() is Truth.UNKNOWN
    assert identity(left, right, "").check() is not Truth.HOLDS


def test_inverses_cancel_across_the_ends_of_a_cyclic_word() -> None:
    assert normal(Trace(S**-HALF * A * S**HALF)) == Trace(A)


def test_transpose_is_an_involution() -> None:
    expression = R * A * B - B.T * C + A**-1
    assert sp.expand(transpose(transpose(expression)) - expression) == 0


def test_fractional_power_of_a_general_matrix_is_an_error() -> None:
    with pytest.raises(ValueError, match="Symmetric"):
        normal(Trace(B**HALF * C))


@settings(max_examples=25, deadline=None)
@given(word=st.lists(st.sampled_from("ASBCbc"), min_size=1, max_size=6), seed=st.integers(0, 1000))
def test_normal_form_keeps_the_value_at_random_matrices(word: list[str], seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrices = {name: rng.integers(-3, 4, (3, 3)) for name in "ASBC"}
    matrices |= {name: matrices[name] + matrices[name].T for name in "AS"}
    values = {A: matrices["A"], S: matrices["S"], B: matrices["B"], C: matrices["C"]}
    values |= {B.T: matrices["B"].T, C.T: matrices["C"].T}
    letters = {"A": A, "S": S, "B": B, "C": C, "b": B.T, "c": C.T}

    def value(expression: sp.Expr) -> int:
        product = np.eye(3, dtype=int)
        factors = expression.args if isinstance(expression, sp.Mul) else (expression,)
        for factor in factors:
            base, exponent = factor.as_base_exp()
            product = product @ np.linalg.matrix_power(values[base], int(exponent))
        return int(np.trace(product))

    expression = sp.Mul(*(letters[name] for name in word))
    canonical = normal(Trace(expression))
    assert isinstance(canonical, Trace)
    assert value(canonical.args[0]) == value(expression)
