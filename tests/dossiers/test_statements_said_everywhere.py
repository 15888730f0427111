"""A formula is PROVED only where both sides are defined, of something, and no formula ends in an exception."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

from noiseproof.audit.dossier.formula import CHECKS, Formula, derivation
from noiseproof.audit.record.evidence import Verdict
from noiseproof.symbolic.proof.defined import open_need

X, Z = sp.symbols("x z", real=True)
P, Q = sp.symbols("p q", positive=True)
N = sp.Symbol("n", integer=True, positive=True)
ONE = sp.Integer(1)
DIPPED = sp.Piecewise((-ONE, sp.Abs(sp.sin(X)) < sp.Rational(1, 2)), (ONE, True))
NO_POINT = "no values were found"


def verdict(formula: Formula) -> Verdict:
    return derivation(formula, np.random.default_rng(3)).verdict


@pytest.mark.parametrize(
    "formula",
    [
        Formula(sp.Mul(X, 1 / X, evaluate=False), "=", ONE),
        Formula(sp.tan(X) * sp.cot(X), "=", ONE),
        Formula((X**2 - 1) / (X - 1), "=", X + 1),
        Formula(sp.sin(X) / sp.tan(X), "=", sp.cos(X)),
        Formula(sp.gamma(X + 1) / sp.gamma(X), "=", X),
        Formula(sp.Derivative(sp.Abs(X), X), "=", sp.sign(X)),
        Formula(sp.Integral(1 / X, (X, -1, 1)), "=", sp.Integer(0)),
        Formula(sp.log(X), "=", sp.log(X)),
        Formula(sp.log(DIPPED), "=", sp.log(DIPPED)),
        Formula(sp.Piecewise((X, X > 0)), "=", sp.Piecewise((X, X > 0))),
        Formula(sp.polygamma(1, X), ">", sp.Integer(0)),
        Formula(sp.polygamma(1, X), "=", sp.polygamma(1, X)),
        Formula(sp.beta(X, Z), "=", sp.beta(X, Z)),
        Formula(sp.beta(X, 2), "=", sp.beta(X, 2)),
        Formula(sp.arg(X), "=", sp.arg(X)),
        Formula(sp.atan2(2 * X, Z), "=", sp.atan2(2 * X, Z)),
        Formula(sp.totient(X), "=", sp.totient(X)),
    ],
    ids=lambda f: f.sentence[:40],
)
def test_a_side_that_is_undefined_somewhere_is_proved_nowhere(formula: Formula) -> None:
    assert verdict(formula) is not Verdict.PROVED


@pytest.mark.parametrize(
    "formula",
    [
        Formula(P / P**2, "=", 1 / P),
        Formula((X**2 - 1) / (X - 1), "=", X + 1, where=(X - 1,)),
        Formula((Q**2 - P**2) / (Q - P), "=", P + Q, where=(Q - P,)),
        Formula((X**2 - 4) / (X - 2) / (3 - X), "=", (X + 2) / (3 - X), where=(X - 2, 3 - X)),
        Formula(X / (2 + sp.sin(X)), "=", 1 / (2 + sp.sin(X)) * X + 0),
        Formula(sp.log(1 + X**2) * 2, "=", sp.log((1 + X**2) ** 2)),
        Formula(sp.factorial(N), "=", N * sp.factorial(N - 1)),
        Formula(N**2, ">=", N),
        Formula(sp.polygamma(1, P), ">", sp.Integer(0)),
    ],
    ids=lambda f: f.sentence[:40],
)
def test_what_is_defined_by_its_assumptions_and_conditions_stays_proved(formula: Formula) -> None:
    assert open_need((formula.left, formula.right), formula.where) is None
    assert verdict(formula) is Verdict.PROVED


@pytest.mark.parametrize(
    "formula",
    [
        Formula(X, "=", X, where=(-(X**2) - 1,)),
        Formula(X, "<=", X, where=(X - 2, 1 - X)),
        Formula(ONE, "=", ONE, where=(sp.Integer(0),)),
        Formula(
            sp.Symbol("k", integer=True, positive=True) ** 2,
            ">",
            sp.Integer(-1),
            where=(-sp.Symbol("k", integer=True, positive=True),),
        ),
    ],
    ids=lambda f: f.sentence[:40],
)
def test_a_statement_about_nothing_is_undecided_with_the_reason(formula: Formula) -> None:
    for check in CHECKS:
        found = check(formula, np.random.default_rng(3))
        assert found.verdict is Verdict.UNDECIDED
        assert NO_POINT in found.detail


@pytest.mark.parametrize(
    "where", [(N - 1000,), (X - 5, sp.Rational("5.000001") - X), (-X - 10**6,)], ids=["far", "thin", "low"]
)
def test_a_domain_that_random_points_miss_is_no_empty_one(where: tuple[sp.Expr, ...]) -> None:
    symbol = next(iter(where[0].free_symbols))
    assert verdict(Formula((symbol + 1) ** 2, "=", symbol**2 + 2 * symbol + 1, where=where)) is Verdict.PROVED


TERMS = [
    sp.atan(X),
    sp.acos(X),
    sp.asin(X / 9),
    sp.floor(X),
    sp.binomial(N, 2),
    sp.binomial(P, Q),
    sp.Mod(X, 2),
    sp.sign(X),
    sp.Piecewise((X, X > 0), (-X, True)),
    sp.gamma(P),
    sp.zeta(P + 2),
    sp.Function("f")(X),
    P**P**P,
    sp.LambertW(P),
    sp.Heaviside(X),
    sp.I * X,
    sp.besselj(0, X),
    sp.Max(X, 1),
    sp.Integral(sp.exp(-(X**2)), X),
    sp.oo,
    sp.nan,
    sp.factorial(N),
    sp.Mod(X, Z),
    sp.Piecewise((1, 1 / X > 0), (Z, True)),
    sp.Piecewise((1, sp.log(X) > 0), (Z, True)),
    sp.hermite(N - 5, X),
    sp.totient(N - 1),
]


@pytest.mark.parametrize("term", TERMS, ids=str)
def test_no_formula_ends_in_an_exception(term: sp.Expr) -> None:
    for relation in ("=", "<", ">="):
        for check in CHECKS:
            found = check(Formula(term, relation, term + ONE / 7), np.random.default_rng(3))
            assert found.verdict is not Verdict.PROVED or relation == "<"
            # By itself it does not cancel: it is asked for at points where it has no value as well.
            check(Formula(term, relation, ONE / 7), np.random.default_rng(3))


def test_a_violation_that_can_be_written_refutes() -> None:
    for side in (sp.atan(X), sp.floor(X), sp.asin(X / 100), sp.tanh(X), sp.cosh(X)):
        assert verdict(Formula(side, "=", side + sp.Rational(1, 10**9))) is Verdict.REFUTED


def test_sides_are_expressions_and_symbols_have_names_of_their_own() -> None:
    with pytest.raises(TypeError, match="expression or a number"):
        Formula("x", "=", ONE)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="tuple"):
        Formula(X, "=", X, where=X)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="one name"):
        Formula(X, "=", sp.Symbol("x", positive=True))
    assert Formula(sp.Float("0.1") * X, "=", X / 10).left == X / 10
